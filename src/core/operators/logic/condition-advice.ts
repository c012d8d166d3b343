import { type Advice, withoutEffect } from '../../adapter/base';
import { NEEDS } from './comparison';
import type { Condition, FieldCondition } from './condition';

/** What globs hardly mean: `^…$`, `\d`, `.*`, `[a-z]`, `[ab]+`, `(a|b)`. A `*.*` may be meant. */
const LIKE_REGEX = /^\^|\\[dDwWsSbB.]|(?<!\*)\.[*+]|\[[^\]]*[^\]]-[^\]]+\]|\[[^\]]+\][*+?{]|\([^)]*\|[^)]*\)/;

/** Warns of comparisons that hardly mean what they say, wherever they are nested in a condition or a list of them. */
export function conditionAdvice(given: Condition | readonly Condition[], path: string): readonly Advice[] {
    if (isList(given)) return given.flatMap((one, index) => conditionAdvice(one, `${path}.${index}`));
    if ('all' in given) return conditionAdvice(given.all, `${path}.all`);
    if ('any' in given) return conditionAdvice(given.any, `${path}.any`);
    if ('not' in given) return conditionAdvice(given.not, `${path}.not`);
    return fieldAdvice(given, `${path}.value`);
}

function fieldAdvice({ cmp = 'eq', value }: FieldCondition, path: string): readonly Advice[] {
    if (NEEDS[cmp] === 'nothing' && value !== undefined)
        return [withoutEffect(path, `beside ${cmp}, which compares with nothing`)];
    if (cmp === 'matches' && typeof value === 'string' && LIKE_REGEX.test(value)) {
        const problem = `looks like a regular expression, and matches takes a glob, in which only * and ? have a meaning; regex takes regular expressions`;
        return [{ code: 'LIKELY_MISTAKE', path, problem }];
    }
    return [];
}

function isList(given: Condition | readonly Condition[]): given is readonly Condition[] {
    return Array.isArray(given);
}
