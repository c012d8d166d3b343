import type { ExtractContext } from '../../core/adapter/extractor';
import type { OutboundStream } from '../../core/adapter/outbound';
import { rowsInSequence } from '../../core/adapter/page-rows';
import { compilePath, type Path } from '../../core/data/path';
import { type FlowError, flowError, isFlowError } from '../../core/errors/flow-error';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { csvReader } from '../../io/formats/csv';
import { decoded, type Encoding, utf8Text } from '../../io/formats/decode';
import { AroundItems } from '../../io/formats/element-sink';
import { unescapedFormula } from '../../io/formats/formula-escape';
import { jsonReader } from '../../io/formats/json';
import { wholeJson } from '../../io/formats/whole-json';
import { nestedListHint } from '../../io/formats/nested-list-hint';
import type { RowRules } from '../../io/formats/row-selection';
import type { RecordPage, RecordReader } from '../../io/formats/source';
import { xmlEncoding, xmlReader } from '../../io/formats/xml';
import { pageSize, warnTo } from './managed-file';

/** Responses up to this size are held whole. Of longer ones, only some records are held at a time. */
export const WHOLE_BYTES = 1024 * 1024;
const PIECE = 64 * 1024;
/** The maximum number of characters next to the records of a longer response. */
const MAX_AROUND = 1024 * 1024;

/** The formats of a response; AUTO depends on its Content-Type. */
export const FORMATS = ['AUTO', 'JSON', 'NDJSON', 'CSV', 'XML'] as const;
type Format = Exclude<(typeof FORMATS)[number], 'AUTO'>;

/** How the CSV of a response is written. */
export interface CsvSettings extends RowRules {
    readonly header: boolean;
    readonly encoding?: Encoding | undefined;
    readonly trim: boolean;
    readonly formulaSafe: boolean;
}

/** Where a response has its records. */
export interface ResponseReading {
    readonly format: (typeof FORMATS)[number];
    /** Default: the root. In XML, the elements from the root down. */
    readonly dataPath?: string | undefined;
    readonly delimiter?: string | undefined;
    /** How CSV is written. Default: the column names are in the first row. */
    readonly csv?: CsvSettings | undefined;
    /** A single object instead of a list is one record. Only for requests without further pages. */
    readonly mayBeOne: boolean;
    /**
     * Is called with the rest of the response; for a short response, before its records are read. Throws if the
     * response has no records.
     */
    readonly hear?: ((around: JsonValue | undefined, answer: ReceivedPage) => void) | undefined;
    /** The error that a response with an expected error status describes. */
    readonly refusal?: ((answer: ReceivedPage) => FlowError) | undefined;
}

/** A response and its page number. */
export interface ReceivedPage {
    readonly stream: OutboundStream;
    readonly host: string;
    /** Counted from 1. */
    readonly page: number;
    /** The number of its rows to skip, because they were read before. */
    readonly skip: number;
}

/**
 * Records of a response in chunks. Returns the rest of the response in the end; undefined if the format has nothing
 * next to the records.
 */
export type ResponseChunks = AsyncGenerator<RecordPage, JsonValue | undefined, void>;

/** Reads the responses of a source one after another. */
export type ResponseReader = (answered: ReceivedPage) => ResponseChunks;

/** Short responses are read at once, long ones as they arrive; the records are the same. Throws REMOTE_MALFORMED. */
export function responseReader(reading: ResponseReading, cx: ExtractContext): ResponseReader {
    const { dataPath } = reading;
    const settings = { ...reading, records: dataPath === undefined ? undefined : compilePath(dataPath), cx };
    return answered => partsOf(answered, settings);
}

/** The error for an invalid response; `problem` continues the sentence after "it". */
export function malformed({ host, page }: Pick<ReceivedPage, 'host' | 'page'>, problem: string): FlowError {
    return flowError('REMOTE_MALFORMED', { host, problem: `in page ${page}, it ${problem}` });
}

interface Settings extends ResponseReading {
    /** The path of the records, unless it is the root. */
    readonly records: Path | undefined;
    readonly cx: ExtractContext;
}

async function* partsOf(answered: ReceivedPage, settings: Settings): ResponseChunks {
    try {
        const { stream, skip } = answered;
        const { whole } = stream;
        if (stream.status >= 400 && settings.refusal) throw settings.refusal(answered);
        // "No content" means that there are no records, in any format.
        if (whole && isBlank(whole)) return undefined;
        const format = formatOf(answered, settings);
        const text = format === 'JSON' && whole ? utf8Text(whole) : undefined;
        const value = text === undefined ? undefined : wholeJson(text.startsWith(BOM) ? text.slice(1) : text);
        if (value !== undefined) {
            settings.hear?.(value, answered);
            const records = recordsIn(value, answered, settings);
            if (records) {
                if (records.length > 0) yield partOf(records, Math.min(skip, records.length));
                return value;
            }
        }
        return yield* longParts(answered, { ...settings, format, isHeard: value !== undefined });
    } catch (error) {
        throw isFlowError(error) && error.code === 'SOURCE_MALFORMED' ? malformed(answered, saidOf(error)) : error;
    }
}

interface LongReading extends Settings {
    readonly format: Format;
    /** `hear` has already been called. */
    readonly isHeard: boolean;
}

/** Reads with the readers of texts that are not held in memory. */
async function* longParts(answered: ReceivedPage, reading: LongReading): ResponseChunks {
    const { stream, skip } = answered;
    const { format, isHeard, hear, cx } = reading;
    const type = stream.headers['content-type'] ?? '';
    const around = format === 'JSON' ? new AroundItems(MAX_AROUND) : undefined;
    const encoding = format === 'CSV' ? reading.csv?.encoding : undefined;
    const reader = readerOf(() => textOf(stream, format, encoding), { ...reading, type, around });
    // A short response is checked before any record of it is loaded.
    if (stream.whole) await reader.check();
    for await (const part of reader.read({ skip, pageSize: pageSize(cx) }))
        yield format === 'JSON' ? numbered(part) : part;
    const value = around && around.text !== '' ? wholeJson(around.text) : undefined;
    if (around && !isHeard) hear?.(value, answered);
    return value;
}

/** Returns undefined if the readers of longer texts can give a better error. */
function recordsIn(
    value: JsonValue,
    answered: ReceivedPage,
    { dataPath, records, mayBeOne, cx }: Settings,
): readonly JsonObject[] | undefined {
    const found = records ? records.get(value as JsonObject) : value;
    // Servers with lists of pointers return null for an empty one.
    if (found === null) return [];
    if (Array.isArray(found)) {
        const list = found as readonly JsonValue[];
        return list.every(isJsonObject) ? list : undefined;
    }
    if (!isJsonObject(found)) return undefined;
    const hint = nestedListHint(found, { option: 'dataPath', root: dataPath === undefined ? '' : `${dataPath}.` });
    if (mayBeOne) {
        if (hint !== undefined) warnTo(cx)(hint);
        return [found];
    }
    if (dataPath !== undefined) return undefined;
    throw malformed(
        answered,
        `is one object, and no list; say in dataPath where the records are. ${hint?.message ?? ''}`.trim(),
    );
}

/**
 * JSON locates a record by its number, whatever the length of the response. Its line numbers mean nothing to a user.
 */
function numbered(part: RecordPage): RecordPage {
    const before = part.rows - part.records.length - part.faults.length;
    const nameOf = (row: number): string => `record ${before + row + 1}`;
    if (part.faults.length === 0) return { ...part, placeOf: nameOf };
    const rows = rowsInSequence(part);
    const issues = rows.flatMap(({ fault: issue }, row) => (issue ? [{ ...issue, place: nameOf(row) }] : []));
    const places = rows.flatMap(({ fault: issue }, row) => (issue ? [] : [nameOf(row)]));
    return { ...part, faults: issues, placeOf: index => places[index] };
}

function partOf(records: readonly JsonObject[], skip: number): RecordPage {
    return {
        records: skip === 0 ? records : records.slice(skip),
        faults: [],
        rows: records.length,
        placeOf: index => `record ${skip + index + 1}`,
    };
}

function formatOf(answered: ReceivedPage, { format }: ResponseReading): Format {
    if (format !== 'AUTO') return format;
    const { headers, whole } = answered.stream;
    const type = (headers['content-type'] ?? '').toLowerCase();
    if (/\bhtml\b/.test(type)) {
        const isJson = whole && '{['.includes(firstCharacter(whole) || ' ');
        const hint = 'has the Content-Type text/html and looks like JSON; set format to JSON to read it';
        throw malformed(answered, isJson ? hint : 'is a page of HTML, made for people');
    }
    if (/ndjson|jsonl|json-lines|jsonlines/.test(type)) return 'NDJSON';
    if (/\bjson\b/.test(type)) return 'JSON';
    if (/\bcsv\b|tab-separated/.test(type)) return 'CSV';
    if (/\bxml\b/.test(type)) return 'XML';
    return whole && firstCharacter(whole) === '<' ? 'XML' : 'JSON';
}

function readerOf(
    open: () => AsyncIterable<string>,
    {
        format,
        dataPath,
        delimiter,
        csv,
        mayBeOne,
        type,
        around,
        cx,
    }: LongReading & { readonly type: string; readonly around: AroundItems | undefined },
): RecordReader {
    switch (format) {
        case 'JSON':
            return jsonReader(open, {
                option: 'dataPath',
                ...(dataPath !== undefined && { itemsPath: dataPath, mayBeOne, mayBeNull: true }),
                ...(around && { around }),
            });
        case 'NDJSON':
            return jsonReader(open);
        case 'CSV': {
            const { header = true, formulaSafe = false, encoding: _, ...rows } = csv ?? {};
            return csvReader(open, {
                ...rows,
                delimiter: delimiter ?? (type.toLowerCase().includes('tab-separated') ? '\t' : ','),
                isAssumed: delimiter === undefined,
                hasHeader: header,
                emptyValues: 'ABSENT',
                warn: warnTo(cx),
                ...(formulaSafe && { rowsAre: () => (cells: readonly string[]) => cells.map(unescapedFormula) }),
            });
        }
        case 'XML':
            return xmlReader(open, {
                emptyValues: 'ABSENT',
                ...(dataPath !== undefined && { recordPath: dataPath }),
            });
    }
}

async function* textOf(
    { whole, body, headers }: OutboundStream,
    format: Format,
    given?: Encoding,
): AsyncGenerator<string, void, void> {
    const pieces = whole ? piecesOf(whole) : body[Symbol.asyncIterator]();
    const first = await pieces.next();
    const head = first.done ? Buffer.alloc(0) : first.value;
    const said = given ?? charsetOf(headers['content-type'] ?? '');
    const encoding = said ?? (format === 'XML' ? xmlEncoding(head) : undefined);
    yield* decoded(after(head, pieces), encoding);
}

async function* piecesOf(whole: Buffer): AsyncGenerator<Buffer, void, void> {
    for (let from = 0; from < whole.length; from += PIECE) yield whole.subarray(from, from + PIECE);
}

async function* after(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void, void> {
    try {
        yield head;
        for (let piece = await rest.next(); !piece.done; piece = await rest.next()) yield piece.value;
    } finally {
        await rest.return?.();
    }
}

/** Returns those encodings, of all names that servers use, that cannot be detected in another way. */
function charsetOf(type: string): Encoding | undefined {
    const name = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(type)?.[1]?.toLowerCase();
    if (name === undefined) return undefined;
    if (/^(iso-?8859-1|latin-?1|windows-1252|cp-?1252)$/.test(name)) return 'windows-1252';
    if (/^(iso-?8859-2|latin-?2)$/.test(name)) return 'iso-8859-2';
    if (/^(iso-?8859-15|latin-?9)$/.test(name)) return 'iso-8859-15';
    if (/^(windows-1250|cp-?1250)$/.test(name)) return 'windows-1250';
    if (name === 'macintosh' || name === 'ibm850') return name;
    if (name === 'utf-16le' || name === 'utf-16be') return name;
    return undefined;
}

const BOM = '\ufeff';
const BLANKS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20]);

function isBlank(bytes: Buffer): boolean {
    return bytes.every(byte => BLANKS.has(byte));
}

function firstCharacter(bytes: Buffer): string {
    return bytes
        .subarray(0, 1_000)
        .toString('utf8')
        .replace(/^\ufeff/, '')
        .trimStart()
        .charAt(0);
}

/** "is malformed at line 3, column 5: …" */
function saidOf({ facts }: FlowError): string {
    return `is malformed at ${facts!['where']}: ${facts!['problem']}`;
}
