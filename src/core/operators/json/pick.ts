import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { assembler } from '../../data/copier';
import type { JsonObject } from '../../value/json';
import { compilePath, isName } from '../../data/path';
import { paths } from '../../schema/fields';

/** Keeps only some fields of the record. */
export const pick = recordOperator({
    code: 'pick',
    category: 'JSON',
    title: 'Pick fields',
    summary: 'Keeps the named fields and takes all others away.',
    config: z.strictObject({ fields: paths('Fields', 'What stays; a field that a record does not have is not made.') }),
    examples: [
        {
            args: { fields: ['sku', 'brand.name'] },
            in: { sku: 'A', brand: { name: 'Č', id: 1 }, x: 1 },
            out: { sku: 'A', brand: { name: 'Č' } },
        },
        {
            args: { fields: ['sku', 'price'] },
            in: { price: null },
            out: { price: null },
            note: 'Null is a value, missing is none.',
        },
        { args: { fields: ['nothing'] }, in: { sku: 'A' }, out: {} },
        {
            args: { fields: ['a.1'] },
            in: { a: ['x', 'y', 'z'] },
            out: { a: [null, 'y'] },
            note: 'An element of a list keeps its place.',
        },
        { args: { fields: ['stock.42'] }, in: { stock: { 41: 1, 42: 2 } }, out: { stock: { 42: 2 } } },
    ],
    reads: ({ fields }) => fields,
    compile({ fields }) {
        const kept = fields.map(compilePath);
        const part = (data: JsonObject): JsonObject => {
            let out: JsonObject = {};
            for (const field of kept) {
                const value = field.get(data);
                // An object with numbers for names stays one.
                if (value !== undefined) out = field.set(out, value, data);
            }
            return out;
        };
        const assemble = fields.every(isName)
            ? assembler([...new Set(fields)].map(name => ({ name, from: name })))
            : undefined;
        return data => assemble?.(data) ?? part(data);
    },
});
