import { z } from 'zod';
import { defineRule } from '../adapter/rule';
import { fieldCheck } from './field-check';
import { SPEC_NOTE, specFields, validated } from './fields';
import { specChecks } from './spec-checks';

/** The allowed range of a number. */
export const range = defineRule({
    code: 'range',
    title: 'Range',
    summary: 'Requires a number within a range.',
    config: validated(z.strictObject(specFields), ['min', 'max']),
    notes: [
        SPEC_NOTE,
        'Numeric text is compared as an exact decimal. Any other value that is not a number breaks the rule.',
        'A missing field, null and blank text pass, unless the field is required.',
    ],
    examples: [
        { spec: { field: 'price', min: 0, max: 99.99 }, in: { price: '99.99' } },
        {
            spec: { field: 'price', min: 0, max: 99.99 },
            in: { price: '99.990000000000000000001' },
            problem: 'allowed: 0 to 99.99',
            note: 'Compared as decimals with any number of digits.',
        },
        { spec: { field: 'stock', min: 1 }, in: { stock: 0 }, problem: 'is 0; allowed: at least 1' },
        {
            spec: { field: 'stock', max: 5 },
            in: { stock: '1,5' },
            problem: '"1,5" is not a number; allowed: at most 5',
        },
        { spec: { field: 'stock', min: 1, required: true }, in: {}, problem: 'is required but missing' },
    ],
    compile: spec => fieldCheck(spec, specChecks(spec)),
});
