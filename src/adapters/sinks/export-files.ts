import type { StoredPart } from '../../core/adapter/exports';
import type { JsonObject } from '../../core/value/json';
import {
    type Column,
    fieldColumn,
    type FileBytes,
    pathColumn,
    type RecordBatches,
    textFile,
    type TextFormat,
} from '../../io/formats/writing/batches';
import { csvText } from '../../io/formats/writing/csv';
import { jsonFile, jsonLines } from '../../io/formats/writing/json';
import { plainFrame, xmlText } from '../../io/formats/writing/xml';
import { type WorkbookWriter, xlsxFile } from '../../io/formats/writing/xlsx';
import type { ExportArgs } from './export-config';
import type { ExportFormat } from './export-name';
import { asCells } from './feeds/feed';
import { merchantFrame } from './feeds/google-merchant';
import { optionalClient } from '../clients/optional-client';

/** The format of managed files, and the media type of each export format. */
export const STORED_AS: Readonly<Record<ExportFormat, { readonly format: string; readonly mimeType: string }>> = {
    CSV: { format: 'csv', mimeType: 'text/csv' },
    TSV: { format: 'csv', mimeType: 'text/tab-separated-values' },
    JSON: { format: 'json', mimeType: 'application/json' },
    NDJSON: { format: 'json', mimeType: 'application/x-ndjson' },
    XML: { format: 'xml', mimeType: 'application/xml' },
    XLSX: { format: 'xlsx', mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
};

/** What the writer of a format needs beyond the records. */
interface FileSettings {
    readonly args: ExportArgs;
    readonly pipelineCode: string;
    readonly Writer: WorkbookWriter | undefined;
}

/** Writes the parts of one export, and joins them into a file. */
export class ExportWriting {
    /** The format in which parts already are text of the file; undefined if the text depends on the last record. */
    private readonly direct: TextFormat | undefined;

    constructor(private readonly settings: FileSettings) {
        const { args } = settings;
        const isOpen = isTable(args) && args.columns === undefined;
        this.direct = isOpen ? undefined : this.textOf(args.columns ?? []);
    }

    /** Whether the columns of the file are those of its records. */
    get needsColumns(): boolean {
        return this.direct === undefined;
    }

    /** Records as their part has them. */
    partOf(records: readonly JsonObject[]): Uint8Array {
        const { direct } = this;
        return Buffer.from(direct ? direct.of(this.cells(records)) : JSON.stringify(records));
    }

    /** Joins parts into the file, in constant memory. */
    fileOf(parts: readonly StoredPart[], signal: AbortSignal): FileBytes {
        const { direct } = this;
        if (direct) return joined(parts, direct, signal);
        const { args, Writer } = this.settings;
        const records = recordsOf(parts, signal);
        if (args.format === 'JSON') return jsonFile(records);
        const names = args.columns ?? [...new Set(parts.flatMap(part => part.columns))];
        if (args.format === 'XLSX') return xlsxFile(records, { columns: columnsOf(names, args), Writer: Writer! });
        return textFile(this.allCells(records), this.textOf(names)!);
    }

    /** The format with these columns, if it is a text format. */
    private textOf(names: readonly string[]): TextFormat | undefined {
        const { args, pipelineCode } = this.settings;
        const { format, feed } = args;
        if (format === 'NDJSON') return jsonLines;
        if (format === 'XML') {
            const { xmlRoot: root = 'records', xmlRecord: record = 'record', feedTitle: title = pipelineCode } = args;
            const head = { title, link: args.feedLink ?? '', description: title };
            return xmlText(feed ? merchantFrame(head) : plainFrame({ root, record }));
        }
        if (format !== 'CSV' && format !== 'TSV') return undefined;
        const { delimiter = ',', formulaSafe = true, byteOrderMark } = args;
        return csvText({
            columns: columnsOf(names, args),
            delimiter: format === 'TSV' ? '\t' : delimiter,
            lineEnd: format === 'TSV' ? '\n' : '\r\n',
            isFormulaSafe: formulaSafe && feed === undefined,
            hasByteOrderMark: byteOrderMark,
        });
    }

    /** In tables of feeds all attributes are texts. */
    private cells(records: readonly JsonObject[]): readonly JsonObject[] {
        const { args } = this.settings;
        return args.feed && isTable(args) ? records.map(asCells) : records;
    }

    private async *allCells(records: RecordBatches): AsyncGenerator<readonly JsonObject[]> {
        for await (const batch of records) yield this.cells(batch);
    }
}

function isTable({ format }: ExportArgs): boolean {
    return format === 'CSV' || format === 'TSV' || format === 'XLSX';
}

/** Columns of a feed are attributes, and not paths. */
function columnsOf(names: readonly string[], { columns, feed }: ExportArgs): readonly Column[] {
    return names.map(columns && feed === undefined ? pathColumn : fieldColumn);
}

/** The records of parts, one part in memory at a time. */
async function* recordsOf(
    parts: readonly StoredPart[],
    signal: AbortSignal,
): RecordBatches & AsyncGenerator<readonly JsonObject[]> {
    for (const part of parts) {
        const pieces: Uint8Array[] = [];
        for await (const piece of part.open(signal)) pieces.push(piece);
        yield JSON.parse(Buffer.concat(pieces).toString('utf8')) as JsonObject[];
    }
}

async function* joined(parts: readonly StoredPart[], { before, after }: TextFormat, signal: AbortSignal): FileBytes {
    if (before !== '') yield Buffer.from(before);
    yield* readAhead(parts, signal);
    if (after !== '') yield Buffer.from(after);
}

/** The bytes of parts, one part after another: while one is written, the beginning of the next is read. */
async function* readAhead(parts: readonly StoredPart[], signal: AbortSignal): FileBytes {
    const open: Array<{
        readonly pieces: AsyncIterator<Uint8Array>;
        readonly first: Promise<IteratorResult<Uint8Array>>;
    }> = [];
    const begin = (part: StoredPart | undefined): void => {
        if (!part) return;
        const pieces = part.open(signal)[Symbol.asyncIterator]();
        const first = pieces.next();
        // Thrown when its turn comes, which it may never do.
        first.catch(() => undefined);
        open.push({ pieces, first });
    };
    begin(parts[0]);
    try {
        for (let i = 1; open.length > 0; i++) {
            const { pieces, first } = open[0]!;
            let piece = await first;
            begin(parts[i]);
            for (; !piece.done; piece = await pieces.next()) yield piece.value;
            open.shift();
        }
    } finally {
        for (const { pieces } of open) await pieces.return?.();
    }
}

/** The part of exceljs that writes as it goes. Throws CLIENT_MISSING. */
export async function workbookWriter(sink: string): Promise<WorkbookWriter> {
    const { default: exceljs, stream } = (await optionalClient(
        { code: sink, name: 'exceljs' },
        () => import('exceljs'),
    )) as unknown as {
        readonly default?: { readonly stream: { readonly xlsx: { readonly WorkbookWriter: WorkbookWriter } } };
        readonly stream?: { readonly xlsx: { readonly WorkbookWriter: WorkbookWriter } };
    };
    return (stream ?? exceljs!.stream).xlsx.WorkbookWriter;
}
