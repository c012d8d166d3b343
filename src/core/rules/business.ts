import { z } from 'zod';
import { defineRule } from '../adapter/rule';
import { fieldCheck } from './field-check';
import { specFields, withSense } from './fields';
import { specChecks } from './spec-checks';

/** Every check of one field in one rule. */
export const business = defineRule({
    code: 'business',
    title: 'Business rule',
    summary:
        'Checks one field in every way that its spec names: required, type, allowed values, range, length, pattern.',
    config: withSense(z.strictObject(specFields), [
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
        'The checks are made in the order of the fields above, and the first one that fails is reported; rules of their own report each.',
        'Unless it is required, a missing field, null and blank text pass.',
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
            problem: 'is "ab-1", which does not match ^[A-Z]{2}-\\d+$',
        },
        { spec: { field: 'stock', type: 'integer', min: 0 }, in: { stock: -1 }, problem: 'is -1; allowed: at least 0' },
        {
            spec: { field: 'stock', type: 'integer', min: 0 },
            in: { stock: 'x' },
            problem: 'is "x"; allowed: a whole number',
            note: 'The first check that fails is reported.',
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
