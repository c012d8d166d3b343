import { Product, ProductVariant } from '@vendure/core';
import gql from 'graphql-tag';
import { type JsonObject, pipeline } from '../../src';
import { flowError } from '../../src/core/errors/flow-error';
import { Sandbox } from '../../src/io/sandbox/sandbox';
import { ScriptProcess } from '../../src/io/sandbox/script-process';
import { FlowCheckpoint } from '../../src/plugin/entities/checkpoint';
import { FlowRecordError } from '../../src/plugin/entities/record-error';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import type { FlowSetup } from '../../src/plugin/setup';
import { TestRuns } from '../../src/plugin/test-runs/test-runs';
import { FLOW_SETUP } from '../../src/plugin/tokens';
import { naming } from '../../test/kit/naming';
import { makeAdministrator, refusal } from '../config/administrators';
import type { SharedSuite } from '../config/shared-shop';
import { type FlowServer } from '../config/flow-server';
import { errorOf } from '../fixtures/authoring-api';

const TEST = gql`mutation Test($input: TestFlowStepInput!) { testFlowStep(input: $input) {
    stepKey kind in out branches { name records } operators { position op before after faults { seq code severity message path place } }
    rejected { stepKey sourceKey seq code message path faults { path rule message severity } record } changes { stepKey seq action key before after }
    counters { in out expanded filtered rejected created updated unchanged } log { level stepKey message } error { code message stepKey }
} }`;

const rows: readonly JsonObject[] = [
    { id: 'TEST-1', title: '  Moss Shoe ', price: '19.95', stock: 3 },
    { id: 'TEST-2', title: 'Slate Shoe', price: 'much', stock: 4 },
    { id: 'TEST-3', title: 'Sand Shoe', price: '5', stock: 0 },
];

const steps = {
    start: { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
    in: { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'inMemory', data: rows } },
    shape: {
        key: 'shape',
        kind: 'TRANSFORM',
        config: {
            operators: [
                { op: 'map', args: { mapping: { sku: 'id', name: 'title', price: 'price', stock: 'stock' } } },
                { op: 'trim', args: { path: 'name' } },
                { op: 'when', args: { action: 'drop', conditions: [{ field: 'stock', cmp: 'eq', value: 0 }] } },
                { op: 'toCents', args: { source: 'price', target: 'price' } },
                { op: 'slugify', args: { source: 'name', target: 'slug' } },
            ],
        },
    },
    products: { key: 'products', kind: 'LOAD', config: { adapterCode: 'productUpsert' } },
};
const definition = {
    version: 1,
    steps: Object.values(steps),
    edges: [
        { from: 'start', to: 'in' },
        { from: 'in', to: 'shape' },
        { from: 'shape', to: 'products' },
    ],
};

const additions = {
    pipelines: [
        pipeline('scripted')
            .trigger('start', { type: 'MANUAL' })
            .extract('in', { adapterCode: 'generator', count: 3, template: { n: '{{index}}' } })
            .transform('code', [{ op: 'script', args: { code: 'return { ...record, seen: true };' } }])
            .load('out', { adapterCode: 'productUpsert' })
            .build(),
    ],
    secrets: [{ code: 'canary', provider: 'INLINE', value: 'tell-nobody-7141' }],
    connections: [
        {
            code: 'closed',
            type: 'HTTP',
            settings: { baseUrl: 'https://closed.invalid', auth: { type: 'BEARER', secretCode: 'canary' } },
        },
    ],
} satisfies Partial<SharedSuite>;

/** Longer than any test, and not used by other timers: a test ends it itself. */
const LIMIT_MS = 7_654_321;

/** Lets step tests end when the returned function is called, and never before. */
function limited({ app }: FlowServer): () => void {
    const { runtime } = app.get<FlowSetup>(FLOW_SETUP).options;
    jest.replaceProperty(runtime, 'stepTestMs', LIMIT_MS);
    const real = setTimeout;
    let runOut = (): void => undefined;
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ms?: number) => {
        if (ms === LIMIT_MS) runOut = work;
        return real(work, ms);
    }) as typeof setTimeout);
    return () => runOut();
}

/** Calls back before each execution of a script. */
function beforeScripts(begins: () => Promise<void> | void): void {
    const { each } = Sandbox.prototype;
    jest.spyOn(Sandbox.prototype, 'each').mockImplementation(async function (this: Sandbox, order) {
        await begins();
        return each.call(this, order);
    });
}

/** Calls back when a script was sent to a process. */
function whenScriptRuns(runs: () => void): void {
    const { perform } = ScriptProcess.prototype;
    jest.spyOn(ScriptProcess.prototype, 'perform').mockImplementation(function (this: ScriptProcess, ...order) {
        setImmediate(runs);
        return perform.apply(this, order);
    });
}

function stepTests(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;

    beforeAll(async () => {
        shop = await open();
    });

    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a response of GraphQL
    const test = async (input: object): Promise<any> =>
        (await shop.adminClient.query(TEST, { input: { definition, ...input } })).testFlowStep;
    const rejected = async (input: object): Promise<string> => (await refusal(test(input))).message;

    it('shows what a transform step has received, what it returns, and the values before and after each operator', async () => {
        const shown = await test({ stepKey: 'shape' });
        expect(shown).toMatchObject({
            stepKey: 'shape',
            kind: 'TRANSFORM',
            in: rows,
            error: null,
            changes: [],
            out: [{ sku: 'TEST-1', name: 'Moss Shoe', price: 1995, stock: 3, slug: 'moss-shoe' }],
            counters: { in: 3, out: 1, filtered: 1, rejected: 1 },
            rejected: [{ stepKey: 'shape', seq: 1, path: 'price', record: rows[1] }],
        });
        expect(
            shown.operators.map(
                ({ op, before, after }: { op: string; before: unknown[]; after: unknown[] }) =>
                    `${op} ${before.length}>${after.length}`,
            ),
        ).toEqual(['map 3>3', 'trim 3>3', 'when 3>2', 'toCents 2>1', 'slugify 1>1']);
        expect(shown.operators[1]).toMatchObject({
            position: 2,
            before: [{ name: '  Moss Shoe ' }, {}, {}],
            after: [{ name: 'Moss Shoe' }, {}, {}],
        });
    });

    it('shows what a load would write, field by field, and writes nothing', async () => {
        const written = (): Promise<number[]> =>
            Promise.all(
                [FlowPipelineRun, FlowRecordError, FlowCheckpoint].map(entity =>
                    shop.dataSource.getRepository(entity).count(),
                ),
            );
        const before = await written();
        const first = await test({ stepKey: 'products' });
        expect(first).toMatchObject({
            kind: 'LOAD',
            counters: { in: 1, created: 1 },
            changes: [{ action: 'CREATE', key: 'moss-shoe', before: null }],
        });
        await shop.adminClient.query(
            gql`mutation { createProduct(input: { translations: [{ languageCode: en, name: "Old", slug: "moss-shoe", description: "" }] }) { id } }`,
        );
        const second = await test({
            stepKey: 'products',
            records: [
                { slug: 'moss-shoe', name: 'New' },
                { slug: 'moss-shoe', name: 'New', enabled: 'perhaps' },
            ],
        });
        expect(second).toMatchObject({
            in: [{ name: 'New' }, { name: 'New' }],
            counters: { updated: 1, rejected: 1 },
            changes: [{ action: 'UPDATE', before: expect.objectContaining({}), after: expect.objectContaining({}) }],
            rejected: [{ code: 'RECORD_INVALID', path: 'enabled', seq: 1 }],
        });
        expect(JSON.stringify(second.changes[0].before)).toContain('Old');
        expect(JSON.stringify(second.changes[0].after)).toContain('New');
        const products = await shop.dataSource.getRepository(Product).find({ relations: { translations: true } });
        expect(products.map(({ translations }) => translations[0]!.name)).not.toContain('New');
        expect(await shop.dataSource.getRepository(ProductVariant).count({ where: { sku: 'TEST-1' } })).toBe(0);
        expect(await written()).toEqual(before);
    });

    it('shows the errors that rules find, and where a route sends the rest', async () => {
        const rules = [
            { type: 'required', spec: { field: 'name' } },
            { type: 'range', spec: { field: 'n', min: 1, error: 'too few' } },
            { type: 'range', spec: { field: 'n', max: 5, severity: 'WARNING' } },
        ];
        const routed = {
            version: 1,
            edges: [{ from: 'check', to: 'way' }],
            steps: [
                { key: 'check', kind: 'VALIDATE', config: { rules } },
                {
                    key: 'way',
                    kind: 'ROUTE',
                    config: { branches: [{ name: 'many', when: [{ field: 'n', cmp: 'gt', value: 2 }] }] },
                },
            ],
        };
        const records = [{ name: 'a', n: 9 }, { n: 0 }, { name: 'b', n: 1 }];
        const checked = await test({ definition: routed, stepKey: 'check', records });
        expect(checked).toMatchObject({
            out: [{ name: 'a' }, { name: 'b' }],
            counters: { in: 3, out: 2, rejected: 1 },
            log: expect.arrayContaining([expect.objectContaining({ level: 'WARN' })]),
            rejected: [
                {
                    seq: 1,
                    code: 'VALIDATION_FAILED',
                    record: { n: 0 },
                    faults: [
                        { path: 'name', rule: 'required', severity: 'ERROR' },
                        { path: 'n', rule: 'range', message: 'too few' },
                    ],
                },
            ],
        });
        expect((await test({ definition: routed, stepKey: 'way', records })).branches).toEqual([
            { name: 'many', records: [{ name: 'a', n: 9 }] },
            { name: 'default', records: [{ n: 0 }, { name: 'b', n: 1 }] },
        ]);
    });

    it('reads 10 records of a source without a limit, else as many as the limit', async () => {
        const many = {
            version: 1,
            steps: [
                steps.start,
                { ...steps.in, config: { adapterCode: 'generator', count: 2_000, template: { n: '{{index}}' } } },
            ],
            edges: [{ from: 'start', to: 'in' }],
        };
        expect((await test({ definition: many, stepKey: 'in' })).out).toHaveLength(10);
        expect((await test({ definition: many, stepKey: 'in', limit: 1 })).out).toHaveLength(1);
        expect((await test({ definition: many, stepKey: 'in', limit: 1_000 })).out).toHaveLength(1_000);
    });

    it.each([0, -1, 1_001])('rejects the limit %s', async limit => {
        expect(await errorOf(test({ stepKey: 'shape', limit }))).toMatchObject({
            code: 'INPUT_INVALID',
            message: expect.stringMatching(naming('limit', limit, 1, 1_000)),
        });
    });

    it.each([1.5, '10', 1e12])('rejects the limit %s, which is not an Int', async limit => {
        expect(await rejected({ stepKey: 'shape', limit })).toMatch(/\bInt\b/);
    });

    it('tries a step of a draft that is unfinished elsewhere, and names errors by their place in the whole definition', async () => {
        const broken = { key: 'later', kind: 'LOAD', config: { adapterCode: 'nonsense' } };
        const draft = {
            ...definition,
            steps: [broken, ...definition.steps],
            edges: [...definition.edges, { from: 'shape', to: 'later' }],
        };
        expect((await test({ definition: draft, stepKey: 'shape' })).out).toHaveLength(1);
        const message = expect.stringContaining('"nonsense"');
        expect(await errorOf(test({ definition: draft, stepKey: 'later' }))).toMatchObject({
            issues: [{ code: 'ADAPTER_NOT_FOUND', path: 'steps[0].config.adapterCode', stepKey: 'later', message }],
            message,
        });
        const alone = { version: 1, steps: [steps.shape], edges: [] };
        expect(await errorOf(test({ definition: alone, stepKey: 'shape' }))).toMatchObject({
            code: 'INPUT_INVALID',
            message: expect.stringMatching(naming('EXTRACT', '"shape"', 'records')),
        });
        expect((await test({ definition: alone, stepKey: 'shape', records: rows })).out).toHaveLength(1);
    });

    it('lists the existing steps, and which of them cannot be tried', async () => {
        expect(await errorOf(test({ stepKey: 'nowhere' }))).toMatchObject({
            code: 'INPUT_INVALID',
            message: expect.stringMatching(naming('stepKey', '"nowhere"', 'start', 'in', 'shape', 'products')),
        });
        expect(await rejected({ stepKey: 'start' })).toContain('a TRIGGER');
        expect(await rejected({ stepKey: 'in', records: rows })).toMatch(naming('records', 'EXTRACT'));
        expect(await rejected({ stepKey: 'shape', records: ['text'] })).toContain('records[0]');
        expect(
            (
                await test({
                    stepKey: 'shape',
                    records: [{ id: 'X', title: 'T', price: '1', stock: 1, constructor: 'a field like others' }],
                })
            ).in[0].constructor,
        ).toBe('a field like others');
    });

    it('ends with the error that would fail a run, and shows the results until then', async () => {
        const join = {
            op: 'multiJoin',
            args: {
                leftKey: 'id',
                rightKey: 'id',
                rightData: [
                    { id: 'TEST-1', a: 1 },
                    { id: 'TEST-1', a: 2 },
                ],
                maxOutputRecords: 1,
            },
        };
        const config = { operators: [{ op: 'set', args: { path: 'a', value: 1 } }, join] };
        const joined = { version: 1, steps: [{ key: 'join', kind: 'TRANSFORM', config }], edges: [] };
        const shown = await test({ definition: joined, stepKey: 'join', records: rows });
        expect(shown).toMatchObject({
            error: { code: 'OUTPUT_TOO_LARGE', stepKey: 'join' },
            in: rows,
            out: [],
            operators: [{ op: 'set' }],
        });
    });

    it('reports at once why a source does not answer, whatever the pipeline retries', async () => {
        const busy = flowError('REMOTE_BUSY', { host: 'erp.test', problem: 'answered 503', attempts: 3 });
        const extract = jest.spyOn(shop.app.get(TestRuns).registry.find('extractor', 'inMemory')!, 'extract');
        // eslint-disable-next-line require-yield -- it throws before it yields
        extract.mockImplementation(async function* () {
            throw busy;
        });
        const patient = {
            ...definition,
            errorHandling: { maxRetries: 10, retryDelayMs: 300_000 },
            steps: definition.steps.map(step => (step.key === 'in' ? { ...step, retry: { maxRetries: 9 } } : step)),
        };
        const shown = await test({ definition: patient, stepKey: 'in' });
        expect(shown).toMatchObject({ error: { code: 'REMOTE_BUSY', stepKey: 'in' }, log: [] });
        expect(extract).toHaveBeenCalledTimes(1);
        jest.restoreAllMocks();
    });

    describe('of code that never ends, or has not ended yet', () => {
        afterEach(() => jest.restoreAllMocks());

        const scripted = (code: string) => ({
            definition: {
                version: 1,
                edges: [],
                steps: [
                    {
                        key: 'busy',
                        kind: 'TRANSFORM',
                        config: { operators: [{ op: 'script', args: { code, timeout: 60_000 } }] },
                    },
                ],
            },
            stepKey: 'busy',
            records: [{ n: 1 }],
        });

        it('ends when it takes too long, and shows what the step has received', async () => {
            const runOut = limited(shop);
            whenScriptRuns(runOut);
            expect(await test(scripted('for (;;);'))).toMatchObject({
                error: { code: 'STEP_TEST_TIMEOUT' },
                in: [{ n: 1 }],
                out: [],
            });
            jest.restoreAllMocks();
            expect((await test(scripted('return record;'))).out).toEqual([{ n: 1 }]);
        });

        it('runs a limited number at the same time', async () => {
            // No waiting test gives up before its turn.
            const { limiter } = shop.app.get(TestRuns) as unknown as {
                readonly limiter: { readonly limits: { waitMs: number } };
            };
            jest.replaceProperty(limiter.limits, 'waitMs', LIMIT_MS);
            let letGo = (): void => undefined;
            const going = new Promise<void>(resolve => (letGo = resolve));
            let atWork = 0;
            beforeScripts(() => {
                atWork++;
                return going;
            });
            const refusedOnes: string[] = [];
            const all: Array<Promise<void>> = [];
            // Four run, sixteen wait, and the others are rejected meanwhile.
            await new Promise<void>(resolve => {
                for (let i = 0; i < 22; i++) {
                    const answer = refusal(test(scripted('return record;')));
                    all.push(
                        answer.then(
                            ({ code }) => {
                                refusedOnes.push(code);
                                if (refusedOnes.length === 2) resolve();
                            },
                            () => undefined,
                        ),
                    );
                }
            });
            expect(atWork).toBeLessThanOrEqual(4);
            letGo();
            await Promise.all(all);
            expect(refusedOnes).toEqual(['STEP_TEST_BUSY', 'STEP_TEST_BUSY']);
            expect(atWork).toBe(20);
        });
    });

    it('does not show more than a page can hold', async () => {
        const grow = {
            definition: {
                version: 1,
                edges: [],
                steps: [
                    {
                        key: 'grow',
                        kind: 'TRANSFORM',
                        config: {
                            operators: Array.from({ length: 20 }, (_, i) => ({
                                op: 'set',
                                args: { path: `f${i}`, value: 'x'.repeat(1_000) },
                            })),
                        },
                    },
                ],
            },
            stepKey: 'grow',
        };
        expect(
            await refusal(test({ ...grow, records: Array.from({ length: 1_000 }, (_, n) => ({ n })) })),
        ).toMatchObject({ code: 'STEP_TEST_TOO_LARGE', message: expect.stringContaining('4 MiB') });
    });

    it('rejects what would grow without end, with the name of operator and field', async () => {
        const doubled = { op: 'concat', args: { sources: ['a', 'a'], target: 'a' } };
        const operators = Array.from({ length: 30 }, () => doubled);
        const grow = { key: 'grow', kind: 'TRANSFORM', config: { operators } };
        const seen = {
            key: 'seen',
            kind: 'TRANSFORM',
            config: { operators: [{ op: 'uppercase', args: { path: 'a' } }] },
        };
        const source = { ...steps.in, config: { adapterCode: 'inMemory', data: [{ a: 'x' }, { b: 1 }] } };
        const growing = {
            version: 1,
            steps: [steps.start, source, grow, seen],
            edges: [
                { from: 'start', to: 'in' },
                { from: 'in', to: 'grow' },
                { from: 'grow', to: 'seen' },
            ],
        };
        const shown = await test({ definition: growing, stepKey: 'seen' });
        expect(shown.rejected).toEqual([
            expect.objectContaining({ code: 'VALUE_TOO_LARGE', stepKey: 'grow', path: 'a', record: { a: 'x' } }),
        ]);
        expect(shown.rejected[0].message).toContain('operator concat');
        expect(shown.out).toEqual([{ b: 1 }]);
        // With the values before and after each operator, the result is already too large.
        const alone = { definition: { version: 1, edges: [], steps: [grow] }, stepKey: 'grow', records: [{ a: 'x' }] };
        expect((await refusal(test(alone))).code).toBe('STEP_TEST_TOO_LARGE');
    });

    it('keeps secrets out of what it shows, at every place', async () => {
        const leaky = [{ id: 'x', title: 'tell-nobody-7141', price: '1', stock: 1 }];
        const ask = {
            op: 'httpLookup',
            args: { connectionCode: 'closed', url: '/x', target: 'b', failOnError: false },
        };
        const withSecret = { ...steps.shape, config: { operators: [...steps.shape.config.operators, ask] } };
        const shown = await test({
            definition: { version: 1, steps: [withSecret], edges: [] },
            stepKey: 'shape',
            records: leaky,
        });
        expect(JSON.stringify(shown)).not.toContain('tell-nobody-7141');
        expect(shown.in).toEqual([expect.objectContaining({ id: 'x' })]);
    });

    it('shows the warnings of each operator, and the record that continues', async () => {
        const pdf = {
            ...steps.shape,
            config: {
                operators: [
                    { op: 'pdfGenerate', args: { template: 'Hello', templateField: 'none', targetField: 'pdf' } },
                    { op: 'pdfGenerate', args: { templateField: 'title', targetField: 'pdf' } },
                ],
            },
        };
        const shown = await test({
            definition: { version: 1, steps: [pdf], edges: [] },
            stepKey: 'shape',
            records: [{ title: 7 }],
        });
        const [fine, warns] = shown.operators as ReadonlyArray<{ readonly faults: readonly JsonObject[] }>;
        expect(fine!.faults).toEqual([]);
        expect(warns!.faults).toMatchObject([{ seq: 0, code: 'RECORD_INVALID', severity: 'WARNING', path: 'title' }]);
        expect(shown.rejected).toEqual([]);
        expect(shown.counters).toMatchObject({ rejected: 0, out: 1 });
        expect(shown.out).toHaveLength(1);
    });

    it('needs the permissions that a run needs, the one to read records, and for new code the one to write it', async () => {
        const reading = {
            definition: {
                version: 1,
                steps: [steps.start, { ...steps.in, config: { adapterCode: 'csv', fileId: '1' } }],
                edges: [{ from: 'start', to: 'in' }],
            },
            stepKey: 'in',
        };
        const post = {
            definition: {
                version: 1,
                steps: [
                    {
                        key: 'ask',
                        kind: 'TRANSFORM',
                        config: {
                            operators: [
                                {
                                    op: 'httpLookup',
                                    args: { connectionCode: 'closed', url: '/x', method: 'POST', target: 'b' },
                                },
                            ],
                        },
                    },
                ],
                edges: [],
            },
            stepKey: 'ask',
            records: [{ n: 1 }],
        };
        const scripted = {
            definition: {
                version: 1,
                steps: [
                    {
                        key: 'code',
                        kind: 'TRANSFORM',
                        config: { operators: [{ op: 'script', args: { code: 'return { ...record, seen: true };' } }] },
                    },
                ],
                edges: [],
            },
            stepKey: 'code',
            records: [{ n: 1 }],
        };
        const pipelineId = await shop.pipelineId('scripted');
        const as = (...permissions: string[]) => makeAdministrator(shop, { name: permissions.join('-'), permissions });
        const shape = { definition, stepKey: 'shape' };
        const because = async (client: Awaited<ReturnType<typeof as>>, input: object): Promise<string> =>
            (await refusal(client.query(TEST, { input }))).message;
        expect(await because(await as('RunFlowPipeline', 'ReadFlowRecord'), shape)).toMatch(/not currently authorized/);
        expect(await because(await as('UpdateFlowPipeline', 'RunFlowPipeline'), shape)).toContain('ReadFlowRecord');
        expect(await because(await as('UpdateFlowPipeline', 'ReadFlowRecord'), shape)).toContain('RunFlowPipeline');
        const editor = await as('UpdateFlowPipeline', 'ReadFlowRecord', 'RunFlowPipeline');
        expect((await editor.query(TEST, { input: shape })).testFlowStep.out).toHaveLength(1);
        expect(await because(editor, { ...shape, stepKey: 'products' })).toContain('UpdateCatalog');
        expect(await because(editor, scripted)).toContain('EditFlowScript');
        expect(await because(editor, reading)).toContain('ReadFlowFiles');
        const requested = (await editor.query(TEST, { input: post })).testFlowStep;
        expect(JSON.stringify([requested.rejected, requested.error])).toContain('PublishFlowPipeline');
        expect((await editor.query(TEST, { input: { ...scripted, pipelineId } })).testFlowStep.out).toEqual([
            { n: 1, seen: true },
        ]);
        // Code in other steps does not run here.
        const beside = { ...definition, steps: [...definition.steps, ...scripted.definition.steps] };
        expect((await editor.query(TEST, { input: { ...shape, definition: beside } })).testFlowStep.out).toHaveLength(
            1,
        );
    });

    it('accepts the sources that a definition may have, and no other', async () => {
        for (const adapterCode of ['spreadsheet', 'givenRecords']) {
            const source = { ...steps.in, config: { adapterCode } };
            const written = { version: 1, steps: [steps.start, source], edges: [{ from: 'start', to: 'in' }] };
            const { code, message } = await refusal(test({ definition: written, stepKey: 'in' }));
            expect(code).toBe('DEFINITION_INVALID');
            expect(message.replace(`"${adapterCode}"`, '')).not.toContain('givenRecords');
        }
    });

    it('is not rejected because of hooks of steps that are not tried', async () => {
        const hooks = { BEFORE_LOAD: [{ type: 'NONSENSE' }], ON_RETRY: [{ type: 'NONSENSE' }] };
        expect((await test({ stepKey: 'shape', definition: { ...definition, hooks } })).out).toHaveLength(1);
        expect(await rejected({ stepKey: 'products', definition: { ...definition, hooks } })).toContain('BEFORE_LOAD');
    });
}

export const stepTestsSuite: SharedSuite = { title: 'testFlowStep', ...additions, tests: stepTests };
