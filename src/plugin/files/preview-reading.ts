import type { ByteSource } from '../../core/adapter/files';
import type { LogText } from '../../core/log/log-text';
import type { JsonObject } from '../../core/value/json';
import { sizeOfValue } from '../../core/data/weight';
import { flowError } from '../../core/errors/flow-error';
import { decoded, type Encoding, ENCODINGS } from '../../io/formats/decode';
import { sniffMarks } from '../../io/formats/delimiter';
import { withEmptyValues } from '../../io/formats/empty-values';
import { firstBytes } from '../../io/formats/first-bytes';
import { jsonReader } from '../../io/formats/json';
import { rejectsCsvReader } from '../../io/formats/rejects-csv-reader';
import type { OpenText, RecordReader } from '../../io/formats/source';
import { xmlEncoding, xmlReader } from '../../io/formats/xml';
import { sheetNames, xlsxReader } from '../../io/formats/xlsx/xlsx';
import { type DetectedField, fieldTypes } from './field-types';

/** What is needed to read a file. */
export interface PreviewedFile {
    readonly filename: string;
    readonly format: string;
    /** The encoding that was detected when the file was uploaded; null if none was. */
    readonly encoding: string | null;
}

/** How many rows of a file are shown, its encoding if the file does not declare one, and the row of a table with the column names. */
export interface PreviewRequest {
    readonly rows: number;
    readonly encoding?: Encoding | undefined;
    readonly headerRow?: number | undefined;
}

/** Details about how a file is read. */
export interface ReadingMarks {
    readonly delimiter?: string;
    readonly trim?: boolean;
    readonly encoding?: string;
    readonly sheetNames?: readonly string[];
    /** What is read differently than expected, and why rows are not shown. */
    readonly warnings?: readonly string[];
}

/** The beginning of a file and properties of the whole file. All of it is JSON, so that another process can return it. */
export interface PreviewRead {
    /** The records as an extractor with its defaults would read them. */
    readonly records: readonly JsonObject[];
    /** Includes fields for which no record has a value. */
    readonly fields: readonly DetectedField[];
    /** The number of rows in the file, including rows that are not records. */
    readonly totalRows: number;
    /** Whether there are more rows than are shown. */
    readonly truncated: boolean;
    readonly said: ReadingMarks;
}

/** A reader, and details about how it reads. */
interface Opened {
    readonly reader: RecordReader;
    readonly said: ReadingMarks;
    /** What the reader returns for empty cells, if these are to be removed. */
    readonly empty?: '' | null;
    /** The warnings of the reader so far. */
    readonly warnings: readonly string[];
}

const SAMPLE_CHARS = 64 * 1024;
const PAGE_SIZE = 20;
const MAX_WARNINGS = 10;
/** The approximate maximum size of the records in a response. At least one record is returned, however large it is. */
const MAX_CHARS = 2 * 1024 * 1024;
/** Workbooks that are larger when unpacked are not shown. */
const MAX_INFLATED = 256 * 1024 * 1024;

/** Reads a file completely and keeps its beginning. Throws FILE_UNREADABLE, SOURCE_MALFORMED and the errors of the source. */
export async function readPreview(
    file: PreviewedFile,
    { source, signal }: { readonly source: ByteSource; readonly signal: AbortSignal },
    { rows, ...requested }: PreviewRequest,
): Promise<PreviewRead> {
    if (file.format !== 'xlsx') return shown(file, rows, await openText(file, { source, signal }, requested));
    const local = await source.local(signal);
    try {
        const warnings: string[] = [];
        const { headerRow } = requested;
        const reader = xlsxReader(local, { signal, maxInflated: MAX_INFLATED, warn: toList(warnings), headerRow });
        const said = { sheetNames: await sheetNames(local.path, signal, MAX_INFLATED) };
        return await shown(file, rows, { reader, said, empty: null, warnings });
    } finally {
        await local.release();
    }
}

async function shown(
    { format }: PreviewedFile,
    rows: number,
    { reader, said: marks, empty, warnings: found }: Opened,
): Promise<PreviewRead> {
    const { rows: totalRows, columns = [] } = await reader.check();
    const { records, readTo, faults: issues } = await firstRecords(reader, rows);
    const truncated = readTo < totalRows;
    const warnings = [...found.slice(0, MAX_WARNINGS), ...(issues.first === undefined ? [] : [leftOut(issues)])];
    const said = { ...marks, ...(warnings.length > 0 && { warnings }) };
    return {
        records: empty === undefined ? records : records.map(record => withEmptyValues(record, 'ABSENT', empty)),
        // The columns are also known from empty cells.
        fields: fieldTypes(records, { areTexts: format !== 'json' && format !== 'xlsx', columns }),
        totalRows,
        truncated,
        said,
    };
}

function toList(warnings: string[]): (problem: LogText) => void {
    return ({ message }) => void (warnings.length < MAX_WARNINGS && warnings.push(message));
}

/** Rows that are not records. */
interface LeftOut {
    readonly count: number;
    readonly first: string | undefined;
}

function leftOut({ count, first }: LeftOut): string {
    return count === 1
        ? `One row is not a record, and is not shown: ${first}.`
        : `${count} rows are not records, and are not shown. The first one: ${first}.`;
}

async function openText(
    file: PreviewedFile,
    { source, signal }: { readonly source: ByteSource; readonly signal: AbortSignal },
    { encoding: desired, headerRow }: Omit<PreviewRequest, 'rows'>,
): Promise<Opened> {
    const bytes = (): AsyncIterable<Uint8Array> => source.open(signal);
    const encoding = desired ?? (file.format === 'xml' ? xmlEncoding(await firstBytes(bytes())) : encodingOf(file));
    const open: OpenText = () => decoded(bytes(), encoding);
    const known = encoding ?? file.encoding ?? undefined;
    const said = { ...(known !== undefined && { encoding: known }) };
    switch (file.format) {
        case 'csv':
        case 'txt': {
            const { delimiter, trim } = sniffMarks(await beginningOf(open()));
            const warnings: string[] = [];
            return {
                reader: rejectsCsvReader(open, { delimiter, trim, hasHeader: true, headerRow, warn: toList(warnings) }),
                said: { ...said, delimiter, ...(trim && { trim }) },
                empty: '',
                warnings,
            };
        }
        case 'json':
            return { reader: jsonReader(open), said, warnings: [] };
        case 'xml':
            return { reader: xmlReader(open, { emptyValues: 'ABSENT' }), said, warnings: [] };
        default:
            throw flowError('FILE_UNREADABLE', {
                filename: file.filename,
                problem: `its format is ${file.format.toUpperCase()}, which Flow stores but does not read; save it as .xlsx`,
            });
    }
}

/** Sets `readTo` to the number of rows that have been read; 0 if it ends within a page. */
async function firstRecords(
    reader: RecordReader,
    rows: number,
): Promise<{ readonly records: readonly JsonObject[]; readonly readTo: number; readonly faults: LeftOut }> {
    const records: JsonObject[] = [];
    let issues: LeftOut = { count: 0, first: undefined };
    let chars = 0;
    let readTo = 0;
    for await (const page of reader.read({ pageSize: Math.min(rows, PAGE_SIZE) })) {
        const count = issues.count + page.faults.length;
        issues = { count, first: issues.first ?? page.faults[0]?.problem };
        for (const record of page.records) {
            chars += sizeOfValue(record, MAX_CHARS);
            if (records.length === rows || (chars > MAX_CHARS && records.length > 0))
                return { records, readTo: 0, faults: issues };
            records.push(record);
        }
        readTo = page.rows;
        if (records.length === rows) break;
    }
    return { records, readTo, faults: issues };
}

/** The encoding that was detected when the file was uploaded. If there is none, the decoder detects it from the bytes. */
function encodingOf({ encoding }: PreviewedFile): Encoding | undefined {
    return ENCODINGS.find(known => known === encoding);
}

async function beginningOf(text: AsyncIterable<string>): Promise<string> {
    let beginning = '';
    for await (const piece of text) {
        beginning += piece;
        if (beginning.length >= SAMPLE_CHARS) break;
    }
    return beginning.slice(0, SAMPLE_CHARS);
}
