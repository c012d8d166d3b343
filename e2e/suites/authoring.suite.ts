import { FlowPipelineRevision } from '../../src/plugin/entities/revision';
import type { SimpleGraphQLClient } from '@vendure/testing';
import { EventBus, Tag } from '@vendure/core';
import gql from 'graphql-tag';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FlowPipelinePublished, pipeline } from '../../src';
import { ERRORS } from '../../src/core/errors/catalogue';
import { naming } from '../../test/kit/naming';
import { inChannel, type MadeChannel, makeAdministrator, makeChannel } from '../config/administrators';
import type { SharedSuite } from '../config/shared-shop';
import { type FlowServer } from '../config/flow-server';
import { latch, latchedValues } from '../config/latch';
import { tagLoader } from '../config/tag-loader';
import { as, errorOf, outcomes, PIPELINE_FIELDS, type PipelineAnswer } from '../fixtures/authoring-api';

const fromCode = pipeline('from-code')
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'generator', count: 1, template: { n: '{{index}}' } })
    .build();

const additions = {
    pipelines: [fromCode],
    adapters: [tagLoader, latchedValues],
} satisfies Partial<SharedSuite>;

/** Reads this number of values. */
const numbers = (count: unknown): Record<string, unknown> => ({
    version: 1,
    steps: [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'generator', count, template: { n: '{{index}}' } } },
    ],
    edges: [{ from: 'start', to: 'in' }],
});

const tags = (extract: Record<string, unknown>): Record<string, unknown> => ({
    version: 1,
    steps: [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'in', kind: 'EXTRACT', config: extract },
        { key: 'out', kind: 'LOAD', config: { adapterCode: 'tags' } },
    ],
    edges: [
        { from: 'start', to: 'in' },
        { from: 'in', to: 'out' },
    ],
});

/** The examples of the guide, in its order. */
const guide = [
    ...readFileSync(join(__dirname, '../../docs/guide/pipelines.md'), 'utf8')
        .split('\n## Export and import\n')[0]!
        .matchAll(/^```(\w+)\n([^]*?)^```/gm),
].map(([, language, text]) => ({ language, text: text! }));

const EDITOR = ['ReadFlowPipeline', 'CreateFlowPipeline', 'UpdateFlowPipeline', 'DeleteFlowPipeline'];
const ALL = [...EDITOR, 'ReviewFlowPipeline', 'PublishFlowPipeline', 'RunFlowPipeline', 'ReadFlowRun'];

function authoring(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let channel: MadeChannel;
    let superadmin: ReturnType<typeof as>;
    const people: Record<string, SimpleGraphQLClient> = {};
    let made = 0;

    beforeAll(async () => {
        shop = await open();
        superadmin = as(shop.adminClient);
        channel = await makeChannel(shop, 'authoring-b');
        people['ann'] = await makeAdministrator(shop, { name: 'ann', permissions: ALL });
        people['ben'] = await makeAdministrator(shop, { name: 'ben', permissions: [...ALL, 'UpdateCatalog'] });
    });

    const person = (name: string): ReturnType<typeof as> => as(people[name]!);
    const newCode = (): string => `made-${++made}`;
    const draft = (definition: unknown = numbers(3)): Promise<PipelineAnswer> =>
        superadmin.create({ code: newCode(), definition });
    const published = async (definition: unknown = numbers(3)): Promise<PipelineAnswer> =>
        superadmin.publish(await draft(definition));
    const actions = async (of: PipelineAnswer): Promise<string[]> =>
        (await superadmin.history(of)).map(({ action }) => action);

    describe('a new pipeline', () => {
        it('has a manual trigger and nothing else, is not published and cannot be started', async () => {
            const code = newCode();
            const created = await superadmin.create({ code });
            expect(created).toMatchObject({
                code,
                name: code,
                description: '',
                enabled: true,
                archived: false,
                status: 'DRAFT',
                version: 1,
                hasChanges: true,
                revision: null,
                workingCopy: {
                    definition: {
                        version: 1,
                        steps: [{ key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } }],
                        edges: [],
                    },
                    updatedBy: { identifier: 'superadmin' },
                    submittedBy: null,
                    reviewComment: null,
                },
            });
            expect(created.workingCopy?.issues.map(issue => issue.code)).toContain('EXTRACT_MISSING');
            expect(await errorOf(superadmin.start(created))).toMatchObject({
                code: 'PIPELINE_NOT_RUNNABLE',
                facts: { code, problem: expect.stringContaining('published') as string },
            });
            expect(await superadmin.history(created)).toEqual([
                { action: 'CREATED', actor: { identifier: 'superadmin' }, comment: null, revision: null },
            ]);
        });

        it.each(['Upper', 'two--hyphens', '-x', 'a b', '', 'x'.repeat(65)])('cannot have the code "%s"', async code => {
            expect(await errorOf(superadmin.create({ code }))).toMatchObject({
                code: 'INPUT_INVALID',
                message: expect.stringMatching(naming('code', 'letters', 'digits', 'hyphens')) as string,
            });
        });

        it('cannot have the code of another one, not even of one in another channel, which the error does not reveal', async () => {
            const { id, code } = await draft();
            const own = await errorOf(superadmin.create({ code }));
            await inChannel(shop.adminClient, channel.token, async () => {
                const foreign = await errorOf(superadmin.create({ code }));
                expect(foreign.code).toBe('CODE_TAKEN');
                // The words are the same for every owner of the code: they name neither an owner nor a pipeline.
                const wordsOf = ({ message, suggestion }: typeof own): string =>
                    message.replaceAll(code, '').replace(String(suggestion).slice(code.length), '');
                expect(wordsOf(foreign)).toBe(wordsOf(own));
                expect(foreign.message).not.toMatch(/pipeline|taken|channel/i);
                expect((await superadmin.create({ code: foreign['suggestion'] })).code).toMatch(
                    new RegExp(`^${code}-[0-9a-f]{4}$`),
                );
                expect(await superadmin.read({ id })).toBeNull();
            });
        });

        it('is created once when many requests use the same code at the same time', async () => {
            const code = newCode();
            const { done, refused: rejected } = await outcomes(
                Array.from({ length: 20 }, () => superadmin.create({ code })),
            );
            expect(done).toBe(1);
            expect(new Set(rejected)).toEqual(new Set(['CODE_TAKEN']));
        });

        it('has a name of 1 to 255 characters', async () => {
            for (const [name, ...values] of [
                [' ', 'empty', 255],
                ['x'.repeat(256), 256, 255],
            ] as const)
                expect(await errorOf(superadmin.create({ code: newCode(), name }))).toMatchObject({
                    code: 'INPUT_INVALID',
                    message: expect.stringMatching(naming('name', ...values)) as string,
                });
            expect(
                await superadmin.create({
                    code: newCode(),
                    name: ' Prices ',
                    description: 'Each night',
                    enabled: false,
                }),
            ).toMatchObject({
                name: 'Prices',
                description: 'Each night',
                enabled: false,
            });
        });
    });

    describe('a working copy', () => {
        it('is stored as it was written, including its errors, and lists them', async () => {
            const definition = {
                edges: [],
                steps: [{ kind: 'EXTRACT', key: 'in', config: { adapterCode: 'csvv', zeta: 1, alpha: 2 } }],
                note: 'later',
            };
            const { workingCopy } = await draft(definition);
            expect(JSON.stringify(workingCopy?.definition)).toBe(JSON.stringify(definition));
            expect(workingCopy?.issues).toEqual(
                expect.arrayContaining([
                    expect.objectContaining({
                        code: 'ADAPTER_NOT_FOUND',
                        path: 'steps[0].config.adapterCode',
                        stepKey: 'in',
                    }),
                    expect.objectContaining({ code: 'KEY_UNKNOWN', path: 'note', stepKey: null }),
                ]),
            );
            const { validateFlowPipeline } = await shop.adminClient.query(
                gql`query Validate($definition: FlowJSON!) { validateFlowPipeline(definition: $definition) { code path stepKey message } }`,
                { definition },
            );
            expect(validateFlowPipeline).toEqual(workingCopy?.issues);
        });

        it('can be neither submitted nor published with errors; all of them are reported', async () => {
            const faulty = await draft({ ...numbers('many'), note: 'later' });
            for (const attempt of [() => superadmin.submit(faulty), () => superadmin.publish(faulty)]) {
                expect(await errorOf(attempt())).toMatchObject({
                    code: 'DEFINITION_INVALID',
                    issues: [
                        { code: 'KEY_UNKNOWN', path: 'note' },
                        { code: 'CONFIG_INVALID', path: 'steps[1].config.count', stepKey: 'in' },
                    ],
                });
            }
            expect(await superadmin.read(faulty)).toEqual(faulty);
            const unknown = await draft({ ...numbers(1), capabilities: { requires: ['UpdateCatalogue'] } });
            expect((await errorOf(superadmin.publish(unknown))).issues).toMatchObject([
                { code: 'PERMISSION_UNKNOWN', path: 'capabilities.requires[0]' },
            ]);
        });

        it('may be at most 1 MiB large', async () => {
            const noted = (length: number): unknown => ({ version: 1, steps: [], edges: [], note: 'x'.repeat(length) });
            const large = await draft(noted(1024 * 1024 - 60));
            expect((large.workingCopy!.definition.note as string).length).toBe(1024 * 1024 - 60);
            expect(await errorOf(draft(noted(1024 * 1024)))).toMatchObject({
                code: 'INPUT_INVALID',
                message: expect.stringMatching(naming(1024 * 1024)) as string,
            });
            expect(await errorOf(draft(noted(4 * 1024 * 1024)))).toMatchObject({ code: 'BODY_TOO_LARGE' });
        });

        it('is a JSON object of a size and depth that can be stored', async () => {
            const deep = JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`) as unknown;
            const forbidden = JSON.parse('{"version":1,"steps":[],"edges":[],"__proto__":{}}') as unknown;
            expect(await errorOf(draft([]))).toMatchObject({ code: 'DEFINITION_MALFORMED' });
            expect(await errorOf(draft('{"version": 1,'))).toMatchObject({
                code: 'DEFINITION_MALFORMED',
                message: expect.stringMatching(naming('line 1', 'column 15', 'key')) as string,
            });
            expect(await errorOf(draft(deep))).toMatchObject({
                code: 'INPUT_INVALID',
                message: expect.stringContaining('32 levels') as string,
            });
            expect(await errorOf(draft(forbidden))).toMatchObject({
                code: 'INPUT_INVALID',
                message: expect.stringContaining('"__proto__"') as string,
            });
        });

        it('is not changed by a user who has read an older version: the error names both versions, and nothing is lost', async () => {
            const first = await draft();
            const second = await superadmin.update(first, { definition: numbers(4) });
            expect(second.version).toBe(2);
            expect(await errorOf(superadmin.update(first, { definition: numbers(5) }))).toMatchObject({
                code: 'REVISION_CONFLICT',
                current: 2,
                given: 1,
                facts: { what: 'Pipeline', code: first.code, current: 2, given: 1 },
            });
            expect((await superadmin.read(first))?.workingCopy?.definition).toEqual(numbers(4));
            for (const late of [
                () => superadmin.submit(first),
                () => superadmin.reject(first, 'no'),
                () => superadmin.publish(first),
                () => superadmin.delete(first),
            ]) {
                expect(await errorOf(late())).toMatchObject({ code: 'REVISION_CONFLICT' });
            }
        });

        it('accepts one of twenty simultaneous edits', async () => {
            const first = await draft();
            const { done, refused: rejected } = await outcomes(
                Array.from({ length: 20 }, (_, i) => superadmin.update(first, { definition: numbers(i + 10) })),
            );
            expect(done).toBe(1);
            expect(rejected).toEqual(Array(19).fill('REVISION_CONFLICT'));
            expect(await superadmin.read(first)).toMatchObject({ version: 2 });
            expect(await actions(first)).toEqual(['EDITED', 'CREATED']);
        });

        it('is not written again if nothing changes', async () => {
            const first = await draft();
            const reordered = Object.fromEntries(Object.entries(numbers(3)).reverse());
            expect(await superadmin.update(first, { name: first.name, definition: reordered })).toEqual(first);
            expect(await actions(first)).toEqual(['CREATED']);
        });

        it('differs from the newest revision only if it does something else', async () => {
            const first = await published();
            expect(first).toMatchObject({ hasChanges: false });
            const other = await superadmin.update(first, { definition: numbers(4) });
            expect(other).toMatchObject({ hasChanges: true, status: 'DRAFT', revision: { number: 1 } });
            const broken = await superadmin.update(other, { definition: { ...numbers(3), steps: [] } });
            expect(broken).toMatchObject({ hasChanges: true });
            const back = await superadmin.update(broken, {
                definition: { ...numbers(3), throughput: { batchSize: 100 } },
            });
            expect(back).toMatchObject({ hasChanges: false });
            // One after another: a rejected promise without a handler would fail the test.
            for (const attempt of [() => superadmin.publish(back), () => superadmin.submit(back)]) {
                expect(await errorOf(attempt())).toMatchObject({
                    code: 'PIPELINE_STATE_CONFLICT',
                    facts: { code: back.code, problem: expect.stringMatching(naming('revision 1')) as string },
                });
            }
        });

        it('may get another code until it is published', async () => {
            const [code, taken] = [newCode(), newCode()];
            await superadmin.create({ code: taken });
            const renamed = await superadmin.update(await draft(), { code });
            expect(renamed.code).toBe(code);
            expect(await errorOf(superadmin.update(renamed, { code: taken }))).toMatchObject({ code: 'CODE_TAKEN' });
            expect(await errorOf(superadmin.update(renamed, { code: 'No!' }))).toMatchObject({ code: 'INPUT_INVALID' });
            const fixed = await superadmin.publish(renamed);
            expect(await errorOf(superadmin.update(fixed, { code: newCode() }))).toMatchObject({
                code: 'PIPELINE_STATE_CONFLICT',
                facts: { code, action: 'edited', problem: expect.stringMatching(naming('code')) as string },
            });
            expect(await superadmin.update(fixed, { code, name: 'Same code' })).toMatchObject({
                code,
                name: 'Same code',
            });
        });
    });

    describe('a review', () => {
        it('sends a submitted pipeline back with a comment, and forgets it once it is submitted again', async () => {
            const submitted = await person('ann').submit(await draft());
            expect(submitted).toMatchObject({
                status: 'REVIEW',
                workingCopy: { status: 'REVIEW', submittedBy: { identifier: 'ann@shop.test' } },
            });
            expect(submitted.workingCopy?.submittedAt).not.toBeNull();
            expect(await errorOf(person('ann').submit(submitted))).toMatchObject({ code: 'PIPELINE_STATE_CONFLICT' });
            expect(await errorOf(person('ben').reject(submitted, '  '))).toMatchObject({
                code: 'INPUT_INVALID',
                message: expect.stringMatching(naming('comment', 'empty', '10,000')) as string,
            });
            expect(await errorOf(person('ben').reject(submitted, 'x'.repeat(10_001)))).toMatchObject({
                code: 'INPUT_INVALID',
            });
            const rejected = await person('ben').reject(submitted, 'Fewer, please.');
            expect(rejected).toMatchObject({
                status: 'DRAFT',
                workingCopy: {
                    status: 'DRAFT',
                    submittedBy: null,
                    submittedAt: null,
                    reviewComment: 'Fewer, please.',
                    reviewedBy: { identifier: 'ben@shop.test' },
                },
            });
            expect(await errorOf(person('ben').reject(rejected, 'Again.'))).toMatchObject({
                code: 'PIPELINE_STATE_CONFLICT',
                facts: {
                    code: rejected.code,
                    action: 'sent back',
                    problem: expect.stringContaining('review') as string,
                },
            });
            const edited = await person('ann').update(rejected, { definition: numbers(2) });
            expect(edited.workingCopy).toMatchObject({
                reviewComment: 'Fewer, please.',
                updatedBy: { identifier: 'ann@shop.test' },
            });
            const again = await person('ann').submit(edited);
            expect(again.workingCopy).toMatchObject({ reviewComment: null, reviewedBy: null });
            const [revision] = await superadmin.revisions(await person('ben').publish(again, 'Looks good'));
            expect(revision).toMatchObject({
                submittedBy: { identifier: 'ann@shop.test' },
                publishedBy: { identifier: 'ben@shop.test' },
                message: 'Looks good',
            });
            expect(await superadmin.history(again)).toEqual([
                {
                    action: 'PUBLISHED',
                    actor: { identifier: 'ben@shop.test' },
                    comment: 'Looks good',
                    revision: { number: 1 },
                },
                { action: 'SUBMITTED', actor: { identifier: 'ann@shop.test' }, comment: null, revision: null },
                { action: 'EDITED', actor: { identifier: 'ann@shop.test' }, comment: null, revision: null },
                {
                    action: 'REJECTED',
                    actor: { identifier: 'ben@shop.test' },
                    comment: 'Fewer, please.',
                    revision: null,
                },
                { action: 'SUBMITTED', actor: { identifier: 'ann@shop.test' }, comment: null, revision: null },
                { action: 'CREATED', actor: { identifier: 'superadmin' }, comment: null, revision: null },
            ]);
        });

        it('ends when the definition is edited, and not when the pipeline is only renamed', async () => {
            const submitted = await superadmin.submit(await draft());
            const renamed = await superadmin.update(submitted, { name: 'Another name' });
            expect(renamed).toMatchObject({
                status: 'REVIEW',
                workingCopy: { submittedBy: { identifier: 'superadmin' } },
            });
            const edited = await superadmin.update(renamed, { definition: numbers(7) });
            expect(edited).toMatchObject({ status: 'DRAFT', workingCopy: { submittedBy: null, submittedAt: null } });
        });
    });

    describe('a publication', () => {
        it('creates an immutable revision that contains the whole working copy', async () => {
            const seen: FlowPipelinePublished[] = [];
            const subscription = shop.app
                .get(EventBus)
                .ofType(FlowPipelinePublished)
                .subscribe(event => seen.push(event));
            try {
                const first = await superadmin.publish(await draft(), ' Three of them ');
                expect(first).toMatchObject({ status: 'DRAFT', hasChanges: false, revision: { number: 1 } });
                expect(first.workingCopy?.definition).toMatchObject({
                    throughput: { batchSize: 100, concurrency: 1 },
                    hooks: {},
                });
                const second = await superadmin.publish(await superadmin.update(first, { definition: numbers(4) }));
                expect(second.revision?.number).toBe(2);
                const revisions = await superadmin.revisions(first);
                expect(revisions.map(({ number, message }) => [number, message])).toEqual([
                    [2, null],
                    [1, 'Three of them'],
                ]);
                expect(revisions[1]?.definition).toEqual(first.workingCopy?.definition);
                expect(revisions[1]).toMatchObject({ publishedBy: { identifier: 'superadmin' }, submittedBy: null });
                expect(seen.map(({ publication }) => publication)).toMatchObject([
                    { pipelineCode: first.code, number: 1, message: 'Three of them' },
                    { pipelineCode: first.code, number: 2, message: undefined },
                ]);
                expect(seen[0]?.ctx.channelId).toBeDefined();
            } finally {
                subscription.unsubscribe();
            }
        });

        it('needs all permissions that a run will need', async () => {
            const catalogue = await draft(tags({ adapterCode: 'inMemory', data: [{ value: 'a' }] }));
            expect(await errorOf(person('ann').publish(catalogue))).toMatchObject({
                code: 'FORBIDDEN',
                facts: {
                    who: 'ann@shop.test',
                    permission: 'UpdateCatalog',
                    what: expect.stringContaining('"out"') as string,
                },
            });
            expect(await superadmin.read(catalogue)).toEqual(catalogue);
            expect(await person('ben').publish(catalogue)).toMatchObject({ revision: { number: 1 } });
        });

        it('with new, changed or moved code needs an additional permission, to be saved and to be published', async () => {
            const scripted = (code: string): Record<string, unknown> => {
                const { steps, edges, ...rest } = numbers(3) as { steps: unknown[]; edges: unknown[] };
                const step = {
                    key: 'shape',
                    kind: 'TRANSFORM',
                    config: { operators: [{ op: 'script', args: { code } }] },
                };
                return { ...rest, steps: [...steps, step], edges: [...edges, { from: 'in', to: 'shape' }] };
            };
            const rejection = {
                code: 'FORBIDDEN',
                facts: {
                    who: 'ann@shop.test',
                    permission: 'EditFlowScript',
                    what: expect.stringContaining('steps[2].config.operators[0].args.code') as string,
                },
            };
            expect(
                await errorOf(person('ann').create({ code: newCode(), definition: scripted('return record') })),
            ).toMatchObject(rejection);
            const code = await draft(scripted('return record'));
            expect(
                await errorOf(person('ann').update(code, { definition: scripted('return { ...record }') })),
            ).toMatchObject(rejection);
            expect(await errorOf(person('ann').publish(code))).toMatchObject(rejection);
            const out = await superadmin.publish(code);
            const renamed = await person('ann').update(out, {
                definition: { ...scripted('return record'), throughput: { batchSize: 7 } },
            });
            expect(await person('ann').publish(renamed)).toMatchObject({ revision: { number: 2 } });
            const [, first] = await superadmin.revisions(out);
            expect(await person('ann').select(out, first!.id)).toMatchObject({ revision: { number: 1 } });
            const document = JSON.stringify({
                flow: 1,
                code: newCode(),
                name: 'Imported',
                definition: scripted('return record'),
            });
            const imported = people['ann']!.query(
                gql`mutation Import($document: String!) { importFlowPipeline(document: $document, format: JSON) { id } }`,
                { document },
            );
            expect(await errorOf(imported)).toMatchObject(rejection);
            const newest = (await superadmin.read(out))!;
            const hooks = { AFTER_TRANSFORM: [{ type: 'INTERCEPTOR', code: 'return record' }] };
            const moved = { ...(numbers(3) as object), hooks };
            expect(await errorOf(person('ann').update(newest, { definition: moved }))).toMatchObject({
                code: 'FORBIDDEN',
                message: expect.stringContaining('hooks.AFTER_TRANSFORM[0].code'),
            });
            const faulty = await superadmin.update((await superadmin.read(out))!, {
                definition: scripted('return record +'),
            });
            expect(await errorOf(superadmin.publish(faulty))).toMatchObject({
                code: 'DEFINITION_INVALID',
                issues: [
                    {
                        code: 'CONFIG_INVALID',
                        path: 'steps[2].config.operators[0].args.code',
                        message: expect.stringMatching(naming('compile', 'line 1')) as string,
                    },
                ],
            });
        });

        it('happens once when twenty users press the button', async () => {
            const first = await draft();
            const { done, refused: rejected } = await outcomes(
                Array.from({ length: 20 }, () => superadmin.publish(first)),
            );
            expect(done).toBe(1);
            expect(rejected).toEqual(Array(19).fill('REVISION_CONFLICT'));
            expect(await superadmin.revisions(first)).toHaveLength(1);
            expect(await actions(first)).toEqual(['PUBLISHED', 'CREATED']);
        });

        it('publishes what its publisher has read, or nothing', async () => {
            const first = await draft();
            const [edit, publication] = await Promise.allSettled([
                superadmin.update(first, { definition: numbers(99) }),
                superadmin.publish(first),
            ]);
            expect([edit.status, publication.status].sort()).toEqual(['fulfilled', 'rejected']);
            for (const { definition } of await superadmin.revisions(first))
                expect(definition).toMatchObject(numbers(3));
        });
    });

    describe('a revision', () => {
        it('stays with the run that began with it; a draft starts nothing', async () => {
            const held = latch('held');
            const first = await published(tags({ adapterCode: 'latchedValues', latch: 'held', label: 'old' }));
            const run = (await superadmin.start(first)).startFlowPipelineRun as { id: string };
            await held.reached;
            const edited = await superadmin.update(first, {
                definition: tags({ adapterCode: 'latchedValues', latch: 'none', label: 'draft' }),
            });
            await superadmin.submit(edited);
            const drafted = (await superadmin.start(first)).startFlowPipelineRun as {
                id: string;
                revision: { number: number };
            };
            expect(drafted.revision.number).toBe(1);
            await superadmin.publish((await superadmin.read(first))!);
            const next = (await superadmin.start(first)).startFlowPipelineRun as {
                id: string;
                revision: { number: number };
            };
            expect(next.revision.number).toBe(2);
            held.open();
            expect(await shop.ended(run.id)).toMatchObject({ status: 'COMPLETED', recordsLoaded: 2 });
            const { flowPipelineRun } = await shop.adminClient.query(
                gql`query Run($id: ID!) { flowPipelineRun(id: $id) { revision { number } } }`,
                { id: run.id },
            );
            expect(flowPipelineRun.revision.number).toBe(1);
            const stored = async (): Promise<string[]> =>
                (await shop.dataSource.getRepository(Tag).find()).map(({ value }) => value).sort();
            expect(await shop.ended(drafted.id)).toMatchObject({ recordsUnchanged: 2 });
            expect(await shop.ended(next.id)).toMatchObject({ recordsLoaded: 2 });
            expect(await stored()).toEqual(['draft-after', 'draft-before', 'old-after', 'old-before']);
        });

        it('can be selected again, and the working copy does not change', async () => {
            const first = await published();
            const second = await superadmin.publish(await superadmin.update(first, { definition: numbers(4) }));
            const selected = await superadmin.select(second, first.revision!.id);
            expect(selected).toMatchObject({
                revision: { number: 1 },
                workingCopy: { definition: numbers(4) },
                hasChanges: false,
            });
            expect(await shop.perform(first.code)).toMatchObject({ recordsRead: 3 });
            expect((await superadmin.history(first))[0]).toEqual({
                action: 'REVISION_SELECTED',
                actor: { identifier: 'superadmin' },
                comment: null,
                revision: { number: 1 },
            });
            expect(await superadmin.select(selected, first.revision!.id)).toEqual(selected);
            const third = await superadmin.publish(await superadmin.update(selected, { definition: numbers(5) }));
            expect(third.revision?.number).toBe(3);
        });

        it('of another pipeline cannot be selected', async () => {
            const [mine, other] = [await published(), await published()];
            expect(await errorOf(superadmin.select(mine, other.revision!.id))).toMatchObject({
                code: 'REVISION_NOT_FOUND',
            });
            expect(await superadmin.read(mine)).toEqual(mine);
        });

        it('is selected only by a user with the permissions of its runs, and only while it is valid', async () => {
            const first = await published(tags({ adapterCode: 'inMemory', data: [{ value: 'a' }] }));
            const second = await superadmin.publish(await superadmin.update(first, { definition: numbers(1) }));
            expect(await errorOf(person('ann').select(second, first.revision!.id))).toMatchObject({
                code: 'FORBIDDEN',
            });
            const broken = JSON.stringify({
                ...numbers(1),
                steps: [
                    ...(numbers(1).steps as unknown[]),
                    { key: 'gone', kind: 'LOAD', config: { adapterCode: 'taken-out' } },
                ],
            });
            await shop.dataSource.query(
                `UPDATE flow_pipeline_revision SET definition = '${broken}' WHERE id = ${first.revision!.id.replace('T_', '')}`,
            );
            expect(await errorOf(superadmin.select(second, first.revision!.id))).toMatchObject({
                code: 'DEFINITION_INVALID',
            });
        });
    });

    describe('an administrator', () => {
        it('enables and disables a pipeline; a pipeline in the requested state is not written again', async () => {
            const first = await published();
            expect(await superadmin.enable(first)).toEqual(first);
            const off = await superadmin.disable(first);
            expect(off).toMatchObject({ enabled: false, version: first.version + 1 });
            expect(await errorOf(superadmin.start(off))).toMatchObject({ code: 'PIPELINE_NOT_RUNNABLE' });
            const { done } = await outcomes(Array.from({ length: 5 }, () => superadmin.enable(first)));
            expect(done).toBe(5);
            expect(await actions(first)).toEqual(['ENABLED', 'DISABLED', 'PUBLISHED', 'CREATED']);
        });

        it('disables a pipeline at the moment when a user starts it, and it does not start', async () => {
            const first = await published();
            const revisions = shop.dataSource.getRepository(FlowPipelineRevision);
            const find = revisions.findOne.bind(revisions);
            // The start has checked the pipeline by now.
            const between = jest.spyOn(revisions, 'findOne').mockImplementationOnce(async options => {
                const revision = await find(options);
                await superadmin.disable(first);
                return revision;
            });
            try {
                expect(await errorOf(superadmin.start(first))).toMatchObject({ code: 'PIPELINE_NOT_RUNNABLE' });
                expect(between).toHaveBeenCalled();
            } finally {
                between.mockRestore();
            }
        });

        it('archives a pipeline, which can then not be changed or started, and restores it', async () => {
            const first = await published();
            const away = await superadmin.archive(first);
            expect(away).toMatchObject({ archived: true });
            expect(await superadmin.archive(first)).toEqual(away);
            const told = {
                code: 'PIPELINE_STATE_CONFLICT',
                facts: { code: away.code, problem: expect.stringContaining('archived') as string },
            };
            const rejected = [
                superadmin.update(away, { name: 'x' }),
                superadmin.submit(away),
                superadmin.reject(away, 'x'),
                superadmin.publish(away),
                superadmin.enable(away),
                superadmin.disable(away),
                superadmin.select(away, away.revision!.id),
            ];
            for (const answer of rejected) expect(await errorOf(answer)).toMatchObject(told);
            expect(await errorOf(superadmin.start(away))).toMatchObject({
                code: 'PIPELINE_NOT_RUNNABLE',
                facts: told.facts,
            });
            expect(await superadmin.restore(away)).toMatchObject({ archived: false, enabled: true });
            expect(await shop.perform(first.code)).toMatchObject({ status: 'COMPLETED' });
            expect(await actions(first)).toEqual(['RESTORED', 'ARCHIVED', 'PUBLISHED', 'CREATED']);
        });

        it('deletes a pipeline that was never published, and everything that belongs to it', async () => {
            const first = await superadmin.archive(await draft());
            expect(await superadmin.delete(first)).toBe('DELETED');
            expect(await superadmin.read(first)).toBeNull();
            expect(await errorOf(superadmin.history(first))).toMatchObject({ code: 'PIPELINE_NOT_FOUND' });
            const rest = (await shop.dataSource.query(
                `SELECT * FROM flow_working_copy WHERE pipeline_id = ${first.id.replace('T_', '')}`,
            )) as unknown[];
            expect(rest).toEqual([]);
            expect(await superadmin.create({ code: first.code })).toMatchObject({ version: 1 });
            expect(await errorOf(superadmin.delete(await published()))).toMatchObject({
                code: 'PIPELINE_STATE_CONFLICT',
                facts: { action: 'deleted', problem: expect.stringMatching(naming('published', 'archive')) as string },
            });
        });
    });

    it('behaves as the guide says', async () => {
        const definition = JSON.parse(guide.find(({ language }) => language === 'json')!.text) as unknown;
        const answers: unknown[] = [];
        let id = '';
        for (const { text } of guide.filter(({ language }) => language === 'graphql')) {
            const { version, revision } = id === '' ? { version: 0, revision: null } : (await superadmin.read({ id }))!;
            // A published working copy has to change before it can be submitted.
            const current = !text.includes('submitFlowPipeline')
                ? version
                : (await superadmin.update({ id, version }, { definition: numbers(1) })).version;
            const answer = Object.values(
                await shop.adminClient.query(gql(text), { id, version: current, definition, revisionId: revision?.id }),
            )[0] as { id?: string };
            id ||= answer.id!;
            answers.push(answer);
        }
        expect(answers).toMatchObject([
            { status: 'DRAFT', hasChanges: true },
            { version: 2, workingCopy: { issues: [] } },
            [],
            { status: 'DRAFT', hasChanges: false, revision: { number: 1 } },
            { status: 'REVIEW' },
            { status: 'DRAFT', workingCopy: { reviewComment: 'The price of A-1 is wrong.' } },
            { totalItems: 1 },
            { revision: { number: 1 } },
            { enabled: false },
            { archived: true },
            { archived: false, enabled: false },
            { totalItems: 9 },
        ]);
    });

    it("does not change the pipelines of the shop's code", async () => {
        const { flowPipeline } = await shop.adminClient.query(
            gql(`query Code { flowPipeline(code: "from-code") { ${PIPELINE_FIELDS} } }`),
        );
        const code = flowPipeline as PipelineAnswer;
        expect(code.workingCopy).toBeNull();
        const rejected = [
            superadmin.update(code, { name: 'x' }),
            superadmin.submit(code),
            superadmin.reject(code, 'x'),
            superadmin.publish(code),
            superadmin.delete(code),
            superadmin.enable(code),
            superadmin.disable(code),
            superadmin.archive(code),
            superadmin.restore(code),
            superadmin.select(code, code.revision!.id),
        ];
        for (const answer of rejected) expect(await errorOf(answer)).toMatchObject({ code: 'CODE_FIRST_READ_ONLY' });
        expect(await superadmin.read(code)).toEqual(code);
    });

    it('cannot see the pipelines of another channel', async () => {
        const own = await published();
        const ask = gql`query Revision($id: ID!) { flowPipelineRevision(id: $id) { number } }`;
        expect(await shop.adminClient.query(ask, { id: own.revision!.id })).toEqual({
            flowPipelineRevision: { number: 1 },
        });
        await inChannel(shop.adminClient, channel.token, async () => {
            expect(await superadmin.read(own)).toBeNull();
            expect(await shop.adminClient.query(ask, { id: own.revision!.id })).toEqual({ flowPipelineRevision: null });
            const rejected = [
                superadmin.update(own, { name: 'x' }),
                superadmin.submit(own),
                superadmin.reject(own, 'x'),
                superadmin.publish(own),
                superadmin.delete(own),
                superadmin.enable(own),
                superadmin.disable(own),
                superadmin.archive(own),
                superadmin.restore(own),
                superadmin.select(own, own.revision!.id),
                superadmin.history(own),
                superadmin.revisions(own),
            ];
            for (const answer of rejected) {
                expect(await errorOf(answer)).toMatchObject({
                    code: 'PIPELINE_NOT_FOUND',
                    message: ERRORS.PIPELINE_NOT_FOUND.text,
                });
            }
            const here = await superadmin.create({ code: newCode(), definition: numbers(1) });
            expect(await errorOf(superadmin.select(await superadmin.publish(here), own.revision!.id))).toMatchObject({
                code: 'REVISION_NOT_FOUND',
            });
        });
        expect(await superadmin.read(own)).toEqual(own);
    });

    it.each([
        ['startFlowPipelineRun(pipelineId: "abc") { id }', 'PIPELINE_NOT_FOUND'],
        ['cancelFlowPipelineRun(id: "abc") { id }', 'RUN_NOT_FOUND'],
        ['updateFlowConnection(input: { id: "abc", version: 1 }) { id }', 'CONNECTION_NOT_FOUND'],
        ['updateFlowSecret(input: { id: "abc", version: 1 }) { id }', 'SECRET_NOT_FOUND'],
    ])('an invalid id is rejected with a message about that id alone: %s', async (mutation, code) => {
        const error = await errorOf(shop.adminClient.query(gql(`mutation { ${mutation} }`)));
        expect(error).toMatchObject({ code });
        expect(error.message).not.toContain('-1');
    });
}

export const authoringSuite: SharedSuite = { title: 'the life of a pipeline', ...additions, tests: authoring };
