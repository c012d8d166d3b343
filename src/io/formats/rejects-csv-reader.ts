import type { JsonValue } from '../../core/value/json';
import { type CsvLayout, csvReader, readCsv } from './csv';
import { headerOf } from './csv-header';
import { cellCounts } from './csv-width';
import { LOCATION_COLUMN, REASON_COLUMN, unescapedFormula } from './formula-escape';
import { delimiterNamedIn } from './sep-line';
import type { OpenText, RecordReader } from './source';

/**
 * Reads a user's CSV. Its first line may name the delimiter (`sep=;`), which is used if the step names none. It may
 * also be a download of rejected records that was corrected and uploaded again: if the header has the column "Flow:
 * reason", that column and "Flow: place" are left out, and cells and column names lose the apostrophe that kept
 * spreadsheets from reading them as formulas. The same apostrophes are removed from any file that is declared to be
 * written that way.
 */
export function rejectsCsvReader(
    open: OpenText,
    { isFormulaSafe = false, ...requested }: CsvLayout & { readonly isFormulaSafe?: boolean },
): RecordReader {
    let reader: RecordReader | undefined;
    const found = async (): Promise<RecordReader> => {
        if (reader) return reader;
        const named = requested.isAssumed ? await delimiterNamedIn(open()) : undefined;
        const layout = named === undefined ? requested : { ...requested, delimiter: named, isAssumed: false };
        const added = layout.hasHeader ? await addedTo(open, layout) : undefined;
        const rowsAre = added
            ? () => rowsOfSource(added)
            : isFormulaSafe
              ? () => (cells: Cells) => cells.map(unescapedFormula)
              : undefined;
        reader = csvReader(open, rowsAre ? { ...layout, rowsAre } : layout);
        return reader;
    };
    return {
        check: async () => (await found()).check(),
        async *read(from) {
            yield* (await found()).read(from);
        },
    };
}

/** The columns that the header of a table names, without what a download of rejected records has added. */
export function columnsOf(header: readonly JsonValue[]): readonly string[] {
    const cells = header.map(cell => String(cell ?? ''));
    const added = addedIn(cells);
    return headerOf(added ? rowsOfSource(added)(cells) : cells, 'the header', {});
}

/** Which columns a download of rejected records has added. */
interface Added {
    readonly reason: number;
    readonly columns: ReadonlySet<number>;
}

async function addedTo(open: OpenText, { delimiter, trim = false }: CsvLayout): Promise<Added | undefined> {
    for await (const { records } of readCsv(open(), { delimiter, trim, hasHeader: false, pageSize: 1 }))
        return addedIn(Object.values(records[0] ?? {}));
    return undefined;
}

/** If there are two of them, the header has two columns of one name, as in any file. */
function addedIn(header: readonly JsonValue[]): Added | undefined {
    const names = header.map(name => String(name).trim());
    if (names.filter(name => name === REASON_COLUMN).length !== 1) return undefined;
    const columns = names.flatMap((name, i) => (name === REASON_COLUMN || name === LOCATION_COLUMN ? [i] : []));
    return { reason: names.indexOf(REASON_COLUMN), columns: new Set(columns) };
}

type Cells = readonly string[];

/**
 * The rows as the source has them. A spreadsheet fills all rows to the width of the longest; the cells that it has
 * added are removed.
 */
function rowsOfSource({ reason, columns }: Added): (cells: Cells) => Cells {
    let width: number | undefined;
    let isFilledUp = false;
    return all => {
        const cells = all.filter((_, i) => !columns.has(i));
        if (width === undefined) {
            width = filledWidth(cells);
            isFilledUp = width < cells.length;
            return cells.slice(0, width).map(name => unescapedFormula(name.trim()));
        }
        const row = isFilledUp ? cells.slice(0, Math.max(width, filledWidth(cells))) : cells;
        const had = cellCounts(all[reason] ?? '')?.cells ?? width;
        // The cells that the row lacked were not added.
        const isStillShort = row.length === width && filledWidth(row) <= had;
        return (isStillShort ? row.slice(0, had) : row).map(unescapedFormula);
    };
}

/** The number of cells up to the last one that is not empty. */
function filledWidth(cells: Cells): number {
    return cells.findLastIndex(cell => cell.trim() !== '') + 1;
}
