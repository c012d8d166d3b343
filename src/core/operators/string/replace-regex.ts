import { clause } from '../../errors/rendered';
import { z } from 'zod';
import { withoutEffect } from '../../adapter/base';
import { recordOperator } from '../../adapter/operator';
import { compileRegex, groupsOf, regexProblem } from '../../data/regex/regex';
import { compileReplacement, replacementProblem } from '../../data/regex/replacement';
import { path, withRules } from '../../schema/fields';
import { pattern, regexFlags } from '../../schema/regex-fields';
import { CHANGED_IN_PLACE, changeText } from './change-text';

/** Replaces the matches of a pattern. */
export const replaceRegex = recordOperator({
    code: 'replaceRegex',
    category: 'String',
    title: 'Replace by pattern',
    summary: 'Replaces the matches of a regular expression in a text.',
    config: withRules(
        z.strictObject({
            path: path('Field', `The text. ${CHANGED_IN_PLACE}`),
            pattern: pattern('Pattern', 'A regular expression without delimiters. It may match anywhere in the text.'),
            replacement: z.string().max(10_000).meta({
                title: 'Replacement',
                description:
                    'The replacement. $1, $2 … are the groups, $<name> is a named group, $& the whole match, $$ a dollar sign.',
            }),
            flags: regexFlags(['g', 'i', 'm', 's', 'u']),
        }),
        ({ pattern: text, replacement }, issue) => {
            if (
                typeof text !== 'string' ||
                text === '' ||
                regexProblem(text) !== undefined ||
                typeof replacement !== 'string'
            )
                return;
            const problem = replacementProblem(replacement, groupsOf(text));
            if (problem !== undefined) issue('replacement', clause`replacement ${problem}`);
        },
    ),
    notes: [
        'Without the flag g, only the first match is replaced. A group that did not take part in the match is empty.',
    ],
    examples: [
        {
            args: { path: 'd', pattern: '(\\d{2})\\.(\\d{2})\\.(\\d{4})', replacement: '$3-$2-$1' },
            in: { d: '24.12.2026' },
            out: { d: '2026-12-24' },
        },
        {
            args: { path: 'd', pattern: '\\s+', replacement: ' ', flags: 'g' },
            in: { d: 'a \n b\t\tc' },
            out: { d: 'a b c' },
        },
        {
            args: { path: 'd', pattern: 'a', replacement: 'b' },
            in: { d: 'aaa' },
            out: { d: 'baa' },
            note: 'Only the first match.',
        },
        {
            args: { path: 'd', pattern: '(?P<n>\\d+)', replacement: '$$$<n>', flags: 'g' },
            in: { d: '5 and 7' },
            out: { d: '$5 and $7' },
        },
        {
            args: { path: 'd', pattern: 'ü', replacement: 'ue', flags: 'gi' },
            in: { d: 'Über Türen' },
            out: { d: 'ueber Tueren' },
        },
        {
            args: { path: 'd', pattern: '^(\\d{4})(\\d{2})(\\d{2})$', replacement: '$1-$2-$3' },
            in: { d: 20260131 },
            out: { d: '2026-01-31' },
        },
        {
            args: { path: 'd', pattern: '€', replacement: '' },
            in: { d: 0.125 },
            out: { d: 0.125 },
            note: 'Nothing matches, so it stays a number.',
        },
        { args: { path: 'd', pattern: '.', replacement: '*', flags: 'g' }, in: { d: null }, out: { d: null } },
        {
            args: { path: 'd', pattern: '^', replacement: '> ', flags: 'gm' },
            in: { d: 'a\nb' },
            out: { d: '> a\n> b' },
        },
    ],
    advise: ({ flags }) =>
        flags.includes('u') ? [withoutEffect('flags', clause`for u: patterns always match Unicode characters`)] : [],
    reads: ({ path: at }) => [at],
    compile({ path: at, pattern: text, replacement, flags }, { bounds }) {
        const field = bounds.field(at);
        const regex = compileRegex(text, flags, at);
        const by = compileReplacement(replacement, regex, bounds.limitOf(at));
        const all = flags.includes('g');
        return changeText(field, field, text => regex.replace(text, by, all));
    },
});
