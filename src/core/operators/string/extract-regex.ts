import { clause, type FactText } from '../../errors/rendered';
import { z } from 'zod';
import { type Advice, withoutEffect } from '../../adapter/base';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { compileRegex, groupsOf, regexProblem } from '../../data/regex/regex';
import { shownCount } from '../../data/regex/replacement';
import { OTHER_THAN_TEXT, readText } from '../../data/read-text';
import { path, wholeNumber, withRules } from '../../schema/fields';
import { pattern, regexFlags } from '../../schema/regex-fields';

const MAX_GROUP = 99;

/** Extracts the match of a pattern from a text. */
export const extractRegex = recordOperator({
    code: 'extractRegex',
    category: 'String',
    title: 'Extract by pattern',
    summary: 'Extracts the text that a group of a regular expression matches.',
    config: withRules(
        z.strictObject({
            source: path('From', `The text. ${OTHER_THAN_TEXT}`),
            target: path('To', 'The field for the extracted text. It is left unchanged if nothing matches.'),
            pattern: pattern('Pattern', 'A regular expression without delimiters. It may match anywhere in the text.'),
            group: wholeNumber(
                { min: 0, max: MAX_GROUP },
                {
                    title: 'Group',
                    description: 'The number of the group to extract; 0 is the whole match.',
                },
            ).default(1),
            flags: regexFlags(['i', 'm', 's', 'g', 'u']),
        }),
        ({ pattern: text, group = 1 }, issue) => {
            if (
                typeof text !== 'string' ||
                text === '' ||
                regexProblem(text) !== undefined ||
                typeof group !== 'number'
            )
                return;
            const { groupCount } = groupsOf(text);
            if (group > groupCount)
                issue(
                    'group',
                    clause`is ${group}, but the pattern has ${shownCount(groupCount)}; 0 is the whole match`,
                );
        },
    ),
    notes: ['A group that did not take part in the match counts as no match. Only the first match is used.'],
    examples: [
        {
            args: { source: 't', target: 'w', pattern: '(\\d+) ?mm' },
            in: { t: 'Ø 35 mm' },
            out: { t: 'Ø 35 mm', w: '35' },
        },
        {
            args: { source: 't', target: 'e', pattern: '[A-Z]{2}-\\d{4}', group: 0 },
            in: { t: 'Ref. AB-1234/x' },
            out: { t: 'Ref. AB-1234/x', e: 'AB-1234' },
        },
        {
            args: { source: 't', target: 't', pattern: 'grö(ß|ss)e', flags: 'i' },
            in: { t: 'GRÖSSE' },
            out: { t: 'SS' },
        },
        {
            args: { source: 't', target: 'w', pattern: '(\\d+)' },
            in: { t: 'none', w: 'kept' },
            out: { t: 'none', w: 'kept' },
            note: 'Nothing matches.',
        },
        { args: { source: 't', target: 'w', pattern: 'a(b)?' }, in: { t: 'ac' }, out: { t: 'ac' } },
        {
            args: { source: 't', target: 'w', pattern: '(\\d+)', flags: 'gu' },
            in: { t: '1 2' },
            out: { t: '1 2', w: '1' },
            note: 'The first match is used, even with the flag g.',
        },
        { args: { source: 't', target: 'w', pattern: '(.)' }, in: { t: '😀!' }, out: { t: '😀!', w: '😀' } },
        {
            args: { source: 't', target: 'w', pattern: '^\\d{4}', group: 0 },
            in: { t: 20260131 },
            out: { t: 20260131, w: '2026' },
        },
        { args: { source: 't', target: 'w', pattern: '(.*)' }, in: { t: ['35'] }, out: { t: ['35'] } },
    ],
    advise: ({ flags }) => [
        ...idleFlag(flags, 'g', clause`only the first match is used`),
        ...idleFlag(flags, 'u', clause`patterns always match Unicode characters`),
    ],
    reads: ({ source }) => [source],
    compile({ source, target, pattern: text, group, flags }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.field(target);
        const regex = compileRegex(text, flags, source);
        return data => {
            const given = readText(from.get(data));
            const piece = given === undefined ? undefined : regex.group(given, group);
            return piece === undefined ? data : to.set(data, piece);
        };
    },
});

function idleFlag(flags: string, flag: string, since: FactText): readonly Advice[] {
    return flags.includes(flag) ? [withoutEffect('flags', clause`for ${flag}: ${since}`)] : [];
}
