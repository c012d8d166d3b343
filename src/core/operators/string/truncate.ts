import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { path, wholeNumber } from '../../schema/fields';

const MAX_LENGTH = 1_000_000;

/** Cuts a text off (spec 3, `truncate`). */
export const truncate = recordOperator({
    code: 'truncate',
    category: 'String',
    title: 'Truncate text',
    summary: 'Cuts a text off where it is too long.',
    config: z.strictObject({
        source: path('From', 'The text; what is no text is left alone.'),
        target: path('To', 'Where the result goes; the field itself where absent.').optional(),
        length: wholeNumber(
            { min: 0, max: MAX_LENGTH },
            { title: 'Length', description: 'How many characters the result has at most, the suffix included.' },
        ),
        suffix: z
            .string()
            .max(100)
            .default('')
            .meta({ title: 'Suffix', description: 'Ends a text that was cut off, say "…".' }),
    }),
    notes: [
        'Characters are counted as Unicode code points, so no emoji is cut in half. A suffix that is longer than the whole is cut itself.',
    ],
    examples: [
        { args: { source: 'd', length: 6, suffix: '…' }, in: { d: 'Wanduhr' }, out: { d: 'Wandu…' } },
        { args: { source: 'd', target: 's', length: 7 }, in: { d: 'Wanduhr' }, out: { d: 'Wanduhr', s: 'Wanduhr' } },
        { args: { source: 'd', length: 2 }, in: { d: '🕰️🕰️' }, out: { d: '🕰️' } },
        { args: { source: 'd', length: 2, suffix: '...' }, in: { d: 'abc' }, out: { d: '..' } },
        { args: { source: 'd', target: 's', length: 3 }, in: { d: null }, out: { d: null } },
    ],
    compile({ source, target, length, suffix }) {
        const from = compilePath(source);
        const to = compilePath(target ?? source);
        const end = [...suffix].slice(0, length).join('');
        const kept = length - [...end].length;
        return data => {
            const text = from.get(data);
            if (typeof text !== 'string') return data;
            return to.set(
                data,
                endOf(text, length) === undefined ? text : text.slice(0, endOf(text, kept) ?? text.length) + end,
            );
        };
    },
});

/** Where so many code points end; undefined when the text has no more than those. */
function endOf(text: string, points: number): number | undefined {
    if (text.length <= points) return undefined;
    let at = 0;
    for (let i = 0; i < points; i++) {
        if (at >= text.length) return undefined;
        at += text.codePointAt(at)! > 0xffff ? 2 : 1;
    }
    return at < text.length ? at : undefined;
}
