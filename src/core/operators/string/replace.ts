import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { path } from '../../schema/fields';
import { CHANGED_IN_PLACE, changeText } from './change-text';

/** Replaces text literally. */
export const replace = recordOperator({
    code: 'replace',
    category: 'String',
    title: 'Replace text',
    summary: 'Replaces a piece of a text by another one.',
    config: z.strictObject({
        path: path('Field', `The text. ${CHANGED_IN_PLACE}`),
        search: z
            .string()
            .min(1)
            .max(10_000)
            .meta({ title: 'Search', description: 'What to look for; taken literally, case and all.' }),
        replacement: z
            .string()
            .max(10_000)
            .meta({ title: 'Replacement', description: 'What comes in its place; taken literally, may be empty.' }),
        all: z
            .boolean()
            .default(false)
            .meta({ title: 'All', description: 'Replaces every occurrence, not only the first.' }),
    }),
    examples: [
        { args: { path: 'p', search: ',', replacement: '.' }, in: { p: '1,234,5' }, out: { p: '1.234,5' } },
        { args: { path: 'p', search: ',', replacement: '', all: true }, in: { p: '1,234,567' }, out: { p: '1234567' } },
        {
            args: { path: 'p', search: '.', replacement: '$&$1', all: true },
            in: { p: 'a.b' },
            out: { p: 'a$&$1b' },
            note: 'Neither side is a pattern.',
        },
        { args: { path: 'p', search: '.', replacement: ',' }, in: { p: 12.5 }, out: { p: '12,5' } },
        {
            args: { path: 'p', search: 'x', replacement: 'y' },
            in: { p: 5 },
            out: { p: 5 },
            note: 'Nothing is found, so it stays a number.',
        },
        { args: { path: 'p', search: 'x', replacement: 'y' }, in: { p: null }, out: { p: null } },
        { args: { path: 'p', search: 'é', replacement: 'e', all: true }, in: { p: 'éé' }, out: { p: 'ee' } },
    ],
    reads: ({ path: at }) => [at],
    compile({ path: at, search, replacement, all }, { bounds }) {
        const field = bounds.field(at);
        const grown = replacement.length - search.length;
        // A function, since "$&" in a replacement text would mean something.
        const by = (): string => replacement;
        /** Counts what is found before it is replaced, where that could be too much. */
        const assertFits = (text: string): void => {
            const most = Math.floor(text.length / search.length);
            if (grown <= 0 || text.length + most * grown <= bounds.limits.maxValueChars) return;
            let length = text.length;
            for (let from = text.indexOf(search); from >= 0; from = text.indexOf(search, from + search.length)) {
                length += grown;
                bounds.fits(at, length);
            }
        };
        return changeText(field, field, text => {
            if (!all) return text.replace(search, by);
            assertFits(text);
            return text.replaceAll(search, by);
        });
    },
});
