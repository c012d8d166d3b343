import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { path } from '../../schema/fields';
import { CHANGED_IN_PLACE, changeText } from './change-text';

const TRIMS = {
    both: (text: string): string => text.trim(),
    start: (text: string): string => text.trimStart(),
    end: (text: string): string => text.trimEnd(),
} as const;

/** Removes white space around a text. */
export const trim = recordOperator({
    code: 'trim',
    category: 'String',
    title: 'Trim text',
    summary: 'Takes the white space off the ends of a text.',
    config: z.strictObject({
        path: path('Field', `The text to trim. ${CHANGED_IN_PLACE}`),
        mode: z
            .enum(['both', 'start', 'end'])
            .default('both')
            .meta({ title: 'Where', description: 'At which end: both, start or end.' }),
    }),
    examples: [
        {
            args: { path: 'name' },
            in: { name: ' \t Öl\u00a0\n' },
            out: { name: 'Öl' },
            note: 'No-break spaces and line ends count as white space.',
        },
        { args: { path: 'name', mode: 'start' }, in: { name: ' a ' }, out: { name: 'a ' } },
        { args: { path: 'name', mode: 'end' }, in: { name: ' a ' }, out: { name: ' a' } },
        { args: { path: 'name' }, in: { name: 7 }, out: { name: 7 } },
        { args: { path: 'brand.name' }, in: { brand: null }, out: { brand: null } },
        { args: { path: 'name' }, in: { name: '   ' }, out: { name: '' } },
    ],
    reads: ({ path: at }) => [at],
    compile(args, { bounds }) {
        const field = bounds.field(args.path);
        return changeText(field, field, TRIMS[args.mode]);
    },
});
