import { z } from 'zod';
import { MemoryState } from '../../../test/kit/memory-ports';
import { ids, LOAD, pages, runPipeline, sketched } from '../../../test/kit/pipeline';
import { defineExtractor, type LookUp } from '../adapter/extractor';
import { providedRecords } from '../adapter/provided-records';
import { hookScripts } from '../adapter/script';
import { recordInvalid } from '../errors/record-invalid';
import { withInputRecords } from '../pipeline/input-source';
import { seedMode } from '../schema/seed-mode';
import type { JsonObject } from '../value/json';

/** Has two records for each even number, none for 3, and does not take 5. */
const answer = ({ id }: JsonObject): ReturnType<LookUp> extends Promise<readonly (infer A)[]> ? A : never => {
    if (id === 5) return recordInvalid('id', 'is 5');
    if (id === 3) return [];
    return Number(id) % 2 === 0 ? [{ id: Number(id) * 10 }, { id: Number(id) * 10 + 1 }] : [{ id: Number(id) * 10 }];
};
const requested: JsonObject[][] = [];
const shelf = defineExtractor({
    code: 'shelf',
    title: 'Shelf',
    summary: 'Reads a shelf.',
    config: z.strictObject({ seedMode: seedMode() }),
    async *extract() {
        yield { records: ids(3, 500) };
    },
    lookup: async () => async records => {
        requested.push([...records]);
        return records.map(answer);
    },
});
const loaded = ({ shop }: MemoryState): readonly unknown[] => [...shop.values()].map(record => record['id']);
const config = (mode?: string): JsonObject => ({ adapterCode: 'shelf', ...(mode !== undefined && { seedMode: mode }) });
const after = (mode?: string) =>
    sketched({
        steps: {
            start: ['TRIGGER', { type: 'WEBHOOK' }],
            shape: ['TRANSFORM', { operators: [] }],
            look: ['EXTRACT', config(mode)],
            write: ['LOAD', LOAD],
        },
        edges: ['start > shape > look > write'],
        throughput: { batchSize: 4 },
        hooks: {
            BEFORE_EXTRACT: [{ type: 'SCRIPT', scriptName: 'none' }],
            AFTER_EXTRACT: [{ type: 'SCRIPT', scriptName: 'all' }],
        },
    });
const seeded = (mode?: string, state = new MemoryState()) => {
    const { definition, triggerKey } = withInputRecords(after(mode), 'start', ids(7));
    const seen: unknown[] = [];
    const scripts = hookScripts({
        // Whatever a hook before the reading answers changes nothing.
        none: () => [],
        all: (records, { stepKey }) => void seen.push([stepKey, records.length]),
    });
    const run = runPipeline(definition, {
        adapters: [providedRecords, shelf, ...scripts],
        state,
        input: { triggerKey },
    });
    return run.then(finished => ({ ...finished, seen }));
};

describe('an EXTRACT step after another step', () => {
    beforeEach(() => void requested.splice(0));

    it('hands a seed on, and reads nothing', async () => {
        const { end, state } = await seeded();
        expect(end).toMatchObject({ end: 'completed' });
        expect(loaded(state)).toEqual([0, 1, 2, 3, 4, 5, 6]);
        expect(requested).toEqual([]);
        expect(end.counters['look']).toBeUndefined();
    });

    it('looks up incoming records, batch by batch, with LOOKUP', async () => {
        const { end, state, seen } = await seeded('LOOKUP');
        expect(end).toMatchObject({ end: 'completed', outcome: 'PARTIAL' });
        expect(loaded(state)).toEqual([0, 1, 10, 20, 21, 40, 41, 60, 61]);
        expect(requested).toEqual([ids(4), ids(3, 4)]);
        expect(end.counters['look']).toMatchObject({ in: 7, out: 9, expanded: 4, filtered: 1, rejected: 1 });
        expect([...state.rejects.values()]).toEqual([
            expect.objectContaining({ stepKey: 'look', seq: 5, payload: { id: 5 } }),
        ]);
        expect(seen).toEqual([
            ['start', 4],
            ['look', 5],
            ['start', 3],
            ['look', 4],
        ]);
    });

    it('reads everything if a trigger leads to it without records', async () => {
        const definition = sketched({
            steps: {
                start: ['TRIGGER', { type: 'MANUAL' }],
                look: ['EXTRACT', config('LOOKUP')],
                write: ['LOAD', LOAD],
            },
            edges: ['start > look > write'],
        });
        const { end, state } = await runPipeline(definition, { adapters: [shelf] });
        expect(end).toMatchObject({ end: 'completed' });
        expect(loaded(state)).toEqual([500, 501, 502]);
        expect(requested).toEqual([]);
    });

    it('looks up records of another EXTRACT step', async () => {
        const definition = sketched({
            steps: {
                start: ['TRIGGER', { type: 'MANUAL' }],
                read: ['EXTRACT', pages(ids(2, 1))],
                look: ['EXTRACT', config('LOOKUP')],
                write: ['LOAD', LOAD],
            },
            edges: ['start > read > look > write'],
        });
        const { state } = await runPipeline(definition, { adapters: [shelf] });
        expect(loaded(state)).toEqual([10, 20, 21]);
    });

    it('fails a run whose extractor looks nothing up', async () => {
        const { lookup: _, ...blind } = shelf;
        const definition = withInputRecords(after('LOOKUP'), 'start', ids(1));
        const run = (): Promise<unknown> =>
            runPipeline(definition.definition, {
                adapters: [providedRecords, blind, ...hookScripts({ none: () => undefined, all: () => undefined })],
                input: { triggerKey: definition.triggerKey },
            });
        await expect(async () => run()).rejects.toMatchObject({ code: 'DEFINITION_INVALID' });
    });
});
