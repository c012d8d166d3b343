import { isJsonObject, type JsonObject, type JsonValue } from '../../core/data/json';
import { flowError } from '../../core/errors/flow-error';
import { PLACE, REASON } from '../../io/formats/neutral-cell';
import type { FlowRecordError } from '../entities/record-error';
import { cellOf, lineOf } from './cell';

/** Records of so many different fields have no common layout. */
const MAX_COLUMNS = 10_000;

/** How a source writes its tables, as far as its step says. */
export interface Layout {
    readonly delimiter: string;
    readonly hasHeader: boolean;
    /** Each record holds rows of it. */
    readonly isGrouped: boolean;
    /** As far as they are known without the records, which have no field for an empty cell. */
    readonly columns: readonly string[];
}

/** A rejected record as far as the file shows it. */
export type RejectedRecord = Pick<FlowRecordError, 'source' | 'payload' | 'message' | 'place'>;

/** Rejected records as lines of CSV in this layout. Twice through the records: the columns are known only when all have been seen. */
export async function* rejectsLines(
    rejected: () => AsyncIterable<RejectedRecord>,
    { delimiter, hasHeader, isGrouped, columns: known }: Layout,
): AsyncGenerator<string, void, void> {
    const columns = new Set<string>(known);
    let hasPlaces = false;
    for await (const record of rejected()) {
        for (const row of rowsOf(record, isGrouped)) for (const name of Object.keys(row)) columns.add(name);
        hasPlaces ||= record.place !== null;
        if (columns.size > MAX_COLUMNS)
            throw flowError('INPUT_INVALID', {
                problem: `The rejected records have more than ${MAX_COLUMNS} different fields, which make no table`,
            });
    }
    for (const added of [REASON, PLACE]) columns.delete(added);
    const names = [...columns];
    const cellsOf = (row: JsonObject): readonly string[] =>
        names.map(name => (Object.hasOwn(row, name) ? cellOf(row[name]) : ''));
    // Sources that are no files have no places.
    const withPlace = (reason: string, place: string): readonly string[] => (hasPlaces ? [reason, place] : [reason]);
    // A spreadsheet tells UTF-8 by it.
    yield '\ufeff';
    if (hasHeader) yield lineOf([...names.map(cellOf), ...withPlace(REASON, PLACE)], delimiter);
    for await (const record of rejected()) {
        const [first, ...others] = rowsOf(record, isGrouped);
        yield lineOf([...cellsOf(first!), ...withPlace(cellOf(record.message), cellOf(record.place ?? ''))], delimiter);
        for (const row of others) yield lineOf([...cellsOf(row), ...withPlace('', '')], delimiter);
    }
}

/** As the source has it: of rows that were grouped, each for itself. */
function rowsOf({ source, payload }: RejectedRecord, isGrouped: boolean): readonly JsonObject[] {
    const record = source ?? payload;
    const rows = isGrouped ? record['rows'] : undefined;
    const isGroup = Array.isArray(rows) && rows.length > 0 && (rows as readonly JsonValue[]).every(isJsonObject);
    return isGroup ? (rows as readonly JsonObject[]) : [record];
}
