import type { JsonObject, JsonValue } from '../../core/data/json';
import { flowError } from '../../core/errors/flow-error';
import { type CsvLayout, csvReader, readCsv } from './csv';
import { PLACE, REASON, restored } from './neutral-cell';
import type { OpenText, RecordPage, RecordReader } from './source';

/**
 * CSV that may be a download of rejected records, corrected and uploaded again. Where the header has the column "Flow: reason", that column and
 * "Flow: place" are left out, and cells and column names lose the apostrophe with which the download kept spreadsheets from taking them for formulas.
 */
export function returnedCsvReader(open: OpenText, layout: CsvLayout): RecordReader {
    const reader = csvReader(open, layout);
    return {
        check: () => reader.check(),
        async *read(from) {
            const restores = layout.hasHeader && (await namesReason(open, layout));
            for await (const page of reader.read(from)) yield restores ? restoredPage(page) : page;
        },
    };
}

async function namesReason(open: OpenText, { delimiter, trim = false }: CsvLayout): Promise<boolean> {
    for await (const { records } of readCsv(open(), { delimiter, trim, hasHeader: false, pageSize: 1 })) {
        return Object.values(records[0] ?? {}).some(name => typeof name === 'string' && name.trim() === REASON);
    }
    return false;
}

function restoredPage({ records, faults, ...page }: RecordPage): RecordPage {
    return {
        ...page,
        records: records.map(restoredRecord),
        faults: faults.map(fault => ({ ...fault, data: restoredRecord(fault.data) })),
    };
}

function restoredRecord(record: JsonObject): JsonObject {
    const cells = new Map<string, JsonValue>();
    for (const [column, cell] of Object.entries(record)) {
        if (column === REASON || column === PLACE) continue;
        const name = restored(column);
        if (cells.has(name))
            throw flowError('SOURCE_MALFORMED', {
                where: 'the header',
                problem: `it names two columns "${name}", one of them with an apostrophe in front`,
            });
        cells.set(name, typeof cell === 'string' ? restored(cell) : cell);
    }
    return Object.fromEntries(cells);
}
