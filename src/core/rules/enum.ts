import { z } from 'zod';
import { defineRule } from '../adapter/rule';
import { fieldCheck } from './field-check';
import { checkFields, SPEC_NOTE, specFields, withSense } from './fields';
import { specChecks } from './spec-checks';

/** Which values a field may hold. */
export const enumeration = defineRule({
    code: 'enum',
    title: 'Allowed values',
    summary: 'Asks for one of a list of values.',
    config: withSense(z.strictObject({ ...specFields, enum: checkFields.enum })),
    notes: [
        SPEC_NOTE,
        'Values are compared strictly ("a" is not "A"), save that a number and text that is a plain decimal number are compared as numbers: "7" is 7.',
        'A missing field, null and blank text pass unless the field is required.',
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
