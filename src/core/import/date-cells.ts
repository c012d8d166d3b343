import { timestampOf } from '../data/timestamp';

/** How the dates of a column are written. */
interface DateFormat {
    /** A pattern of the operator `dateParse`; undefined if it has no pattern for these dates. */
    readonly format?: string;
    /** The other reading, if day and month may be exchanged: no part is more than 12. */
    readonly other?: string;
    /** Cells that are dates in this format. */
    readonly matches: number;
    /** Days or months have one digit, or years two, or months are words. */
    readonly isIrregular: boolean;
}

const MONTHS = new Set(
    (
        'jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july august september october november december ' +
        'januar februar märz mär mai juni juli oktober okt dezember dez ' +
        'janvier février fév févr mars avril avr juin juillet juil août septembre octobre novembre décembre déc ' +
        'enero ene febrero marzo abril abr mayo junio julio agosto ago septiembre octubre noviembre diciembre dic ' +
        'gennaio gen febbraio aprile maggio mag giugno giu luglio lug settembre set ottobre ott dicembre ' +
        'januari februari maart mrt mei augustus ' +
        'stycznia sty lutego lut marca kwietnia kwi maja czerwca cze lipca lip sierpnia sie września wrz października paź listopada lis grudnia gru ' +
        'janeiro fevereiro fev março maio junho julho setembro outubro out novembro dezembro'
    ).split(' '),
);

type Order = 'YMD' | 'DMY' | 'MDY';

interface Written {
    readonly parts: readonly [string, string, string];
    readonly separator: string;
    readonly time: string;
}

const NUMERIC =
    /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})\.?((?:T|[ ])\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?)?$/;
const WITH_MONTH =
    /^(?:\d{1,2}\.?[ -]?(?:de )?(\p{L}{3,10})\.?[ ,-]*(?:de )?\d{2,4}|(\p{L}{3,10})\.? \d{1,2},? \d{4})$/iu;

/** The format that most cells have; undefined if fewer than `share` of the cells are dates in one format. */
export function detectDates(cells: readonly string[], share: number, language?: string): DateFormat | undefined {
    const written = cells.map(writtenDate);
    const best = (['YMD', 'DMY', 'MDY'] as const)
        .map(order => ({ order, matches: written.filter(one => one && isDate(one, order)).length }))
        .sort((a, b) => b.matches - a.matches || preferred(b.order, language) - preferred(a.order, language));
    const [first, second] = best;
    if (first && first.matches > 0 && first.matches >= share * cells.length) {
        const fitting = written.filter((one): one is Written => one !== undefined && isDate(one, first.order));
        const format = patternOf(fitting, first.order);
        const other = second?.matches === first.matches ? patternOf(fitting, second.order) : undefined;
        return {
            matches: first.matches,
            isIrregular: format === undefined,
            ...(format !== undefined && { format }),
            ...(other !== undefined && other !== format && { other }),
        };
    }
    const matches = cells.filter(isWithMonth).length;
    return matches > 0 && matches >= share * cells.length ? { matches, isIrregular: true } : undefined;
}

/** True for a date in one of the formats that are detected. */
export function isDateCell(cell: string): boolean {
    const written = writtenDate(cell);
    return written ? (['YMD', 'DMY', 'MDY'] as const).some(order => isDate(written, order)) : isWithMonth(cell);
}

function isWithMonth(cell: string): boolean {
    const [, after, before] = WITH_MONTH.exec(cell) ?? [];
    return MONTHS.has((after ?? before ?? '').toLowerCase());
}

function writtenDate(cell: string): Written | undefined {
    const [, a, separator = '', b, c, time = ''] = NUMERIC.exec(cell) ?? [];
    if (a === undefined || b === undefined || c === undefined) return undefined;
    return { parts: [a, b, c], separator, time };
}

function isDate({ parts, separator }: Written, order: Order): boolean {
    if (order === 'MDY' && separator === '.') return false;
    const [a, b, c] = parts;
    const [year, month, day] = order === 'YMD' ? [a, b, c] : order === 'DMY' ? [c, b, a] : [c, a, b];
    if (year.length !== 4 && (year.length !== 2 || order === 'YMD')) return false;
    if (month.length > 2 || day.length > 2) return false;
    const full = year.length === 4 ? Number(year) : 2000 + Number(year);
    return full >= 1000 && timestampOf([full, Number(month), Number(day), 0, 0, 0]) !== undefined;
}

/** Day before month, except in English. */
function preferred(order: Order, language: string | undefined): number {
    return order === 'YMD' ? 2 : (order === 'MDY') === (language === 'en') ? 1 : 0;
}

/** The pattern that all cells have. */
function patternOf(dates: readonly Written[], order: Order): string | undefined {
    const patterns = new Set(dates.map(one => patternOfOne(one, order)));
    const [pattern] = patterns;
    return patterns.size === 1 ? pattern : undefined;
}

function patternOfOne({ parts, separator, time }: Written, order: Order): string | undefined {
    const tokens = { YMD: ['YYYY', 'MM', 'DD'], DMY: ['DD', 'MM', 'YYYY'], MDY: ['MM', 'DD', 'YYYY'] }[order];
    if (!tokens.every((token, i) => token.length === parts[i]!.length)) return undefined;
    const clock = /^(T| )\d{2}:\d{2}(:\d{2})?(\.0+)?(Z?)$/.exec(time);
    if (time !== '' && !clock) return undefined;
    const [, before = '', seconds, fraction, zone = ''] = clock ?? [];
    const suffix = clock
        ? `${before}HH:mm${seconds === undefined ? '' : ':ss'}${fraction === undefined ? '' : `[${fraction}]`}${zone}`
        : '';
    return tokens.join(separator) + suffix;
}
