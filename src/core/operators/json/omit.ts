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
    summary: 'Removes the given fields and keeps all others.',
    config: z.strictObject({
        fields: paths('Fields', 'The fields to remove. Missing fields are skipped.'),
    }),
    notes: [
        'Fields are removed one after another: after the first element of a list is removed, the second is the first.',
    ],
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
                // An assignment would set the prototype.
                if (name === '__proto__') return part(data);
                if (!names.has(name)) out[name] = data[name]!;
            }
            return out;
        };
    },
});
