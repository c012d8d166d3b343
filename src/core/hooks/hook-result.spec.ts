import { batchOf } from '../../../test/kit/record';
import type { ScriptRecord } from '../adapter/script';
import { copyJson } from '../value/json';
import { batchFromHookResult } from './hook-result';

const batch = batchOf({ id: 'a' }, { id: 'b' }, { id: 'c' });

/** What becomes of the batch: each record's id and the number that it has at its source. */
function after(script: (records: ScriptRecord[]) => unknown): ReadonlyArray<readonly unknown[]> {
    const copies = batch.map(({ data }) => copyJson(data));
    return batchFromHookResult(script([...copies]), copies, batch).map(({ data, origin }) => [data['id'], origin.seq]);
}

describe('the result of a script', () => {
    it('keeps the origin of each record that it was given, whatever is left out, moved or changed', () => {
        expect(after(records => records.filter(({ id }) => id !== 'a'))).toEqual([
            ['b', 1],
            ['c', 2],
        ]);
        expect(after(records => [...records].reverse())).toEqual([
            ['c', 2],
            ['b', 1],
            ['a', 0],
        ]);
        expect(
            after(records => {
                records.shift();
                for (const record of records) record['id'] = `${String(record['id'])}!`;
                return records;
            }),
        ).toEqual([
            ['b!', 1],
            ['c!', 2],
        ]);
        expect(after(([a, b]) => [a, b, b, a])).toEqual([
            ['a', 0],
            ['b', 1],
            ['b', 1],
            ['a', 0],
        ]);
    });

    it('is matched in order if new objects are returned and their number is the same', () => {
        expect(after(records => records.map(({ id }) => ({ id: `${String(id)}!` })))).toEqual([
            ['a!', 0],
            ['b!', 1],
            ['c!', 2],
        ]);
    });

    it('has one origin for all new records if neither copies nor their number identify it', () => {
        expect(after(([, b]) => [{ id: 'x' }, b, { id: 'y' }, { id: 'z' }])).toEqual([
            ['x', 0],
            ['b', 1],
            ['y', 0],
            ['z', 0],
        ]);
        const [x, , y] = batchFromHookResult([{ id: 'x' }, {}, { id: 'y' }, {}], [], batch);
        expect(x!.origin).toBe(y!.origin);
        expect(x!.origin).not.toBe(batch[0]!.origin);
    });

    it('shares nothing with the objects that the script keeps', () => {
        const kept = { id: 'x', deep: { list: [1] } };
        const [record] = batchFromHookResult([kept], [], batchOf({}));
        kept.deep.list.push(2);
        expect(record!.data).toEqual({ id: 'x', deep: { list: [1] } });
    });

    it('may contain fields without a value, and a field with the name of a prototype', () => {
        const [record] = batchFromHookResult(
            [JSON.parse('{"__proto__":{"a":1},"b":[null,{"c":true}]}')],
            [],
            batchOf({}),
        );
        expect(JSON.stringify(record!.data)).toBe('{"__proto__":{"a":1},"b":[null,{"c":true}]}');
        expect(Object.getPrototypeOf(record!.data)).toBe(Object.prototype);
        expect(batchFromHookResult([{ a: undefined, b: 1 }], [], batchOf({}))[0]!.data).toEqual({ b: 1 });
    });

    const circle: unknown[] = [];
    circle.push(circle);
    it.each([
        [null, 'it answered null; allowed: a list of records, or undefined to leave them as they are'],
        [{ id: 1 }, 'it answered an object; allowed: a list'],
        [new Map(), 'it answered an object of class Map; allowed: a list'],
        [() => [], 'it answered a function; allowed: a list'],
        [true, 'it answered true; allowed: a list'],
        [[{}, 7], 'record 2 of its answer is 7; allowed: an object'],
        [[[{}]], 'record 1 of its answer is a list of 1; allowed: an object'],
        [new Array(1), 'record 1 of its answer is undefined; allowed: an object'],
        [
            [{ at: new Date(0) }],
            'field "at" of record 1 of its answer is an object of class Date; allowed: JSON values',
        ],
        [[{ price: NaN }], 'field "price" of record 1 of its answer is NaN; allowed: JSON values'],
        [[{ price: 1n }], 'field "price" of record 1 of its answer is the bigint 1; allowed: JSON values'],
        [[{ list: [undefined] }], 'field "list" of record 1 of its answer holds undefined; allowed: JSON values'],
        [[{ circle }], 'field "circle" of record 1 of its answer is nested deeper than 200 levels'],
    ])('is rejected if it is %p', (answer, message) => {
        expect(() => batchFromHookResult(answer, [], batchOf({}))).toThrow(message);
    });
});
