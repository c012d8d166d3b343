import { batchOf, record } from '../../../test/kit/record';
import { memoryPorts } from '../../../test/kit/memory-ports';
import { RUN } from '../../../test/kit/run-facts';
import { naming } from '../../../test/kit/naming';
import { VirtualClock } from '../../../test/kit/virtual-clock';
import { DEFAULT_LIMITS } from '../adapter/bounds';
import type { AdapterContext } from '../adapter/context';
import { type BatchFn, DROP, type RecordFn } from '../adapter/operator';
import type { JsonObject, JsonValue } from '../value/json';
import type { Batch } from '../data/record';
import { flowError } from '../errors/flow-error';
import { recordInvalid } from '../errors/record-invalid';
import { EventLoopYield } from '../concurrency/event-loop-yield';
import type { StepResult, Invocation } from './step';
import { type CompiledOperator, transformStep } from './transform';

const VISIT: Invocation = { sourceKey: 'read', batchNo: 3, number: 0, earlier: [] };

interface Surroundings {
    readonly visit?: Invocation;
    readonly stored?: Readonly<Record<string, JsonValue>>;
    readonly left?: string[];
    readonly signal?: AbortSignal;
}

/** Runs a step of these operators: `each` is a record operator, `all` a batch operator. */
async function shape(
    batch: Batch,
    operators: readonly CompiledOperator[],
    { visit = VISIT, stored = {}, left = [], signal = new AbortController().signal }: Surroundings = {},
): Promise<StepResult> {
    const step = transformStep(
        'shape',
        operators.map((operator, i) => ({ ...operator, position: i + 1 })),
    );
    const memory = {
        recall: async (_from: unknown, _batch: unknown, keys: readonly string[]) =>
            new Map(keys.filter(key => key in stored).map(key => [key, stored[key]!])),
        left: (part: string) => void left.push(part),
    };
    const adapter = { stepKey: 'shape', signal } as AdapterContext;
    const body = await step.open({
        run: RUN,
        finishing: () => undefined,
        sweeping: () => undefined,
        ports: memoryPorts(),
        pace: new EventLoopYield({ clock: new VirtualClock() }),
        memory,
        startedAt: 0,
        cameBefore: 0,
        atEnd: () => undefined,
        adapter,
    });
    return body(batch, visit);
}

const each = (fn: RecordFn): CompiledOperator => ({ form: 'record', op: 'each', position: 0, fn });
const all = (fn: BatchFn, part = 'all'): CompiledOperator => ({
    form: 'batch',
    op: 'all',
    position: 0,
    part,
    limits: DEFAULT_LIMITS,
    open: () => fn,
});
const dataOf = ({ out }: StepResult): readonly JsonObject[] => out.map(({ data }) => data);
const noTwos: RecordFn = data => {
    if (data['n'] === 2) throw recordInvalid('n', 'is two');
    return data;
};
const copies: RecordFn = data => [
    { ...data, i: 0 },
    { ...data, i: 1 },
];
const same: CompiledOperator = all(batch => batch);

function expectLaw(batch: Batch, { out, counts, rejects }: StepResult): void {
    expect(counts.rejected).toBe(rejects.length);
    expect(batch.length + counts.expanded!).toBe(out.length + counts.filtered! + counts.rejected!);
}

describe('a transform step with batch operators', () => {
    const three = batchOf({ n: 1 }, { n: 2 }, { n: 3 });

    it('passes the batch through all operators in their order', async () => {
        const number = all((batch, cx) =>
            batch.map((one, i) => cx.derive({ ...one.data, of: batch.length, i }, [one])),
        );
        const result = await shape(three, [
            each(data => (data['n'] === 1 ? DROP : data)),
            number,
            each(data => ({ ...data, end: true })),
        ]);
        expect(dataOf(result)).toEqual([
            { n: 2, of: 2, i: 0, end: true },
            { n: 3, of: 2, i: 1, end: true },
        ]);
        expect(result.out.map(({ origin }) => origin)).toEqual(three.slice(1).map(({ origin }) => origin));
        expect(result.counts).toEqual({ expanded: 0, filtered: 1, rejected: 0 });
    });

    it('counts additional and missing records of a batch operator as a whole', async () => {
        const more = await shape(three, [
            all((batch, cx) => [...batch, cx.derive({ made: true }, batch), cx.derive({ made: true }, [])]),
        ]);
        expect(more.counts).toEqual({ expanded: 2, filtered: 0, rejected: 0 });
        expect(more.out[3]!.origin).toEqual({ seq: 0, parts: three.map(({ origin }) => origin) });
        expect(more.out[4]!.origin).toEqual({ seq: 0, parts: [] });
        expect((await shape(three, [all(batch => batch.slice(1))])).counts).toEqual({
            expanded: 0,
            filtered: 1,
            rejected: 0,
        });
    });

    it('rejects a record as it came to the step, whichever operator rejects it', async () => {
        const change = each(data => ({ ...data, changed: true }));
        const refuse = all((batch, cx) => {
            cx.reject(batch[1]!, recordInvalid('n', 'is rejected'));
            return batch;
        });
        for (const operators of [
            [same, change, each(noTwos)],
            [change, refuse, change],
            [each(noTwos), change, same],
        ]) {
            const result = await shape(three, operators);
            expect(dataOf(result).map(({ n }) => n)).toEqual([1, 3]);
            expect(result.rejects).toMatchObject([
                { seq: 1, ordinal: 0, code: 'RECORD_INVALID', path: 'n', payload: { n: 2 } },
            ]);
            expect(result.failed).toEqual([three[1]!.origin]);
            expectLaw(three, result);
        }
    });

    it.each([
        [
            'a record operator after it',
            [
                each(data => {
                    if (data['n'] === 2 && data['i'] === 1) throw recordInvalid('i', 'is one');
                    return data;
                }),
            ],
        ],
        ['a record operator twice', [each(noTwos)]],
        [
            'a batch operator',
            [
                all((batch, cx) => {
                    for (const one of batch) if (one.data['n'] === 2) cx.reject(one, recordInvalid('n', 'is two'));
                    return batch;
                }),
            ],
        ],
    ])('fails everything else that a rejected record was made into: %s', async (_, operators) => {
        const result = await shape(three, [each(copies), same, ...operators, each(data => ({ ...data, end: 1 }))]);
        expect(dataOf(result).map(({ n, i }) => [n, i])).toEqual([
            [1, 0],
            [1, 1],
            [3, 0],
            [3, 1],
        ]);
        expect(result.rejects).toMatchObject([{ seq: 1, payload: { n: 2 } }]);
        expectLaw(three, result);
    });

    it('rejects a record made of several as it is, under a separate key', async () => {
        const pair = all((batch, cx) => [
            cx.derive({ n: 2, of: 'two' }, batch.slice(0, 2)),
            cx.derive({ n: 2, of: 'all' }, batch),
            batch[0]!,
        ]);
        const refuseFirst = all((batch, cx) => {
            for (const one of batch) if (one.data['n'] === 1) cx.reject(one, recordInvalid('n', 'is one'));
            return batch;
        });
        const result = await shape(three, [pair, each(noTwos), refuseFirst]);
        expect(dataOf(result)).toEqual([]);
        expect(result.rejects.map(({ seq, payload }) => [seq, payload])).toEqual([
            [0, { n: 2, of: 'two' }],
            [0, { n: 2, of: 'all' }],
            [0, { n: 1 }],
        ]);
        expect(new Set(result.rejects.map(({ ordinal }) => ordinal)).size).toBe(3);
        expect(result.failed[0]!.parts).toEqual(three.slice(0, 2).map(({ origin }) => origin));
        expectLaw(three, result);
        const again = await shape(three, [pair, each(noTwos), refuseFirst], {
            visit: { ...VISIT, number: 1, earlier: [three] },
        });
        expect(new Set([...result.rejects, ...again.rejects].map(({ ordinal }) => ordinal)).size).toBe(6);
    });

    it('identifies the input of a record without derive by its origin', async () => {
        const twins = [record({ n: 1 }, 7), record({ n: 2 }, 8)];
        const rebuilt = all(batch => batch.map(({ data, origin }) => ({ data: { ...data, rebuilt: true }, origin })));
        const result = await shape(twins, [rebuilt, each(noTwos)]);
        expect(result.rejects).toMatchObject([{ seq: 8, payload: { n: 2 } }]);
        expect(result.rejects[0]!.payload).not.toHaveProperty('rebuilt');
    });

    it('rejects the whole batch when its operator throws, with the reason', async () => {
        for (const [thrown, code, message] of [
            [new Error('out of order'), 'OPERATOR_FAILED', 'Operator all (number 2): out of order.'],
            [recordInvalid('x', 'is x'), 'RECORD_INVALID', 'Field "x": is x.'],
        ] as const) {
            const result = await shape(three, [
                each(data => (data['n'] === 3 ? DROP : data)),
                all(() => {
                    throw thrown;
                }),
            ]);
            expect(result.rejects).toMatchObject([
                { seq: 0, code, message },
                { seq: 1, code, message },
            ]);
            expect(result.out).toEqual([]);
            expectLaw(three, result);
        }
    });

    it.each([
        ['no list', () => undefined, 'it did not return a list of records'],
        ['no records', () => [{ n: 1 }], 'it returned something that is not a record'],
        [
            'records without an object',
            (batch: Batch) => batch.map(({ origin }) => ({ data: [], origin })),
            'it did not return an object',
        ],
    ])('rejects the batch of a custom operator that returns %s', async (_, answer, problem) => {
        const { rejects } = await shape(three, [all(answer as unknown as BatchFn)]);
        expect(rejects).toMatchObject(
            three.map(() => ({ code: 'OPERATOR_FAILED', message: `Operator all (number 1): ${problem}.` })),
        );
    });

    it('passes errors that concern more than its records to the run', async () => {
        const fail = (error: Error): Promise<StepResult> =>
            shape(three, [
                all(() => {
                    throw error;
                }),
            ]);
        await expect(
            fail(flowError('REMOTE_BUSY', { host: 'h', problem: 'is busy', attempts: 1 })),
        ).rejects.toMatchObject({ code: 'REMOTE_BUSY' });
        await expect(fail(flowError('REMOTE_REFUSED', { host: 'h', problem: 'refused' }))).rejects.toMatchObject({
            code: 'REMOTE_REFUSED',
        });
        const cancel = new AbortController();
        cancel.abort(flowError('RUN_CANCELLED', {}));
        await expect(
            shape(
                three,
                [
                    all(() => {
                        throw new Error('aborted');
                    }),
                ],
                { signal: cancel.signal },
            ),
        ).rejects.toThrow('aborted');
    });

    it('remembers the values of a batch operator, each part under its own name', async () => {
        const seen: unknown[] = [];
        const count = (part: string): CompiledOperator =>
            all(async (batch, cx) => {
                const known = await cx.recall(['a', 'b']);
                seen.push([...known]);
                cx.remember(batch[0]!, 'a', Number(known.get('a') ?? 0) + 1);
                return batch;
            }, part);
        const left: string[] = [];
        const { memos: stateEntries } = await shape(three, [count('count'), count('count 2')], {
            stored: { 'count:a': 4, 'count 2:b': 1 },
            left,
        });
        expect(seen).toEqual([[['a', 4]], [['b', 1]]]);
        expect(stateEntries).toEqual([
            { origin: three[0]!.origin, stepKey: 'shape', key: 'count:a', value: 5 },
            { origin: three[0]!.origin, stepKey: 'shape', key: 'count 2:a', value: 1 },
        ]);
        expect(new Set(left)).toEqual(new Set(['count', 'count 2']));
    });

    it.each<[string, BatchFn, RegExp]>([
        [
            'a key that was not recalled',
            (batch, cx) => {
                cx.remember(batch[0]!, 'a', 1);
                return batch;
            },
            naming('"a"'),
        ],
        [
            'no JSON value',
            async (batch, cx) => {
                await cx.recall(['b']);
                cx.remember(batch[0]!, 'b', undefined as unknown as JsonValue);
                return batch;
            },
            naming('"b"', 'JSON'),
        ],
    ])('does not remember %s', async (_, fn, named) => {
        const { rejects, memos: stateEntries } = await shape(three, [all(fn)]);
        expect(rejects[0]!.message).toMatch(named);
        expect(stateEntries).toEqual([]);
    });

    it('finishes all parts even if no records reach them', async () => {
        const left: string[] = [];
        await shape(three, [each(() => DROP), all(batch => batch, 'behind')], { left });
        expect(left).toEqual(['behind']);
    });

    it('gives a batch operator its location', async () => {
        const places: unknown[] = [];
        await shape(
            three,
            [
                all((batch, cx) => {
                    places.push(cx.place);
                    return batch;
                }),
            ],
            { visit: { ...VISIT, number: 2 } },
        );
        expect(places).toEqual([{ runId: 'run', stepKey: 'shape', sourceKey: 'read', batchNo: 3, visit: 2 }]);
    });
});

describe('the place of a record', () => {
    const ids = (found: string[]): CompiledOperator =>
        each((data, place) => {
            found.push(place.id);
            return data;
        });

    it('differs for each record, piece, operator, visit and source, and is the same when the batch is repeated', async () => {
        const twins = [record({ n: 1 }, 7), record({ n: 1 }, 7), record({ n: 1 }, 8)];
        const run = async (visit = VISIT): Promise<readonly string[]> => {
            const found: string[] = [];
            await shape(twins, [ids(found), each(copies), ids(found), same, ids(found), ids(found)], { visit });
            return found;
        };
        const first = await run();
        expect(first).toHaveLength(21);
        expect(await run()).toEqual(first);
        const others = [...(await run({ ...VISIT, number: 1 })), ...(await run({ ...VISIT, sourceKey: 'other' }))];
        expect(new Set([...first, ...others]).size).toBe(63);
    });

    it('does not depend on how the source was cut', async () => {
        const found: string[] = [];
        await shape([record({}, 7)], [ids(found)]);
        await shape([record({}, 6), record({}, 7)], [ids(found)], { visit: { ...VISIT, batchNo: 9 } });
        expect(found[2]).toBe(found[0]);
    });
});
