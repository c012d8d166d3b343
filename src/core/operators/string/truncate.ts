import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { path, wholeNumber } from '../../schema/fields';
import { CHANGED_IN_PLACE, changeText } from './change-text';

const MAX_LENGTH = 1_000_000;

/** Shortens a text to a maximum length. */
export const truncate = recordOperator({
    code: 'truncate',
    category: 'String',
    title: 'Truncate text',
    summary: 'Cuts a text off where it is too long.',
    config: z.strictObject({
        source: path('From', `The text. ${CHANGED_IN_PLACE}`),
        target: path('To', 'Where the result goes; the field itself where absent.').optional(),
        length: wholeNumber(
            { min: 0, max: MAX_LENGTH },
            {
                title: 'Length',
                description: 'How many characters, as people see them, the result has at most, the suffix included.',
            },
        ),
        suffix: z
            .string()
            .max(100)
            .default('')
            .meta({ title: 'Suffix', description: 'Ends a text that was cut off, say "…".' }),
    }),
    notes: [
        'Counted is what people see as one character, in the suffix, too: an emoji of several parts, a letter with its accents and a line end are one each, and none is cut in half. A suffix that is longer than the whole is cut itself.',
        'The rule length and the columns of databases count the parts: where a column takes 255 characters, leave room for texts with such characters.',
    ],
    examples: [
        { args: { source: 'd', length: 6, suffix: '…' }, in: { d: 'Wanduhr' }, out: { d: 'Wandu…' } },
        { args: { source: 'd', target: 's', length: 7 }, in: { d: 'Wanduhr' }, out: { d: 'Wanduhr', s: 'Wanduhr' } },
        {
            args: { source: 'd', length: 3, suffix: '👨‍👩‍👧' },
            in: { d: '🕰️🇩🇪e\u0301xyz' },
            out: { d: '🕰️🇩🇪👨‍👩‍👧' },
            note: 'Clock, flag and family are one character each.',
        },
        { args: { source: 'd', length: 2, suffix: '...' }, in: { d: 'abc' }, out: { d: '..' } },
        { args: { source: 'd', length: 4 }, in: { d: 20260131 }, out: { d: '2026' } },
        { args: { source: 'd', target: 's', length: 4 }, in: { d: 7 }, out: { d: 7, s: '7' } },
        {
            args: { source: 'd', length: 4 },
            in: { d: 7 },
            out: { d: 7 },
            note: 'Nothing is cut off, so it stays a number.',
        },
        { args: { source: 'd', target: 's', length: 3 }, in: { d: null }, out: { d: null } },
    ],
    reads: ({ source }) => [source],
    compile({ source, target, length, suffix }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.field(target ?? source);
        const end = suffix.slice(0, endOf(suffix, length));
        const kept = length - countOf(end);
        return changeText(from, to, text =>
            endOf(text, length) === undefined ? text : text.slice(0, endOf(text, kept) ?? text.length) + end,
        );
    },
});

/** What people see as one character, which is the same in all languages. */
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Each is a character of its own, whatever stands around it; a carriage return may be part of a line end. */
const PLAIN = /^[\n\t\x20-\x7e]*$/;

/** So much text is segmented at a time: each step of the segmenter takes longer the longer its text is. */
const WINDOW = 1024;

/** Where so many characters end; undefined when the text has no more than those. */
function endOf(text: string, count: number): number | undefined {
    if (text.length <= count) return undefined;
    if (PLAIN.test(text.slice(0, count + 1))) return count;
    let seen = 0;
    for (const start of startsOf(text)) if (seen++ === count) return start;
    return undefined;
}

/** Where each character begins. What begins last in a window may go on behind it, so the next window begins there. */
function* startsOf(text: string): Generator<number> {
    let from = 0;
    let size = WINDOW;
    while (from < text.length) {
        const isLast = from + size >= text.length;
        const starts = Array.from(characters.segment(text.slice(from, from + size)), ({ index }) => index);
        const open = isLast ? text.length - from : starts.at(-1)!;
        for (const start of starts) if (start < open) yield from + start;
        // One character that fills the whole window.
        size = open === 0 ? size * 2 : WINDOW;
        from += open;
    }
}

function countOf(text: string): number {
    return [...startsOf(text)].length;
}
