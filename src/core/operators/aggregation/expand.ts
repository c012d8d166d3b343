import { clause } from '../../errors/rendered';
import { z } from 'zod';
import { withoutEffect } from '../../adapter/base';
import { recordOperator } from '../../adapter/operator';
import { ITEM } from '../../data/item';
import { isJsonObject, type JsonObject, type JsonValue } from '../../value/json';
import { compilePath } from '../../data/path';
import { HOLDER_WEIGHT, VALUE_WEIGHT } from '../../data/weight';
import { recordInvalid } from '../../errors/record-invalid';
import { path, pathMapping } from '../../schema/fields';

/** A record that expands to more records would fill the worker's memory. */
const MAX_ELEMENTS = 100_000;

/** Makes one record for each element of a list. */
export const expand = recordOperator({
    code: 'expand',
    category: 'Aggregation',
    title: 'Expand a list',
    summary: 'Makes each element of a list a separate record.',
    config: z.strictObject({
        path: path('List', 'The list whose elements become records.'),
        mergeParent: z.boolean().default(false).meta({
            title: 'Merge parent',
            description:
                'Copies all fields of the original record into each new one, except the list. Fields of the element take precedence.',
        }),
        parentFields: pathMapping(
            'Parent fields',
            'Without mergeParent: the fields of the original record to copy into each new one, as target → source.',
        ).optional(),
    }),
    notes: [
        `An element that is an object becomes the record. Any other element goes into the field ${ITEM}.`,
        'A record without the list, or with an empty one, is dropped; with mergeParent it is kept unchanged.',
        `A list of more than ${MAX_ELEMENTS} elements rejects the record.`,
    ],
    examples: [
        {
            args: { path: 'variants', parentFields: { product: 'name' } },
            in: { name: 'Hemd', variants: [{ sku: 'S' }, { sku: 'M' }] },
            out: [
                { sku: 'S', product: 'Hemd' },
                { sku: 'M', product: 'Hemd' },
            ],
        },
        { args: { path: 'tags' }, in: { sku: 'A', tags: ['rot', null] }, out: [{ _item: 'rot' }, { _item: null }] },
        {
            args: { path: 'v', mergeParent: true },
            in: { sku: 'A', name: 'Ä', v: [{ sku: 'B' }, 7] },
            out: [
                { sku: 'B', name: 'Ä' },
                { sku: 'A', name: 'Ä', _item: 7 },
            ],
        },
        {
            args: { path: 'v', mergeParent: true, parentFields: { parent: 'sku' } },
            in: { sku: 'A', v: [{ n: 1 }] },
            out: [{ sku: 'A', n: 1 }],
            note: 'With mergeParent, parentFields has no effect.',
        },
        { args: { path: 'v' }, in: { v: [] }, out: [] },
        { args: { path: 'v', mergeParent: true }, in: { sku: 'A', v: 'x' }, out: { sku: 'A', v: 'x' } },
    ],
    advise: ({ mergeParent, parentFields }) =>
        mergeParent && parentFields ? [withoutEffect('parentFields', clause`with mergeParent`)] : [],
    reads: ({ path: at, parentFields = {} }) => [at, ...Object.values(parentFields)],
    compile({ path: at, mergeParent, parentFields = {} }, { bounds }) {
        const list = compilePath(at);
        const copies = Object.entries(parentFields).map(([target, source]) => ({
            to: bounds.place(target),
            from: compilePath(source),
        }));
        const fromParent = (data: JsonObject, own: JsonObject): JsonObject => {
            let out = own;
            for (const { to, from } of copies) {
                const value = from.get(data);
                if (value !== undefined) out = to.set(out, value);
            }
            return out;
        };
        return data => {
            const elements = list.get(data);
            if (!Array.isArray(elements) || elements.length === 0) return mergeParent ? data : [];
            if (elements.length > MAX_ELEMENTS)
                throw recordInvalid(at, `has ${elements.length} elements; at most ${MAX_ELEMENTS} can be expanded`);
            const parent = mergeParent ? list.unset(data) : undefined;
            // Shared fields are stored once and weighed once; the element's fields are weighed for each record.
            for (const { from } of parent ? [] : copies) {
                const value = from.get(data);
                if (typeof value === 'object' && value !== null) bounds.value(at, value);
            }
            const fields = parent ? Object.keys(parent).length : copies.length;
            bounds.pieces(at, elements.length, HOLDER_WEIGHT + VALUE_WEIGHT * fields);
            return (elements as readonly JsonValue[]).map(element => {
                const own = isJsonObject(element) ? element : { [ITEM]: element };
                return parent ? { ...parent, ...own } : fromParent(data, own);
            });
        };
    },
});
