import gql from 'graphql-tag';
import { countStatements, watchStatements } from '../../bench/meter';
import type { JsonObject } from '../../src';
import { DefinitionChecks } from '../../src/plugin/pipelines/definition-check';
import { FlowConnection } from '../../src/plugin/entities/connection';
import { FlowWorkingCopy } from '../../src/plugin/entities/working-copy';
import { naming } from '../../test/kit/naming';
import type { FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as, errorOf, type PipelineAnswer } from '../fixtures/authoring-api';
import { connectionsOf } from '../fixtures/resource-api';

countStatements();

const PIPELINES = 100;

const shaping = (operators: readonly JsonObject[]): JsonObject => ({
    version: 1,
    steps: [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'generator', count: 1, template: { n: '{{index}}' } } },
        { key: 'shape', kind: 'TRANSFORM', config: { operators } },
    ],
    edges: [
        { from: 'start', to: 'in' },
        { from: 'in', to: 'shape' },
    ],
});
const lookup = (connectionCode: string): JsonObject => ({
    op: 'httpLookup',
    args: { connectionCode, url: '/a', keyField: 'a', target: 'a' },
});
const trims = (count: number): readonly JsonObject[] =>
    Array.from({ length: count }, () => ({ op: 'trim', args: { path: 'a' } }));

/** What lists of pipelines and their editors read of working copies, and how often these are checked. */
function storedIssues(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let pipelines: ReturnType<typeof as>;
    let checked: jest.SpyInstance;
    let made = 0;

    beforeAll(async () => {
        shop = await open();
        pipelines = as(shop.adminClient);
        checked = jest.spyOn(shop.app.get(DefinitionChecks), 'byItself');
    });
    afterAll(() => checked?.mockRestore());
    beforeEach(() => checked.mockClear());

    const newPipeline = (definition: unknown): Promise<PipelineAnswer> =>
        pipelines.create({ code: `issues-${++made}`, definition });
    const idOf = ({ id }: PipelineAnswer): string => id.replace(/^T_/, '');
    const copies = () => shop.dataSource.getRepository(FlowWorkingCopy);
    const codesOf = async ({ id }: PipelineAnswer): Promise<readonly string[]> => {
        const answer = await shop.adminClient.query(
            gql`query Issues($id: ID!) { flowPipeline(id: $id) { workingCopy { issues { code } } } }`,
            { id },
        );
        const { issues } = answer.flowPipeline.workingCopy as { issues: ReadonlyArray<{ code: string }> };
        return issues.map(({ code }) => code);
    };
    const page = async (take: number): Promise<{ issues: readonly string[]; statements: number }> => {
        let statements = 0;
        const stop = watchStatements(text => {
            // Ignores the tables of runs, which the shop polls all the time.
            if (/flow_(pipeline|working_copy|connection|secret|managed_file)\b/.test(text)) statements++;
        });
        const { flowPipelines } = await shop.adminClient
            .query(
                gql`query Page($take: Int) { flowPipelines(options: { take: $take }) { items { workingCopy { issues { code } } } } }`,
                { take },
            )
            .finally(stop);
        const { items } = flowPipelines as {
            items: ReadonlyArray<{ workingCopy: { issues: ReadonlyArray<{ code: string }> } }>;
        };
        return {
            issues: items.map(({ workingCopy }) => workingCopy.issues.map(({ code }) => code).join()),
            statements,
        };
    };
    /** The page with the fewest statements of three: triggers and schedules read pipelines now and then. */
    const quietPage = async (take: number): ReturnType<typeof page> => {
        const pages = [await page(take), await page(take), await page(take)] as const;
        return pages.reduce((least, one) => (one.statements < least.statements ? one : least));
    };

    describe('of a list', () => {
        it('are read without checking a definition, with as few statements for many as for few', async () => {
            for (let i = 0; i < PIPELINES; i++)
                await newPipeline(shaping([lookup('nowhere'), ...(i % 2 === 0 ? [{ op: 'trimm' }] : [])]));
            expect(checked).toHaveBeenCalledTimes(PIPELINES);
            checked.mockClear();
            const few = await quietPage(10);
            const many = await quietPage(PIPELINES);
            expect(checked).not.toHaveBeenCalled();
            expect(many.statements).toBe(few.statements);
            expect(many.issues).toHaveLength(PIPELINES);
            // Counted, since the list is sorted by code and not by creation.
            expect(
                new Map([...new Set(many.issues)].map(text => [text, many.issues.filter(t => t === text).length])),
            ).toEqual(
                new Map([
                    ['ADAPTER_NOT_FOUND,CONNECTION_NOT_FOUND', PIPELINES / 2],
                    ['CONNECTION_NOT_FOUND', PIPELINES / 2],
                ]),
            );
        });

        it('are read without the definitions, which may have a megabyte each', async () => {
            const read: string[] = [];
            const stop = watchStatements(text => {
                if (/flow_working_copy/.test(text)) read.push(text);
            });
            await page(10).finally(stop);
            expect(read.length).toBeGreaterThan(0);
            expect(read.filter(text => /\bdefinition\b/.test(text))).toEqual([]);
        });
    });

    describe('of a working copy', () => {
        it('are those of its last save, and of the published revision', async () => {
            const faulty = await newPipeline(shaping([{ op: 'trimm' }]));
            expect(await codesOf(faulty)).toEqual(['ADAPTER_NOT_FOUND']);
            const sound = await pipelines.update(faulty, {
                definition: shaping([
                    { op: 'extractRegex', args: { source: 'a', target: 'b', pattern: '(b)', flags: 'u' } },
                ]),
            });
            expect(await codesOf(sound)).toEqual(['WITHOUT_EFFECT']);
            const published = await pipelines.publish(sound);
            checked.mockClear();
            expect(await codesOf(published)).toEqual(['WITHOUT_EFFECT']);
            expect(checked).not.toHaveBeenCalled();
        });

        it('reflect what was deleted from the channel since, and what was created', async () => {
            const { id } = await connectionsOf(shop.adminClient).create({
                code: 'here-today',
                type: 'HTTP',
                settings: { baseUrl: 'https://erp.example.com' },
            });
            const pipeline = await newPipeline(shaping([lookup('here-today')]));
            checked.mockClear();
            expect(await codesOf(pipeline)).toEqual([]);
            // As a restored backup would leave it: the API deletes no connection that is in use.
            await shop.dataSource.getRepository(FlowConnection).delete({ id: id.replace(/^T_/, '') });
            expect(await codesOf(pipeline)).toEqual(['CONNECTION_NOT_FOUND']);
            await connectionsOf(shop.adminClient).create({
                code: 'here-today',
                type: 'SFTP',
                settings: { host: 'sftp.example.com' },
            });
            expect(await codesOf(pipeline)).toEqual(['CONNECTION_TYPE_MISMATCH']);
            expect(checked).not.toHaveBeenCalled();
        });

        it('are found again with another version or other adapters, and stored without counting as an edit', async () => {
            const pipeline = await newPipeline(shaping([{ op: 'trimm' }]));
            const before = await copies().findOneByOrFail({ pipelineId: idOf(pipeline) });
            for (const stale of [
                { checkedWith: 'another version', checked: { issues: [], references: [] } },
                { checkedWith: null, checked: null },
            ]) {
                await copies()
                    .createQueryBuilder()
                    .update()
                    .set({ ...stale, updatedAt: before.updatedAt } as never)
                    .where({ pipelineId: idOf(pipeline) })
                    .execute();
                checked.mockClear();
                expect(await codesOf(pipeline)).toEqual(['ADAPTER_NOT_FOUND']);
                expect(checked).toHaveBeenCalledTimes(1);
                expect(await codesOf(pipeline)).toEqual(['ADAPTER_NOT_FOUND']);
                expect(checked).toHaveBeenCalledTimes(1);
            }
            const after = await copies().findOneByOrFail({ pipelineId: idOf(pipeline) });
            expect(after).toEqual(before);
        });

        it('are found once however many aliases and requests ask for them', async () => {
            const pipeline = await newPipeline(shaping([{ op: 'trimm' }]));
            await copies().update({ pipelineId: idOf(pipeline) }, { checkedWith: 'another version' });
            checked.mockClear();
            const fields = Array.from(
                { length: 50 },
                (_, i) => `a${i}: flowPipeline(id: $id) { workingCopy { ${'issues { code }'} } }`,
            );
            const ask = () =>
                shop.adminClient.query(gql(`query Many($id: ID!) { ${fields.join('\n')} }`), { id: pipeline.id });
            const answers = await Promise.all([ask(), ask(), ask()]);
            for (const answer of answers)
                expect(new Set(Object.values(answer).map(one => JSON.stringify(one)))).toEqual(
                    new Set([JSON.stringify({ workingCopy: { issues: [{ code: 'ADAPTER_NOT_FOUND' }] } })]),
                );
            expect(checked).toHaveBeenCalledTimes(1);
        });
    });

    describe('of a definition that is sent for a check', () => {
        const validate = (definitions: readonly unknown[]): Promise<Record<string, unknown>> => {
            const names = definitions.map((_, i) => `$d${i}: FlowJSON!`).join(', ');
            const fields = definitions.map(
                (_, i) => `a${i}: validateFlowPipeline(definition: $d${i}) { code message }`,
            );
            return shop.adminClient.query(
                gql(`query Validate(${names}) { ${fields.join('\n')} }`),
                Object.fromEntries(definitions.map((definition, i) => [`d${i}`, definition])),
            );
        };

        it('are found once in a request, however it is written', async () => {
            const definition = shaping([{ op: 'trimm' }]);
            const { version, ...rest } = definition;
            const fields = Array.from({ length: 10 }, (_, i) => `a${i}: validateFlowPipeline(definition: $d) { code }`);
            const answer = await shop.adminClient.query(gql(`query Validate($d: FlowJSON!) { ${fields.join('\n')} }`), {
                d: definition,
            });
            expect(Object.values(answer)).toEqual(Array(10).fill([{ code: 'ADAPTER_NOT_FOUND' }]));
            expect(checked).toHaveBeenCalledTimes(1);
            checked.mockClear();
            await validate([definition, { ...rest, version }, JSON.stringify(definition)]);
            expect(checked).toHaveBeenCalledTimes(1);
        });

        it('are found once however many fields of a request contain its parts, or the request is rejected', async () => {
            const { steps, edges } = shaping([{ op: 'trimm' }]) as JsonObject;
            const ask = (count: number): Promise<Record<string, unknown>> => {
                const fields = Array.from(
                    { length: count },
                    (_, i) => `a${i}: validateFlowPipeline(definition: { version: 1, steps: $s, edges: $e }) { code }`,
                );
                return shop.adminClient.query(
                    gql(`query Validate($s: FlowJSON!, $e: FlowJSON!) { ${fields.join('\n')} }`),
                    {
                        s: steps,
                        e: edges,
                    },
                );
            };
            expect(Object.values(await ask(10))).toEqual(Array(10).fill([{ code: 'ADAPTER_NOT_FOUND' }]));
            expect(checked).toHaveBeenCalledTimes(1);
            checked.mockClear();
            expect(await errorOf(ask(300))).toMatchObject({ code: 'QUERY_TOO_COSTLY' });
            expect(checked.mock.calls.length).toBeLessThanOrEqual(1);
        });

        it('are returned for a limited number of different ones in a request', async () => {
            const different = (count: number) => Array.from({ length: count }, (_, i) => shaping(trims(i + 1)));
            expect(Object.values(await validate(different(12)))).toEqual(Array(12).fill([]));
            expect(await errorOf(validate(different(13)))).toMatchObject({ code: 'QUERY_TOO_COSTLY' });
        });

        it('are listed up to a maximum, with the number of the others', async () => {
            const { a0 } = await validate([{ ...shaping(trims(1)), edges: Array<number>(1_500).fill(1) }]);
            const issues = a0 as ReadonlyArray<{ code: string; message: string }>;
            expect(issues).toHaveLength(501);
            expect(issues.at(-1)).toEqual({
                code: 'TOO_MANY_ISSUES',
                // In addition to the edges: two steps without an incoming edge, and the trigger, which leads nowhere.
                message: expect.stringMatching(naming(1_003, 500)),
            });
        });
    });

    describe('of a definition that is too large', () => {
        const regexes = (count: number): readonly JsonObject[] =>
            Array.from({ length: count }, (_, i) => ({
                op: 'replaceRegex',
                args: { path: 'a', pattern: `x${i}`, replacement: '' },
            }));

        it.each([
            ['values', () => shaping(trims(26_000)), ['definitions.maxValues', 100_000]],
            [
                'values of one configuration',
                () =>
                    shaping([
                        {
                            op: 'map',
                            args: {
                                mapping: Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [`k${i}`, 'v'])),
                            },
                        },
                    ]),
                ['steps[2].config.operators[0].args', 'definitions.maxConfigValues', 20_000],
            ],
            ['patterns', () => shaping(regexes(501)), ['definitions.maxPatterns', 501, 500]],
        ])('keep it from being saved and name the limit: %s', async (_what, definition, values) => {
            expect(await errorOf(newPipeline(definition()))).toMatchObject({
                code: 'INPUT_INVALID',
                message: expect.stringMatching(naming(...values)) as string,
                issues: [{ code: 'DEFINITION_TOO_LARGE' }],
            });
        });
    });
}

/** Lists, editors and requests that need many checks. */
export const storedIssuesSuite: SharedSuite = { title: 'the issues of pipelines', tests: storedIssues };
