import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { valueInvalid } from '../../errors/record-invalid';
import { json, path } from '../../schema/fields';
import { hasExponent, isNothing, NO_EXPONENT, NOT_EXACT, parseDecimal } from '../../data/decimal';
import { locale as localeField, type NumberReading, numberReadingOf } from './locale';

/** Parses a number in the format of a locale. */
export const parseNumber = recordOperator({
    code: 'parseNumber',
    category: 'Numeric',
    title: 'Parse a number',
    summary: 'Reads a number with the separators of a locale.',
    config: z.strictObject({
        source: path('From', 'The text. A number is left unchanged.'),
        target: path('To', 'The field for the number. Default: the field itself.').optional(),
        locale: localeField(),
        default: json(
            'Default',
            'The value for the target if there is no number: missing, null, empty or other text.',
        ).optional(),
    }),
    notes: [
        'Thousands separators are optional, but must be in the right place: "1,5" is not a number in en-US, and never 15.',
        'If a locale writes money with other separators than plain numbers, both are read: "1 234,5" and "1.234,50" in de-AT. If they contradict each other (en-DE), only the plain ones are. A point that a locale does not use is read as a decimal point.',
        'A number with an exponent ("1e3"), or one that cannot be represented exactly ("9007199254740993", fractions of more than about 15 digits), rejects the record, even with a default.',
        'Without a default, text that is not a number rejects the record; missing, null and empty text leave it unchanged. Currency symbols are not removed.',
    ],
    examples: [
        { args: { source: 'p', locale: 'de-DE' }, in: { p: '1.234,50' }, out: { p: 1234.5 } },
        { args: { source: 'p', target: 'n' }, in: { p: '-1,234.5' }, out: { p: '-1,234.5', n: -1234.5 } },
        {
            args: { source: 'p' },
            in: { p: '1,5' },
            error: 'Field "p": "1,5" is not a number of the locale en-US',
        },
        {
            args: { source: 'p', locale: 'fr-FR' },
            in: { p: '12 345,6' },
            out: { p: 12345.6 },
            note: 'All kinds of spaces are the same separator.',
        },
        { args: { source: 'p', locale: 'de-AT' }, in: { p: '1.234,50' }, out: { p: 1234.5 } },
        { args: { source: 'p', locale: 'de-DE', default: null }, in: { p: 'auf Anfrage' }, out: { p: null } },
        {
            args: { source: 'p' },
            in: { p: '9,007,199,254,740,993' },
            error: 'cannot be represented exactly; allowed: up to 15 digits, or keep it as text',
        },
        {
            args: { source: 'p', locale: 'de-DE', default: 0 },
            in: { p: '1,5e3' },
            error: 'has an exponent; allowed: a number with all its digits',
        },
        { args: { source: 'p' }, in: { p: '' }, out: { p: '' } },
        { args: { source: 'p' }, in: { p: 7 }, out: { p: 7 } },
        { args: { source: 'p' }, in: { p: '12.50' }, out: { p: 12.5 } },
    ],
    reads: ({ source, default: fallback }) => (fallback === undefined ? [source] : []),
    compile({ source, target, locale, default: fallback }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.place(target ?? source);
        const reading = numberReadingOf(locale);
        return data => {
            const value = from.get(data);
            if (typeof value === 'number') return to.set(data, value);
            const text = typeof value === 'string' ? decimalTextOf(value, reading) : undefined;
            const number = text === undefined ? undefined : parseDecimal(text);
            if (number !== undefined) {
                if (hasExponent(text!)) throw valueInvalid(source, value, NO_EXPONENT);
                if (Number.isNaN(number)) throw valueInvalid(source, value, NOT_EXACT);
                return to.set(data, number);
            }
            if (fallback !== undefined) return to.set(data, fallback);
            if (isNothing(value)) return data;
            throw valueInvalid(source, value, `is not a number of the locale ${locale}`);
        };
    },
});

/** Much longer than any number that people write. */
const MAX_LENGTH = 10_000;
const SPACES = /[\s\u00a0\u202f\u2009]/g;
const APOSTROPHES = /[’‘]/g;
const MARKS = /[\u200e\u200f\u061c]/g;
const MINUS = /^[-\u2212\u2010\u2011\u2013] ?/;
const EXPONENT = /e[+-]?\d+$/i;
const DIGITS = /^\d*$/;

/**
 * The number with a decimal point and no other separators; undefined if the separators are not where the locale has
 * them.
 */
function decimalTextOf(given: string, { separators, sizes, digits }: NumberReading): string | undefined {
    const trimmed = given.replace(MARKS, '').trim();
    if (trimmed.length > MAX_LENGTH) return undefined;
    const plain = [...alike(trimmed)]
        .map(letter => (digits.includes(letter) ? String(digits.indexOf(letter)) : letter))
        .join('');
    const sign = MINUS.test(plain) ? '-' : '';
    const exponent = EXPONENT.exec(plain)?.[0] ?? '';
    const unsigned = plain
        .slice(0, plain.length - exponent.length)
        .replace(MINUS, '')
        .replace(/^\+/, '');
    for (const { decimal, group } of separators) {
        const [whole, fraction, ...more] = unsigned.split(alike(decimal));
        if (whole === undefined || more.length > 0) continue;
        const parts = whole.split(alike(group));
        if (!isGrouped(parts, sizes) || ![...parts, fraction ?? ''].every(part => DIGITS.test(part))) continue;
        return `${sign}${parts.join('')}${fraction === undefined ? '' : `.${fraction}`}${exponent}`;
    }
    return undefined;
}

/** Replaces characters that people type instead of the locale's real separators. */
function alike(text: string): string {
    return text.replace(SPACES, ' ').replace(APOSTROPHES, "'");
}

/** Without separators any number of digits; with separators, as many in each group as the locale has. */
function isGrouped(parts: readonly string[], [last, others]: readonly [number, number]): boolean {
    if (parts.length === 1) return true;
    return parts.every((part, i) => {
        if (i === 0) return part.length >= 1 && part.length <= others;
        return part.length === (i === parts.length - 1 ? last : others);
    });
}
