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
    summary: 'Shortens a text that is too long.',
    config: z.strictObject({
        source: path('From', `The text. ${CHANGED_IN_PLACE}`),
        target: path('To', 'The field for the result. Default: the field itself.').optional(),
        length: wholeNumber(
            { min: 0, max: MAX_LENGTH },
            {
                title: 'Length',
                description: 'The maximum number of visible characters of the result, including the suffix.',
            },
        ),
        suffix: z
            .string()
            .max(100)
            .default('')
            .meta({ title: 'Suffix', description: 'Text to add to the end of a shortened text, for example "…".' }),
    }),
    notes: [
        'Counts visible characters, also in the suffix: a combined emoji, a letter with its accents and a line end are one character each and are never split. A suffix that is longer than the maximum is shortened itself.',
        'The rule length and database columns count code points: if a column takes 255 characters, choose a smaller maximum for texts with such characters.',
    ],
    examples: [
        { args: { source: 'd', length: 6, suffix: '…' }, in: { d: 'Wanduhr' }, out: { d: 'Wandu…' } },
        { args: { source: 'd', target: 's', length: 7 }, in: { d: 'Wanduhr' }, out: { d: 'Wanduhr', s: 'Wanduhr' } },
        {
            args: { source: 'd', length: 3, suffix: '👨‍👩‍👧' },
            in: { d: '🕰️🇩🇪e\u0301xyz' },
            out: { d: '🕰️🇩🇪👨‍👩‍👧' },
            note: 'The clock, the flag and the family are one character each.',
        },
        { args: { source: 'd', length: 2, suffix: '...' }, in: { d: 'abc' }, out: { d: '..' } },
        { args: { source: 'd', length: 4 }, in: { d: 20260131 }, out: { d: '2026' } },
        { args: { source: 'd', target: 's', length: 4 }, in: { d: 7 }, out: { d: 7, s: '7' } },
        {
            args: { source: 'd', length: 4 },
            in: { d: 7 },
            out: { d: 7 },
            note: 'Nothing is shortened, so it stays a number.',
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

/** Splits text into visible characters, which are the same in all languages. */
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Each of these is a character by itself in any context; a carriage return may be part of a line end. */
const PLAIN = /^[\n\t\x20-\x7e]*$/;

/** The length of text that is segmented at a time: each step of the segmenter takes longer for a longer text. */
const WINDOW = 1024;

/** The position where this number of characters ends; undefined if the text has no more. */
function endOf(text: string, count: number): number | undefined {
    if (text.length <= count) return undefined;
    if (PLAIN.test(text.slice(0, count + 1))) return count;
    let seen = 0;
    for (const start of startsOf(text)) if (seen++ === count) return start;
    return undefined;
}

/**
 * The position where each character begins. The last one in a window may continue after it, so the next window begins
 * there.
 */
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
