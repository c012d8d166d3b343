import fc from 'fast-check';
import { z } from 'zod';
import { casesOf } from '../../../test/kit/cases';
import { loadKey, memoryPorts, MemoryState } from '../../../test/kit/memory-ports';
import { compiled, sketched } from '../../../test/kit/pipeline';
import { toyPages } from '../../../test/kit/toy-adapters';
import { seededRandom, VirtualClock } from '../../../test/kit/virtual-clock';
import type { Outcome } from '../adapter/loader';
import { defineSink, type Sink } from '../adapter/sink';
import { flowError } from '../errors/flow-error';
import { recordInvalid } from '../errors/record-invalid';
import type { PipelineDefinition } from '../pipeline/definition';
import type { LoadOutcomes, RunPorts } from '../ports/ports';
import { readOutcomes } from '../steps/load-outcomes';
import { executeRun, type RunEnd } from './execute';

/*
 * One source and three sibling targets, one of which fails at random. Workers die at any await, continue although they are considered dead, are
 * cancelled, and end their slices. In every case, each target receives each record at least once under one id, and an acknowledged record is not
 * sent again once the acknowledgement is stored. The counters match the deliveries, and each target is finished at the end.
 */

type Fate = 'crash' | 'zombie' | 'cancel' | 'yield';

interface Case {
    readonly records: number;
    readonly batchSize: number;
    readonly concurrency: number;
    /** How many records a call of each target takes. */
    readonly parts: readonly [number, number, number];
    /** Which of them fails, and how often. */
    readonly failing: { readonly target: 'a' | 'b' | 'c'; readonly rate: number };
    /** Target c rejects the records whose number is divisible by it; 1 rejects all. */
    readonly refused: number;
    readonly seed: number;
    readonly fates: ReadonlyArray<{ readonly fate: Fate; readonly at: number }>;
}

const RUNS = casesOf({ all: 250, inTest: 125 });
const TARGETS = ['a', 'b', 'c'] as const;
type TargetKey = (typeof TARGETS)[number];

const cases: fc.Arbitrary<Case> = fc.record({
    records: fc.integer({ min: 1, max: 14 }),
    batchSize: fc.integer({ min: 1, max: 5 }),
    concurrency: fc.integer({ min: 1, max: 3 }),
    parts: fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 5 })),
    failing: fc.record({
        target: fc.constantFrom('a' as const, 'b' as const, 'c' as const),
        rate: fc.constantFrom(0, 0.2, 0.5),
    }),
    refused: fc.constantFrom(1, 2, 5, 100),
    seed: fc.integer(),
    fates: fc.array(
        fc.record({
            fate: fc.constantFrom<Fate>('crash', 'crash', 'zombie', 'cancel', 'yield'),
            at: fc.integer({ min: 3, max: 60 }),
        }),
        { minLength: 1, maxLength: 6 },
    ),
});

interface Sent {
    readonly target: TargetKey;
    readonly n: number;
    readonly id: string;
}

/** What is durable, what the targets have seen, and who is at work. */
class World {
    readonly state = new MemoryState();
    readonly random: () => number;
    readonly clock: VirtualClock;
    readonly sent: Sent[] = [];
    /** Records that were sent although it was known that they had arrived. */
    readonly sentInVain: Sent[] = [];
    /** Markers that reported something else about a record than before. */
    readonly retold: string[] = [];
    readonly finished: TargetKey[] = [];
    /** Targets that were finished before all that there was for them was known to be delivered, or after nothing was. */
    readonly finishedEarly: TargetKey[] = [];
    workers = 0;
    /** How often a worker had calls of two targets in flight. */
    beside = 0;

    constructor(private readonly plan: Case) {
        this.random = seededRandom(plan.seed);
        this.clock = new VirtualClock(1_700_000_000_000, this.random);
    }

    isRefused(target: TargetKey, n: number): boolean {
        return target === 'c' && n % this.plan.refused === 0;
    }

    /** Of a target, by the numbers of the records. */
    known(target: TargetKey): ReadonlyMap<number, string> {
        const markers = [...this.state.markers].filter(([key]) => key.startsWith(`${target} `));
        return new Map(markers.flatMap(([, { result }]) => lettersOf(result.verdicts)));
    }

    async worker(number: number): Promise<RunEnd | 'gone'> {
        const { plan, state, clock } = this;
        const token = ++state.fence;
        this.workers++;
        const fate = plan.fates[number];
        const cancel = new AbortController();
        const slice = new AbortController();
        let awaits = 0;
        let dead = false;
        let replaced = (): void => undefined;
        const gone = new Promise<'gone'>(resolve => {
            replaced = () => resolve('gone');
        });
        const at = async (): Promise<void> => {
            if (dead) return new Promise(() => undefined);
            if (fate && ++awaits === fate.at) {
                if (fate.fate === 'crash') dead = true;
                if (fate.fate === 'crash' || fate.fate === 'zombie') replaced();
                if (fate.fate === 'cancel') cancel.abort(flowError('RUN_CANCELLED', {}));
                if (fate.fate === 'yield') slice.abort();
                if (dead) return new Promise(() => undefined);
            }
            if (this.random() < 0.7) await clock.sleep(Math.floor(this.random() * 40));
            if (dead) return new Promise(() => undefined);
        };
        const pipeline = compiled(definitionOf(plan), { clock, adapters: [toyPages(at), this.sink(at, token)] });
        const ports = this.watched(memoryPorts(state, { token, at }));
        const work = executeRun(pipeline, ports, { signal: cancel.signal, yieldSignal: slice.signal });
        return clock.drive(Promise.race([work, gone]));
    }

    /** Each step names its target by its key. */
    private sink(at: () => Promise<void>, token: number): Sink {
        const { plan, state } = this;
        let underWay = 0;
        return defineSink({
            code: 'toySink',
            title: 'Toy sink',
            summary: 'Delivers to a toy.',
            config: z.strictObject({ batchSize: z.number() }),
            open: async ({ batchSize }, { stepKey }) => {
                const target = stepKey as TargetKey;
                const { rate } = plan.failing;
                const mayFail = (): boolean => plan.failing.target === target && this.random() < rate;
                const busy = (): never => {
                    throw flowError('REMOTE_BUSY', { host: target, problem: 'is busy', attempts: 1 });
                };
                return {
                    batchSize,
                    deliver: async (batch, ids) => {
                        const isCurrent = state.fence === token;
                        const known = this.known(target);
                        for (const [i, { data }] of batch.entries()) {
                            const sent = { target, n: data['n'] as number, id: ids[i]! };
                            this.sent.push(sent);
                            if (isCurrent && known.has(sent.n)) this.sentInVain.push(sent);
                        }
                        if (++underWay > 1) this.beside++;
                        try {
                            await at();
                        } finally {
                            underWay--;
                        }
                        if (mayFail()) busy();
                        return batch.map(({ data }): Outcome => {
                            const n = data['n'] as number;
                            if (this.isRefused(target, n))
                                return { ok: false, error: recordInvalid('n', 'is rejected') };
                            if (!mayFail()) return { ok: true };
                            const problem = 'is busy';
                            return {
                                ok: false,
                                error: flowError('REMOTE_BUSY', { host: target, problem, attempts: 1 }),
                            };
                        });
                    },
                    finish: async () => {
                        if (state.fence === token) {
                            const known = this.known(target);
                            const isWritten = [...known.values()].includes('U');
                            if (known.size < plan.records || !isWritten) this.finishedEarly.push(target);
                            this.finished.push(target);
                        }
                        await at();
                        if (mayFail()) busy();
                    },
                };
            },
        });
    }

    /** Observes what markers report. */
    private watched(ports: RunPorts): RunPorts {
        const { loads } = ports;
        return {
            ...ports,
            loads: {
                ...loads,
                settle: async (unit, result) => {
                    const key = loadKey(unit.key);
                    const stored = (): ReadonlyMap<number, string> =>
                        new Map(lettersOf(this.state.markers.get(key)?.result.verdicts ?? ''));
                    const before = stored();
                    await loads.settle(unit, result);
                    const after = stored();
                    for (const [n, letter] of before) if (after.get(n) !== letter) this.retold.push(`${key} ${n}`);
                },
            },
        };
    }
}

/** What is known of which record; its number is its place in the source. */
function lettersOf(outcomes: LoadOutcomes): ReadonlyArray<readonly [number, string]> {
    return readOutcomes(outcomes).flatMap(({ letter, seq }) => (letter === '?' ? [] : [[seq!, letter] as const]));
}

function definitionOf({ records, batchSize, concurrency, parts }: Case): PipelineDefinition {
    const rows = Array.from({ length: records }, (_, n) => ({ n }));
    const sink = (i: number) => ['SINK', { adapterCode: 'toySink', batchSize: parts[i]! }] as const;
    return sketched({
        steps: {
            start: ['TRIGGER', {}],
            read: ['EXTRACT', { adapterCode: 'toyPages', pages: rows.map(row => ({ records: [row] })) }],
            a: sink(0),
            b: sink(1),
            c: sink(2),
        },
        edges: ['start > read > a', 'read > b', 'read > c'],
        throughput: { batchSize, concurrency },
        errorHandling: { maxRetries: 2, retryDelayMs: 50 },
    });
}

async function withMisfortune(plan: Case): Promise<{ readonly end: RunEnd; readonly world: World }> {
    const world = new World(plan);
    for (let number = 0; number < 200; number++) {
        const end = await world.worker(number);
        if (end === 'gone' || end.end === 'yielded') continue;
        if (end.end === 'completed') return { end, world };
        if (end.end !== 'stopped' || !['RUN_CANCELLED', 'REMOTE_BUSY'].includes(end.error.code))
            throw new Error(`unexpected: ${JSON.stringify(end)}`);
        const at = end.error.code === 'REMOTE_BUSY' ? [plan.failing.target] : [undefined];
        expect(at).toContain(end.stepKey);
    }
    throw new Error('the run never came to its end');
}

describe('three parallel targets under any misfortune', () => {
    beforeEach(() => jest.spyOn(Math, 'random').mockReturnValue(0.5));
    afterEach(() => jest.restoreAllMocks());

    it('get each record at least once, and never again after its arrival is known', async () => {
        const seen = { crashes: 0, repeated: 0, beside: 0, refinished: 0, unfinished: 0 };
        await fc.assert(
            fc.asyncProperty(cases, async plan => {
                const { end, world } = await withMisfortune(plan);
                expect(world.sentInVain).toEqual([]);
                expect(world.retold).toEqual([]);
                expect(world.finishedEarly).toEqual([]);
                const all = Array.from({ length: plan.records }, (_, n) => n);
                for (const target of TARGETS) {
                    const sent = world.sent.filter(one => one.target === target);
                    expect([...new Set(sent.map(({ n }) => n))].sort((x, y) => x - y)).toEqual(all);
                    // One id for each record, however often it was sent.
                    expect(new Set(sent.map(({ id }) => id)).size).toBe(plan.records);
                    expect(new Set(sent.map(({ n, id }) => `${n} ${id}`)).size).toBe(plan.records);
                    const rejected = all.filter(n => world.isRefused(target, n)).length;
                    const updated = plan.records - rejected;
                    expect(end.counters[target]).toMatchObject({ in: plan.records, updated, out: updated, rejected });
                    expect(world.state.counters[target]).toEqual(end.counters[target]);
                    const times = world.finished.filter(one => one === target).length;
                    if (updated === 0) expect(times).toBe(0);
                    else expect(times).toBeGreaterThanOrEqual(1);
                    if (updated === 0) seen.unfinished++;
                    if (times > 1) seen.refinished++;
                    seen.repeated += sent.length - plan.records;
                }
                expect(world.state.rejects.size).toBe(all.filter(n => world.isRefused('c', n)).length);
                seen.beside += world.beside;
                seen.crashes += world.workers - 1;
            }),
            { numRuns: RUNS },
        );
        // The misfortunes really came.
        expect(seen.crashes).toBeGreaterThan(RUNS / 2);
        expect(seen.repeated).toBeGreaterThan(RUNS / 2);
        expect(seen.beside).toBeGreaterThan(RUNS);
        expect(seen.refinished).toBeGreaterThan(0);
        expect(seen.unfinished).toBeGreaterThan(0);
    }, 120_000);
});
