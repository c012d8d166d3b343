import { memoryPorts, MemoryState } from '../../../test/kit/memory-ports';
import { compiled, ids, LOAD, pages, runPipeline, sketched, type Sketch, straight } from '../../../test/kit/pipeline';
import { batchOperators } from '../../../test/kit/random-pipelines';
import { VirtualClock } from '../../../test/kit/virtual-clock';
import type { JsonObject } from '../value/json';
import { flowError } from '../errors/flow-error';
import { executeRun, type RunEnd } from './execute';

const operators = (...calls: Array<[string, JsonObject]>): JsonObject => ({
    operators: calls.map(([op, args]) => ({ op, args })),
});
const PASSES: JsonObject = operators();

/** A source, a holding step, and a load after it. */
const gated = (source: JsonObject, more: Partial<Sketch> = {}): Sketch => ({
    steps: { start: ['TRIGGER', {}], read: ['EXTRACT', source], gate: ['TRANSFORM', PASSES], write: ['LOAD', LOAD] },
    edges: ['start > read > gate > write'],
    ...more,
});

const holding = ['gate'];

describe('a step that holds records', () => {
    it('pauses the run after everything else is done; held records continue when they are released, and nothing is read again', async () => {
        const state = new MemoryState();
        const definition = sketched(gated(pages(ids(3), ids(2, 3)), { throughput: { batchSize: 2 } }));
        const paused = await runPipeline(definition, { state, holding });
        expect(paused.end).toMatchObject({ end: 'paused', stepKey: 'gate', records: 5 });
        expect(state.counters).toMatchObject({ read: { in: 5, out: 5 }, gate: { in: 5, out: 0, held: 5 } });
        expect(state.shop.size).toBe(0);

        state.release('gate');
        const { end } = await runPipeline(definition, { state, holding });
        expect(end).toMatchObject({ end: 'completed', outcome: 'SUCCESS' });
        expect([...state.shop.keys()]).toEqual(['t/0', 't/1', 't/2', 't/3', 't/4']);
        expect(state.counters).toMatchObject({
            read: { in: 5 },
            gate: { in: 5, out: 5, held: 0 },
            write: { in: 5, created: 5 },
        });
        expect(state.held.size).toBe(0);
    });

    it('stays paused while nothing is released', async () => {
        const state = new MemoryState();
        const definition = sketched(gated(pages(ids(2))));
        await runPipeline(definition, { state, holding });
        const { end } = await runPipeline(definition, { state, holding });
        expect(end).toMatchObject({ end: 'paused', records: 2 });
        expect(state.counters['read']?.in).toBe(2);
    });

    it('does not hold up other branches', async () => {
        const { state, end } = await runPipeline(
            sketched({
                steps: {
                    start: ['TRIGGER', {}],
                    read: ['EXTRACT', pages(ids(3))],
                    gate: ['TRANSFORM', PASSES],
                    after: ['LOAD', { ...LOAD, table: 'after' }],
                    aside: ['LOAD', { ...LOAD, table: 'aside' }],
                },
                edges: ['start > read > gate > after', 'read > aside'],
            }),
            { holding },
        );
        expect(end.end).toBe('paused');
        expect([...state.shop.keys()]).toEqual(['aside/0', 'aside/1', 'aside/2']);
    });

    it('frees the place of a batch as soon as it is stored', async () => {
        let most = 0;
        const state = new MemoryState();
        const at = async (): Promise<void> => {
            most = Math.max(most, state.held.size);
        };
        const definition = sketched(gated(pages(ids(20)), { throughput: { batchSize: 1, concurrency: 2 } }));
        await runPipeline(definition, { state, at, holding });
        expect(most).toBe(20);
    });

    it('holds only in a live run', async () => {
        const { end, state } = await runPipeline(sketched(gated(pages(ids(3)))), {
            holding,
            input: { mode: 'dryRun' },
        });
        expect(end).toMatchObject({
            end: 'completed',
            counters: { gate: { in: 3, out: 3, held: 0 }, write: { created: 3 } },
        });
        expect(state.held.size).toBe(0);
    });

    it('waits at the first of several, and at each of them separately', async () => {
        const state = new MemoryState();
        const definition = sketched({
            steps: {
                start: ['TRIGGER', {}],
                read: ['EXTRACT', pages(ids(3))],
                first: ['TRANSFORM', PASSES],
                second: ['TRANSFORM', PASSES],
                aside: ['TRANSFORM', PASSES],
                write: ['LOAD', LOAD],
                also: ['LOAD', { ...LOAD, table: 'also' }],
            },
            edges: ['start > read > first > second > write', 'read > aside > also'],
            throughput: { batchSize: 2 },
        });
        const all = ['first', 'second', 'aside'];
        const next = async (): Promise<RunEnd> => (await runPipeline(definition, { state, holding: all })).end;
        const order: string[] = [];
        for (let end = await next(); end.end === 'paused'; end = await next()) {
            order.push(`${end.stepKey} ${end.records}`);
            state.release(end.stepKey);
        }
        expect(order.filter(line => !line.startsWith('aside'))).toEqual(['first 3', 'second 3']);
        expect([...order].sort()).toEqual(['aside 3', 'first 3', 'second 3']);
        expect(state.shop.size).toBe(6);
    });

    it('waits at the first of two that hold at the same time, so that the second decision is made once', async () => {
        const state = new MemoryState();
        const definition = sketched({
            steps: {
                start: ['TRIGGER', {}],
                read: ['EXTRACT', pages(ids(3))],
                first: ['TRANSFORM', PASSES],
                second: ['TRANSFORM', PASSES],
                write: ['LOAD', LOAD],
            },
            edges: ['start > read > first > second > write', 'read > second'],
        });
        const order: string[] = [];
        for (;;) {
            const { end } = await runPipeline(definition, { state, holding: ['first', 'second'] });
            if (end.end !== 'paused') break;
            order.push(`${end.stepKey} ${end.records}`);
            state.release(end.stepKey);
        }
        expect(order).toEqual(['first 3', 'second 6']);
    });

    it('distinguishes a record that joins again after it from its first arrival', async () => {
        const state = new MemoryState();
        const definition = sketched({
            steps: {
                start: ['TRIGGER', {}],
                read: ['EXTRACT', pages([{ id: 1, bad: true }, { id: 2 }])],
                gate: ['TRANSFORM', PASSES],
                write: ['LOAD', LOAD],
            },
            edges: ['start > read > gate > write', 'read > write'],
        });
        await runPipeline(definition, { state, holding });
        state.release('gate');
        await runPipeline(definition, { state, holding });
        expect([...state.markers.keys()]).toEqual(['write read 0 0', 'write read 0 1']);
        expect([...state.rejects.keys()]).toEqual(['write read 0 0', 'write read 0 1']);
    });

    it('has the same results as a run without it: the same rejects, with the source records, and the same memory', async () => {
        const rows = ids(9).map((row, i) => ({
            ...row,
            ...(i % 4 === 1 && { bad: true }),
            ...(i % 4 === 2 && { copies: 2 }),
        }));
        const definition = sketched({
            steps: {
                start: ['TRIGGER', {}],
                read: ['EXTRACT', pages(rows)],
                shape: ['TRANSFORM', operators(['toyMark', { field: 'id' }], ['toySet', { field: 'x', value: 1 }])],
                gate: ['TRANSFORM', PASSES],
                copy: ['TRANSFORM', operators(['toyCopies', { field: 'copies' }])],
                write: ['LOAD', LOAD],
            },
            edges: ['start > read > shape > gate > copy > write'],
            throughput: { batchSize: 4 },
        });
        const adapters = batchOperators(async () => undefined, new Set());
        const plain = await runPipeline(definition, { adapters });
        const state = new MemoryState();
        await runPipeline(definition, { adapters, state, holding });
        // A record that may still fail must not leave a memo yet.
        expect(state.memos.size).toBe(0);
        state.release('gate');
        const { end } = await runPipeline(definition, { adapters, state, holding });
        expect(end).toEqual(plain.end);
        expect(state.rejects).toEqual(plain.state.rejects);
        expect([...state.rejects.values()][0]).toMatchObject({ payload: { x: 1 }, source: { id: 1, bad: true } });
        expect(state.memos).toEqual(plain.state.memos);
        expect(state.memos.size).toBe(7);
        expect(state.shop).toEqual(plain.state.shop);
    });

    it('counts held records as seen: later records with the same key are not the first', async () => {
        const state = new MemoryState();
        const definition = sketched(
            gated(pages([{ id: 1 }, { id: 2 }, { id: 1 }]), {
                steps: {
                    start: ['TRIGGER', {}],
                    read: ['EXTRACT', pages([{ id: 1 }, { id: 2 }, { id: 1 }])],
                    once: ['VALIDATE', { rules: [{ type: 'unique', spec: { field: 'id' } }] }],
                    gate: ['TRANSFORM', PASSES],
                    write: ['LOAD', LOAD],
                },
                edges: ['start > read > once > gate > write'],
                throughput: { batchSize: 1 },
            }),
        );
        const { end } = await runPipeline(definition, { state, holding });
        expect(end).toMatchObject({ end: 'paused', records: 2 });
        expect([...state.rejects.values()].map(({ seq }) => seq)).toEqual([2]);
    });

    it('moves no saved position: a run that is cancelled while it waits leaves all held records to the next one', async () => {
        const state = new MemoryState('first');
        state.keptAs['read'] = 'file';
        const definition = sketched(
            gated(pages(ids(4)), {
                steps: {
                    start: ['TRIGGER', {}],
                    read: ['EXTRACT', pages(ids(4))],
                    aside: ['LOAD', { ...LOAD, table: 'aside' }],
                    gate: ['TRANSFORM', PASSES],
                    write: ['LOAD', LOAD],
                },
                edges: ['start > read > aside > gate > write'],
                throughput: { batchSize: 2 },
            }),
        );
        await runPipeline(definition, { state, holding });
        expect(state.positions['read']).toMatchObject({ seq: 4, done: true });
        state.end('CANCELLED');
        expect(state.left.get('read file')).toMatchObject({
            seq: 0,
            batchNo: 0,
            loads: [{ stepKey: 'aside', batchNo: 0 }, { batchNo: 1 }],
        });
        expect(state.held.size).toBe(0);
    });

    it('is not used by a pipeline that holds nothing', async () => {
        const requested: string[] = [];
        const at = async (point: string): Promise<void> => void requested.push(point);
        await runPipeline(sketched(straight(pages(ids(3)))), { at });
        expect(requested.filter(point => point.startsWith('spool'))).toEqual([]);
    });

    it('continues in slices, and fails its run if what it holds cannot be read', async () => {
        const state = new MemoryState();
        const definition = sketched(gated(pages(ids(4)), { throughput: { batchSize: 1 } }));
        await runPipeline(definition, { state, holding });
        state.release('gate');
        const slice = new AbortController();
        slice.abort();
        const { end } = await runPipeline(definition, { state, holding, yieldSignal: slice.signal });
        expect(end).toMatchObject({ end: 'yielded', counters: { gate: { held: 3, out: 1 }, write: { created: 1 } } });
        const clock = new VirtualClock();
        const ports = memoryPorts(state, {
            at: async point => {
                if (point === 'spool.next.before') throw flowError('DATABASE_REFUSED', { problem: 'no such table' });
            },
        });
        const broken = await clock.drive(
            executeRun(compiled(definition, { clock, holding }), ports, { signal: new AbortController().signal }),
        );
        expect(broken).toMatchObject({ end: 'stopped', error: { code: 'DATABASE_REFUSED' }, stepKey: 'read' });
    });
});
