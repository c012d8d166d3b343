import { type DefinitionInput, type JsonObject, pipeline } from '../src';
import { runPipeline, runStep } from '../src/testing';
import { textNaming } from './kit/naming';

const prices = (count: number, bad = 0): JsonObject[] =>
    Array.from({ length: count }, (_, i) => ({ sku: `s-${i}`, price: i < bad ? 'much' : `${i}.50` }));
const cents = (count: number, from = 0): JsonObject[] =>
    Array.from({ length: count - from }, (_, i) => ({ sku: `s-${from + i}`, price: (from + i) * 100 + 50 }));

const gated = (config: JsonObject) =>
    pipeline('gated')
        .trigger('start', { type: 'MANUAL' })
        .extract('file', { adapterCode: 'csv', csvText: 'sku,price' })
        .transform('shape', [{ op: 'toCents', args: { source: 'price', target: 'price' } }])
        .gate('approval', config as never)
        .load('prices', { adapterCode: 'priceUpdate' })
        .build();
const MANUAL = { approvalType: 'MANUAL' };

/** The steps between a source and its ends; `'a > b'` is an edge. */
const drawn = (steps: Readonly<Record<string, [string, JsonObject]>>, ...ways: string[]): DefinitionInput => ({
    version: 1,
    steps: [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'file', kind: 'EXTRACT', config: { adapterCode: 'csv', csvText: 'sku,price' } },
        ...Object.entries(steps).map(([key, [kind, config]]) => ({ key, kind: kind as 'GATE', config })),
    ],
    edges: ['start > file', ...ways].flatMap(way => {
        const keys = way.split(' > ');
        return keys.slice(1).map((to, i) => ({ from: keys[i]!, to }));
    }),
});
const LOAD: [string, JsonObject] = ['LOAD', { adapterCode: 'priceUpdate' }];
const GATE: [string, JsonObject] = ['GATE', MANUAL];

describe('a pipeline with a gate in the test kit', () => {
    it('stops at the gate, and shows the records that it holds', async () => {
        const run = await runPipeline({ pipeline: gated(MANUAL), records: { file: prices(3, 1) } });
        expect(run).toMatchObject({
            status: 'PAUSED',
            outcome: null,
            error: null,
            gateStepKey: 'approval',
            held: { approval: cents(3, 1) },
            gateDecisions: [],
            totals: { recordsRead: 3, recordsLoaded: 0, recordsRejected: 1 },
            counters: { approval: { in: 2, out: 0, held: 2 } },
        });
        expect(Object.values(run.loaded).flat()).toEqual([]);
    });

    it('has loaded the records of branches without the gate', async () => {
        const run = await runPipeline({
            pipeline: drawn({ before: LOAD, approval: GATE, after: LOAD }, 'file > approval > after', 'file > before'),
            records: { file: prices(2) },
        });
        expect(run).toMatchObject({
            status: 'PAUSED',
            loaded: { before: prices(2), after: [] },
            held: { approval: prices(2) },
        });
    });

    it('continues after the gate once it is approved, and does not repeat earlier steps', async () => {
        const source = gated(MANUAL);
        const many = prices(250, 1);
        const run = await runPipeline({ pipeline: source, records: { file: many }, gates: { approval: 'APPROVE' } });
        expect(run).toMatchObject({
            status: 'COMPLETED',
            outcome: 'PARTIAL',
            gateStepKey: null,
            held: {},
            loaded: { prices: cents(250, 1) },
            gateDecisions: [{ stepKey: 'approval', verdict: 'APPROVED', decider: 'PERSON', records: cents(250, 1) }],
            totals: { recordsRead: 250, recordsLoaded: 249, recordsRejected: 1 },
            counters: { file: { in: 250 }, approval: { in: 249, out: 249, held: 0 } },
        });
        expect(run.rejected).toHaveLength(1);
    });

    it('is cancelled once the gate is rejected, and the records of the gate are not loaded', async () => {
        const run = await runPipeline({
            pipeline: drawn({ before: LOAD, approval: GATE, after: LOAD }, 'file > approval > after', 'file > before'),
            records: { file: prices(2) },
            gates: { approval: 'REJECT' },
        });
        expect(run).toMatchObject({
            status: 'CANCELLED',
            outcome: null,
            error: null,
            gateStepKey: null,
            held: {},
            loaded: { before: prices(2), after: [] },
            gateDecisions: [{ stepKey: 'approval', verdict: 'REJECTED', decider: 'PERSON', records: prices(2) }],
        });
    });

    it('decides gates in order, and waits at the first one without an answer', async () => {
        const two = drawn({ first: GATE, second: GATE, write: LOAD }, 'file > first > second > write');
        const given = { pipeline: two, records: { file: prices(2) } };
        expect(await runPipeline({ ...given, gates: { second: 'APPROVE' } })).toMatchObject({
            status: 'PAUSED',
            gateStepKey: 'first',
            gateDecisions: [],
        });
        const half = await runPipeline({ ...given, gates: { first: 'APPROVE' } });
        expect(half).toMatchObject({ status: 'PAUSED', gateStepKey: 'second', held: { second: prices(2) } });
        expect(half.held).not.toHaveProperty('first');
        const whole = await runPipeline({ ...given, gates: { first: 'APPROVE', second: 'APPROVE' } });
        expect(whole).toMatchObject({ status: 'COMPLETED', loaded: { write: prices(2) } });
        expect(whole.gateDecisions.map(({ stepKey }) => stepKey)).toEqual(['first', 'second']);
    });

    it('shows the records of each of several gates', async () => {
        const beside = drawn({ one: GATE, other: GATE, a: LOAD, b: LOAD }, 'file > one > a', 'file > other > b');
        const given = { pipeline: beside, records: { file: prices(2) } };
        expect(await runPipeline(given)).toMatchObject({
            status: 'PAUSED',
            held: { one: prices(2), other: prices(2) },
            loaded: { a: [], b: [] },
        });
        expect(await runPipeline({ ...given, gates: { one: 'APPROVE', other: 'APPROVE' } })).toMatchObject({
            status: 'COMPLETED',
            loaded: { a: prices(2), b: prices(2) },
        });
    });

    it.each([
        [26, 'COMPLETED', cents(4, 1), [{ verdict: 'APPROVED', decider: 'THRESHOLD' }]],
        [25, 'PAUSED', [], []],
    ])(
        'lets a gate with a threshold of %d decide for itself if few enough were rejected: %s',
        async (errorThresholdPercent, status, loaded, gateDecisions) => {
            const source = gated({ approvalType: 'THRESHOLD', errorThresholdPercent });
            const run = await runPipeline({ pipeline: source, records: { file: prices(4, 1) } });
            expect(run).toMatchObject({ status, gateDecisions });
            expect(run.loaded['prices'] ?? []).toEqual(loaded);
        },
    );

    it('uses the given answer only if the threshold is exceeded', async () => {
        const source = gated({ approvalType: 'THRESHOLD', errorThresholdPercent: 50 });
        const answered = (bad: number) =>
            runPipeline({ pipeline: source, records: { file: prices(4, bad) }, gates: { approval: 'REJECT' } });
        expect(await answered(1)).toMatchObject({ status: 'COMPLETED', gateDecisions: [{ decider: 'THRESHOLD' }] });
        expect(await answered(2)).toMatchObject({ status: 'CANCELLED', gateDecisions: [{ decider: 'PERSON' }] });
    });

    it('does not wait for a timeout', async () => {
        const source = gated({ approvalType: 'TIMEOUT', timeoutSeconds: 31_536_000 });
        const given = { pipeline: source, records: { file: prices(1) } };
        expect(await runPipeline(given)).toMatchObject({ status: 'PAUSED', held: { approval: cents(1) } });
        expect(await runPipeline({ ...given, gates: { approval: 'APPROVE' } })).toMatchObject({ status: 'COMPLETED' });
    });

    it('calls hooks for the pause and for the end, and those for the start once', async () => {
        const told = async (answer: 'APPROVE' | 'REJECT'): Promise<readonly string[]> => {
            const line = (message: string) => [{ type: 'LOG' as const, message }];
            const source = gated(MANUAL);
            const hooks = {
                RUN_STARTED: line('started'),
                RUN_PAUSED: line('paused'),
                RUN_COMPLETED: line('completed'),
                RUN_CANCELLED: line('cancelled'),
            };
            const definition = { ...source.definition, hooks };
            const records = { file: prices(1) };
            const { log } = await runPipeline({ pipeline: definition, records, gates: { approval: answer } });
            return log.map(({ message }) => message).filter(message => /^[a-z]+$/.test(message));
        };
        expect(await told('APPROVE')).toEqual(['started', 'paused', 'completed']);
        expect(await told('REJECT')).toEqual(['started', 'paused', 'cancelled']);
    });

    it('holds no records of a failed run', async () => {
        const { definition } = gated(MANUAL);
        const run = await runPipeline({
            pipeline: { ...definition, throughput: { batchSize: 1 }, errorHandling: { maxErrors: 0 } },
            records: { file: [...prices(3), { sku: 'last', price: 'much' }] },
        });
        expect(run.counters['approval']!.held).toBeGreaterThan(0);
        expect(run).toMatchObject({ status: 'FAILED', held: {}, gateStepKey: null });
    });

    it('passes records through in a step test', async () => {
        const { out } = await runStep({ pipeline: gated(MANUAL), stepKey: 'approval', records: prices(2) });
        expect(out).toEqual(prices(2));
    });

    it('rejects an answer for a step that is not a gate, and an invalid answer', async () => {
        const given = { pipeline: gated(MANUAL), records: { file: prices(1) } };
        await expect(runPipeline({ ...given, gates: { prices: 'APPROVE' } })).rejects.toMatchObject({
            code: 'INPUT_INVALID',
            message: textNaming('"prices"', 'GATE', 'has approval'),
        });
        await expect(runPipeline({ ...given, gates: { approval: 'MAYBE' as never } })).rejects.toMatchObject({
            code: 'INPUT_INVALID',
            message: textNaming('gates.approval is "MAYBE"; allowed: APPROVE, REJECT'),
        });
    });
});
