import type { JsonObject } from '../../core/value/json';
import { cellCounts } from '../../io/formats/csv-width';
import type { FlowRecordError } from '../entities/record-error';

/** Why a record was rejected. */
export type Reason = Pick<FlowRecordError, 'message' | 'path'>;

/**
 * The names of the cells that a row had which was rejected for its width, in their order; undefined for any other row. Of a group the reason tells
 * of one row; of the others it is seen by cells that have no column.
 */
export function raggedCells(
    rows: readonly JsonObject[],
    { message, path }: Reason,
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
