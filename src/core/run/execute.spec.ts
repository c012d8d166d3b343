import { memoryPorts, MemoryState } from '../../../test/kit/memory-ports';
import { compiled, ids, LOAD, pages, runPipeline, sketched, straight } from '../../../test/kit/pipeline';
import { toyLoader, toyPages } from '../../../test/kit/toy-adapters';
import { VirtualClock } from '../../../test/kit/virtual-clock';
import type { JsonObject } from '../value/json';
import { flowError } from '../errors/flow-error';
import { executeRun } from './execute';

const operators = (...calls: Array<[string, JsonObject]>): JsonObject => ({
    operators: calls.map(([op, args]) => ({ op, args })),
});

describe('executeRun', () => {
    it('loads every record and commits the end of the source', async () => {
        const { end, state } = await runPipeline(
            sketched(straight(pages(ids(3), ids(4, 3)), { throughput: { batchSize: 5 } })),
        );
        expect(end).toMatchObject({ end: 'completed', outcome: 'SUCCESS' });
        expect([...state.shop.keys()]).toEqual(['t/0', 't/1', 't/2', 't/3', 't/4', 't/5', 't/6']);
        expect(state.counters).toMatchObject({ read: { in: 7, out: 7 }, write: { in: 7, out: 7, created: 7 } });
        expect(state.positions['read']).toEqual({ token: 2, skip: 0, batchNo: 2, seq: 7, done: true });
    });

    it('reports unknown counters if the progress of the run cannot be read', async () => {
        const definition = sketched(straight(pages(ids(3))));
        const failing = (point: string) => ({
            at: async (now: string) => {
                if (now === point) throw flowError('DATABASE_REFUSED', { problem: 'disk full' });
            },
        });
        const unread = await runPipeline(definition, failing('positions.load.before'));
        expect(unread.end).toMatchObject({ end: 'stopped', counters: {}, isUnknown: true });
        const unwritten = await runPipeline(definition, failing('positions.commit.before'));
        expect(unwritten.end).toMatchObject({ end: 'stopped', counters: { write: { created: 3 } } });
        expect(unwritten.end).not.toHaveProperty('isUnknown');
    });

    it('is EMPTY when the sources are empty, and PARTIAL when a record was rejected', async () => {
        const empty = await runPipeline(sketched(straight(pages([]))));
        expect(empty.end).toMatchObject({ end: 'completed', outcome: 'EMPTY' });
        const partial = await runPipeline(sketched(straight(pages([{ id: 1 }, { id: 2, bad: true }]))));
        expect(partial.end).toMatchObject({ end: 'completed', outcome: 'PARTIAL' });
    });

    it('reads one source after another in the order of the edges', async () => {
        const { state } = await runPipeline(
            sketched({
                steps: {
                    start: ['TRIGGER', {}],
                    b: ['EXTRACT', pages([{ id: 'b' }])],
                    a: ['EXTRACT', pages([{ id: 'a' }])],
                    write: ['LOAD', LOAD],
                },
                edges: ['start > b', 'start > a', 'a > write', 'b > write'],
            }),
        );
        expect(state.history).toEqual(['load write b 0 0', 'commit b 1', 'load write a 0 0', 'commit a 1']);
    });

    it('follows the branches of a batch in the order of their edges, and a joined step sees each batch as it arrives', async () => {
        const { state } = await runPipeline(
            sketched({
                steps: {
                    start: ['TRIGGER', {}],
                    read: ['EXTRACT', pages([{ id: 1 }])],
                    left: ['TRANSFORM', operators(['toySet', { field: 'side', value: 'left' }])],
                    right: ['TRANSFORM', operators(['toySet', { field: 'side', value: 'right' }])],
                    write: ['LOAD', LOAD],
                },
                edges: ['start > read', 'read > right > write', 'read > left > write'],
            }),
        );
        expect(state.history.filter(line => line.startsWith('load'))).toEqual([
            'load write read 0 0',
            'load write read 0 1',
        ]);
        expect(state.shop.get('t/1')).toEqual({ id: 1, side: 'left' });
        expect(state.counters).toMatchObject({ read: { out: 1 }, write: { in: 2, created: 1, updated: 1 } });
    });

    it('passes records through disabled steps, and reads nothing from a disabled source', async () => {
        const { state, end } = await runPipeline(
            sketched({
                steps: {
                    start: ['TRIGGER', {}],
                    on: ['EXTRACT', pages([{ id: 'on' }])],
                    '!off': ['EXTRACT', pages([{ id: 'off' }])],
                    '!change': ['TRANSFORM', operators(['toySet', { field: 'x', value: 1 }])],
                    write: ['LOAD', LOAD],
                },
                edges: ['start > on > change > write', 'start > off > change'],
            }),
        );
        expect(end.end).toBe('completed');
        expect([...state.shop.entries()]).toEqual([['t/on', { id: 'on' }]]);
        expect(Object.keys(state.counters)).toEqual(['on', 'write']);
    });

    it('has at most throughput.concurrency batches in progress, and does not read on in that case', async () => {
        let loading = 0;
        let most = 0;
        let read = 0;
        const clock = new VirtualClock();
        const source = toyPages(async () => void read++);
        const at = async (point: string): Promise<void> => {
            if (point === 'loads.commit.before') most = Math.max(most, ++loading);
            if (point === 'loads.commit.before') expect(read).toBeLessThanOrEqual(loading + 1 + done);
            await clock.sleep(50);
            if (point !== 'loads.commit.after') return;
            loading--;
            done++;
        };
        let done = 0;
        const definition = sketched(
            straight(pages(...ids(20).map(one => [one])), { throughput: { batchSize: 1, concurrency: 3 } }),
        );
        const { end } = await runPipeline(definition, { adapters: [source], clock, at });
        expect(end.end).toBe('completed');
        expect(most).toBe(3);
    });

    it('keeps at most twice throughput.concurrency batches uncommitted, one with a concurrency of 1, so that a crash costs no more than those', async () => {
        const worstAt = async (concurrency: number): Promise<number> => {
            const clock = new VirtualClock();
            const state = new MemoryState();
            let worst = 0;
            const at = async (point: string): Promise<void> => {
                await clock.sleep(point.startsWith('positions.commit') ? 500 : 1);
                worst = Math.max(worst, state.markers.size - (state.positions['read']?.batchNo ?? 0));
            };
            const throughput = { batchSize: 1, concurrency };
            await runPipeline(sketched(straight(pages(ids(40)), { throughput })), { clock, at, state });
            return worst;
        };
        expect([await worstAt(1), await worstAt(2), await worstAt(3)]).toEqual([1, 4, 6]);
    });

    it('leaves no place empty after a slow batch', async () => {
        const clock = new VirtualClock();
        const loaded: string[] = [];
        const at = async (point: string): Promise<void> => {
            if (point !== 'loads.commit.before') return;
            const isFirst = started++ === 0;
            await clock.sleep(isFirst ? 100 : 10);
            loaded.push(isFirst ? 'slow' : 'quick');
        };
        let started = 0;
        const throughput = { batchSize: 1, concurrency: 2 };
        const { end } = await runPipeline(sketched(straight(pages(ids(10)), { throughput })), { clock, at });
        expect(end.end).toBe('completed');
        // Three of them are as far ahead as four places in the line allow.
        expect(loaded.indexOf('slow')).toBe(3);
    });

    it('retries a step that fails for a transient reason, and logs it', async () => {
        let failures = 2;
        const at = async (point: string): Promise<void> => {
            if (point === 'loads.commit.before' && failures-- > 0)
                throw flowError('DATABASE_BUSY', { problem: 'deadlock' });
        };
        const { end, state } = await runPipeline(sketched(straight(pages(ids(1)))), { at });
        expect(end.end).toBe('completed');
        const warnings = state.events.filter(event => event.type === 'log' && event.level === 'WARN');
        expect(warnings).toMatchObject([
            { stepKey: 'write', code: 'RETRYING', facts: { error: { code: 'DATABASE_BUSY' }, retry: 1 } },
            { facts: { retry: 2 } },
        ]);
    });

    it('fails with the step that failed when the retries are spent', async () => {
        const at = async (point: string): Promise<void> => {
            if (point === 'loads.commit.before') throw flowError('DATABASE_BUSY', { problem: 'deadlock' });
        };
        const { end, state } = await runPipeline(sketched(straight(pages(ids(1)))), { at });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'DATABASE_BUSY' }, stepKey: 'write' });
        expect(state.commits).toEqual([]);
    });

    it('spends no retries on a lost shop database', async () => {
        const tries: string[] = [];
        const at = async (point: string): Promise<void> => {
            tries.push(point);
            if (point === 'loads.commit.before') throw flowError('DATABASE_LOST', { problem: 'gone' });
        };
        const { end } = await runPipeline(sketched(straight(pages(ids(1)))), { at });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'DATABASE_LOST' } });
        expect(tries.filter(point => point === 'loads.commit.before')).toHaveLength(1);
    });

    it('commits no position after a failed batch, although later ones have settled', async () => {
        const clock = new VirtualClock();
        let loads = 0;
        const at = async (point: string): Promise<void> => {
            if (point !== 'loads.commit.before') return;
            if (++loads !== 3) return clock.sleep(5);
            await clock.sleep(100);
            throw flowError('DATABASE_REFUSED', { problem: 'no such column' });
        };
        const definition = sketched(straight(pages(ids(10)), { throughput: { batchSize: 1, concurrency: 4 } }));
        const { end, state } = await runPipeline(definition, { clock, at });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'DATABASE_REFUSED' } });
        expect(state.positions['read']).toMatchObject({ batchNo: 2, seq: 2 });
        expect(state.markers.size).toBeGreaterThan(2);
        expect(end.counters['write']?.created).toBe(state.markers.size);
    });

    it('lets the batches on their way finish when the source fails', async () => {
        const clock = new VirtualClock();
        const source = toyPages(async point => {
            if (point === 'page 2') throw new Error('the source broke');
        });
        const at = (): Promise<void> => clock.sleep(10);
        const definition = sketched(
            straight(pages(ids(1), ids(1, 1), ids(1, 2)), { throughput: { batchSize: 1, concurrency: 4 } }),
        );
        const { end, state } = await runPipeline(definition, { clock, at, adapters: [source] });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'BUG' }, stepKey: 'read' });
        expect(state.positions['read']).toMatchObject({ batchNo: 2, done: false });
    });

    it('fails when a position cannot be committed', async () => {
        const at = async (point: string): Promise<void> => {
            if (point === 'positions.commit.before') throw flowError('LEASE_LOST', {});
        };
        const { end, state } = await runPipeline(sketched(straight(pages(ids(3)), { throughput: { batchSize: 1 } })), {
            at,
        });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'LEASE_LOST' } });
        expect(state.commits).toEqual([]);
        expect(state.markers.size).toBe(1);
    });

    it('tries again to commit a position when the database is busy', async () => {
        let failures = 2;
        const at = async (point: string): Promise<void> => {
            if (point === 'positions.commit.before' && failures-- > 0)
                throw flowError('DATABASE_BUSY', { problem: 'deadlock' });
        };
        const { end, state } = await runPipeline(sketched(straight(pages(ids(3)))), { at });
        expect(end.end).toBe('completed');
        expect(state.counters['write']?.created).toBe(3);
    });

    it('reports a configuration that a loader rejects when it is opened', async () => {
        const loader = toyLoader(async () => {
            throw flowError('CHANNEL_NOT_FOUND', { what: 'The run', token: 'x', known: 'y' });
        });
        const { end } = await runPipeline(sketched(straight(pages(ids(3)))), { adapters: [loader] });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'CHANNEL_NOT_FOUND' }, stepKey: 'write' });
    });

    it('reports the totals at every settled batch and a summary of every step at the end', async () => {
        const { state } = await runPipeline(sketched(straight(pages(ids(4)), { throughput: { batchSize: 2 } })));
        expect(state.progress.map(counters => counters['write']?.created)).toEqual([2, 4]);
        expect(state.events.filter(event => event.type === 'step.finished')).toMatchObject([
            { stepKey: 'read', counters: { out: 4 } },
            { stepKey: 'write', counters: { created: 4 } },
        ]);
    });

    it('reads no more than the limit of each source in a preview, and writes nothing', async () => {
        const definition = sketched(straight(pages(ids(3), ids(3, 3), ids(3, 6)), { throughput: { batchSize: 2 } }));
        const { end, state } = await runPipeline(definition, { input: { mode: 'preview', limit: 5 } });
        expect(end).toMatchObject({ end: 'completed', counters: { read: { in: 5 }, write: { created: 5 } } });
        expect(state.shop.size).toBe(0);
    });
});

it('returns its initial counters when nothing can be executed', async () => {
    const clock = new VirtualClock();
    const ports = memoryPorts(new MemoryState(), {
        at: async () => {
            throw flowError('DATABASE_LOST', { problem: 'gone' });
        },
    });
    const pipeline = compiled(sketched(straight(pages([]))), { clock });
    const end = await clock.drive(executeRun(pipeline, ports, { signal: new AbortController().signal }));
    expect(end).toMatchObject({ end: 'stopped', error: { code: 'DATABASE_LOST' }, counters: {} });
});
