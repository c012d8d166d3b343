import type { Advice } from '../../adapter/base';
import { hasYear } from './tokens';

/** Warns of a format for reading by which nothing is a date. */
export function yearAdvice(path: string, format: string | undefined): readonly Advice[] {
    if (format === undefined || hasYear(format)) return [];
    return [{ code: 'LIKELY_MISTAKE', path, problem: 'has no YYYY, and without a year no text is a date' }];
}
