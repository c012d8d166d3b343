import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { JSON_TEXT_RULES, readJsonText } from '../../data/json-text';
import { compilePath } from '../../data/path';
import { valueInvalid } from '../../errors/record-invalid';
import { OTHER_THAN_TEXT, readText } from '../../data/read-text';
import { path } from '../../schema/fields';

/** Parses JSON text. */
export const parseJson = recordOperator({
    code: 'parseJson',
    category: 'JSON',
    title: 'Parse JSON',
    summary: 'Converts JSON text to its value.',
    config: z.strictObject({
        source: path('From', `The text. ${OTHER_THAN_TEXT}`),
        target: path('To', 'The field for the value. Default: the field itself.').optional(),
    }),
    notes: [`${JSON_TEXT_RULES} Empty text is left unchanged.`],
    examples: [
        { args: { source: 'j' }, in: { j: '{"a":[1,"ü",null]}' }, out: { j: { a: [1, 'ü', null] } } },
        { args: { source: 'j', target: 'n' }, in: { j: ' 7 ' }, out: { j: ' 7 ', n: 7 } },
        { args: { source: 'j' }, in: { j: '{a:1}' }, error: 'Field "j": "{a:1}" is not valid JSON' },
        {
            args: { source: 'j' },
            in: { j: '{"constructor":1}' },
            error: 'has the key "constructor", which is not allowed',
        },
        {
            args: { source: 'j' },
            in: { j: '{"id":9007199254740993,"price":0.1}' },
            out: { j: { id: '9007199254740993', price: 0.1 } },
            note: 'The ID cannot be represented exactly as a number, so it becomes text.',
        },
        { args: { source: 'j' }, in: { j: '[{"a":1,"a":2}]' }, error: 'has the key "a" twice at 0' },
        { args: { source: 'j', target: 'n' }, in: { j: 7 }, out: { j: 7, n: 7 } },
        { args: { source: 'j' }, in: { j: '' }, out: { j: '' } },
        { args: { source: 'j' }, in: { j: { a: 1 } }, out: { j: { a: 1 } } },
    ],
    reads: ({ source }) => [source],
    compile({ source, target }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.field(target ?? source);
        return data => {
            const value = from.get(data);
            const text = readText(value);
            if (text === undefined || text.trim() === '') return data;
            // The text of a number is that number.
            if (typeof value === 'number') return to.set(data, value);
            bounds.fits(to.text, text.length);
            const read = readJsonText(text);
            if ('problem' in read) throw valueInvalid(source, text, read.problem);
            return to.set(data, read.value);
        };
    },
});
