import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { flowError } from '../../core/errors/flow-error';
import { cellCounts } from '../../io/formats/csv-width';
import { DELIMITERS } from '../../io/formats/delimiters';
import { escapedFormula, LOCATION_COLUMN, REASON_COLUMN } from '../../io/formats/formula-escape';
import type { FlowRecordError } from '../entities/record-error';

/** Records with more different fields have no common layout. */
const MAX_COLUMNS = 10_000;

/** The layout of a source's tables, as far as its step defines it. */
export interface Layout {
    readonly delimiter: string;
    readonly hasHeader: boolean;
    /** Whether each record consists of several rows. */
    readonly isGrouped: boolean;
    /** The columns that are known without the records, which have no field for an empty cell. */
    readonly columns: readonly string[];
}

/** The parts of a rejected record that the file shows. */
export type RejectedRecord = Pick<
    FlowRecordError,
    'sourceKey' | 'seq' | 'source' | 'payload' | 'place' | 'message' | 'path'
>;

/**
 * Writes rejected records as lines of CSV in this layout, the reason first. A row that was rejected for its width has exactly the cells
 * that it had, so that it is rejected again unless a user corrects it. A record that was rejected several times is written once, with the
 * first reason. Reads the records twice, because the columns are only known after all have been read.
 */
export async function* rejectsLines(
    rejected: () => AsyncIterable<RejectedRecord>,
    { delimiter, hasHeader, isGrouped, columns: known }: Layout,
): AsyncGenerator<string, void, void> {
    const [columns, ofRagged] = [new Set<string>(known), new Set<string>()];
    let hasPlaces = false;
    for await (const record of rejected()) {
        const rows = rowsOf(record, isGrouped);
        const ragged = raggedCells(rows, record, known);
        for (const row of rows) for (const name of Object.keys(row)) (ragged(row) ? ofRagged : columns).add(name);
        hasPlaces ||= record.place !== null;
        if (Math.max(columns.size, ofRagged.size) > MAX_COLUMNS)
            throw flowError('INPUT_INVALID', {
                problem: `The rejected records have more than ${MAX_COLUMNS} different fields, which is too many for a table`,
            });
    }
    for (const added of [REASON_COLUMN, LOCATION_COLUMN]) columns.delete(added);
    // In a table with further columns, a row that is too long could have as many cells as the header.
    const keepsRagged = columns.size === known.length;
    const names = keepsRagged ? [...columns] : [...new Set([...columns, ...ofRagged])];
    // Only sources that are files have locations.
    const added = (reason: string, place: string): readonly string[] => (hasPlaces ? [reason, place] : [reason]);
    // Spreadsheets detect UTF-8 by it.
    yield '\ufeff';
    if (hasHeader) yield lineOf([...added(REASON_COLUMN, LOCATION_COLUMN), ...names.map(cellOf)], delimiter);
    const told = new ToldOnce();
    for await (const record of rejected()) {
        if (!told.isFirst(record)) continue;
        const rows = rowsOf(record, isGrouped);
        const ragged = raggedCells(rows, record, known);
        const reason = added(cellOf(record.message), cellOf(record.place ?? ''));
        for (const [i, row] of rows.entries()) {
            const cells = (keepsRagged && ragged(row)) || names;
            const own = cells.map(name => (Object.hasOwn(row, name) ? cellOf(row[name]) : ''));
            yield lineOf([...(i === 0 ? reason : added('', '')), ...own], delimiter);
        }
    }
}

/**
 * Tracks which records the file already contains. If several steps have rejected a record, or several records were made from it, the source
 * contains it only once, and a second row in the file would load it twice. Needs some 80 bytes for each record.
 */
class ToldOnce {
    private readonly seen = new Set<string>();

    /** Returns true for the first record with this origin. */
    isFirst({
        sourceKey,
        seq,
        source,
        payload,
    }: Pick<FlowRecordError, 'sourceKey' | 'seq' | 'source' | 'payload'>): boolean {
        const content = createHash('sha1').update(JSON.stringify(source ?? payload));
        const key = `${sourceKey} ${seq} ${content.digest('base64').slice(0, 12)}`;
        const isFirst = !this.seen.has(key);
        this.seen.add(key);
        return isFirst;
    }
}

/** The rows of a record as in the source; grouped rows are separate. */
function rowsOf({ source, payload }: RejectedRecord, isGrouped: boolean): readonly JsonObject[] {
    const record = source ?? payload;
    const rows = isGrouped ? record['rows'] : undefined;
    const isGroup = Array.isArray(rows) && rows.length > 0 && (rows as readonly JsonValue[]).every(isJsonObject);
    return isGroup ? (rows as readonly JsonObject[]) : [record];
}

/**
 * The names of the cells of a row that was rejected for its width, in their order; undefined for any other row. For a group, the reason
 * names one row; the other rows are recognized by cells without a column.
 */
function raggedCells(
    rows: readonly JsonObject[],
    { message, path }: RejectedRecord,
    columns: readonly string[],
): (row: JsonObject) => readonly string[] | undefined {
    const width = cellCounts(message);
    if (width?.columns !== columns.length) return () => undefined;
    const broken = rows[Number(/^rows\.(\d+)\./.exec(path ?? '')?.[1] ?? 0)];
    const known = new Set(columns);
    return row => {
        const own = columns.filter(name => Object.hasOwn(row, name));
        const more = Object.keys(row).filter(name => !known.has(name));
        // A long row has a cell in every column, a short one has those of the first columns.
        if (more.length > 0) return own.length === columns.length ? [...own, ...more] : undefined;
        const isShort = row === broken && own.length === width.cells && own.every((name, i) => name === columns[i]);
        return isShort ? own : undefined;
    };
}

/** A value as a cell that no spreadsheet interprets as a formula. Lists and objects become JSON. */
export function cellOf(value: JsonValue | undefined): string {
    if (value === undefined || value === null) return '';
    return escapedFormula(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** A line of CSV with its end. Also quotes cells that a spreadsheet with another list separator would split. */
export function lineOf(cells: readonly string[], delimiter: string): string {
    return `${cells.map(cell => quoted(cell, delimiter)).join(delimiter)}\r\n`;
}

const NEEDS_QUOTES = new RegExp(`["\\r\\n${DELIMITERS.join('')}]|^\\s|\\s$`);

function quoted(cell: string, delimiter: string): string {
    return NEEDS_QUOTES.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
