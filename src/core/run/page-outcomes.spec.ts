import { memoryPorts, MemoryState } from '../../../test/kit/memory-ports';
import { compiled, ids, type RunOptions, runPipeline, sketched, straight } from '../../../test/kit/pipeline';
import { toyLoader, toyOutcomes, type ToyOutcomes } from '../../../test/kit/toy-adapters';
import { VirtualClock } from '../../../test/kit/virtual-clock';
import { checkpointRejected } from '../adapter/extractor';
import type { JsonValue } from '../value/json';
import { flowError } from '../errors/flow-error';
import { executeRun, type RunEnd } from './execute';

/** Three pages of four records, of which the second one has no checkpoint, in batches of three. */
const definition = sketched({
    ...straight({
        adapterCode: 'toyPages',
        pages: [{ records: ids(4) }, { records: ids(4, 4), marked: false }, { records: ids(4, 8) }],
    }),
    throughput: { batchSize: 3 },
    errorHandling: { maxRetries: 1, retryDelayMs: 10 },
});
/** Four batches; the end of the source is committed with the last of them. */
const COMMITS = 4;
const all = Array.from({ length: 12 }, (_, i) => i);

interface Run extends Partial<RunOptions> {
    readonly source?: ToyOutcomes;
    readonly before?: MemoryState;
}

/** A run after another one, against a shop that lost the loaded records: only its own loads are visible. */
function run({ source = {}, before, adapters = [], ...options }: Run = {}) {
    const state = options.state ?? before?.next('another run') ?? new MemoryState('first');
    if (before) state.shop = new Map();
    const own = adapters.some(({ code }) => code === 'toyPages') ? [] : [toyOutcomes(source)];
    return runPipeline(definition, { ...options, adapters: [...own, ...adapters], state });
}
const loaded = ({ shop }: MemoryState): readonly unknown[] => [...shop.values()].map(record => record['id']);
const warnings = ({ events }: MemoryState) => events.filter(event => event.type === 'log' && event.level === 'WARN');
const failing = (point: string, from = 1): Pick<RunOptions, 'at'> => {
    let times = 0;
    return {
        at: async now => {
            if (now === point && ++times >= from) throw flowError('DATABASE_REFUSED', { problem: 'disk full' });
        },
    };
};
/** Rejects the first checkpoints from which the source is to resume. */
const refusing = (times = Infinity): Pick<ToyOutcomes, 'accepts'> & { readonly asked: JsonValue[] } => {
    const requested: JsonValue[] = [];
    return {
        asked: requested,
        accepts: checkpoint => {
            requested.push(checkpoint);
            if (requested.length <= times) throw checkpointRejected('the cursor has expired (410)');
        },
    };
};

describe('the beginning of the next run', () => {
    const by = 'completed';

    it('is set by the last page, once the run has completed', async () => {
        const first = await run({ source: { by } });
        expect(loaded(first.state)).toEqual(all);
        expect([...first.state.completed.values()]).toEqual([{ from: 3 }]);
        const next = await run({ source: { by }, before: first.state });
        expect(next.end).toMatchObject({ end: 'completed', counters: {} });
        expect(loaded(next.state)).toEqual([]);
    });

    it('does not move for a run that does not complete, whatever that one has loaded', async () => {
        for (let commits = 1; commits <= COMMITS; commits++) {
            const first = await run({ source: { by }, ...failing('positions.commit.before', commits) });
            expect(first.end).toMatchObject({ end: 'stopped' });
            expect(first.state.completed.size).toBe(0);
            const next = await run({ source: { by }, before: first.state });
            expect(loaded(next.state)).toEqual(all);
            expect(warnings(next.state)).toEqual([]);
        }
    });

    it('is reported if that one has added something', async () => {
        const adapters = [{ ...toyLoader(), adds: () => true }];
        const first = await run({ source: { by }, adapters, ...failing('positions.commit.before', 2) });
        const next = await run({ source: { by }, before: first.state, adapters });
        expect(warnings(next.state)).toMatchObject([
            {
                code: 'SOURCE_READ_AGAIN',
                facts: { run: 'first', why: { event: 'MOVED_BY_COMPLETED' }, steps: '"write"', count: 1 },
            },
        ]);
        const third = await run({ source: { by }, before: next.state, adapters });
        expect(warnings(third.state)).toEqual([]);
    });

    it('is the beginning of the source if the last page says so', async () => {
        const source = toyOutcomes({ by });
        const anew = {
            ...source,
            async *extract(...given: Parameters<typeof source.extract>) {
                for await (const page of source.extract(...given)) yield { ...page, nextRun: 'beginning' as const };
            },
        };
        const first = await run({ source: { by } });
        first.state.completed.set([...first.state.completed.keys()][0]!, { from: 1 });
        const second = await run({ before: first.state, adapters: [anew] });
        expect(loaded(second.state)).toEqual(all.slice(4));
        expect(loaded((await run({ source: { by }, before: second.state })).state)).toEqual(all);
    });

    it('is that of the last completed run, and an incomplete run leaves its own position first, if the source keeps both', async () => {
        const both = { by: 'both' } as const;
        const first = await run({ source: both });
        expect([...first.state.completed.values()]).toEqual([{ from: 3 }]);
        // As if that run had stopped after its first page.
        first.state.completed.set([...first.state.completed.keys()][0]!, { from: 1 });
        const failed = await run({
            source: both,
            before: first.state,
            ...failing('positions.commit.before', 2),
        });
        expect(failed.end).toMatchObject({ end: 'stopped' });
        const next = await run({ source: both, before: failed.state });
        expect([...loaded(failed.state), ...loaded(next.state)]).toEqual(expect.arrayContaining(all.slice(4)));
        expect(loaded(next.state)).not.toContain(4);
        expect([...next.state.completed.values()]).toEqual([{ from: 3 }]);
        expect(next.state.left.size).toBe(0);
    });

    it('is not moved by a dry run', async () => {
        const dry = await run({ source: { by }, input: { mode: 'dryRun' } });
        expect(dry.end).toMatchObject({ end: 'completed', counters: { read: { in: 12 } } });
        expect(dry.state.completed.size).toBe(0);
    });
});

describe('a rejected checkpoint', () => {
    it('of an earlier run causes the source to be read from its beginning, with one line in the log', async () => {
        const first = await run({ source: { by: 'completed' } });
        const server = refusing();
        const next = await run({ source: { by: 'completed', ...server }, before: first.state });
        expect(next.end).toMatchObject({ end: 'completed', counters: { read: { in: 12 }, write: { created: 12 } } });
        expect(loaded(next.state)).toEqual(all);
        expect(server.asked).toEqual([3]);
        expect(warnings(next.state)).toMatchObject([
            {
                stepKey: 'read',
                code: 'POSITION_REJECTED_READ_AGAIN',
            },
        ]);
        expect([...next.state.completed.values()]).toEqual([{ from: 3 }]);
    });

    it('is not kept for the next run if no page has set one since', async () => {
        const first = await run({ source: { by: 'completed' } });
        const source = toyOutcomes({ by: 'completed', ...refusing() });
        const silent = {
            ...source,
            async *extract(...given: Parameters<typeof source.extract>) {
                for await (const { records, checkpoint } of source.extract(...given))
                    yield { records, ...(checkpoint !== undefined && { checkpoint }) };
            },
        };
        const next = await run({ before: first.state, adapters: [silent] });
        expect([...next.state.completed.values()]).toEqual(['beginning']);
    });

    it('in the middle of a source with a fixed order resumes at the same place, and loads, counts and requests nothing twice', async () => {
        for (let commits = 1; commits <= COMMITS; commits++) {
            const state = new MemoryState('first');
            const done: unknown[] = [];
            const act: ToyOutcomes['act'] = async actions => void done.push(...actions.map(({ page }) => page));
            const lost = { at: failing('positions.commit.before', commits).at! };
            const first = await run({ state, source: { by: 'unfinished', act }, ...lost });
            expect(first.end).toMatchObject({ end: 'stopped' });
            const server = refusing();
            const { end } = await run({ state, source: { by: 'unfinished', act, ...server } });
            expect(end).toMatchObject({ end: 'completed', counters: { read: { in: 12 }, write: { created: 12 } } });
            const loads = state.history.filter(line => line.startsWith('load '));
            expect(loads).toHaveLength(4);
            expect(new Set(loads).size).toBe(4);
            expect(done).toEqual([1, 2, 3]);
            expect(warnings(state)).toMatchObject(server.asked.length > 0 ? [{ code: 'POSITION_REJECTED' }] : []);
        }
    });

    it('in the middle of any other source causes all of it to be read again with new numbers, and reports what is added again', async () => {
        const state = new MemoryState('first');
        const adapters = [{ ...toyLoader(), adds: () => true }];
        await run({ state, adapters, ...failing('positions.commit.before', 3) });
        const before = state.history.filter(line => line.startsWith('load '));
        const { end } = await run({ state, adapters, source: refusing() });
        expect(end).toMatchObject({ end: 'completed', counters: { write: { unchanged: 9, created: 3 + 6 } } });
        const loads = state.history.filter(line => line.startsWith('load '));
        expect(loads).toHaveLength(before.length + 4);
        expect(new Set(loads).size).toBe(loads.length);
        expect(warnings(state)).toMatchObject([
            { code: 'POSITION_REJECTED_ADDED_AGAIN', facts: { steps: '"write"', count: 1 } },
        ]);
    });

    it('a second time fails the run, and so does a rejected beginning', async () => {
        const state = new MemoryState('first');
        await run({ state, ...failing('positions.commit.before', 3) });
        await run({ state, source: refusing(), ...failing('positions.commit.before', 3) });
        const { end } = await run({ state, source: refusing() });
        expect(end).toMatchObject({ end: 'stopped', stepKey: 'read', error: { code: 'CHECKPOINT_REFUSED' } });
        const source = toyOutcomes();
        const never = await run({
            adapters: [
                {
                    ...source,
                    async *extract(...[, cx]: Parameters<typeof source.extract>) {
                        if (cx.resumeFrom === undefined) throw checkpointRejected('nothing is accepted');
                        yield { records: [] };
                    },
                },
            ],
        });
        expect(never.end).toMatchObject({ end: 'stopped', stepKey: 'read', error: { code: 'CHECKPOINT_REFUSED' } });
        expect(warnings(never.state)).toEqual([]);
    });
});

describe('an action of a source after success', () => {
    it('is done in its order when all is loaded, and before the run has completed', async () => {
        const seen: unknown[] = [];
        const state = new MemoryState();
        const act: ToyOutcomes['act'] = async actions => {
            expect(loaded(state)).toEqual(all);
            expect(state.positions['read']).toMatchObject({ done: true });
            seen.push(...actions.map(({ page }) => page));
        };
        const { end } = await run({ state, source: { act } });
        expect(end).toMatchObject({ end: 'completed' });
        expect(seen).toEqual([1, 2, 3]);
        expect(state.wanted.run.size).toBe(0);
    });

    it.each<[what: string, more: Run]>([
        ['of a run that fails', failing('loads.commit.before', 4)],
        ['of a run whose last position is not stored', failing('positions.commit.before', COMMITS)],
        ['of a dry run', { input: { mode: 'dryRun' } }],
        ['of a preview', { input: { mode: 'preview', limit: 5 } }],
    ])('is not done %s, and not by a later run either', async (_, more) => {
        const act = jest.fn(async () => undefined);
        const { state } = await run({ source: { act }, ...more });
        expect(act).not.toHaveBeenCalled();
        if (more.input) expect(state.wanted.run.size).toBe(0);
        expect(state.next('next').wanted.earlier.size).toBe(0);
    });

    it('is passed to the next run with the place of a run that has not completed', async () => {
        for (let commits = 1; commits <= COMMITS; commits++) {
            const seen: unknown[] = [];
            const source: ToyOutcomes = {
                by: 'unfinished',
                act: async actions => void seen.push(...actions.map(({ page }) => page)),
            };
            const first = await run({ source, ...failing('positions.commit.before', commits) });
            expect(seen).toEqual([]);
            const next = await run({ source, before: first.state });
            expect(next.end).toMatchObject({ end: 'completed' });
            expect(seen).toEqual([1, 2, 3]);
        }
    });

    it('is retried, then reported in a warning, and done by the next run before that one reads', async () => {
        const tries: unknown[] = [];
        let isAway = true;
        const reads: string[] = [];
        const source = (): ToyOutcomes => ({
            act: async ([action]) => {
                tries.push(action!['page']);
                if (isAway && action!['page'] === 2)
                    throw flowError('REMOTE_BUSY', { host: 'the server', problem: 'is away', attempts: 1 });
            },
            at: async point => {
                if (point === 'page 0') reads.push(`read after ${tries.length}`);
            },
        });
        const first = await run({ source: source() });
        expect(first.end).toMatchObject({ end: 'completed' });
        expect(tries).toEqual([1, 2, 2, 3]);
        expect(warnings(first.state)).toMatchObject([
            { stepKey: 'read' },
            {
                stepKey: 'read',
                code: 'SOURCE_ACTION_FAILED',
                facts: { error: { code: 'REMOTE_BUSY' }, actions: 1 },
            },
        ]);
        // It fails the next one, which would read again what was to be taken away.
        const second = await run({ source: source(), before: first.state });
        expect(second.end).toMatchObject({ end: 'stopped', stepKey: 'read' });
        expect(loaded(second.state)).toEqual([]);
        isAway = false;
        tries.splice(0);
        reads.splice(0);
        const third = await run({ source: source(), before: second.state });
        expect(third.end).toMatchObject({ end: 'completed' });
        expect(tries).toEqual([2, 1, 2, 3]);
        expect(reads).toEqual(['read after 1']);
        expect(third.state.next('next').wanted.earlier.size).toBe(0);
    });

    it('stops the run if its own database is lost meanwhile, and is done by the worker that resumes', async () => {
        let isLost = true;
        const done: unknown[] = [];
        const act: ToyOutcomes['act'] = async actions => {
            if (isLost) throw flowError('DATABASE_LOST', { problem: 'no answer' });
            done.push(...actions.map(({ page }) => page));
        };
        const { end, state } = await run({ source: { act } });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'DATABASE_LOST' } });
        isLost = false;
        state.fence++;
        expect((await run({ state, source: { act } })).end).toMatchObject({ end: 'completed' });
        expect(done).toEqual([1, 2, 3]);
    });

    it('is rejected for a source that does not support it', async () => {
        const { afterSuccess: _, ...source } = toyOutcomes({ act: async () => undefined });
        const { end } = await run({ adapters: [source] });
        expect(end).toMatchObject({ end: 'stopped', stepKey: 'read', error: { code: 'BUG' } });
    });

    it('is done at least once, whichever await its worker dies at', async () => {
        let deaths = 0;
        for (let at = 1; ; at++) {
            const state = new MemoryState('killed');
            const done: unknown[] = [];
            const act: ToyOutcomes['act'] = async actions => {
                expect(loaded(state)).toEqual(all);
                done.push(...actions.map(({ page }) => page));
            };
            const died = (await worker(state, { by: 'completed', act }, at)) === 'gone';
            if (!died) break;
            deaths++;
            expect(await worker(state, { by: 'completed', act })).toMatchObject({ end: 'completed' });
            state.end('COMPLETED');
            expect([...new Set(done)]).toEqual([1, 2, 3]);
            expect(done.length).toBeLessThanOrEqual(4);
            expect([...state.completed.values()]).toEqual([{ from: 3 }]);
            expect(state.history.filter(line => line.startsWith('load '))).toHaveLength(4);
            expect(state.wanted.run.size + state.wanted.earlier.size).toBe(0);
        }
        expect(deaths).toBeGreaterThan(20);
    });

    it('begins again in the same way, at whichever await its worker dies after the rejection', async () => {
        const server = refusing();
        for (let at = 1; ; at++) {
            const state = new MemoryState('killed');
            state.completed.set('read completed:the source', { from: 2 });
            const source: ToyOutcomes = {
                by: 'completed',
                accepts: checkpoint => void (checkpoint === 2 && server.accepts!(2, 'read')),
            };
            const died = (await worker(state, source, at)) === 'gone';
            if (!died) break;
            expect(await worker(state, source)).toMatchObject({
                end: 'completed',
                counters: { write: { created: 12 } },
            });
            expect(loaded(state)).toEqual(all);
            expect(state.history.filter(line => line.startsWith('load '))).toHaveLength(4);
        }
        expect(server.asked.length).toBeGreaterThan(20);
    });

    it('leaves nothing out if it is rejected after a worker has loaded an uncommitted batch', async () => {
        let deaths = 0;
        for (let at = 1; ; at++) {
            const state = new MemoryState('killed');
            state.completed.set('read completed:the source', { from: 2 });
            const begins: ToyOutcomes = { by: 'completed' };
            if ((await worker(state, begins, at)) !== 'gone') break;
            const isRead = state.positions['read']?.done === true;
            const { accepts } = refusing();
            expect(await worker(state, { ...begins, accepts: accepts! })).toMatchObject({ end: 'completed' });
            const numbers = loaded(state).map(Number);
            expect(numbers.sort((a, b) => a - b)).toEqual(isRead ? all.slice(8) : all);
            if (!isRead) deaths++;
        }
        expect(deaths).toBeGreaterThan(10);
    });
});

/** A worker that dies at an await, or lives to its end. */
async function worker(state: MemoryState, source: ToyOutcomes, dies = Infinity): Promise<RunEnd | 'gone'> {
    const clock = new VirtualClock();
    const token = ++state.fence;
    let awaits = 0;
    let die = (): void => undefined;
    const gone = new Promise<'gone'>(resolve => {
        die = () => resolve('gone');
    });
    const at = async (): Promise<void> => {
        if (++awaits < dies) return;
        die();
        await new Promise(() => undefined);
    };
    const pipeline = compiled(definition, { clock, adapters: [toyOutcomes({ ...source, at }), toyLoader(at)] });
    const { signal } = new AbortController();
    return clock.drive(Promise.race([executeRun(pipeline, memoryPorts(state, { token, at }), { signal }), gone]));
}
