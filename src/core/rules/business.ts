import { z } from 'zod';
import { defineRule } from '../adapter/rule';
import { fieldCheck } from './field-check';
import { specFields, validated } from './fields';
import { specChecks } from './spec-checks';

/** All checks of one field in one rule. */
export const business = defineRule({
    code: 'business',
    title: 'Business rule',
    summary: 'Runs all checks of one field: required, type, allowed values, range, length, pattern.',
    config: validated(z.strictObject(specFields), [
        'required',
        'type',
        'enum',
        'min',
        'max',
        'minLength',
        'maxLength',
        'pattern',
    ]),
    notes: [
        'The checks run in the order of the fields above. Only the first failed check is reported; use separate rules to report several.',
        'A missing field, null and blank text pass, unless the field is required.',
    ],
    examples: [
        { spec: { field: 'sku', required: true, pattern: '^[A-Z]{2}-\\d+$' }, in: { sku: 'AB-1' } },
        {
            spec: { field: 'sku', required: true, pattern: '^[A-Z]{2}-\\d+$' },
            in: { sku: ' ' },
            problem: 'is required but missing',
        },
        {
            spec: { field: 'sku', pattern: '^[A-Z]{2}-\\d+$' },
            in: { sku: 'ab-1' },
            problem: '"ab-1" does not match ^[A-Z]{2}-\\d+$',
        },
        { spec: { field: 'stock', type: 'integer', min: 0 }, in: { stock: -1 }, problem: 'is -1; allowed: at least 0' },
        {
            spec: { field: 'stock', type: 'integer', min: 0 },
            in: { stock: 'x' },
            problem: 'is "x"; allowed: a whole number',
            note: 'Only the first failed check is reported.',
        },
        {
            spec: { field: 'größe', enum: ['S', 'M'], maxLength: 1 },
            in: { größe: 'L' },
            problem: 'is "L"; allowed: "S", "M"',
        },
        { spec: { field: 'name', minLength: 3 }, in: { name: null } },
    ],
    compile: spec => fieldCheck(spec, specChecks(spec)),
});
