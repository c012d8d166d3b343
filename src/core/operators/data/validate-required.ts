import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { isNothing } from '../../data/decimal';
import { compilePath } from '../../data/path';
import { recordInvalid } from '../../errors/record-invalid';
import { path, paths } from '../../schema/fields';

/** Rejects or marks records that lack a field. */
export const validateRequired = recordOperator({
    code: 'validateRequired',
    category: 'Data',
    title: 'Require fields',
    summary: 'Rejects a record that lacks a required field, or marks it.',
    config: z.strictObject({
        fields: paths(
            'Fields',
            'The fields that must hold something: missing, null and blank text do not count; 0, false and an empty list do.',
        ),
        errorField: path(
            'Error field',
            'With it the record goes on, and the names of its missing fields are written here. Without it the record is rejected.',
        ).optional(),
    }),
    examples: [
        {
            args: { fields: ['sku', 'price'] },
            in: { sku: 'A1', price: 0 },
            out: { sku: 'A1', price: 0 },
            note: 'Zero is a value.',
        },
        {
            args: { fields: ['sku', 'name.de'] },
            in: { name: { de: ' ' } },
            error: 'Field "sku": is required but missing, and so is "name.de"',
        },
        { args: { fields: ['Größe'] }, in: { Größe: null }, error: 'Field "Größe": is required but missing' },
        {
            args: { fields: ['sku', 'name'], errorField: 'fault' },
            in: { name: '' },
            out: { name: '', fault: 'Missing: sku, name' },
            note: 'Marked instead of rejected.',
        },
        { args: { fields: ['sku'], errorField: 'fault' }, in: { sku: 'A1' }, out: { sku: 'A1' } },
        { args: { fields: ['tags'] }, in: { tags: [] }, out: { tags: [] } },
    ],
    compile({ fields, errorField }, { bounds }) {
        const required = fields.map(compilePath);
        const mark = errorField === undefined ? undefined : bounds.place(errorField);
        return data => {
            const missing = required.filter(field => isNothing(field.get(data))).map(field => field.text);
            if (missing.length === 0) return data;
            if (mark) return mark.set(data, `Missing: ${missing.join(', ')}`);
            const others = missing
                .slice(1)
                .map(field => `"${field}"`)
                .join(', ');
            throw recordInvalid(
                missing[0]!,
                others === '' ? 'is required but missing' : `is required but missing, and so is ${others}`,
            );
        };
    },
});
