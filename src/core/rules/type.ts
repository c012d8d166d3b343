import { z } from 'zod';
import { defineRule } from '../adapter/rule';
import { fieldCheck } from './field-check';
import { checkFields, SPEC_NOTE, specFields, withSense } from './fields';
import { specChecks } from './spec-checks';

/** What kind of value a field must hold. */
export const type = defineRule({
    code: 'type',
    title: 'Type',
    summary: 'Asks for a kind of value: text, a number, a date, a web address and so on.',
    config: withSense(z.strictObject({ ...specFields, type: checkFields.type })),
    notes: [
        SPEC_NOTE,
        'Types are strict: text that spells a number is no number. Text of a CSV file becomes one by the operator toNumber; the rule range compares it as it is.',
        'A missing field, null and blank text pass unless the field is required.',
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
            note: 'Only days of the calendar.',
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
