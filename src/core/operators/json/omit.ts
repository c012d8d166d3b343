import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import type { JsonObject, JsonValue } from '../../value/json';
import { compilePath, isName } from '../../data/path';
import { paths } from '../../schema/fields';

/** Removes some fields from the record. */
export const omit = recordOperator({
    code: 'omit',
    category: 'JSON',
    title: 'Omit fields',
    summary: 'Takes the named fields away and keeps all others.',
    config: z.strictObject({
        fields: paths('Fields', 'What goes; a field that a record does not have is passed over.'),
    }),
    notes: ['They go one after another: once the first element of a list is gone, the second is the first.'],
    examples: [
        {
            args: { fields: ['x', 'brand.id'] },
            in: { sku: 'A', brand: { name: 'Č', id: 1 }, x: 1 },
            out: { sku: 'A', brand: { name: 'Č' } },
        },
        { args: { fields: ['nothing', 'sku.deep'] }, in: { sku: 'A' }, out: { sku: 'A' } },
        { args: { fields: ['a.0'] }, in: { a: ['x', 'y'] }, out: { a: ['y'] } },
        { args: { fields: ['a'] }, in: { a: null }, out: {} },
        { args: { fields: ['a', 'ö'] }, in: { a: 1, ö: null, u: [] }, out: { u: [] } },
    ],
    compile({ fields }) {
        const gone = fields.map(compilePath);
        const part = (data: JsonObject): JsonObject => gone.reduce((rest, field) => field.unset(rest), data);
        if (fields.length === 1 || !fields.every(isName)) return part;
        const names = new Set(fields);
        return data => {
            if (!fields.some(field => Object.hasOwn(data, field))) return data;
            const out: Record<string, JsonValue> = {};
            for (const name in data) {
                // To be assigned it would have to be something else.
                if (name === '__proto__') return part(data);
                if (!names.has(name)) out[name] = data[name]!;
            }
            return out;
        };
    },
});
