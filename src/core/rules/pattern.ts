import { z } from 'zod';
import { defineRule } from '../adapter/rule';
import { fieldCheck } from './field-check';
import { checkFields, SPEC_NOTE, specFields, withSense } from './fields';
import { specChecks } from './spec-checks';

/** What the text of a field must look like. */
export const patternRule = defineRule({
    code: 'pattern',
    title: 'Pattern',
    summary: 'Asks for a value that matches a regular expression.',
    config: withSense(z.strictObject({ ...specFields, pattern: checkFields.pattern })),
    notes: [
        SPEC_NOTE,
        'Patterns are matched in linear time. Numbers and booleans are matched as they are written; lists and objects never match.',
        'A missing field, null and blank text pass unless the field is required.',
    ],
    examples: [
        {
            spec: { field: 'ean', pattern: '^\\d{13}$' },
            in: { ean: 4006381333931 },
            note: 'A number, as it is written.',
        },
        {
            spec: { field: 'ean', pattern: '^\\d{13}$' },
            in: { ean: '40063' },
            problem: 'is "40063", which does not match ^\\d{13}$',
        },
        {
            spec: { field: 'tags', pattern: '.' },
            in: { tags: ['a'] },
            problem: 'is a list of 1, which does not match .',
        },
        { spec: { field: 'code', pattern: '^ü' }, in: { code: null } },
    ],
    compile: spec => fieldCheck(spec, specChecks(spec)),
});
