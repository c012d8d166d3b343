import { shapeOf } from './cell-shapes';
import { isDateCell } from './date-cells';
import { isHeaderWord, foldHeader } from './header-words';
import { readNumberCell } from './number-cells';

/** Where the names of columns are, and which rows around the records are not records. */
export interface HeaderRows {
    /** The place of the row in the sample, 0-based; undefined if no row has names. */
    readonly headerAt: number | undefined;
    /** Other rows that may have the names, the likeliest first. */
    readonly alternatives: readonly number[];
    readonly skipAfterHeader: number;
    readonly footerRows: number;
}

type Rows = readonly (readonly string[])[];

const SEARCHED = 20;
const BELOW = 10;
const MIN_SCORE = 0.45;
/** A lower row wins only if its score is higher by this much. */
const CLEARLY = 0.1;
const MAX_NAME = 60;
const MAX_SKIPPED = 3;
const MAX_FOOTER = 5;

const UNITS = new Set(
    'stk st stuck pcs pc piece pieces ea kg g mg t l ml cl m cm mm km m2 m3 eur usd gbp chf pln euro % szt sztuk unit units'.split(
        ' ',
    ),
);
const TYPE_NAMES = new Set(
    'text string number integer decimal boolean date required optional mandatory pflichtfeld pflicht optional obligatorio obligatoire verplicht wymagane obbligatorio zahl ganzzahl float char varchar'.split(
        ' ',
    ),
);
const TOTALS =
    /^(?:grand )?(?:total|totals|sum|subtotal|summe|gesamt|gesamtsumme|zwischensumme|somme|total general|suma|razem|totale|somma|totaal|ogolem)\b/;

/** Finds the row with the names of columns. `leading` are the first rows of the file, `last` the rows of its end. */
export function detectHeader(leading: Rows, last: Rows): HeaderRows {
    const width = usualWidth(leading);
    const scores = leading.slice(0, SEARCHED).map((_, row) => scoreOf(leading, row, width));
    let best = -1;
    scores.forEach((score, row) => {
        if (score >= MIN_SCORE && (best < 0 || score > scores[best]! + CLEARLY)) best = row;
    });
    const alternatives = scores
        .map((score, row) => ({ score, row }))
        .filter(({ score, row }) => row !== best && score >= MIN_SCORE && row < leading.length - 1)
        .sort((a, b) => b.score - a.score)
        .slice(0, 3)
        .map(({ row }) => row);
    return {
        headerAt: best < 0 ? undefined : best,
        alternatives,
        skipAfterHeader: best < 0 ? 0 : countSkipped(leading, best),
        footerRows: countFooter(last, width),
    };
}

/** How many rows after the header are units, types or remarks. */
export function countSkipped(leading: Rows, header: number): number {
    const records = leading.slice(header + 1 + MAX_SKIPPED, header + 1 + MAX_SKIPPED + 50);
    const width = leading[header]?.length ?? 0;
    const isNumeric = Array.from({ length: width }, (_, column) => {
        const filled = records.map(row => row[column]?.trim() ?? '').filter(cell => cell !== '');
        return (
            filled.length > 2 && filled.filter(cell => readNumberCell(cell) !== undefined).length > filled.length / 2
        );
    });
    let skipped = 0;
    while (skipped < MAX_SKIPPED) {
        const row = leading[header + 1 + skipped];
        const filled = row?.map(cell => cell.trim()).filter(cell => cell !== '') ?? [];
        if (!row || filled.length === 0) break;
        const descriptive = filled.filter(isDescriptive).length;
        const hasNumber = row.some((cell, column) => isNumeric[column] && readNumberCell(cell) !== undefined);
        if ((descriptive < filled.length / 2 && !areIdentifiers(filled)) || hasNumber) break;
        skipped++;
    }
    return skipped;
}

/** A second header for programs, such as `item_sku`. */
function areIdentifiers(cells: readonly string[]): boolean {
    return (
        cells.length > 2 &&
        cells.every(cell => /^[a-z][a-z0-9_]*$/.test(cell)) &&
        cells.filter(cell => cell.includes('_')).length >= cells.length / 2
    );
}

function isDescriptive(cell: string): boolean {
    const word = cell.replace(/[[\](){}*]/g, '').trim();
    const normal = foldHeader(word);
    return UNITS.has(normal) || TYPE_NAMES.has(normal) || ['%', '€', '$', '£', 'zł'].includes(word);
}

function countFooter(last: Rows, width: number): number {
    if (width < 3) return 0;
    let count = 0;
    for (let i = last.length - 1; i > 0 && last.length - i <= MAX_FOOTER; i--) {
        const filled = last[i]!.map(cell => cell.trim()).filter(cell => cell !== '');
        if (filled.length > 2) break;
        if (filled.some(cell => TOTALS.test(foldHeader(cell)))) count = last.length - i;
    }
    return count;
}

/** The number of cells that most rows have, without empty cells at their end. */
function usualWidth(rows: Rows): number {
    const counts = new Map<number, number>();
    for (const row of rows.slice(0, 200)) {
        const width = row.length;
        counts.set(width, (counts.get(width) ?? 0) + 1);
    }
    return [...counts].sort(([a, x], [b, y]) => y - x || b - a)[0]?.[0] ?? 0;
}

function scoreOf(rows: Rows, at: number, width: number): number {
    const row = rows[at]!.map(cell => cell.trim());
    const filled = row.filter(cell => cell !== '');
    if (filled.length === 0 || width === 0) return 0;
    const below = rows.slice(at + 1, at + 1 + BELOW);
    const names = row.filter((cell, column) => isName(cell, column, { row, below }));
    const known = filled.filter(isHeaderWord);
    const changes = row.filter((cell, column) => changesBelow(cell, column, below));
    return (
        0.3 * Math.min(1, filled.length / width) +
        (0.2 * names.length) / width +
        (0.3 * known.length) / width +
        (0.2 * changes.length) / width
    );
}

interface Surroundings {
    readonly row: readonly string[];
    readonly below: Rows;
}

/** Short, not repeated and not a value: rows below have other values of another shape. */
function isName(cell: string, column: number, { row, below }: Surroundings): boolean {
    if (cell === '' || cell.length > MAX_NAME || kindOf(cell) !== 'text') return false;
    if (row.indexOf(cell) !== row.lastIndexOf(cell)) return false;
    if (!/\p{L}/u.test(cell)) return false;
    const shape = shapeOf(cell);
    const others = below.map(cells => cells[column]?.trim() ?? '').filter(other => other !== '');
    if (others.includes(cell)) return false;
    return !/\d/.test(shape) || !others.some(other => shapeOf(other) === shape);
}

function changesBelow(cell: string, column: number, below: Rows): boolean {
    if (kindOf(cell) !== 'text') return false;
    const others = below.map(cells => cells[column]?.trim() ?? '').filter(other => other !== '');
    if (others.length === 0) return false;
    const kinds = others.map(kindOf);
    const isCode = !/\d/.test(cell) && others.every(other => /\d/.test(other) && !/\s/.test(other));
    return isCode || kinds.filter(kind => kind !== 'text').length > others.length / 2;
}

function kindOf(cell: string): 'number' | 'date' | 'address' | 'boolean' | 'text' {
    if (readNumberCell(cell)) return 'number';
    if (isDateCell(cell)) return 'date';
    if (/^(?:https?:\/\/|www\.)\S+$|^\S+@\S+\.\S+$/i.test(cell)) return 'address';
    return /^(?:true|false)$/i.test(cell) ? 'boolean' : 'text';
}
