import { z } from 'zod';
import { addIssue } from '../../schema/issues';
import { clause } from '../../errors/rendered';

/** A field for a locale (BCP 47) that this server supports. */
export function locale(): z.ZodDefault<z.ZodString> {
    return z
        .string()
        .max(64)
        .superRefine((tag, cx) => {
            if (!isKnown(tag))
                addIssue(
                    cx,
                    clause`locale is ${JSON.stringify(tag)}; allowed: a language tag like en-US, de-DE, fr-CH`,
                );
        })
        .default('en-US')
        .meta({
            title: 'Locale',
            description: 'The locale of the separators: a language tag like en-US, de-DE, fr-CH.',
        });
}

function isKnown(tag: string): boolean {
    try {
        return Intl.NumberFormat.supportedLocalesOf(tag).length === 1;
    } catch {
        // Not a language tag.
        return false;
    }
}

/** The separators of a locale: before the fraction, and between groups of digits. */
interface Separators {
    readonly decimal: string;
    readonly group: string;
}

/** How to read the numbers of a locale. */
export interface NumberReading {
    /** Those of plain numbers come first. No text is a different number with another entry. */
    readonly separators: readonly Separators[];
    /** Digits of the last group, and of the groups before it. */
    readonly sizes: readonly [number, number];
    /** The locale's digits 0 to 9. */
    readonly digits: readonly string[];
}

/** How to read the numbers that `formatNumber` writes in a locale, in each of its styles. */
export function numberReadingOf(tag: string): NumberReading {
    const { parts, ...plain } = written(tag, {});
    const groups = parts.filter(({ type }) => type === 'integer').map(({ value }) => [...value].length);
    const last = groups[groups.length - 1] ?? 3;
    const digit = new Intl.NumberFormat(tag, { useGrouping: false });
    const separators = [plain];
    // Some locales use other separators for money: a point between thousands in de-AT, before cents in fr-CH.
    const { decimal, group } = written(tag, { style: 'currency', currency: 'EUR' });
    if (decimal !== plain.group && group !== plain.decimal) separators.push({ decimal, group });
    // A point that the locale uses for nothing else is a decimal point.
    if (!separators.some(used => used.decimal === '.' || used.group === '.'))
        separators.push({ decimal: '.', group: plain.group });
    return {
        separators,
        sizes: [last, groups.length > 2 ? groups[groups.length - 2]! : last],
        digits: Array.from({ length: 10 }, (_, i) => digit.format(i)),
    };
}

function written(
    tag: string,
    style: Intl.NumberFormatOptions,
): Separators & { readonly parts: readonly Intl.NumberFormatPart[] } {
    const parts = new Intl.NumberFormat(tag, { useGrouping: true, minimumFractionDigits: 1, ...style }).formatToParts(
        1234567890123.5,
    );
    return {
        decimal: parts.find(({ type }) => type === 'decimal')?.value ?? '.',
        group: parts.find(({ type }) => type === 'group')?.value ?? ',',
        parts,
    };
}
