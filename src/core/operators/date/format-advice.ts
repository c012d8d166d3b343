import { clause } from '../../errors/rendered';
import type { Advice } from '../../adapter/base';
import { tokensOf } from './tokens';

/** Warns about a valid format that is probably a mistake, such as minutes in place of months. */
export function formatAdvice(path: string, format: string | undefined): readonly Advice[] {
    if (format === undefined) return [];
    const tokens = tokensOf(format);
    const has = (token: (typeof tokens)[number]): boolean => tokens.includes(token);
    const problems: string[] = [];
    const twice = [...new Set(tokens.filter((token, index) => tokens.indexOf(token) < index))];
    if (twice.length > 0) problems.push(`has ${twice.join(' and ')} twice; MM is the month, mm the minute`);
    if (has('mm') && !has('HH') && (has('YYYY') || has('DD')))
        problems.push('has mm (the minute) in a date without HH; write MM for the month');
    return problems.map((problem): Advice => ({ code: 'LIKELY_MISTAKE', path, problem }));
}

/** Also warns about a format for reading that no date can match. */
export function readFormatAdvice(path: string, format: string | undefined): readonly Advice[] {
    const advice = formatAdvice(path, format);
    if (format === undefined || tokensOf(format).includes('YYYY')) return advice;
    return [
        ...advice,
        { code: 'LIKELY_MISTAKE', path, problem: clause`has no YYYY, and without a year no text is a date` },
    ];
}
