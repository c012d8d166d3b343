import { flowError } from '../../core/errors/flow-error';
import { show } from '../../core/value/show';
import { type Encoding, sniffEncoding } from './decode';
import { OLE, OLE_STREAMS, SIGNATURES, ZIP, ZIP_ENTRIES } from './signatures';

/** What a file is read as. CSV stands for TSV too, and JSON for NDJSON. */
export type FileFormat = 'csv' | 'json' | 'xml' | 'txt' | 'xls' | 'xlsx';

/** A file as it is handed in. */
interface DeclaredFile {
    /** The first bytes; 64 KB are plenty. */
    readonly head: Uint8Array;
    readonly filename: string;
    /** As the sender says. */
    readonly mimeType?: string;
}

/** What a file is. Only text has an encoding. */
interface DetectedFile {
    readonly format: FileFormat;
    readonly encoding?: Encoding;
}

interface Kind {
    readonly looksLike: string;
    /** Undefined for what Flow does not read. */
    readonly format?: FileFormat;
}

const ALLOWED = 'CSV, TSV, JSON, NDJSON, XML, TXT, XLS and XLSX files with content of that kind';

const FORMAT_OF_ENDING: ReadonlyMap<string, FileFormat> = new Map([
    ['csv', 'csv'],
    ['tsv', 'csv'],
    ['json', 'json'],
    ['ndjson', 'json'],
    ['jsonl', 'json'],
    ['xml', 'xml'],
    ['txt', 'txt'],
    ['xls', 'xls'],
    ['xlsx', 'xlsx'],
]);

const XLSX_MIME = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Windows calls CSV files "application/vnd.ms-excel" where Excel is installed. */
const FORMATS_OF_MIME: ReadonlyMap<string, readonly FileFormat[]> = new Map<string, readonly FileFormat[]>([
    ['text/csv', ['csv']],
    ['application/csv', ['csv']],
    ['text/x-csv', ['csv']],
    ['text/comma-separated-values', ['csv']],
    ['text/tab-separated-values', ['csv']],
    ['application/json', ['json']],
    ['text/json', ['json']],
    ['application/x-ndjson', ['json']],
    ['application/ndjson', ['json']],
    ['application/jsonl', ['json']],
    ['application/xml', ['xml']],
    ['text/xml', ['xml']],
    ['text/plain', ['txt', 'csv', 'json', 'xml']],
    ['application/vnd.ms-excel', ['xls', 'csv']],
    [XLSX_MIME, ['xlsx']],
]);

/** Types that senders declare if they do not know the type. */
const UNTYPED: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream']);

const TEXT_OPENINGS: ReadonlyArray<Kind & { readonly pattern: RegExp }> = [
    {
        looksLike: 'HTML',
        pattern: /^(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[^])*-->\s*)*<(?:!doctype\s+html|html)[\s>]/i,
    },
    { looksLike: 'XML', format: 'xml', pattern: /^<(?:\?xml\s|!doctype\s|!--)/i },
    { looksLike: 'JSON', format: 'json', pattern: /^(?:\{\s*"|\[\s*[{[]\s*["{\]])/ },
];

/** The beginning that a text of a format must have. Other errors are found when the text is read. */
const OPENING_OF: Partial<Record<FileFormat, RegExp>> = { json: /^(?:[[{"]|-?\d|(?:true|false|null)\b)/, xml: /^</ };

/**
 * The format on which a file's name, its declared type and its first bytes agree. If the name has no ending, the type
 * decides. Otherwise throws FILE_TYPE_MISMATCH, which reports what the bytes look like.
 */
export function detectFormat({ head, filename, mimeType = '' }: DeclaredFile): DetectedFile {
    const mismatch = (problem: string): Error =>
        flowError('FILE_TYPE_MISMATCH', { filename, problem, allowed: ALLOWED });
    const ending = /\.([^./\\]+)$/.exec(filename)?.[1]?.toLowerCase();
    const mime = mimeType.split(';')[0]!.trim().toLowerCase();
    const kind = binaryKind(head);
    const format = ending === undefined ? formatOfType(mime, kind) : FORMAT_OF_ENDING.get(ending);
    if (!format)
        throw mismatch(
            ending === undefined
                ? `its name has no ending, and its mimeType is ${UNTYPED.has(mime) ? 'not declared' : show(mime)}`
                : `its name ends in ${show(`.${ending}`)}`,
        );
    const says = `its ${ending === undefined ? 'mimeType' : 'name'} says ${format.toUpperCase()}`;
    if (!UNTYPED.has(mime) && !FORMATS_OF_MIME.get(mime)?.includes(format)) {
        throw mismatch(`it is declared as ${show(mime)}, and ${says}`);
    }
    if (kind) {
        if (kind.format !== format) throw mismatch(`${says}, but its bytes look like ${kind.looksLike}`);
        return { format };
    }
    if (!isText(format)) {
        throw mismatch(`${says}, but its bytes are not a workbook`);
    }
    const encoding = sniffEncoding(head);
    const text = textOf(head, encoding);
    const found = isBinary(text) ? 'binary data' : textMismatch(text, format);
    if (found !== undefined) throw mismatch(`${says}, but its content looks like ${found}`);
    // Its bytes do not show which of the many other encodings it has.
    return isWritten(head, encoding) ? { format, encoding } : { format };
}

/** The format of a declared type; if there are several, the one that fits the bytes. */
function formatOfType(mime: string, kind: Kind | undefined): FileFormat | undefined {
    const formats = FORMATS_OF_MIME.get(mime) ?? [];
    return formats.find(format => format === kind?.format) ?? formats.find(isText) ?? formats[0];
}

function isText(format: FileFormat): boolean {
    return format !== 'xls' && format !== 'xlsx';
}

function binaryKind(head: Uint8Array): Kind | undefined {
    const bytes = Buffer.from(head.buffer, head.byteOffset, head.length).toString('latin1');
    if (bytes.startsWith(ZIP)) return zipKind(bytes);
    if (bytes.startsWith(OLE)) {
        const other = OLE_STREAMS.find(({ stream }) =>
            bytes.includes(Buffer.from(stream, 'utf16le').toString('latin1')),
        );
        return other ?? { looksLike: 'an old Excel workbook (XLS; save it as XLSX)', format: 'xls' };
    }
    return SIGNATURES.find(signature => bytes.startsWith(signature.bytes, signature.at));
}

/** Whether it is a whole workbook, only its reader sees. */
function zipKind(bytes: string): Kind {
    const names = zipNames(bytes);
    const found = ZIP_ENTRIES.find(({ entry }) => names.some(name => name.startsWith(entry)));
    if (!found) return { looksLike: 'a ZIP archive that holds no workbook' };
    return { looksLike: found.looksLike, ...(found.isWorkbook ? { format: 'xlsx' } : {}) };
}

/**
 * The names of the files whose own headers are within the first bytes. The name of a stored file is followed by its
 * content.
 */
function zipNames(bytes: string): readonly string[] {
    const names: string[] = [];
    for (let at = 0; at >= 0; at = bytes.indexOf(ZIP, at + 4)) names.push(bytes.slice(at + 30, at + 30 + 128));
    return names;
}

/** The beginning of the text, cut anywhere; invalid bytes are reported when the text is read. */
function textOf(head: Uint8Array, encoding: Encoding): string {
    const decoder = new TextDecoder(encoding);
    return decoder.decode(head.subarray(0, 4096)).trimStart();
}

/**
 * Characters that text does not contain. An old end mark and a page break are allowed, since some programs write
 * them.
 */
const CONTROLS = /[\x01-\x08\x0e-\x19\x1b-\x1f]/g;

function isBinary(text: string): boolean {
    return (text.match(CONTROLS)?.length ?? 0) > text.length / 50;
}

/** Whether the first bytes are of this encoding; a character may be cut at their end. */
function isWritten(head: Uint8Array, encoding: Encoding): boolean {
    try {
        new TextDecoder(encoding, { fatal: true }).decode(head, { stream: true });
        return true;
    } catch {
        // The decoder reports it only by an error.
        return false;
    }
}

/** What the text looks like if it is in another format. Plain text may be in any format. */
function textMismatch(text: string, format: FileFormat): string | undefined {
    if (text === '' || format === 'txt') return undefined;
    const kind = TEXT_OPENINGS.find(({ pattern }) => pattern.test(text));
    if (kind) return kind.format === format ? undefined : kind.looksLike;
    return OPENING_OF[format]?.test(text) === false ? `plain text: ${show(text.slice(0, 40))}` : undefined;
}
