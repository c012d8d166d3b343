import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { canonicalJson, isJsonObject, type JsonValue } from '../../value/json';
import { compilePath } from '../../data/path';
import { path } from '../../schema/fields';

/** Removes duplicate values from a list. */
export const uniqueOperator = recordOperator({
    code: 'unique',
    category: 'Aggregation',
    title: 'Unique elements',
    summary: 'Takes elements that come again out of a list.',
    config: z.strictObject({
        source: path('From', 'The list; what is no list is left alone.'),
        target: path('To', 'Where the result goes; the field itself where absent.').optional(),
        by: path('By', 'The field of its objects that must not come twice; whole elements where absent.').optional(),
    }),
    notes: [
        'The first of equal ones stays. "1" and 1 differ; objects are equal when their fields are, in any order. With `by`, elements without that field, or with null there, all stay.',
    ],
    examples: [
        { args: { source: 'a' }, in: { a: ['x', 'y', 'x', 1, '1'] }, out: { a: ['x', 'y', 1, '1'] } },
        {
            args: { source: 'a', target: 'b' },
            in: {
                a: [
                    { p: 1, q: 2 },
                    { q: 2, p: 1 },
                ],
            },
            out: {
                a: [
                    { p: 1, q: 2 },
                    { q: 2, p: 1 },
                ],
                b: [{ p: 1, q: 2 }],
            },
        },
        {
            args: { source: 'a', by: 'id' },
            in: { a: [{ id: 1, n: 'ä' }, { id: 1, n: 'ö' }, { n: 'ü' }, 'x'] },
            out: { a: [{ id: 1, n: 'ä' }, { n: 'ü' }, 'x'] },
        },
        {
            args: { source: 'a', by: 'id' },
            in: { a: [{ id: null, n: 'ä' }, { id: null, n: 'ö' }, null, null] },
            out: { a: [{ id: null, n: 'ä' }, { id: null, n: 'ö' }, null, null] },
            note: 'null is no key.',
        },
        { args: { source: 'a' }, in: { a: [null, 'x', null] }, out: { a: [null, 'x'] } },
        { args: { source: 'a' }, in: { a: [] }, out: { a: [] } },
        { args: { source: 'a' }, in: { a: 'xx' }, out: { a: 'xx' } },
    ],
    reads: ({ source }) => [source],
    compile({ source, target, by }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.field(target ?? source);
        const field = by === undefined ? undefined : compilePath(by);
        const keyOf = (element: JsonValue): JsonValue | undefined => {
            if (!field) return element;
            // null is not a key that two elements could share.
            return isJsonObject(element) ? (field.get(element) ?? undefined) : undefined;
        };
        return data => {
            const list = from.get(data);
            if (!Array.isArray(list)) return data;
            const seen = new Set<JsonValue>();
            const seenObjects = new Set<string>();
            const out: JsonValue[] = [];
            for (const element of list as readonly JsonValue[]) {
                const key = keyOf(element);
                const isObject = typeof key === 'object' && key !== null;
                if (key === undefined || (isObject ? isNew(seenObjects, canonicalJson(key)) : isNew(seen, key)))
                    out.push(element);
            }
            return to.set(data, out);
        };
    },
});

function isNew<T>(seen: Set<T>, value: T): boolean {
    const before = seen.size;
    return seen.add(value).size > before;
}
