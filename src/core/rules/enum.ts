import { z } from 'zod';
import { defineRule } from '../adapter/rule';
import { fieldCheck } from './field-check';
import { checkFields, SPEC_NOTE, specFields, validated } from './fields';
import { specChecks } from './spec-checks';

/** The allowed values of a field. */
export const enumeration = defineRule({
    code: 'enum',
    title: 'Allowed values',
    summary: 'Requires one of a list of values.',
    config: validated(z.strictObject({ ...specFields, enum: checkFields.enum })),
    notes: [
        SPEC_NOTE,
        'The comparison is strict ("a" is not "A"), except that a number and a plain decimal number in text are compared as numbers: "7" equals 7.',
        'A missing field, null and blank text pass, unless the field is required.',
    ],
    examples: [
        { spec: { field: 'size', enum: ['S', 'M', 'L'] }, in: { size: 'M' } },
        {
            spec: { field: 'size', enum: ['S', 'M', 'L'] },
            in: { size: 'm' },
            problem: 'is "m"; allowed: "S", "M", "L"',
        },
        { spec: { field: 'tax', enum: [7, 19] }, in: { tax: '7.0' } },
        {
            spec: { field: 'size', enum: ['7.0'] },
            in: { size: '7' },
            problem: 'is "7"; allowed: "7.0"',
            note: 'Two texts are compared as texts.',
        },
        { spec: { field: 'größe', enum: [true] }, in: {} },
    ],
    compile: spec => fieldCheck(spec, specChecks(spec)),
});
