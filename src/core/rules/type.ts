import { z } from 'zod';
import { defineRule } from '../adapter/rule';
import { fieldCheck } from './field-check';
import { checkFields, SPEC_NOTE, specFields, validated } from './fields';
import { specChecks } from './spec-checks';

/** The required type of a field. */
export const type = defineRule({
    code: 'type',
    title: 'Type',
    summary: 'Requires a type of value: text, a number, a date, a web address and so on.',
    config: validated(z.strictObject({ ...specFields, type: checkFields.type })),
    notes: [
        SPEC_NOTE,
        'Types are strict: text with a number in it is not a number. Use the operator toNumber to convert text from a CSV file; the rule range also compares text.',
        'A missing field, null and blank text pass, unless the field is required.',
    ],
    examples: [
        { spec: { field: 'price', type: 'number' }, in: { price: 1.5 } },
        { spec: { field: 'price', type: 'number' }, in: { price: '1.5' }, problem: 'is "1.5"; allowed: a number' },
        { spec: { field: 'stock', type: 'integer' }, in: { stock: 1.5 }, problem: 'is 1.5; allowed: a whole number' },
        { spec: { field: 'from', type: 'date' }, in: { from: '2024-02-29T08:00Z' } },
        {
            spec: { field: 'from', type: 'date' },
            in: { from: '2023-02-29' },
            problem: 'is "2023-02-29"; allowed: an ISO date',
            note: 'The day must exist in the calendar.',
        },
        { spec: { field: 'mail', type: 'email' }, in: { mail: 'jörg@münchen.example' } },
        {
            spec: { field: 'mail', type: 'email' },
            in: { mail: 'a@b' },
            problem: 'is "a@b"; allowed: an e-mail address',
        },
        {
            spec: { field: 'image', type: 'url' },
            in: { image: 'ftp://x' },
            problem: 'is "ftp://x"; allowed: an address that begins with http:// or https://',
        },
    ],
    compile: spec => fieldCheck(spec, specChecks(spec)),
});
