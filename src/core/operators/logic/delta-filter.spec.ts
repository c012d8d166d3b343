import { z } from 'zod';
import { MemoryState } from '../../../../test/kit/memory-ports';
import { ids, LOAD, pages, runPipeline, sketched } from '../../../../test/kit/pipeline';
import { batchOperator } from '../../adapter/operator';
import type { JsonObject } from '../../value/json';
import { flowError } from '../../errors/flow-error';
import { deltaFilter } from './delta-filter';
import { when } from './when';

interface Import {
    readonly state?: MemoryState;
    readonly args?: JsonObject;
    readonly batchSize?: number;
    readonly concurrency?: number;
}

/** Runs over these records. Returns the records that pass, and the state afterwards. */
async function imported(
    records: readonly JsonObject[],
    { state = new MemoryState(), args = { idPath: 'id' }, batchSize = 100, concurrency = 1 }: Import = {},
) {
    const before = state.shop;
    state.shop = new Map();
    const { end } = await runPipeline(
        sketched({
            steps: {
                start: ['TRIGGER', {}],
                read: ['EXTRACT', pages([...records])],
                delta: ['TRANSFORM', { operators: [{ op: 'deltaFilter', args }] }],
                write: ['LOAD', LOAD],
            },
            edges: ['start > read > delta > write'],
            throughput: { batchSize, concurrency },
        }),
        { state, adapters: [deltaFilter] },
    );
    if (end.end !== 'completed') throw new Error(JSON.stringify(end));
    const through = [...state.shop.values()];
    // The next run is another one: its positions are its own.
    for (const key of Object.keys(state.positions)) delete state.positions[key];
    state.markers.clear();
    state.counters = {};
    state.shop = new Map([...before, ...state.shop]);
    return { state, through, counters: end.counters };
}

describe('deltaFilter from run to run', () => {
    it('passes everything once, and then only changes', async () => {
        const { state, counters } = await imported([{ id: 1, p: 1 }, { id: '1', p: 1 }, { id: true }]);
        expect(counters['delta']).toMatchObject({ in: 3, out: 3 });
        const again = await imported([{ p: 1, id: 1 }, { id: '1', p: 2 }, { id: true }, { id: 2 }], { state });
        expect(again.through).toEqual([{ id: '1', p: 2 }, { id: 2 }]);
        expect(again.counters['delta']).toMatchObject({ in: 4, out: 2, filtered: 2, rejected: 0 });
    });

    it('does not store a record that was rejected, in any step', async () => {
        const records: readonly JsonObject[] = [{ id: 1 }, { id: 2, bad: true }, { id: 3, poison: true }];
        const { state } = await imported(records);
        expect(state.rejects.size).toBe(2);
        const { counters } = await imported(records, { state });
        expect(counters['delta']).toMatchObject({ out: 2, filtered: 1 });
        expect(counters['write']).toMatchObject({ rejected: 2 });
    });

    it('treats a content that returns as a change', async () => {
        const { state } = await imported([{ id: 1, p: 1 }]);
        await imported([{ id: 1, p: 2 }], { state });
        expect((await imported([{ id: 1, p: 1 }], { state })).through).toHaveLength(1);
    });

    it.each([
        [1, 1],
        [2, 1],
        [2, 4],
        [1, 8],
        [100, 1],
    ])('compares a repeated ID with the previous record: batches of %i, %i at once', async (batchSize, concurrency) => {
        const records = [
            { id: 1, p: 1 },
            { id: 2, p: 1 },
            { id: 1, p: 1 },
            { id: 1, p: 2 },
            { id: 2, p: 1 },
            { id: 1, p: 1 },
        ];
        const { counters, state } = await imported(records, { batchSize, concurrency });
        expect(counters['delta']).toMatchObject({ in: 6, out: 4, filtered: 2 });
        expect((await imported([{ id: 1, p: 1 }], { state })).through).toEqual([]);
    });

    it('compares only the given fields', async () => {
        const args = { idPath: 'id', includePaths: ['a', 'b.c'], excludePaths: ['a.x'] };
        const { state } = await imported([{ id: 1, a: { x: 1, y: 1 }, b: { c: 1 }, d: 1 }], { args });
        expect((await imported([{ id: 1, a: { x: 2, y: 1 }, b: { c: 1, e: 1 } }], { state, args })).through).toEqual(
            [],
        );
        expect((await imported([{ id: 1, a: { x: 1, y: 2 }, b: { c: 1 } }], { state, args })).through).toHaveLength(1);
        expect((await imported([{ id: 1, a: { x: 1, y: 2 }, b: { c: null } }], { state, args })).through).toHaveLength(
            1,
        );
        expect((await imported([{ id: 1, a: { x: 1, y: 2 }, b: {} }], { state, args })).through).toHaveLength(1);
    });

    it('recognizes long and unusual IDs', async () => {
        const records = ['x'.repeat(300), `${'x'.repeat(300)}y`, 'Ä ', '\0', '\ud800', ''].map(id => ({ id }));
        const { state, through } = await imported(records);
        expect(through).toHaveLength(6);
        expect((await imported(records, { state })).through).toEqual([]);
    });

    it('waits for an earlier batch that is still on another path to the step', async () => {
        const slow = batchOperator({
            code: 'toySlow',
            title: 'Slow',
            summary: 'Takes a while.',
            config: z.strictObject({}),
            examples: [],
            open:
                () =>
                async (batch, { clock }) => {
                    await clock.sleep(1_000);
                    return batch;
                },
        });
        const only = (field: string): JsonObject => ({ op: 'when', args: { conditions: [{ field, cmp: 'exists' }] } });
        const { end } = await runPipeline(
            sketched({
                steps: {
                    start: ['TRIGGER', {}],
                    read: ['EXTRACT', pages([{ id: 1, a: 1 }, { id: 2, b: 1 }, { id: 2, a: 1 }, { id: 3 }])],
                    a: ['TRANSFORM', { operators: [only('a')] }],
                    b: ['TRANSFORM', { operators: [only('b'), { op: 'toySlow', args: {} }] }],
                    delta: [
                        'TRANSFORM',
                        { operators: [{ op: 'deltaFilter', args: { idPath: 'id', includePaths: ['id'] } }] },
                    ],
                    write: ['LOAD', LOAD],
                },
                edges: ['start > read > a > delta > write', 'read > b > delta'],
                throughput: { batchSize: 2, concurrency: 2 },
            }),
            { adapters: [deltaFilter, when, slow] },
        );
        expect(end).toMatchObject({ end: 'completed', counters: { delta: { in: 3, out: 2, filtered: 1 } } });
    });

    it.each(['loads.commit.after', 'positions.commit.before'])(
        'neither loses nor repeats anything when the worker dies at %s',
        async point => {
            const state = new MemoryState();
            const definition = sketched({
                steps: {
                    start: ['TRIGGER', {}],
                    read: ['EXTRACT', pages(ids(6))],
                    delta: ['TRANSFORM', { operators: [{ op: 'deltaFilter', args: { idPath: 'id' } }] }],
                    write: ['LOAD', LOAD],
                },
                edges: ['start > read > delta > write'],
                throughput: { batchSize: 2, concurrency: 3 },
            });
            let deaths = 1;
            const at = async (now: string): Promise<void> => {
                // Another worker has the run by then.
                if (now === point && deaths-- > 0) throw flowError('LEASE_LOST', {});
            };
            expect((await runPipeline(definition, { state, adapters: [deltaFilter], at })).end).toMatchObject({
                end: 'stopped',
                error: { code: 'LEASE_LOST' },
            });
            expect(state.shop.size).toBeGreaterThan(0);
            expect(state.memos.size).toBe(0);
            const { end } = await runPipeline(definition, { state, adapters: [deltaFilter], at });
            expect(end).toMatchObject({
                end: 'completed',
                counters: { delta: { in: 6, out: 6 }, write: { in: 6, created: 6 } },
            });
            expect(state.history.filter(line => line.startsWith('load '))).toHaveLength(3);
            expect([...state.memos.keys()]).toEqual(ids(6).map(({ id }) => `delta deltaFilter:${String(id)}`));
        },
    );

    it('continues with the other records if an ID is missing', async () => {
        const { state, through } = await imported([...ids(2), { sku: 1 }, { id: { a: 1 } }]);
        expect(through).toHaveLength(2);
        expect([...state.rejects.values()].map(({ stepKey, path }) => [stepKey, path])).toEqual([
            ['delta', 'id'],
            ['delta', 'id'],
        ]);
    });
});
