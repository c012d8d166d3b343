import { z } from 'zod';
import { clause } from '../errors/rendered';
import { MAX_PATTERN, type RegexFlag, regexProblem } from '../data/regex/regex';
import { addIssue } from './issues';

const SYNTAX = 'The syntax is RE2: no lookaround and no back-references.';
const MEANING: Readonly<Record<RegexFlag, string>> = {
    g: 'g: every match, not only the first',
    i: 'i: ignore case',
    m: 'm: ^ and $ match at the ends of lines',
    s: 's: the dot also matches line breaks',
    u: 'u: no effect, because patterns always match Unicode characters',
};

/** A regular expression without delimiters. */
export function pattern(title: string, description: string): z.ZodString {
    return z
        .string()
        .min(1)
        .max(MAX_PATTERN)
        .superRefine((text, cx) => {
            const problem = text === '' || text.length > MAX_PATTERN ? undefined : regexProblem(text);
            if (problem !== undefined) addIssue(cx, clause`pattern ${problem}`);
        })
        .meta({ title, description: `${description} ${SYNTAX}` });
}

/** Flags of a regular expression: each of the allowed letters at most once, in any order. */
export function regexFlags(allowed: readonly RegexFlag[]): z.ZodDefault<z.ZodString> {
    const isAllowed = (text: string): boolean =>
        new Set(text).size === text.length && [...text].every(letter => allowed.includes(letter as RegexFlag));
    return z
        .string()
        .refine(isAllowed, `allowed: the letters ${allowed.join(', ')}, each at most once`)
        .default('')
        .meta({
            title: 'Flags',
            description: `Letters, in any order. ${allowed.map(letter => MEANING[letter]).join('; ')}.`,
        });
}
