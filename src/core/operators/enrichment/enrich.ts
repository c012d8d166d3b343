import { clause } from '../../errors/rendered';
import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { pathValues } from '../../schema/fields';
import { addIssue } from '../../schema/issues';

/** Sets several fields, or fills in those without a value. */
export const enrich = recordOperator({
    code: 'enrich',
    category: 'Enrichment',
    title: 'Enrich',
    summary: 'Sets several fields, and fills in missing ones.',
    config: z
        .strictObject({
            set: pathValues('Set', 'Field → value. Replaces the values of the record.').optional(),
            defaults: pathValues(
                'Defaults',
                'Field → value, for records without the field. A field with null is not missing.',
            ).optional(),
        })
        .superRefine(({ set, defaults }, cx) => {
            if (!set && !defaults)
                addIssue(cx, clause`set and defaults are both missing; allowed: one of them or both`, ['set']);
        }),
    notes: ['set is applied before defaults.'],
    examples: [
        {
            args: { set: { 'source.name': 'ERP' }, defaults: { enabled: true, stock: 0 } },
            in: { sku: 'Ä', enabled: false },
            out: { sku: 'Ä', enabled: false, source: { name: 'ERP' }, stock: 0 },
        },
        { args: { defaults: { a: 1 } }, in: { a: null }, out: { a: null } },
        { args: { set: { a: null } }, in: { a: [1] }, out: { a: null } },
        {
            args: { set: { 'a.b': 1 } },
            in: { a: 'text' },
            error: 'Field "a.b": cannot be written, because "a" is a string',
        },
    ],
    compile({ set = {}, defaults = {} }, { bounds }) {
        const given = Object.entries(set).map(([field, value]) => ({ field: bounds.field(field), value }));
        const missing = Object.entries(defaults).map(([field, value]) => ({ field: bounds.field(field), value }));
        return data => {
            let out = data;
            for (const { field, value } of given) out = field.set(out, value);
            for (const { field, value } of missing) if (field.get(out) === undefined) out = field.set(out, value);
            return out;
        };
    },
});
