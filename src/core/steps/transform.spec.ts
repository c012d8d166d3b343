import { batchOf, record } from '../../../test/kit/record';
import { memoryPorts } from '../../../test/kit/memory-ports';
import { RUN } from '../../../test/kit/run-facts';
import { VirtualClock } from '../../../test/kit/virtual-clock';
import { WorkBetweenTurns } from '../../../test/kit/work-between-turns';
import { ENV, TEST_LOCATION } from '../../testing/bare-call';
import type { AdapterContext } from '../adapter/context';
import { DROP, type RecordFn } from '../adapter/operator';
import type { JsonObject } from '../value/json';
import type { Batch } from '../data/record';
import { flowError } from '../errors/flow-error';
import { validateFormat } from '../operators/data/validate-format';
import { replaceRegex } from '../operators/string/replace-regex';
import { EventLoopYield } from '../concurrency/event-loop-yield';
import type { StepState, StepResult, Invocation } from './step';
import { transformStep } from './transform';

const NOTHING_KEPT: StepState = { recall: async () => new Map(), left: () => undefined };
const VISIT: Invocation = { sourceKey: 'read', batchNo: 0, number: 0, earlier: [] };

async function transform(
    batch: Batch,
    fns: readonly RecordFn[],
    { pace = new EventLoopYield({ clock: new VirtualClock() }), visit = VISIT } = {},
): Promise<StepResult> {
    const step = transformStep(
        'shape',
        fns.map((fn, i) => ({ form: 'record' as const, op: `op${i}`, position: i + 1, fn })),
    );
    const body = await step.open({
        run: RUN,
        finishing: () => undefined,
        sweeping: () => undefined,
        ports: memoryPorts(),
        pace,
        memory: NOTHING_KEPT,
        startedAt: 0,
        cameBefore: 0,
        atEnd: () => undefined,
        adapter: {} as AdapterContext,
    });
    return body(batch, visit);
}

const dataOf = ({ out }: StepResult): unknown[] => out.map(({ data }) => data);
const seqsOf = ({ out }: StepResult): unknown[] => out.map(({ origin }) => origin.seq);
const add =
    (field: string): RecordFn =>
    data => ({ ...data, [field]: 1 });
const copies: RecordFn = data => Array.from({ length: Number(data['n']) }, (_, i): JsonObject => ({ ...data, i }));

describe('a transform step', () => {
    it('passes each record through all operators and keeps its origin', async () => {
        const result = await transform(batchOf({ a: 0 }, { a: 9 }), [add('b'), add('c')]);
        expect(dataOf(result)).toEqual([
            { a: 0, b: 1, c: 1 },
            { a: 9, b: 1, c: 1 },
        ]);
        expect(seqsOf(result)).toEqual([0, 1]);
        expect(result.counts).toEqual({ expanded: 0, filtered: 0, rejected: 0 });
    });

    it('omits records that an operator drops', async () => {
        const result = await transform(batchOf({ a: 1 }, { a: 2 }), [
            data => (data['a'] === 1 ? DROP : data),
            add('b'),
        ]);
        expect(dataOf(result)).toEqual([{ a: 2, b: 1 }]);
        expect(result.counts).toMatchObject({ filtered: 1 });
    });

    it('makes several records of one, all of its origin', async () => {
        const result = await transform(batchOf({ n: 3 }, { n: 1 }, { n: 0 }), [copies, add('b')]);
        expect(dataOf(result)).toEqual([
            { n: 3, i: 0, b: 1 },
            { n: 3, i: 1, b: 1 },
            { n: 3, i: 2, b: 1 },
            { n: 1, i: 0, b: 1 },
        ]);
        expect(seqsOf(result)).toEqual([0, 0, 0, 1]);
        expect(result.counts).toEqual({ expanded: 2, filtered: 1, rejected: 0 });
    });

    it.each([
        ['several of several', [copies, copies]],
        ['dropped among several', [copies, (data: JsonObject) => (data['i'] === 0 ? DROP : data)]],
        ['none of one of several', [copies, (data: JsonObject) => (data['i'] === 0 ? [] : [data, data])]],
        ['all of several dropped', [copies, () => DROP] as RecordFn[]],
    ])('keeps the law of the counters: %s', async (_, fns) => {
        const batch = batchOf({ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 });
        const { out, counts } = await transform(batch, fns as RecordFn[]);
        expect(batch.length + counts.expanded!).toBe(out.length + counts.filtered! + counts.rejected!);
    });

    it('rejects a record for which an operator throws, as it came to the step, and lets its neighbours pass', async () => {
        const result = await transform(batchOf({ a: 1 }, { a: 2 }), [
            add('b'),
            data => {
                if (data['a'] === 1) throw new Error('no ones');
                return data;
            },
        ]);
        expect(dataOf(result)).toEqual([{ a: 2, b: 1 }]);
        expect(result.rejects).toEqual([
            {
                stepKey: 'shape',
                sourceKey: 'read',
                seq: 0,
                ordinal: 0,
                code: 'OPERATOR_FAILED',
                path: undefined,
                message: 'Operator op1 (number 2): no ones.',
                facts: { op: 'op1', position: 2, problem: 'no ones' },
                payload: { a: 1 },
            },
        ]);
    });

    it('keeps the code, message and field of a record error', async () => {
        const { rejects } = await transform(batchOf({ a: 1 }), [
            () => {
                throw flowError(
                    'RECORD_INVALID',
                    { path: 'a', problem: 'it is not text' },
                    { details: { field: 'a' } },
                );
            },
        ]);
        expect(rejects).toMatchObject([{ code: 'RECORD_INVALID', message: 'Field "a": it is not text.', path: 'a' }]);
    });

    it('rejects a whole record when one of its pieces fails', async () => {
        const result = await transform(batchOf({ n: 3 }, { n: 1 }), [
            copies,
            data => {
                if (data['i'] === 2) throw new Error('not the third');
                return data;
            },
        ]);
        expect(seqsOf(result)).toEqual([1]);
        expect(result).toMatchObject({
            counts: { expanded: 0, rejected: 1 },
            rejects: [{ seq: 0, payload: { n: 3 } }],
        });
    });

    it('rejects a record of which a custom operator makes no object', async () => {
        const { rejects } = await transform(batchOf({ a: 1 }), [() => undefined as unknown as JsonObject]);
        expect(rejects).toMatchObject([{ code: 'OPERATOR_FAILED', message: expect.stringContaining('object') }]);
    });

    it('distinguishes rejected records of one origin, also over several visits of the batch', async () => {
        const fail: RecordFn = () => {
            throw new Error('no');
        };
        const twins = [record({ i: 0 }, 7), record({ i: 1 }, 7), record({ i: 2 }, 8)];
        const first = await transform(twins, [fail]);
        expect(first.rejects.map(({ seq, ordinal }) => [seq, ordinal])).toEqual([
            [7, 0],
            [7, 1],
            [8, 0],
        ]);
        const second = await transform(twins.slice(1), [fail], { visit: { ...VISIT, number: 1, earlier: [twins] } });
        expect(second.rejects.map(({ seq, ordinal }) => [seq, ordinal])).toEqual([
            [7, 2],
            [8, 1],
        ]);
    });

    it.each([
        ['each record of a large batch', Array.from({ length: 40 }, (_, i) => ({ i })), 1],
        ['each operator that a single record comes to', [{ i: 0 }], 40],
        ['each of the pieces that a record became', [{ n: 40 }], 1],
    ])('lets the event loop turn between %s when that takes long', async (_, records, operators) => {
        const work = new WorkBetweenTurns(10);
        const slow: RecordFn = data => {
            work.did();
            return data;
        };
        const spread: RecordFn = data => (data['n'] === undefined ? data : copies(data, TEST_LOCATION));
        const fns = [spread, ...Array.from({ length: operators }, () => slow)];
        const { value, total, most } = await work.during(() =>
            transform(batchOf(...records), fns, { pace: new EventLoopYield({ clock: work.clock }) }),
        );
        expect(value.rejects).toEqual([]);
        // Of 400 ms of work 20 may pass without a turn.
        expect([total, most]).toEqual([40, 2]);
    });

    it('rejects a record that fails after a turn of the event loop, and no other', async () => {
        let time = 0;
        const pace = new EventLoopYield({ clock: { now: () => time } });
        const slow: RecordFn = data => {
            time += 30;
            return data;
        };
        const noOnes: RecordFn = data => {
            if (data['a'] === 1) throw new Error('no ones');
            return data;
        };
        const spread: RecordFn = data => (data['a'] === 3 ? [data, { a: 1 }] : data);
        const result = await transform(batchOf({ a: 1 }, { a: 2 }, { a: 3 }, { a: 4 }), [slow, spread, slow, noOnes], {
            pace,
        });
        expect(dataOf(result)).toEqual([{ a: 2 }, { a: 4 }]);
        expect(result.rejects).toMatchObject([
            { seq: 0, payload: { a: 1 }, message: 'Operator op3 (number 4): no ones.' },
            { seq: 2, payload: { a: 3 }, message: 'Operator op3 (number 4): no ones.' },
        ]);
    });

    const hostile = { pattern: '(a+)+$' };
    const replacing = replaceRegex.compile(
        replaceRegex.config.parse({ ...hostile, path: 'text', replacement: '', flags: 'g' }),
        ENV,
    );
    const checking = validateFormat.compile(validateFormat.config.parse({ ...hostile, field: 'text' }), ENV);
    const texts = (records: number, length: number): Batch =>
        batchOf(...Array.from({ length: records }, () => ({ text: `${'a'.repeat(length)}!` })));

    it.each([
        ['20 records of 50 kB', texts(20, 50_000), [replacing, checking]],
        [
            'one record of 200 kB and ten operators',
            texts(1, 200_000),
            [...Array<RecordFn>(9).fill(replacing), checking],
        ],
    ])('lets the event loop turn between patterns made to backtrack: %s', async (_, batch, fns) => {
        const work = new WorkBetweenTurns(20);
        const counted = fns.map((fn): RecordFn => (data, place) => {
            work.did();
            return fn(data, place);
        });
        const { value, total, most } = await work.during(() =>
            transform(batch, counted, { pace: new EventLoopYield({ clock: work.clock }) }),
        );
        expect(value.rejects).toHaveLength(batch.length);
        expect([total, most]).toEqual([batch.length * fns.length, 1]);
    });
});
