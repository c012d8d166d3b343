import { z } from 'zod';
import { defineRule } from '../adapter/rule';
import { fieldCheck } from './field-check';
import { SPEC_NOTE, specFields, validated } from './fields';
import { specChecks } from './spec-checks';

/** A field that must have a value. */
export const required = defineRule({
    code: 'required',
    title: 'Required',
    summary: 'Requires a field to have a value.',
    config: validated(
        z.strictObject({
            ...specFields,
            required: z
                .boolean()
                .refine(isRequired => isRequired, 'allowed: true; use another rule for a field that may be missing')
                .default(true)
                .meta({ title: 'Required', description: 'Always true; you can leave it out.' }),
        }),
    ),
    notes: [
        SPEC_NOTE,
        'Missing, null and blank text break the rule; 0, false, an empty list and an empty object do not.',
    ],
    examples: [
        { spec: { field: 'price' }, in: { price: 0 } },
        { spec: { field: 'name.de' }, in: { name: { de: 'Größe' } } },
        { spec: { field: 'name.de' }, in: { name: { en: 'Size' } }, problem: 'is required but missing' },
        { spec: { field: 'sku' }, in: { sku: ' ' }, problem: 'is required but missing' },
        { spec: { field: 'sku' }, in: { sku: null }, problem: 'is required but missing' },
    ],
    compile: spec => fieldCheck(spec, specChecks(spec)),
});
