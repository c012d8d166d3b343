import type { SimpleGraphQLClient } from '@vendure/testing';
import gql from 'graphql-tag';
import { type JsonObject, pipeline } from '../../src';
import { naming } from '../../test/kit/naming';
import { inChannel, type MadeChannel, makeAdministrator, makeChannel, refusal } from '../config/administrators';
import type { SharedSuite } from '../config/shared-shop';
import { type FlowServer } from '../config/flow-server';
import { as, type PipelineAnswer } from '../fixtures/authoring-api';

const fromCode = pipeline('text-from-code')
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'generator', count: 1, template: { n: '{{index}}' } })
    .build();

const additions = { pipelines: [fromCode] } satisfies Partial<SharedSuite>;

const FORMATS = ['JSON', 'YAML'] as const;
const AWKWARD = {
    zebra: [
        'no',
        '1e3',
        '00123',
        '2026-01-01',
        '~',
        'null',
        ' a ',
        'a: b #c',
        '😀',
        'two\nlines\n',
        'dos\r\nlines',
        'nul \0 and half \ud800',
    ],
    10: 1e21,
    9: -0.5,
    'Art.-Nr.': null,
    aardvark: { y: true, n: false },
};

const operator = (path: string, value: unknown): object => ({ args: { value, path }, op: 'set' });
const definition = (operators: readonly object[], more: object = {}): JsonObject =>
    ({
        edges: [
            { to: 'in', from: 'start' },
            { to: 'mark', from: 'in' },
        ],
        steps: [
            { kind: 'TRIGGER', key: 'start', config: { type: 'MANUAL' } },
            {
                kind: 'EXTRACT',
                key: 'in',
                config: { template: { n: '{{index}}' }, count: 2, adapterCode: 'generator' },
            },
            { kind: 'TRANSFORM', key: 'mark', config: { operators } },
        ],
        version: 1,
        ...more,
    }) as JsonObject;

interface DocumentAnswer {
    readonly filename: string;
    readonly mimeType: string;
    readonly content: string;
}

/** What a user does with documents. */
function withDocuments(client: SimpleGraphQLClient) {
    return {
        async out(args: {
            readonly id: string;
            readonly format?: string;
            readonly revisionId?: string;
        }): Promise<DocumentAnswer> {
            const answer = await client.query(
                gql`query Out($id: ID!, $revisionId: ID, $format: FlowDocumentFormat) {
                exportFlowPipeline(id: $id, revisionId: $revisionId, format: $format) { filename mimeType content }
            }`,
                args,
            );
            return answer.exportFlowPipeline as DocumentAnswer;
        },
        async in(args: {
            readonly document: string;
            readonly format: string;
            readonly version?: number;
        }): Promise<PipelineAnswer> {
            const answer = await client.query(
                gql`mutation In($document: String!, $format: FlowDocumentFormat!, $version: Int) {
                importFlowPipeline(document: $document, format: $format, version: $version) {
                    id code name description version status hasChanges enabled revision { id number } workingCopy { definition }
                }
            }`,
                args,
            );
            return answer.importFlowPipeline as PipelineAnswer;
        },
        async differences(args: {
            readonly pipelineId: string;
            readonly from?: string;
            readonly to?: string;
        }): Promise<readonly unknown[]> {
            const answer = await client.query(
                gql`query Differences($pipelineId: ID!, $from: ID, $to: ID) {
                flowPipelineDifferences(pipelineId: $pipelineId, from: $from, to: $to) { kind subject stepKey path before after }
            }`,
                args,
            );
            return answer.flowPipelineDifferences as readonly unknown[];
        },
    };
}

function documents(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let channel: MadeChannel;
    let admin: ReturnType<typeof as>;
    let text: ReturnType<typeof withDocuments>;

    beforeAll(async () => {
        shop = await open();
        channel = await makeChannel(shop, 'documents-b');
        admin = as(shop.adminClient);
        text = withDocuments(shop.adminClient);
    });

    describe('export and import', () => {
        it.each(FORMATS)('create the same %s in another channel, whatever the definition contains', async format => {
            const code = `awkward-${format.toLowerCase()}`;
            const made = await admin.create({
                code,
                name: 'Awkward',
                description: 'First line\n\n  "second": \'line\'',
                definition: definition([operator('a', AWKWARD)]),
            });
            const first = await text.out({ id: made.id, format });
            expect(first).toMatchObject({
                filename: `${code}.${format.toLowerCase()}`,
                mimeType: `application/${format.toLowerCase()}`,
            });
            const renamed = first.content.replace(code, `${code}-copy`);
            await inChannel(shop.adminClient, channel.token, async () => {
                const copy = await text.in({ document: renamed, format });
                expect(copy).toMatchObject({
                    code: `${code}-copy`,
                    name: 'Awkward',
                    status: 'DRAFT',
                    version: 1,
                    enabled: true,
                    revision: null,
                });
                expect((await text.out({ id: copy.id, format })).content).toBe(renamed);
                expect(copy.workingCopy?.definition).toEqual(made.workingCopy?.definition);
            });
            const other = format === 'JSON' ? 'YAML' : 'JSON';
            const { content } = await text.out({ id: made.id, format: other });
            const again = await text.in({ document: content, format: other, version: made.version });
            expect(again).toMatchObject({ id: made.id, version: made.version });
            expect((await text.out({ id: made.id, format })).content).toBe(first.content);
        });

        it('change the working copy of an existing pipeline, if the user has read its version', async () => {
            const made = await admin.create({
                code: 'edited',
                description: 'Before',
                definition: definition([operator('a', 1)]),
            });
            const { content } = await text.out({ id: made.id });
            const published = await admin.publish(made);
            const document = JSON.stringify({
                ...(JSON.parse(content) as object),
                name: 'After',
                description: undefined,
                definition: definition([]),
            });
            const changed = await text.in({ document, format: 'JSON', version: published.version });
            expect(changed).toMatchObject({
                id: made.id,
                name: 'After',
                description: '',
                hasChanges: true,
                status: 'DRAFT',
                revision: { number: 1 },
            });
            expect(
                await refusal(text.in({ document: content, format: 'JSON', version: published.version })),
            ).toMatchObject({ code: 'REVISION_CONFLICT' });
            expect(await refusal(text.in({ document: content, format: 'JSON' }))).toMatchObject({
                code: 'INPUT_INVALID',
                message: expect.stringMatching(naming('version', 'missing', '"edited"')),
            });
            const named = await text.out({ id: made.id, revisionId: published.revision!.id, format: 'YAML' });
            expect(named.filename).toBe('edited.r1.yaml');
            expect(named.content).toContain('path: a');
        });

        it('export the live definition of a pipeline from code, which cannot be imported', async () => {
            const id = await shop.pipelineId('text-from-code');
            const { filename, content } = await text.out({ id });
            expect(filename).toBe('text-from-code.json');
            expect(content.split('\n').slice(0, 12)).toEqual([
                '{',
                '  "flow": 1,',
                '  "code": "text-from-code",',
                '  "name": "text-from-code",',
                '  "definition": {',
                '    "version": 1,',
                '    "steps": [',
                '      {',
                '        "key": "start",',
                '        "kind": "TRIGGER",',
                '        "config": {',
                '          "type": "MANUAL"',
            ]);
            expect(await refusal(text.in({ document: content, format: 'JSON', version: 1 }))).toMatchObject({
                code: 'CODE_FIRST_READ_ONLY',
            });
        });

        it('reject a document with the place of its error, and store nothing', async () => {
            const rejected = async (document: string, format: string, version?: number): Promise<string> => {
                const { code, message } = await refusal(
                    text.in({ document, format, ...(version !== undefined && { version }) }),
                );
                expect(code).toBe('INPUT_INVALID');
                return message;
            };
            const malformed = async (document: string, format: string): Promise<string> => {
                const { code, message } = await refusal(text.in({ document, format }));
                expect(code).toBe('DEFINITION_MALFORMED');
                return message;
            };
            expect(await malformed('flow: 1\ncode: new\ncode: newer\n', 'YAML')).toMatch(
                naming('line 3', 'column 1', '"code"'),
            );
            expect(await malformed('{"flow": 1,, "code": "new"}', 'JSON')).toMatch(
                naming('line 1', 'column 12', 'key'),
            );
            expect(await rejected('{"flow": 1, "code": "New", "definition": {}}', 'JSON')).toMatch(
                naming('document.code', '"New"'),
            );
            expect(await malformed('{"flow": 1, "code": "new"}', 'JSON')).toMatch(
                naming('document.definition', 'missing', 'object'),
            );
            expect(
                await rejected('{"flow": 1, "code": "new", "definition": {"steps": {"__proto__": 1}}}', 'JSON'),
            ).toMatch(naming('"__proto__"'));
            expect(await rejected('{flow: 1, code: new, name: " ", definition: {}}', 'YAML')).toMatch(
                naming('name', 'empty'),
            );
            expect(await rejected('{flow: 1, code: new, definition: {}}', 'YAML', 3)).toMatch(
                naming('version', 3, '"new"'),
            );
            const { flowPipeline } = await shop.adminClient.query(gql`query New { flowPipeline(code: "new") { id } }`);
            expect(flowPipeline).toBeNull();
        });

        it('need the permission to create for a new pipeline and the one to update for an existing one', async () => {
            const creator = withDocuments(
                await makeAdministrator(shop, {
                    name: 'creator',
                    permissions: ['ReadFlowPipeline', 'CreateFlowPipeline'],
                }),
            );
            const editor = withDocuments(
                await makeAdministrator(shop, {
                    name: 'editor',
                    permissions: ['ReadFlowPipeline', 'UpdateFlowPipeline'],
                }),
            );
            const document = 'flow: 1\ncode: by-permission\ndefinition: {version: 1, steps: [], edges: []}\n';
            expect(await refusal(editor.in({ document, format: 'YAML' }))).toMatchObject({ code: 'FORBIDDEN' });
            const made = await creator.in({ document, format: 'YAML' });
            expect(made).toMatchObject({ code: 'by-permission', name: 'by-permission' });
            expect(await refusal(creator.in({ document, format: 'YAML', version: made.version }))).toMatchObject({
                code: 'FORBIDDEN',
            });
            expect(
                await editor.in({ document: `${document}name: Edited\n`, format: 'YAML', version: made.version }),
            ).toMatchObject({ id: made.id, name: 'Edited' });
        });
    });

    describe('differences', () => {
        it('lead from the live definition to the working copy, or from one revision to another', async () => {
            const operators = [operator('b', 1), operator('c', 1)];
            const made = await admin.create({ code: 'compared', definition: definition(operators) });
            expect(await text.differences({ pipelineId: made.id })).toMatchObject(
                ['start', 'in', 'mark', null, null, null].map(stepKey => ({ kind: 'ADDED', stepKey, before: null })),
            );
            const published = await admin.publish(made);
            expect(await text.differences({ pipelineId: made.id })).toEqual([]);

            const usual = { throughput: { batchSize: 100 }, errorHandling: { maxRetries: 3 } };
            const spelledOut = await admin.update(published, { definition: definition(operators, usual) });
            expect(await text.differences({ pipelineId: made.id })).toEqual([]);
            const changed = await admin.update(spelledOut, {
                definition: definition([{ op: 'trim', args: { path: 'a' } }, operator('b', 2), operator('c', 1)], {
                    throughput: { batchSize: 7 },
                }),
            });
            const expected = [
                {
                    kind: 'ADDED',
                    subject: 'OPERATOR',
                    stepKey: 'mark',
                    path: 'steps.mark.config.operators[0]',
                    before: null,
                    after: { op: 'trim', args: { path: 'a' } },
                },
                {
                    kind: 'CHANGED',
                    subject: 'ARGUMENT',
                    stepKey: 'mark',
                    path: 'steps.mark.config.operators[1].args.value',
                    before: 1,
                    after: 2,
                },
                {
                    kind: 'CHANGED',
                    subject: 'SETTING',
                    stepKey: null,
                    path: 'throughput.batchSize',
                    before: 100,
                    after: 7,
                },
            ];
            expect(await text.differences({ pipelineId: made.id })).toEqual(expected);

            const second = await admin.publish(changed);
            const [from, to] = [published.revision!.id, second.revision!.id];
            expect(await text.differences({ pipelineId: made.id, from, to })).toEqual(expected);
            expect(await text.differences({ pipelineId: made.id, from })).toEqual(expected);
            expect(await text.differences({ pipelineId: made.id, from: to, to: from })).toMatchObject([
                { kind: 'REMOVED' },
                { kind: 'CHANGED', before: 2, after: 1 },
                { before: 7, after: 100 },
            ]);
            const other = await shop.pipelineId('text-from-code');
            expect(await refusal(text.differences({ pipelineId: other, from }))).toMatchObject({
                code: 'REVISION_NOT_FOUND',
            });
            expect(await refusal(text.out({ id: other, revisionId: from }))).toMatchObject({
                code: 'REVISION_NOT_FOUND',
            });
        });

        it('of another channel are not visible', async () => {
            const id = await shop.pipelineId('text-from-code');
            await inChannel(shop.adminClient, channel.token, async () => {
                expect(await refusal(text.differences({ pipelineId: id }))).toMatchObject({
                    code: 'PIPELINE_NOT_FOUND',
                });
                expect(await refusal(text.out({ id }))).toMatchObject({ code: 'PIPELINE_NOT_FOUND' });
            });
        });
    });
}

export const documentsSuite: SharedSuite = { title: 'pipelines as text', ...additions, tests: documents };
