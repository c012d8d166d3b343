import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { compileRegex } from '../../data/regex/regex';
import { show } from '../../value/show';
import { recordInvalid } from '../../errors/record-invalid';
import { path } from '../../schema/fields';
import { pattern } from '../../schema/regex-fields';

/** Rejects or marks records with a field in the wrong format. */
export const validateFormat = recordOperator({
    code: 'validateFormat',
    category: 'Data',
    title: 'Require a format',
    summary: 'Rejects or marks a record if a field does not match a regular expression.',
    config: z.strictObject({
        field: path('Field', 'The field to check. Numbers and booleans are checked in their text form.'),
        pattern: pattern(
            'Pattern',
            'A regular expression without delimiters. It may match anywhere in the value; use ^ and $ to match the whole value.',
        ),
        errorField: path(
            'Error field',
            'If set, the record continues and the error message is written here. Otherwise, the record is rejected.',
        ).optional(),
        errorMessage: z
            .string()
            .min(1)
            .max(1000)
            .meta({
                title: 'Error message',
                description: 'Replaces the default message for a record that does not match.',
            })
            .optional(),
    }),
    notes: [
        'A missing field and null pass; use validateRequired to check for them. A list or an object never matches.',
    ],
    examples: [
        { args: { field: 'ean', pattern: '^\\d{13}$' }, in: { ean: '4006381333931' }, out: { ean: '4006381333931' } },
        {
            args: { field: 'ean', pattern: '^\\d{13}$' },
            in: { ean: '40063' },
            error: 'Field "ean": "40063" does not match ^\\d{13}$',
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
            note: 'A number is checked in its text form.',
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
            out: { tags: [], fault: 'Field "tags": an empty list does not match .' },
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
            const problem = errorMessage ?? `${show(value)} does not match ${text}`;
            if (!mark) throw recordInvalid(field, problem);
            return mark.set(data, errorMessage ?? `Field "${field}": ${problem}`);
        };
    },
});
