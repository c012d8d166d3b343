import { readHeader } from './header-words';
import type { ColumnType, RowGrouping } from './import-profile';

/** The rows of a file by column. */
interface GroupedRows {
    readonly names: readonly string[];
    /** Records from the beginning of the file without a gap, trimmed. */
    readonly records: readonly (readonly string[])[];
}

const MIN_RECORDS = 3;
/** The name or key of a product is in one of the first columns. */
const FIRST_COLUMNS = 3;

/** The groupings that fit the rows, the likeliest first. `types` are those of the columns, as far as they are known. */
export function detectGroupings(
    { names, records }: GroupedRows,
    types: readonly ColumnType[] = [],
): readonly RowGrouping[] {
    if (records.length < MIN_RECORDS) return [];
    const columns = names.map((_, column) => records.map(row => row[column] ?? ''));
    return [...byColumn(names, columns), ...continuing(names, columns), ...parents(names, columns, types)];
}

/** Columns whose values repeat on consecutive rows while others are empty there, or whose name says that they group. */
function byColumn(names: readonly string[], columns: readonly (readonly string[])[]): readonly RowGrouping[] {
    return names
        .flatMap((name, column): readonly (RowGrouping & { readonly weight: number })[] => {
            const values = columns[column]!;
            const distinct = new Set(values).size;
            if (values.includes('') || distinct === values.length || distinct < 2) return [];
            const repeats = values.map((value, row) => row > 0 && value === values[row - 1]);
            const count = repeats.filter(Boolean).length;
            // Rows of one group are next to each other.
            if (values.length - count !== distinct) return [];
            const sparse = columns.filter(
                (cells, other) =>
                    other !== column &&
                    cells.some(cell => cell !== '') &&
                    share(cells, (cell, row) => repeats[row]! && cell === '') >= 0.9 * (count / cells.length) &&
                    share(cells, (cell, row) => !repeats[row] && cell !== '') >= 0.9 * (1 - count / cells.length),
            ).length;
            const isNamed = readHeader(name).isGroup;
            // Two values in all are rather a yes and a no than two products.
            if (distinct === 2 && !isNamed) return [];
            return sparse > 0 || isNamed
                ? [{ kind: 'BY_COLUMN', column: name, weight: sparse + (isNamed ? 2 : 0) }]
                : [];
        })
        .sort((a, b) => b.weight - a.weight)
        .slice(0, 3)
        .map(({ kind, column }) => ({ kind, column }) as RowGrouping);
}

/** Columns that are empty in rows that continue the row above: others are empty in the same rows, and one is always filled. */
function continuing(names: readonly string[], columns: readonly (readonly string[])[]): readonly RowGrouping[] {
    const hasFull = columns.some(
        cells => share(cells, cell => cell !== '') >= 0.95 && new Set(cells).size >= 0.95 * cells.length,
    );
    if (!hasFull) return [];
    const key = names.slice(0, FIRST_COLUMNS).findIndex((_, column) => {
        const cells = columns[column]!;
        const filled = cells.filter(cell => cell !== '');
        if (cells[0] === '' || filled.length < 2 || filled.length > 0.9 * cells.length) return false;
        if (new Set(filled).size < 0.98 * filled.length) return false;
        const same = columns.filter(
            (other, at) =>
                at !== column &&
                other.some(cell => cell !== '') &&
                share(other, (cell, row) => cell !== '' && cells[row] === '') === 0,
        );
        return same.length > 0;
    });
    return key < 0 ? [] : [{ kind: 'CONTINUING', column: names[key]! }];
}

/** Columns whose values are keys of other rows. */
function parents(
    names: readonly string[],
    columns: readonly (readonly string[])[],
    types: readonly ColumnType[],
): readonly RowGrouping[] {
    const isKey = (column: number): boolean => {
        const cells = columns[column]!;
        return (
            (types[column] === 'CODE' || types[column] === 'INTEGER') &&
            share(cells, cell => cell !== '') >= 0.95 &&
            new Set(cells).size >= 0.98 * cells.length
        );
    };
    const keys = names.map((_, column) => column).filter(isKey);
    for (const key of keys) {
        const values = new Set(columns[key]);
        const parent = names.findIndex((name, column) => {
            const cells = columns[column]!;
            const filled = cells.filter(cell => cell !== '');
            if (column === key || filled.length < 2 || isKey(column)) return false;
            // Small numbers are in many columns by chance.
            if (types[column] === 'INTEGER' && !readHeader(name).isGroup) return false;
            const others = cells.filter((cell, row) => cell !== '' && cell !== columns[key]![row]);
            return others.length >= 2 && filled.filter(cell => values.has(cell)).length >= 0.9 * filled.length;
        });
        if (parent >= 0) return [{ kind: 'PARENT', column: names[parent]!, key: names[key]! }];
    }
    return [];
}

/** True if the values of a column differ within a group. */
export function changesWithin(
    { names, records }: GroupedRows,
    grouping: RowGrouping | undefined,
    column: number,
): boolean {
    if (!grouping) return false;
    const key = names.indexOf(grouping.column);
    if (key === column) return false;
    let group = '';
    let first: string | undefined;
    let varied = 0;
    for (const row of records) {
        const value = row[key] ?? '';
        const isNew = grouping.kind === 'CONTINUING' ? value !== '' : value !== group;
        if (isNew) {
            group = value;
            first = row[column];
        } else if ((row[column] ?? '') !== '' && first !== '' && row[column] !== first) varied++;
    }
    return varied > 0;
}

function share(cells: readonly string[], fits: (cell: string, row: number) => boolean): number {
    return cells.filter(fits).length / Math.max(1, cells.length);
}
