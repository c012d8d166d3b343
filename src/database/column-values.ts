import type { Dialect } from './dialect';

export type Row = Readonly<Record<string, unknown>>;

/**
 * The values of several rows, by property: a list for each, all of the same length. Bulk statements take values like that, and a batch of some
 * thousand rows needs no object for each.
 */
export type ColumnValues = ReadonlyMap<string, readonly unknown[]>;

/** The values of rows, each of which has the properties of the first. */
export function columnValuesOf(rows: readonly Row[]): ColumnValues {
    return new Map(Object.keys(rows[0] ?? {}).map(property => [property, rows.map(row => row[property])]));
}

/** How many rows they are. */
export function rowsIn(values: ColumnValues): number {
    for (const column of values.values()) return column.length;
    return 0;
}

/** The rows in pieces that fit one statement each. */
export function statementChunks(values: ColumnValues, { maxParams, maxChars }: Dialect): readonly ColumnValues[] {
    const count = rowsIn(values);
    if (count === 0) return [];
    const most = Math.floor(maxParams / values.size);
    if (maxChars === undefined && count <= most) return [values];
    const pieces: ColumnValues[] = [];
    let from = 0;
    let chars = 0;
    for (let row = 0; row < count; row++) {
        const size = maxChars === undefined ? 0 : charsOf(values, row);
        if (row - from === most || (row > from && maxChars !== undefined && chars + size > maxChars)) {
            pieces.push(slice(values, from, row));
            from = row;
            chars = 0;
        }
        chars += size;
    }
    return [...pieces, slice(values, from, count)];
}

function slice(values: ColumnValues, from: number, to: number): ColumnValues {
    return new Map([...values].map(([property, column]) => [property, column.slice(from, to)]));
}

function charsOf(values: ColumnValues, row: number): number {
    let chars = 0;
    for (const column of values.values()) {
        const value = column[row];
        chars +=
            typeof value === 'string'
                ? value.length
                : typeof value === 'object' && value !== null
                  ? JSON.stringify(value).length
                  : 8;
    }
    return chars;
}
