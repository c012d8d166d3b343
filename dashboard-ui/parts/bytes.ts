const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;
const STEP = 1_000;

/** A size in the unit in which it is a small number, in the reader's way of writing it. */
export function bytesText(bytes: number, locale: string): string {
    const power = Math.min(Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(STEP)), UNITS.length - 1);
    return new Intl.NumberFormat(locale, {
        style: 'unit',
        unit: UNITS[power],
        // The short form of "bytes" is "byte".
        unitDisplay: power === 0 ? 'long' : 'short',
        maximumFractionDigits: power === 0 ? 0 : 1,
    }).format(bytes / STEP ** power);
}
