import { z } from 'zod';
import { defineRule, reporting } from '../adapter/rule';
import { fieldCheck } from './field-check';
import { checkFields } from './fields';

/** A field that must hold something (spec 4, "validate rules"). */
export const required = defineRule({
    code: 'required',
    title: 'Required',
    summary: 'Asks for a field that holds something.',
    config: z.strictObject({ field: checkFields.field, ...reporting() }),
    notes: ['Missing, null and blank text break the rule; 0, false, an empty list and an empty object do not.'],
    examples: [
        { spec: { field: 'price' }, in: { price: 0 } },
        { spec: { field: 'name.de' }, in: { name: { de: 'Größe' } } },
        { spec: { field: 'name.de' }, in: { name: { en: 'Size' } }, problem: 'is required but missing' },
        { spec: { field: 'sku' }, in: { sku: ' ' }, problem: 'is required but missing' },
        { spec: { field: 'sku' }, in: { sku: null }, problem: 'is required but missing' },
    ],
    compile: ({ field }) => fieldCheck({ field, required: true }, []),
});
