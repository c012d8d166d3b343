import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { compileRegex } from '../../data/regex/regex';
import { show } from '../../value/show';
import { recordInvalid } from '../../errors/record-invalid';
import { path } from '../../schema/fields';
import { pattern } from '../../schema/regex-fields';

/** Rejects or marks records of which a field looks wrong. */
export const validateFormat = recordOperator({
    code: 'validateFormat',
    category: 'Data',
    title: 'Require a format',
    summary: 'Rejects a record of which a field does not match a regular expression, or marks it.',
    config: z.strictObject({
        field: path('Field', 'The field to check. Text is checked as it is, numbers and booleans as they are written.'),
        pattern: pattern(
            'Pattern',
            'What the value must match, without delimiters; anywhere in it, so begin with ^ and end with $ where the whole must match.',
        ),
        errorField: path(
            'Error field',
            'With it the record goes on, and what is wrong is written here. Without it the record is rejected.',
        ).optional(),
        errorMessage: z
            .string()
            .min(1)
            .max(1000)
            .meta({
                title: 'Error message',
                description: 'What is said of a record that does not match, in place of the usual message.',
            })
            .optional(),
    }),
    notes: ['A missing field and null are not judged; validateRequired does that. A list or an object never matches.'],
    examples: [
        { args: { field: 'ean', pattern: '^\\d{13}$' }, in: { ean: '4006381333931' }, out: { ean: '4006381333931' } },
        {
            args: { field: 'ean', pattern: '^\\d{13}$' },
            in: { ean: '40063' },
            error: 'Field "ean": is "40063", which does not match ^\\d{13}$',
        },
        {
            args: {
                field: 'mail',
                pattern: '^[^@\\s]+@[^@\\s]+$',
                errorField: 'faults.mail',
                errorMessage: 'No address',
            },
            in: { mail: 'jörg at example' },
            out: { mail: 'jörg at example', faults: { mail: 'No address' } },
            note: 'Marked instead of rejected.',
        },
        {
            args: { field: 'zip', pattern: '^\\d{5}$' },
            in: { zip: 80331 },
            out: { zip: 80331 },
            note: 'A number, as it is written.',
        },
        { args: { field: 'zip', pattern: '^\\d{5}$' }, in: { zip: null }, out: { zip: null } },
        {
            args: { field: 'code', pattern: '\\d', errorMessage: 'needs a digit' },
            in: { code: '' },
            error: 'Field "code": needs a digit',
        },
        {
            args: { field: 'tags', pattern: '.', errorField: 'fault' },
            in: { tags: [] },
            out: { tags: [], fault: 'Field "tags": is an empty list, which does not match .' },
        },
    ],
    reads: ({ field }) => [field],
    compile({ field, pattern: text, errorField, errorMessage }, { bounds }) {
        const from = compilePath(field);
        const mark = errorField === undefined ? undefined : bounds.place(errorField);
        const regex = compileRegex(text, '', field);
        return data => {
            const value = from.get(data);
            if (value === undefined || value === null) return data;
            if (typeof value === 'string' ? regex.test(value) : typeof value !== 'object' && regex.test(String(value)))
                return data;
            const problem = errorMessage ?? `is ${show(value)}, which does not match ${text}`;
            if (!mark) throw recordInvalid(field, problem);
            return mark.set(data, errorMessage ?? `Field "${field}": ${problem}`);
        };
    },
});
