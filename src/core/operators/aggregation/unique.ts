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
    summary: 'Removes repeated elements from a list.',
    config: z.strictObject({
        source: path('From', 'The list. Other values are left unchanged.'),
        target: path('To', 'The field for the result. Default: the field itself.').optional(),
        by: path('By', 'For objects: the field that must be unique. Default: whole elements are compared.').optional(),
    }),
    notes: [
        'The first of equal elements is kept. "1" and 1 differ; objects are equal if their fields are, in any order. With `by`, elements without that field, or with null there, are all kept.',
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
            note: 'null is not a key.',
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
            // Elements with null do not share a key.
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
