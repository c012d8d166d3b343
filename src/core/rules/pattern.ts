import { z } from 'zod';
import { defineRule } from '../adapter/rule';
import { fieldCheck } from './field-check';
import { checkFields, SPEC_NOTE, specFields, validated } from './fields';
import { specChecks } from './spec-checks';

/** A pattern that a field must match. */
export const patternRule = defineRule({
    code: 'pattern',
    title: 'Pattern',
    summary: 'Requires a value that matches a regular expression.',
    config: validated(z.strictObject({ ...specFields, pattern: checkFields.pattern })),
    notes: [
        SPEC_NOTE,
        'Patterns are matched in linear time. Numbers and booleans are matched in their text form; lists and objects never match.',
        'A missing field, null and blank text pass, unless the field is required.',
    ],
    examples: [
        {
            spec: { field: 'ean', pattern: '^\\d{13}$' },
            in: { ean: 4006381333931 },
            note: 'A number is matched in its text form.',
        },
        {
            spec: { field: 'ean', pattern: '^\\d{13}$' },
            in: { ean: '40063' },
            problem: '"40063" does not match ^\\d{13}$',
        },
        {
            spec: { field: 'tags', pattern: '.' },
            in: { tags: ['a'] },
            problem: 'a list of 1 does not match .',
        },
        { spec: { field: 'code', pattern: '^ü' }, in: { code: null } },
    ],
    compile: spec => fieldCheck(spec, specChecks(spec)),
});
