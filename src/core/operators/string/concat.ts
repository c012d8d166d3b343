import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { path, paths } from '../../schema/fields';

/** Joins several fields into one text. */
export const concat = recordOperator({
    code: 'concat',
    category: 'String',
    title: 'Concatenate',
    summary: 'Puts several fields together into one text.',
    config: z.strictObject({
        sources: paths('From', 'The fields, in their order.'),
        target: path('To', 'Where the text goes.'),
        separator: z
            .string()
            .max(100)
            .default('')
            .meta({ title: 'Separator', description: 'What is put between two of them.' }),
    }),
    notes: [
        'Fields that are missing, null or empty text are left out, with their separator. When all are, the record stays as it is.',
    ],
    examples: [
        {
            args: { sources: ['brand', 'name'], target: 'title', separator: ' ' },
            in: { brand: 'Čapek', name: 'R.U.R.' },
            out: { brand: 'Čapek', name: 'R.U.R.', title: 'Čapek R.U.R.' },
        },
        {
            args: { sources: ['a', 'b', 'c'], target: 't', separator: '-' },
            in: { a: 1, b: null, c: '' },
            out: { a: 1, b: null, c: '', t: '1' },
        },
        { args: { sources: ['a', 'b'], target: 't' }, in: { a: [1], b: true }, out: { a: [1], b: true, t: '[1]true' } },
        { args: { sources: ['a', 'b'], target: 't' }, in: { c: 1 }, out: { c: 1 } },
    ],
    reads: ({ sources }) => sources,
    compile({ sources, target, separator }, { bounds }) {
        const fields = sources.map(compilePath);
        const to = bounds.field(target);
        return data => {
            let text = '';
            let isFirst = true;
            for (const field of fields) {
                const part = bounds.textOf(target, field.get(data));
                if (part === '') continue;
                text += isFirst ? part : separator + part;
                isFirst = false;
                bounds.fits(target, text.length);
            }
            return isFirst ? data : to.set(data, text);
        };
    },
});
