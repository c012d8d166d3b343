import { z } from 'zod';
import { defineRule } from '../adapter/rule';
import { fieldCheck } from './field-check';
import { SPEC_NOTE, specFields, withSense } from './fields';
import { specChecks } from './spec-checks';

/** Between which numbers a field must be. */
export const range = defineRule({
    code: 'range',
    title: 'Range',
    summary: 'Asks for a number that is not too low and not too high.',
    config: withSense(z.strictObject(specFields), ['min', 'max']),
    notes: [
        SPEC_NOTE,
        'Numeric text is compared as the exact decimal that it spells; anything else that is no number breaks the rule.',
        'A missing field, null and blank text pass unless the field is required.',
    ],
    examples: [
        { spec: { field: 'price', min: 0, max: 99.99 }, in: { price: '99.99' } },
        {
            spec: { field: 'price', min: 0, max: 99.99 },
            in: { price: '99.990000000000000000001' },
            problem: 'allowed: 0 to 99.99',
            note: 'Compared as decimals, however many digits there are.',
        },
        { spec: { field: 'stock', min: 1 }, in: { stock: 0 }, problem: 'is 0; allowed: at least 1' },
        {
            spec: { field: 'stock', max: 5 },
            in: { stock: '1,5' },
            problem: 'is "1,5", which is no number; allowed: at most 5',
        },
        { spec: { field: 'stock', min: 1, required: true }, in: {}, problem: 'is required but missing' },
    ],
    compile: spec => fieldCheck(spec, specChecks(spec)),
});
