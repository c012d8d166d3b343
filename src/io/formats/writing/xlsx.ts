import type { stream } from 'exceljs';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { flowError } from '../../../core/errors/flow-error';
import type { JsonValue } from '../../../core/value/json';
import { cellText, type Column, type FileBytes, type RecordBatches } from './batches';
import { legalText } from './xml';

/** Of a sheet, its header included. */
const MAX_ROWS = 1_048_576;
/** Of a text in a cell. */
export const MAX_CELL_CHARS = 32_767;

type Workbook = stream.xlsx.WorkbookWriter;
/** The part of exceljs that writes a stream. */
export type WorkbookWriter = new (options: Readonly<Record<string, unknown>>) => Workbook;

/** A workbook of one sheet: a row of names, then a row for each record. Texts are never formulas. Throws EXPORT_TOO_LARGE. */
export async function* xlsxFile(
    batches: RecordBatches,
    { columns, Writer }: { readonly columns: readonly Column[]; readonly Writer: WorkbookWriter },
): FileBytes {
    const bytes = new PassThrough({ highWaterMark: 1024 * 1024 });
    const workbook = new Writer({ stream: bytes, useSharedStrings: false, useStyles: false });
    const sheet = workbook.addWorksheet('Records');
    sheet.addRow(columns.map(({ name }) => cellOf(name))).commit();
    const written = (async (): Promise<void> => {
        let rows = 1;
        for await (const batch of batches) {
            rows += batch.length;
            if (rows > MAX_ROWS)
                throw flowError('EXPORT_TOO_LARGE', {
                    problem: `a sheet of XLSX has ${MAX_ROWS - 1} records at most; export CSV`,
                });
            for (const record of batch) sheet.addRow(columns.map(column => cellOf(column.get(record)))).commit();
            await drained(bytes);
        }
        await workbook.commit();
    })();
    written.catch((error: Error) => bytes.destroy(error));
    yield* bytes as AsyncIterable<Uint8Array>;
    await written;
}

/** The writer does not wait for its reader: rows are compressed in turns of the event loop, and continue from there. */
async function drained(bytes: PassThrough): Promise<void> {
    await new Promise(setImmediate);
    while (bytes.writableNeedDrain && !bytes.destroyed) await once(bytes, 'drain');
}

function cellOf(value: JsonValue | undefined): string | number | boolean | null {
    if (typeof value === 'number' || typeof value === 'boolean') return value;
    return value === undefined || value === null ? null : legalText(cellText(value));
}
