import { Injectable } from '@nestjs/common';
import type { JsonObject } from '../../core/data/json';
import { flowError } from '../../core/errors/flow-error';
import { csvReader } from '../../io/formats/csv';
import { decoded, type Encoding, ENCODINGS } from '../../io/formats/decode';
import { sniffDelimiter } from '../../io/formats/delimiter';
import { jsonReader } from '../../io/formats/json';
import type { OpenText, RecordReader } from '../../io/formats/source';
import { xmlEncoding, xmlReader } from '../../io/formats/xml';
import { sheetNames, xlsxReader } from '../../io/formats/xlsx/xlsx';
import type { FlowManagedFile } from '../entities/managed-file';
import { type DetectedField, fieldTypes } from './field-types';
import { Files } from './files';

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
    readonly encoding?: string;
    /** Of XLSX; the first one is shown. */
    readonly sheetNames?: readonly string[];
}

/** A reader, and what there is to say about how it reads. */
interface Opened {
    readonly reader: RecordReader;
    readonly said: Pick<FilePreview, 'delimiter' | 'encoding' | 'sheetNames'>;
}

const SAMPLE_CHARS = 64 * 1024;
const PAGE_SIZE = 20;
/** An answer holds no more than about so much JSON, however large the records are. */
const MAX_CHARS = 8 * 1024 * 1024;

/** Shows what is in a file. */
@Injectable()
export class FilePreviews {
    constructor(private readonly files: Files) {}

    /** Some records from the beginning of a file, which is read to its end. Throws FILE_UNREADABLE, SOURCE_MALFORMED and FILE_CORRUPT. */
    async preview(file: FlowManagedFile, rows: number, signal: AbortSignal): Promise<FilePreview> {
        if (file.format !== 'xlsx') return this.shown(file, rows, await this.openText(file, signal));
        const local = await this.files.source(file).local(signal);
        try {
            return await this.shown(file, rows, { reader: xlsxReader(local), said: { sheetNames: await sheetNames(local.path) } });
        } finally {
            await local.release();
        }
    }

    private async shown(file: FlowManagedFile, rows: number, { reader, said }: Opened): Promise<FilePreview> {
        const { rows: totalRows } = await reader.check();
        if (file.rows !== totalRows) await this.files.setCount(file, totalRows);
        const { records, readTo } = await firstRecords(reader, rows);
        const areTexts = file.format !== 'json' && file.format !== 'xlsx';
        return { fields: fieldTypes(records, { areTexts }), records, totalRows, truncated: readTo < totalRows, ...said };
    }

    private async openText(file: FlowManagedFile, signal: AbortSignal): Promise<Opened> {
        const bytes = (): AsyncIterable<Uint8Array> => this.files.source(file).open(signal);
        const encoding = file.format === 'xml' ? await declaredEncoding(bytes()) : encodingOf(file);
        const open: OpenText = () => decoded(bytes(), encoding);
        const said = { ...(file.encoding !== null && { encoding: encoding ?? file.encoding }) };
        switch (file.format) {
            case 'csv':
            case 'txt': {
                const delimiter = sniffDelimiter(await beginningOf(open()));
                return { reader: csvReader(open, { delimiter, hasHeader: true }), said: { ...said, delimiter } };
            }
            case 'json': return { reader: jsonReader(open), said };
            case 'xml': return { reader: xmlReader(open), said };
            default:
                throw flowError('FILE_UNREADABLE', { filename: file.filename, problem: `its format is ${file.format.toUpperCase()}, which Flow stores but does not read; save it as .xlsx` });
        }
    }
}

/** `readTo`: all rows up to there have been looked at; 0 where it ends within a page. */
async function firstRecords(reader: RecordReader, rows: number): Promise<{ readonly records: readonly JsonObject[]; readonly readTo: number }> {
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

/** The encoding that an XML document declares, unless a byte order mark overrides it. */
async function declaredEncoding(bytes: AsyncIterable<Uint8Array>): Promise<Encoding | undefined> {
    for await (const chunk of bytes) return xmlEncoding(chunk);
    return undefined;
}

async function beginningOf(text: AsyncIterable<string>): Promise<string> {
    let beginning = '';
    for await (const piece of text) {
        beginning += piece;
        if (beginning.length >= SAMPLE_CHARS) break;
    }
    return beginning;
}
