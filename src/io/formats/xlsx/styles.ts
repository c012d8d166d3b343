import { flowError } from '../../../core/errors/flow-error';
import type { MarkupEvents } from '../markup';
import type { Archive } from './archive';
import { localName, parsePart } from './part';

/** What the number in a cell means by its format. A duration may have more hours than a day. */
export type NumberKind = 'number' | 'date' | 'duration' | PaddedNumber;

/** A whole number that is shown with leading zeros, such as an article number in the format 000000. */
interface PaddedNumber {
    /** The number of digits at least. */
    readonly digits: number;
}

/** Excel itself allows 65,490 styles of cells. */
const MAX_STYLES = 100_000;

/** Built-in formats that show a date or a time (ECMA-376, 18.8.30), those of the East Asian languages included. */
const BUILT_IN_DATES: ReadonlyArray<readonly [from: number, to: number]> = [
    [14, 22],
    [27, 36],
    [45, 45],
    [47, 47],
    [50, 58],
];
const BUILT_IN_DURATION = 46;

/**
 * The parts of a format code other than its letters: texts in quotes, single characters after \, _ and *, colours and
 * conditions.
 */
const NOT_LETTERS = /"[^"]*"?|[\\_*][^]?|\[(?!(?:h+|m+|s+)\])[^\]]*\]?/gi;

const WORDS = /[\p{L}\p{M}]+/gu;
/** Day, month, year, hour and second, next to eras and the T and Z of ISO 8601. */
const DATE_WORD = /^(?=.*[dmyhs])[dmyhsgeb]+(?:t[hms]+)?z?$/i;

/** The kinds of the styles that cells name by their number. */
export async function readStyles(archive: Archive, part: string | undefined): Promise<readonly NumberKind[]> {
    if (part === undefined) return [];
    const styles = new Styles(part);
    for await (const _ of parsePart(archive, part, styles)) continue;
    return styles.kinds;
}

/** How a format code shows a number; only its first section counts, the one for positive numbers. */
export function kindOfFormat(code: string): NumberKind {
    const [letters = ''] = code.replace(NOT_LETTERS, '').split(';');
    if (/\[(h+|m+|s+)\]/i.test(letters)) return 'duration';
    // Only zeros: a format with other signs shows more than the digits, and a part of that would be another number.
    const digits = code.split(';')[0]!.replace(/^(?:\[[^\]]*\])+/, '');
    if (/^0{2,}$/.test(digits)) return { digits: digits.length };
    // Words such as "Standard", which is German for "General", are not dates, although they have letters of one.
    const words = letters.match(WORDS) ?? [];
    return words.some(word => DATE_WORD.test(word)) ? 'date' : 'number';
}

class Styles implements MarkupEvents {
    readonly kinds: NumberKind[] = [];
    private readonly own = new Map<number, NumberKind>();
    private isInCells = false;

    constructor(private readonly part: string) {}

    open(name: string, attributes: Readonly<Record<string, string>>): void {
        const element = localName(name);
        if (element === 'cellXfs') this.isInCells = true;
        else if (element === 'numFmt')
            this.own.set(Number(attributes['numFmtId']), kindOfFormat(attributes['formatCode'] ?? ''));
        else if (element === 'xf' && this.isInCells) this.kinds.push(this.kindOf(Number(attributes['numFmtId'] ?? 0)));
        if (this.own.size <= MAX_STYLES && this.kinds.length <= MAX_STYLES) return;
        throw flowError('SOURCE_MALFORMED', { where: this.part, problem: `it has more than ${MAX_STYLES} styles` });
    }

    text(): void {
        /* Styles are in attributes. */
    }

    close(name: string): void {
        if (localName(name) === 'cellXfs') this.isInCells = false;
    }

    private kindOf(format: number): NumberKind {
        const own = this.own.get(format);
        if (own !== undefined) return own;
        if (format === BUILT_IN_DURATION) return 'duration';
        return BUILT_IN_DATES.some(([from, to]) => format >= from && format <= to) ? 'date' : 'number';
    }
}
