import { clause } from '../../errors/rendered';
import { type Advice, withoutEffect } from '../../adapter/base';
import { NEEDS } from './comparison';
import type { Condition, FieldCondition } from './condition';

/** Syntax that is probably not meant as a glob: `^…$`, `\d`, `.*`, `[a-z]`, `[ab]+`, `(a|b)`. A `*.*` may be meant. */
const LIKE_REGEX = /^\^|\\[dDwWsSbB.]|(?<!\*)\.[*+]|\[[^\]]*[^\]]-[^\]]+\]|\[[^\]]+\][*+?{]|\([^)]*\|[^)]*\)/;

/** Warns about comparisons that are probably mistakes, at any depth of a condition or a list of conditions. */
export function conditionAdvice(given: Condition | readonly Condition[], path: string): readonly Advice[] {
    if (isList(given)) return given.flatMap((one, index) => conditionAdvice(one, `${path}.${index}`));
    if ('all' in given) return conditionAdvice(given.all, `${path}.all`);
    if ('any' in given) return conditionAdvice(given.any, `${path}.any`);
    if ('not' in given) return conditionAdvice(given.not, `${path}.not`);
    return fieldAdvice(given, `${path}.value`);
}

function fieldAdvice({ cmp = 'eq', value }: FieldCondition, path: string): readonly Advice[] {
    if (NEEDS[cmp] === 'nothing' && value !== undefined)
        return [withoutEffect(path, clause`with ${cmp}, which takes no value`)];
    if (cmp === 'matches' && typeof value === 'string' && LIKE_REGEX.test(value)) {
        const problem = `looks like a regular expression, but matches takes a glob, in which only * and ? have a meaning; use regex for regular expressions`;
        return [{ code: 'LIKELY_MISTAKE', path, problem }];
    }
    return [];
}

function isList(given: Condition | readonly Condition[]): given is readonly Condition[] {
    return Array.isArray(given);
}
