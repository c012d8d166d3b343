import type { ByteSource } from '../../core/adapter/files';
import { flowError } from '../../core/errors/flow-error';
import type {
    ImportFacts,
    ImportFormat,
    ImportSample,
    ImportSheet,
    ImportWarning,
} from '../../core/import/import-profile';
import { chunksOf } from '../formats/chunks';
import { type CsvRow, CsvRows } from '../formats/csv-rows';
import { decoded, ENCODINGS } from '../formats/decode';
import { detectMarks } from '../formats/delimiter';
import { detectEncoding, type DetectedEncoding, EncodingDetector } from '../formats/detect-encoding';
import { firstBytes } from '../formats/first-bytes';
import { jsonReader } from '../formats/json';
import { readerYield } from '../formats/reader-yield';
import { rejectedRows } from '../formats/rejects-csv-reader';
import { OLE, SIGNATURES, ZIP } from '../formats/signatures';
import type { OpenText, RecordReader } from '../formats/source';
import { xmlEncoding, xmlReader, xmlRecordPaths } from '../formats/xml';
import { CellIssue } from '../formats/xlsx/cell';
import type { SheetRow } from '../formats/xlsx/sheet-rows';
import { listSheets, sheetRows } from '../formats/xlsx/xlsx';
import { jsonRecordPaths } from './json-lists';
import { RecordCells } from './record-cells';
import { RowSampler } from './row-sampler';

/** A file and what the user has set about how it is read. */
interface SampledFile {
    readonly filename: string;
    readonly content: ByteSource;
    /** Facts that are not detected. */
    readonly facts?: Partial<ImportFacts>;
}

const HEAD_BYTES = 64 * 1024;
/** Text from which the delimiter is detected. */
const SAMPLE_CHARS = 256 * 1024;
/** Sheets whose rows are counted. */
const MAX_COUNTED_SHEETS = 50;
/** Bytes of a workbook after unpacking. */
const MAX_INFLATED = 1024 * 1024 * 1024;

/**
 * Reads a whole file in constant memory and keeps a sample of its rows. It is read as the extractors read it. Throws FILE_UNREADABLE,
 * SOURCE_MALFORMED and what the content throws.
 *
 * Warnings: `CELLS_WITHOUT_VALUE` (`count`, cells of a workbook such as formulas without a stored value) and `ELEMENTS_NOT_RECORDS` (`count`).
 */
export async function readSample(file: SampledFile, signal: AbortSignal): Promise<ImportSample> {
    const head = await firstBytes(file.content.open(signal), HEAD_BYTES);
    const format = file.facts?.format ?? detectImportFormat(head, file.filename);
    if (format === 'XLSX') return sampleWorkbook(file, signal);
    const detected = await encodingOf(file, format, signal);
    const text: OpenText = () => decoded(file.content.open(signal), detected.encoding);
    const encoded = { detected, text, signal };
    if (format === 'CSV') return sampleCsv(file, encoded);
    return sampleRecords(file, format, encoded);
}

/** The format of a file by its first bytes and its name. */
function detectImportFormat(head: Uint8Array, filename: string): ImportFormat {
    const bytes = Buffer.from(head.buffer, head.byteOffset, head.length).toString('latin1');
    if (bytes.startsWith(ZIP)) return 'XLSX';
    if (bytes.startsWith(OLE))
        throw flowError('FILE_UNREADABLE', {
            filename,
            problem: 'its format is XLS, which Flow stores but does not read; save it as .xlsx',
        });
    const binary = SIGNATURES.find(signature => bytes.startsWith(signature.bytes, signature.at));
    if (binary) throw flowError('FILE_UNREADABLE', { filename, problem: `its bytes look like ${binary.looksLike}` });
    const text = beginningText(head).trimStart();
    const ending = /\.([^./\\]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '';
    if (/^<[?!\p{L}_]/u.test(text)) return 'XML';
    if (/^\{\s*["}]|^\[\s*[[{\]]/.test(text)) return isLines(text) ? 'NDJSON' : 'JSON';
    if (ending === 'ndjson' || ending === 'jsonl') return 'NDJSON';
    return ending === 'json' ? 'JSON' : ending === 'xml' ? 'XML' : ending === 'xlsx' ? 'XLSX' : 'CSV';
}

function beginningText(head: Uint8Array): string {
    const { encoding } = detectEncoding(head);
    const decoder = new TextDecoder(encoding.startsWith('utf-16') ? encoding : 'utf-8');
    return decoder.decode(head);
}

/** The first line is an object, and another one follows. */
function isLines(text: string): boolean {
    const [line = '', ...others] = text.split('\n');
    if (!line.startsWith('{') || !others.some(other => other.startsWith('{'))) return false;
    try {
        JSON.parse(line);
        return true;
    } catch {
        // An object over several lines.
        return false;
    }
}

async function encodingOf(
    { content, facts }: SampledFile,
    format: ImportFormat,
    signal: AbortSignal,
): Promise<DetectedEncoding> {
    const detector = new EncodingDetector();
    const turns = readerYield(signal);
    for await (const piece of content.open(signal)) {
        detector.push(piece);
        if (turns.isDue) await turns.turn();
    }
    const detected = detector.end();
    const requested = ENCODINGS.find(encoding => encoding === facts?.encoding);
    const declared = format === 'XML' ? xmlEncoding(await firstBytes(content.open(signal))) : undefined;
    const encoding = requested ?? (declared === 'utf-8' ? undefined : declared);
    if (encoding === undefined) return detected;
    const others = [detected.encoding, ...detected.alternatives].filter(other => other !== encoding);
    return { encoding, alternatives: requested === undefined || detected.alternatives.length === 0 ? [] : others };
}

interface EncodedText {
    readonly detected: DetectedEncoding;
    readonly text: OpenText;
    readonly signal: AbortSignal;
}

async function sampleCsv({ facts = {} }: SampledFile, { detected, text, signal }: EncodedText): Promise<ImportSample> {
    const found = detectMarks(await beginningOf(text()));
    const delimiter = facts.delimiter ?? found.delimiter;
    const trim = facts.trim ?? (delimiter === found.delimiter && found.trim);
    const sampler = new RowSampler();
    const rows = new CsvRows({ delimiter, trim });
    const turns = readerYield(signal);
    let ofSource: ReturnType<typeof rejectedRows>;
    let isFirst = true;
    const take = (some: readonly CsvRow[]): void => {
        for (const { cells, number } of some) {
            if (isBlankRow(cells)) continue;
            if (isFirst) ofSource = rejectedRows(cells);
            isFirst = false;
            sampler.add(ofSource ? ofSource(cells) : cells, number);
        }
    };
    for await (const piece of chunksOf(text(), turns)) for (const some of rows.push(piece)) take(some);
    for (const some of rows.end()) take(some);
    return {
        facts: {
            ...facts,
            format: 'CSV',
            encoding: detected.encoding,
            delimiter,
            quote: '"',
            ...(trim && { trim }),
        },
        alternatives: {
            encodings: detected.alternatives,
            delimiters: [found.delimiter, ...found.alternatives].filter(other => other !== delimiter),
        },
        ...sampler.end(),
    };
}

/** Rows of blanks are empty for an extractor that trims cells, as that of an import does. */
function isBlankRow(cells: readonly string[]): boolean {
    return cells.length > 1 && cells.every(cell => cell.trim() === '');
}

async function sampleRecords(
    { facts = {} }: SampledFile,
    format: Exclude<ImportFormat, 'CSV' | 'XLSX'>,
    { detected, text, signal }: EncodedText,
): Promise<ImportSample> {
    const paths =
        format === 'XML' ? await xmlRecordPaths(text) : format === 'JSON' ? await jsonRecordPaths(text()) : [];
    const recordPath = facts.recordPath ?? paths[0]?.path;
    const cells = new RecordCells();
    const sampler = new RowSampler();
    let rejected = 0;
    const turns = readerYield(signal);
    for await (const { records, faults } of readerOf(format, text, recordPath).read({})) {
        rejected += faults.length;
        for (const record of records) sampler.add(cells.cellsOf(record));
        if (turns.isDue) await turns.turn();
    }
    const { fields, lists } = cells;
    const warnings: ImportWarning[] = rejected > 0 ? [{ code: 'ELEMENTS_NOT_RECORDS', args: { count: rejected } }] : [];
    const isDeclared = format === 'XML' && detected.encoding === 'utf-8';
    return {
        facts: {
            ...facts,
            format,
            ...(!isDeclared && { encoding: detected.encoding }),
            ...(recordPath !== undefined && { recordPath }),
        },
        alternatives: {
            encodings: detected.alternatives,
            recordPaths: paths.map(({ path }) => path).filter(path => path !== recordPath),
        },
        fields,
        lists,
        ...sampler.end(fields.length),
        warnings,
    };
}

function readerOf(format: 'JSON' | 'NDJSON' | 'XML', text: OpenText, path: string | undefined): RecordReader {
    if (format === 'XML')
        return xmlReader(text, {
            attributePrefix: '@',
            emptyValues: 'ABSENT',
            ...(path !== undefined && { recordPath: path }),
        });
    return jsonReader(text, path === undefined ? {} : { itemsPath: path });
}

interface ReadLimits {
    readonly signal: AbortSignal;
    readonly maxInflated: number;
}

/** Rows with several cells that make a sheet a table, and among how many of the first ones. */
const TABLE_ROWS = 2;
const LOOKED_ROWS = 50;

async function sampleWorkbook({ content, facts = {} }: SampledFile, signal: AbortSignal): Promise<ImportSample> {
    const local = await content.local(signal);
    try {
        const limits = { signal, maxInflated: MAX_INFLATED };
        const listed = await listSheets(local.path, limits);
        const sheet = facts.sheet ?? (await likelySheet(local.path, listed, limits));
        const sampler = new RowSampler();
        let withoutValue = 0;
        const options = { ...limits, ...(sheet !== undefined && { sheet }) };
        for await (const row of sheetRows(local.path, options)) {
            if (row.cells.every(({ value }) => value === '' || value === null)) continue;
            withoutValue += row.cells.filter(({ value }) => value instanceof CellIssue).length;
            sampler.add(cellsOf(row), row.number);
        }
        const sample = sampler.end();
        const sheets: ImportSheet[] = [];
        for (const [i, { name, isHidden }] of listed.entries()) {
            const isCounted = name !== sheet && i < MAX_COUNTED_SHEETS;
            const rows = name === sheet ? sample.total : isCounted ? await countRows(local.path, name, limits) : 0;
            sheets.push({ name, rows, isHidden });
        }
        return {
            facts: { ...facts, format: 'XLSX', ...(sheet !== undefined && { sheet }) },
            sheets,
            ...sample,
            warnings: withoutValue > 0 ? [{ code: 'CELLS_WITHOUT_VALUE', args: { count: withoutValue } }] : [],
        };
    } finally {
        await local.release();
    }
}

/** The first sheet that is read by default, unless it is a note and a later one has a table. */
async function likelySheet(
    path: string,
    listed: Awaited<ReturnType<typeof listSheets>>,
    limits: ReadLimits,
): Promise<string | undefined> {
    const usual = listed.find(({ isDefault }) => isDefault)?.name;
    const visible = listed.filter(({ isHidden }) => !isHidden).slice(0, MAX_COUNTED_SHEETS);
    if (visible.length < 2) return usual;
    for (const { name } of visible) if (await hasTable(path, { ...limits, sheet: name })) return name;
    return usual;
}

/** Whether the first rows of a sheet have several cells. */
async function hasTable(path: string, options: ReadLimits & { readonly sheet: string }): Promise<boolean> {
    let looked = 0;
    let wide = 0;
    for await (const { cells } of sheetRows(path, options)) {
        if (cells.filter(({ value }) => value !== '' && value !== null).length > 1) wide++;
        if (wide === TABLE_ROWS) return true;
        if (++looked === LOOKED_ROWS) return false;
    }
    return false;
}

async function countRows(path: string, sheet: string, limits: ReadLimits): Promise<number> {
    let count = 0;
    for await (const { cells } of sheetRows(path, { ...limits, sheet })) {
        if (cells.some(({ value }) => value !== '' && value !== null)) count++;
    }
    return count;
}

/** The cells of a row by their columns. */
function cellsOf({ cells }: SheetRow): readonly string[] {
    const texts: string[] = [];
    for (const { column, value } of cells) {
        while (texts.length < column) texts.push('');
        texts.push(value === null ? '' : value instanceof CellIssue ? value.text : String(value));
    }
    return texts;
}

async function beginningOf(text: AsyncIterable<string>): Promise<string> {
    let beginning = '';
    for await (const piece of text) {
        beginning += piece;
        if (beginning.length >= SAMPLE_CHARS) break;
    }
    return beginning.slice(0, SAMPLE_CHARS);
}
