import { z } from 'zod';

/** A field for a locale (BCP 47), which must be one that this server knows. */
export function locale(): z.ZodDefault<z.ZodString> {
    return z
        .string()
        .max(64)
        .superRefine((tag, cx) => {
            if (!isKnown(tag))
                cx.addIssue({
                    code: 'custom',
                    message: `locale is ${JSON.stringify(tag)}; allowed: a language tag like en-US, de-DE, fr-CH`,
                });
        })
        .default('en-US')
        .meta({ title: 'Locale', description: 'Whose separators: a language tag like en-US, de-DE, fr-CH.' });
}

function isKnown(tag: string): boolean {
    try {
        return Intl.NumberFormat.supportedLocalesOf(tag).length === 1;
    } catch {
        // No language tag at all.
        return false;
    }
}

/** How a locale writes numbers. */
export interface Separators {
    readonly decimal: string;
    readonly group: string;
    /** Digits of the last group, and of those before it. */
    readonly sizes: readonly [number, number];
    /** Its digits, 0 to 9. */
    readonly digits: readonly string[];
}

export function separatorsOf(tag: string): Separators {
    const parts = new Intl.NumberFormat(tag, { useGrouping: true, minimumFractionDigits: 1 }).formatToParts(
        1234567890123.5,
    );
    const groups = parts.filter(({ type }) => type === 'integer').map(({ value }) => [...value].length);
    const last = groups[groups.length - 1] ?? 3;
    const digit = new Intl.NumberFormat(tag, { useGrouping: false });
    return {
        decimal: parts.find(({ type }) => type === 'decimal')?.value ?? '.',
        group: parts.find(({ type }) => type === 'group')?.value ?? ',',
        sizes: [last, groups.length > 2 ? groups[groups.length - 2]! : last],
        digits: Array.from({ length: 10 }, (_, i) => digit.format(i)),
    };
}
