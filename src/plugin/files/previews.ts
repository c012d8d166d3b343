import { Injectable } from '@nestjs/common';
import type { JsonObject } from '../../core/data/json';
import { flowError } from '../../core/errors/flow-error';
import { decoded, type Encoding, ENCODINGS } from '../../io/formats/decode';
import { sniffMarks } from '../../io/formats/delimiter';
import { withEmptyValues } from '../../io/formats/empty-values';
import { firstBytes } from '../../io/formats/first-bytes';
import { jsonReader } from '../../io/formats/json';
import { returnedCsvReader } from '../../io/formats/returned-csv';
import type { OpenText, RecordReader } from '../../io/formats/source';
import { xmlEncoding, xmlReader } from '../../io/formats/xml';
import { sheetNames, xlsxReader } from '../../io/formats/xlsx/xlsx';
import type { FlowManagedFile } from '../entities/managed-file';
import { type DetectedField, fieldTypes } from './field-types';
import { Files } from './files';
import { notLost } from './intact';

/** The beginning of a file as an extractor with its defaults would read it. */
export interface FilePreview {
    readonly fields: readonly DetectedField[];
    readonly records: readonly JsonObject[];
    /** All rows of the file, those included that are no records. */
    readonly totalRows: number;
    /** There are more rows than are shown. */
    readonly truncated: boolean;
    /** Of CSV and TXT, as its rows tell. */
    readonly delimiter?: string;
    /** Of CSV and TXT whose quoted cells stand behind blanks. */
    readonly trim?: boolean;
    readonly encoding?: string;
    /** Of XLSX; the first one is shown. */
    readonly sheetNames?: readonly string[];
}

/** How much of a file is shown, and in which encoding where it does not tell that itself. */
export interface PreviewWish {
    readonly rows: number;
    readonly encoding?: Encoding | undefined;
}

/** A reader, and what there is to say about how it reads. */
interface Opened {
    readonly reader: RecordReader;
    readonly said: Pick<FilePreview, 'delimiter' | 'trim' | 'encoding' | 'sheetNames'>;
    /** What the reader makes of empty cells, where they are to go. */
    readonly empty?: '' | null;
}

const SAMPLE_CHARS = 64 * 1024;
const PAGE_SIZE = 20;
/** An answer holds no more than about so much JSON, however large the records are. */
const MAX_CHARS = 4 * 1024 * 1024;
/** A preview works in the server that answers people: so many at the same time, each no longer than that, of workbooks that unpack to no more. */
const MAX_PREVIEWS = 4;
const MAX_MS = 60_000;
const MAX_INFLATED = 256 * 1024 * 1024;
/** After so long it is worth while to ask again. */
const RETRY_MS = 1_000;

/** Shows what is in a file. */
@Injectable()
export class FilePreviews {
    private underWay = 0;

    constructor(private readonly files: Files) {}

    /**
     * Some records from the beginning of a file, which is read to its end. Throws FILE_PREVIEW_BUSY, FILE_PREVIEW_TIMEOUT, FILE_UNREADABLE,
     * SOURCE_MALFORMED and FILE_CORRUPT.
     */
    async preview(file: FlowManagedFile, wish: PreviewWish, signal: AbortSignal): Promise<FilePreview> {
        if (this.underWay >= MAX_PREVIEWS)
            throw flowError('FILE_PREVIEW_BUSY', { count: this.underWay }, { waitMs: RETRY_MS });
        this.underWay++;
        const over = new AbortController();
        const timer = setTimeout(
            () => over.abort(flowError('FILE_PREVIEW_TIMEOUT', { filename: file.filename, seconds: MAX_MS / 1_000 })),
            MAX_MS,
        );
        try {
            return await this.within(file, wish, AbortSignal.any([signal, over.signal]));
        } finally {
            clearTimeout(timer);
            this.underWay--;
        }
    }

    private async within(
        file: FlowManagedFile,
        { rows, encoding }: PreviewWish,
        signal: AbortSignal,
    ): Promise<FilePreview> {
        if (file.format !== 'xlsx') return this.shown(file, rows, await this.openText(file, signal, encoding));
        const local = await this.files.source(file).local(signal);
        try {
            const reader = xlsxReader(local, { signal, maxInflated: MAX_INFLATED });
            return await notLost(file, async () =>
                this.shown(file, rows, {
                    reader,
                    said: { sheetNames: await sheetNames(local.path, signal, MAX_INFLATED) },
                    empty: null,
                }),
            );
        } finally {
            await local.release();
        }
    }

    private async shown(file: FlowManagedFile, rows: number, { reader, said, empty }: Opened): Promise<FilePreview> {
        const { rows: totalRows, columns = [] } = await reader.check();
        if (file.rows !== totalRows) await this.files.setCount(file, totalRows);
        const { records, readTo } = await firstRecords(reader, rows);
        const areTexts = file.format !== 'json' && file.format !== 'xlsx';
        return {
            fields: fieldTypes(records, { areTexts, columns }),
            // Its columns are known from the empty cells as well.
            records: empty === undefined ? records : records.map(record => withEmptyValues(record, 'ABSENT', empty)),
            totalRows,
            truncated: readTo < totalRows,
            ...said,
        };
    }

    private async openText(file: FlowManagedFile, signal: AbortSignal, wanted?: Encoding): Promise<Opened> {
        const bytes = (): AsyncIterable<Uint8Array> => this.files.source(file).open(signal);
        const encoding = wanted ?? (file.format === 'xml' ? xmlEncoding(await firstBytes(bytes())) : encodingOf(file));
        const open: OpenText = () => decoded(bytes(), encoding);
        const known = encoding ?? file.encoding ?? undefined;
        const said = { ...(known !== undefined && { encoding: known }) };
        switch (file.format) {
            case 'csv':
            case 'txt': {
                const { delimiter, trim } = sniffMarks(await beginningOf(open()));
                return {
                    reader: returnedCsvReader(open, { delimiter, trim, hasHeader: true }),
                    said: { ...said, delimiter, ...(trim && { trim }) },
                    empty: '',
                };
            }
            case 'json':
                return { reader: jsonReader(open), said };
            case 'xml':
                return { reader: xmlReader(open, { emptyValues: 'ABSENT' }), said };
            default:
                throw flowError('FILE_UNREADABLE', {
                    filename: file.filename,
                    problem: `its format is ${file.format.toUpperCase()}, which Flow stores but does not read; save it as .xlsx`,
                });
        }
    }
}

/** `readTo`: all rows up to there have been looked at; 0 where it ends within a page. */
async function firstRecords(
    reader: RecordReader,
    rows: number,
): Promise<{ readonly records: readonly JsonObject[]; readonly readTo: number }> {
    const records: JsonObject[] = [];
    let chars = 0;
    let readTo = 0;
    for await (const page of reader.read({ pageSize: Math.min(rows, PAGE_SIZE) })) {
        for (const record of page.records) {
            chars += JSON.stringify(record).length;
            if (records.length === rows || (chars > MAX_CHARS && records.length > 0)) return { records, readTo: 0 };
            records.push(record);
        }
        readTo = page.rows;
        if (records.length === rows) break;
    }
    return { records, readTo };
}

/** As it was found when the file was uploaded; the decoder asks the bytes again where that says nothing. */
function encodingOf({ encoding }: FlowManagedFile): Encoding | undefined {
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
