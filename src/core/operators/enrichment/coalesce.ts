import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { json, path, paths } from '../../schema/fields';

/** Takes the first field that has a value. */
export const coalesce = recordOperator({
    code: 'coalesce',
    category: 'Enrichment',
    title: 'First value',
    summary: 'Takes the first of several fields that holds something.',
    config: z.strictObject({
        paths: paths('Fields', 'Where to look, in this order; missing and null are passed over, empty text is not.'),
        target: path('To', 'Where the value goes.'),
        default: json(
            'Default',
            'What the target gets when none of them holds anything. Without it the record stays as it is.',
        ).optional(),
    }),
    examples: [
        {
            args: { paths: ['name.de', 'name.en'], target: 'title' },
            in: { name: { de: null, en: 'Öl' } },
            out: { name: { de: null, en: 'Öl' }, title: 'Öl' },
        },
        {
            args: { paths: ['a', 'b'], target: 'c' },
            in: { a: 0, b: 1 },
            out: { a: 0, b: 1, c: 0 },
            note: 'Zero, false and empty text are values.',
        },
        { args: { paths: ['a', 'b'], target: 'c', default: '-' }, in: { a: null }, out: { a: null, c: '-' } },
        { args: { paths: ['a'], target: 'c' }, in: {}, out: {} },
    ],
    compile(args, { bounds }) {
        const fields = args.paths.map(compilePath);
        const to = bounds.field(args.target);
        return data => {
            for (const field of fields) {
                const value = field.get(data);
                if (value !== undefined && value !== null) return to.set(data, value);
            }
            return args.default === undefined ? data : to.set(data, args.default);
        };
    },
});
