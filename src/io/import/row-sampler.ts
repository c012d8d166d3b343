import type { ImportSample } from '../../core/import/import-profile';

/** Rows of the beginning, rows spread over the rest, and rows of the end that are kept. */
const FIRST_ROWS = 2_000;
const SPREAD_ROWS = 2_000;
const LAST_ROWS = 100;
/** Different values that are counted for a column. */
const MAX_DISTINCT = 10_000;
/** Longer values are compared by a hash, and only their beginning is kept. */
const LONG_VALUE = 64;
const MAX_CELL = 1_000;
/** A longer row is cut before it is kept. */
const LONG_ROW = 16_000;
/** Shorter texts are stored by themselves; longer ones may hold the piece of the file that they were cut from. */
const SHARED_TEXT = 13;

type Cells = readonly string[];
type RowsOfSample = Pick<ImportSample, 'rows' | 'numbers' | 'leading' | 'trailing' | 'total' | 'counts'>;

interface SampledRow {
    /** How many rows were taken before it. */
    readonly row: number;
    /** Its number in the file. */
    readonly number: number;
    readonly cells: Cells;
}

/** Keeps a sample of the rows of a file in constant memory, and counts empty and different values of all rows. */
export class RowSampler {
    private readonly first: SampledRow[] = [];
    private spread: SampledRow[] = [];
    /** After the first rows, one of this number of rows is kept. */
    private stride = 1;
    private readonly last: SampledRow[] = [];
    private readonly columns: ColumnCounter[] = [];
    private count = 0;

    /** Takes the next row and its number in the file. */
    add(given: Cells, number = this.count + 1): void {
        const row = this.count++;
        this.countCells(given);
        const cells = lengthOf(given) > LONG_ROW ? given.map(ownText) : given;
        this.last[row % LAST_ROWS] = { row, number, cells };
        if (row < FIRST_ROWS) {
            this.first.push({ row, number, cells: cells.map(ownText) });
            return;
        }
        if ((row - FIRST_ROWS) % this.stride > 0) return;
        this.spread.push({ row, number, cells: cells.map(ownText) });
        if (this.spread.length <= 2 * SPREAD_ROWS) return;
        this.stride *= 2;
        this.spread = this.spread.filter(kept => (kept.row - FIRST_ROWS) % this.stride === 0);
    }

    /** The sample, once all rows have been taken. All rows have the width of the widest if `width` is given. */
    end(width = 0): RowsOfSample {
        const total = this.count;
        const trailing = Math.min(LAST_ROWS, total);
        const from = total - trailing;
        const last = Array.from({ length: trailing }, (_, i) => this.last[(from + i) % LAST_ROWS]!);
        const between = this.spread.filter(({ row }) => row < from);
        const step = Math.max(1, between.length / SPREAD_ROWS);
        const spread = Array.from(
            { length: Math.min(between.length, SPREAD_ROWS) },
            (_, i) => between[Math.floor(i * step)]!,
        );
        const rows = [...this.first, ...spread, ...last.slice(Math.max(0, this.first.length - from))];
        return {
            rows: rows.map(({ cells }) => {
                const missing = Math.max(0, width - cells.length);
                return [...cells.map(ownText), ...Array<string>(missing).fill('')];
            }),
            numbers: rows.map(({ number }) => number),
            leading: rows.length === total ? total : this.first.length,
            trailing,
            total,
            counts: this.columns.map(column => column.end(total)),
        };
    }

    private countCells(cells: Cells): void {
        const { columns } = this;
        while (columns.length < cells.length) columns.push(new ColumnCounter());
        for (let i = 0; i < cells.length; i++) columns[i]!.add(cells[i]!);
    }
}

/** Counts the filled and the different values of a column. */
class ColumnCounter {
    private filled = 0;
    private values: Set<string> | undefined = new Set();

    add(cell: string): void {
        if (cell === '' || cell.trim() === '') return;
        this.filled++;
        if (!this.values) return;
        const key = cell.length > LONG_VALUE ? hashOf(cell) : cell;
        if (this.values.has(key)) return;
        this.values.add(ownText(key));
        if (this.values.size > MAX_DISTINCT) this.values = undefined;
    }

    end(total: number): { readonly empties: number; readonly distinct: number | null } {
        return { empties: total - this.filled, distinct: this.values?.size ?? null };
    }
}

function lengthOf(cells: Cells): number {
    let length = 0;
    for (const cell of cells) length += cell.length;
    return length;
}

/** The text by itself, so that no larger text stays in memory because of it. */
function ownText(text: string): string {
    if (text.length < SHARED_TEXT) return text;
    return Buffer.from(text.length > MAX_CELL ? text.slice(0, MAX_CELL) : text, 'utf16le').toString('utf16le');
}

/** 53 bits of a text, and its length (cyrb53). */
function hashOf(text: string): string {
    let a = 0xdeadbeef;
    let b = 0x41c6ce57;
    for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i);
        a = Math.imul(a ^ code, 2654435761);
        b = Math.imul(b ^ code, 1597334677);
    }
    return `\0${text.length}.${a >>> 0}.${b >>> 0}`;
}
