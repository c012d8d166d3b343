import { z } from 'zod';
import { MemoryState } from '../../../test/kit/memory-ports';
import { LOAD, runPipeline, type Sketch, sketched } from '../../../test/kit/pipeline';
import { defineExtractor, type Page } from '../adapter/extractor';
import { batchOperator } from '../adapter/operator';
import { hookScripts } from '../adapter/script';
import type { JsonObject } from '../value/json';
import { recordInvalid } from '../errors/record-invalid';
import { TestRunTap } from './test-run';

/** The records whose places were requested. */
const requested: number[] = [];
/** Pages of two records and a row that is not a record; after the third page, the places are unknown. */
const placed = defineExtractor({
    code: 'placed',
    title: 'Placed',
    summary: 'Yields records that know their places.',
    config: z.strictObject({ records: z.array(z.record(z.string(), z.any())) }),
    async *extract({ records }, { resumeFrom }): AsyncGenerator<Page, void, void> {
        for (let from = Number(resumeFrom ?? 0); from < records.length; from += 2) {
            const some = records.slice(from, from + 2);
            const row = (from / 2) * 3 + 1;
            yield {
                records: some,
                checkpoint: from + 2,
                faults: [{ index: 1, data: {}, path: 'a', problem: 'is not a record', place: `line ${row + 1}` }],
                ...(from < 6 && {
                    placeOf: (index: number) => {
                        requested.push(from + index);
                        return `line ${row + 2 * index}`;
                    },
                }),
            };
        }
    },
});

/** Merges two records and derives one from the first of them; the shop rejects both. */
const pairs = batchOperator({
    code: 'pairs',
    category: 'Aggregation',
    title: 'Pairs',
    summary: 'Makes one record of two.',
    config: z.strictObject({}),
    examples: [],
    open: () => (batch, cx) => [
        cx.derive({ id: 'joint', bad: true }, batch.slice(0, 2)),
        cx.derive({ id: 'single', bad: true }, batch.slice(0, 1)),
    ],
});

/** Rejects the first record of a batch and warns about all of them. */
const doubts = batchOperator({
    code: 'doubts',
    category: 'Test',
    title: 'Doubts',
    summary: 'Doubts each record.',
    config: z.strictObject({}),
    examples: [],
    open: () => (batch, cx) => {
        cx.reject(batch[0]!, recordInvalid('id', 'is wrong'));
        for (const record of batch) cx.warn(record, recordInvalid('id', 'is odd'));
        return batch;
    },
});

const records = (count: number, more: JsonObject = {}): JsonObject[] =>
    Array.from({ length: count }, (_, id) => ({ id, ...more }));

const reading = (given: readonly JsonObject[], more: Partial<Sketch> = {}): Sketch => ({
    steps: {
        start: ['TRIGGER', { type: 'MANUAL' }],
        read: ['EXTRACT', { adapterCode: 'placed', records: [...given] }],
        write: ['LOAD', LOAD],
    },
    edges: ['start > read > write'],
    ...more,
});

const run = (sketch: Sketch, state?: MemoryState) =>
    runPipeline(sketched(sketch), { adapters: [placed, pairs], ...(state && { state }) });

const placesAt = ({ rejects }: MemoryState, stepKey: string): readonly unknown[] =>
    [...rejects.values()].filter(reject => reject.stepKey === stepKey).map(({ seq, place }) => [seq, place]);

describe('a rejected record', () => {
    beforeEach(() => requested.splice(0));

    it.each([1, 2, 4, 100])('has its location, wherever batches of %i end', async batchSize => {
        const { state } = await run(reading(records(8, { bad: true }), { throughput: { batchSize } }));
        expect(placesAt(state, 'read')).toEqual([
            [1, 'line 2'],
            [4, 'line 5'],
            [7, 'line 8'],
            [10, 'line 11'],
        ]);
        expect(placesAt(state, 'write')).toEqual([
            [0, 'line 1'],
            [2, 'line 3'],
            [3, 'line 4'],
            [5, 'line 6'],
            [6, 'line 7'],
            [8, 'line 9'],
            [9, undefined],
            [11, undefined],
        ]);
    });

    it('is located, and so is the last record of a batch, and no other', async () => {
        const some = records(6).map((record, i) => ({ ...record, ...(i === 3 && { bad: true }) }));
        await run(reading(some));
        expect(requested).toEqual([5, 3]);
    });

    it('has the same location when the run resumed in the middle of a page', async () => {
        const sketch = reading(records(6, { bad: true }), { throughput: { batchSize: 1 } });
        const { state: whole } = await run(sketch);
        const state = new MemoryState();
        state.positions['read'] = { token: 2, skip: 2, batchNo: 5, seq: 5, done: false };
        await run(sketch, state);
        expect(placesAt(state, 'write')).toEqual(placesAt(whole, 'write').slice(3));
        expect(placesAt(state, 'write')[0]).toEqual([5, 'line 6']);
    });

    it('has the location of its origin if one was made into several, and none if several were made into one', async () => {
        const steps = (operators: JsonObject[]): Sketch['steps'] => ({
            ...reading(records(2, { bad: true, copies: 2 })).steps,
            shape: ['TRANSFORM', { operators }],
        });
        const edges = ['start > read > shape > write'];
        const copies = await run({ steps: steps([{ op: 'toyCopies', args: { field: 'copies' } }]), edges });
        expect(placesAt(copies.state, 'write')).toEqual([
            [0, 'line 1'],
            [0, 'line 1'],
            [2, 'line 3'],
            [2, 'line 3'],
        ]);
        const joint = await run({ steps: steps([{ op: 'pairs', args: {} }]), edges });
        expect(placesAt(joint.state, 'write')).toEqual([
            [0, undefined],
            [0, 'line 1'],
        ]);
    });

    it('has its location at the operator in a step test, and so has one with a warning', async () => {
        const probe = new TestRunTap('shape');
        const { steps } = reading(records(2));
        await runPipeline(
            sketched({
                steps: { ...steps, shape: ['TRANSFORM', { operators: [{ op: 'doubts', args: {} }] }] },
                edges: ['start > read > shape > write'],
            }),
            { adapters: [placed, doubts], input: { mode: 'preview', probe } },
        );
        const issue = { code: 'RECORD_INVALID', path: 'id', facts: expect.any(Object) as object };
        expect(probe.operators[0]!.faults).toEqual([
            { ...issue, seq: 0, severity: 'ERROR', message: expect.any(String), place: 'line 1' },
            { ...issue, seq: 0, severity: 'WARNING', message: expect.any(String), place: 'line 1' },
            { ...issue, seq: 2, severity: 'WARNING', message: expect.any(String), place: 'line 3' },
        ]);
    });

    it('gives hooks its location', async () => {
        const told: unknown[] = [];
        const look = hookScripts({
            look: (_records, { errors = [] }) => void told.push(...errors.map(({ place }) => place)),
        });
        const hooks = { ON_RECORD_ERROR: [{ type: 'SCRIPT' as const, scriptName: 'look' }] };
        await runPipeline(sketched(reading(records(2, { bad: true }), { hooks })), { adapters: [placed, ...look] });
        expect(told).toEqual(['line 2', 'line 1', 'line 3']);
    });
});
