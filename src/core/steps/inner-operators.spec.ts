import { z } from 'zod';
import { memoryPorts } from '../../../test/kit/memory-ports';
import { RUN } from '../../../test/kit/run-facts';
import { batchOf } from '../../../test/kit/record';
import { WorkBetweenTurns } from '../../../test/kit/work-between-turns';
import { ENV } from '../../testing/bare-call';
import type { AdapterContext } from '../adapter/context';
import { recordOperator } from '../adapter/operator';
import { Registry } from '../adapter/registry';
import type { JsonObject } from '../value/json';
import { recordInvalid } from '../errors/record-invalid';
import { operators as ofCore } from '../operators';
import { compileOperators } from './compile-operators';
import { EventLoopYield } from '../concurrency/event-loop-yield';
import { transformStep } from './transform';

const work = new WorkBetweenTurns(30);
const slow = recordOperator({
    code: 'slow',
    title: 'Slow',
    summary: 'Takes its time.',
    config: z.strictObject({}),
    examples: [],
    compile: () => data => {
        work.did();
        if (data['bad'] === true) throw recordInvalid('bad', 'is true');
        return { ...data, done: true };
    },
});
const registry = Registry.of(ofCore, [slow]);

async function shaped(operators: ReadonlyArray<{ op: string; args?: object }>, ...records: readonly JsonObject[]) {
    const calls = operators.map(({ op, args = {} }) => ({ op, args: args as JsonObject }));
    const step = transformStep('shape', compileOperators(calls, { registry, env: ENV, place: 'shape' }));
    const { value, most, total } = await work.during(async () => {
        const body = await step.open({
            run: RUN,
            finishing: () => undefined,
            sweeping: () => undefined,
            ports: memoryPorts(),
            pace: new EventLoopYield({ clock: work.clock }),
            memory: { recall: async () => new Map(), left: () => undefined },
            adapter: {} as AdapterContext,
            startedAt: 0,
            cameBefore: 0,
            atEnd: () => undefined,
        });
        return body(batchOf(...records), { sourceKey: 'read', batchNo: 0, number: 0, earlier: [] });
    });
    return { out: value.out.map(({ data }) => data), rejects: value.rejects, counts: value.counts, most, total };
}

const within = (path: string, ...operators: readonly object[]) => ({ op: 'each', args: { path, operators } });
const elements = (count: number): JsonObject[] => Array.from({ length: count }, () => ({}));
const done = (count: number): JsonObject[] => Array.from({ length: count }, () => ({ done: true }));

describe('operators that work within another one', () => {
    it.each([
        ['elements', [within('l', { op: 'slow' })], { l: elements(12) }, [{ l: done(12), b: 1 }]],
        [
            'elements of elements',
            [within('l', within('m', { op: 'slow' }))],
            { l: [{ m: elements(5) }, { m: elements(7) }] },
            [{ l: [{ m: done(5) }, { m: done(7) }], b: 1 }],
        ],
        [
            'elements of what another operator has made',
            [{ op: 'expand', args: { path: 'v' } }, within('l', { op: 'slow' })],
            { v: [{ l: elements(6) }, { l: elements(6) }] },
            [
                { l: done(6), b: 1 },
                { l: done(6), b: 1 },
            ],
        ],
    ] as const)(
        'yield to the event loop between %s, and the operators after them continue',
        async (_, operators, record, out) => {
            const before = (await shaped([])).total;
            const result = await shaped([...operators, { op: 'set', args: { path: 'b', value: 1 } }], record);
            expect(result.out).toEqual(out);
            expect(result.rejects).toEqual([]);
            // Each takes longer than the event loop may wait.
            expect([result.total - before, result.most]).toEqual([12, 1]);
        },
    );

    it('reject the record at whose element they fail, and no other', async () => {
        const good = { l: [{}, {}] };
        const { out, rejects, counts } = await shaped(
            [within('l', { op: 'slow' })],
            good,
            { l: [{}, {}, { bad: true }, {}] },
            good,
        );
        expect(out).toEqual([{ l: done(2) }, { l: done(2) }]);
        expect(rejects).toMatchObject([
            { seq: 1, code: 'RECORD_INVALID', path: 'l.2.bad', payload: { l: [{}, {}, { bad: true }, {}] } },
        ]);
        expect(counts).toEqual({ expanded: 0, filtered: 0, rejected: 1 });
    });
});
