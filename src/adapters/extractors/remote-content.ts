import type { ExtractContext } from '../../core/adapter/extractor';
import { flowError } from '../../core/errors/flow-error';
import { decoded } from '../../io/formats/decode';
import { firstBytes } from '../../io/formats/first-bytes';
import { jsonReader } from '../../io/formats/json';
import { rejectsCsvReader } from '../../io/formats/rejects-csv-reader';
import type { RecordReader } from '../../io/formats/source';
import { xlsxReader } from '../../io/formats/xlsx/xlsx';
import { xmlEncoding, xmlReader } from '../../io/formats/xml';
import type { RemoteFile, RemoteFiles } from '../../io/remote/remote-files';
import { temporaryCopy, unpackedBytes } from '../../io/remote/temporary-copy';
import { type Grouping, groupingOf } from './group-by';
import { checkGroups, groupedRows, rowContext } from './group-rows';
import { pagesOf, warnTo } from './managed-file';
import type { RemoteConfig, RemoteFormat } from './remote-config';

const FORMAT_OF: ReadonlyMap<string, RemoteFormat> = new Map([
    ['csv', 'CSV'],
    ['tsv', 'CSV'],
    ['txt', 'CSV'],
    ['json', 'JSON'],
    ['ndjson', 'JSON'],
    ['jsonl', 'JSON'],
    ['xml', 'XML'],
    ['xlsx', 'XLSX'],
]);
/** In a preview, smaller files are fetched whole, which takes fewer connections. */
const SMALL_BYTES = 1024 * 1024;
const PACKED = /\.(gz|zip)$/i;

/** A file that is open for reading. */
interface RemoteContent {
    readonly reader: RecordReader;
    release(): Promise<void>;
}

/** The location of a file and how it is read. */
interface ContentSource {
    readonly files: RemoteFiles;
    readonly file: RemoteFile;
    readonly config: RemoteConfig;
}

interface Opened {
    open(): AsyncIterable<Uint8Array>;
    readonly path?: string;
}

/** Fetches a file and opens the reader of its format. Throws FILE_UNREADABLE and the errors of fetching. */
export async function openContent({ files, file, config }: ContentSource, cx: ExtractContext): Promise<RemoteContent> {
    const { signal, outbound, clock } = cx;
    const { maxFileBytes: maxBytes } = outbound.rules;
    const isPacked = PACKED.test(file.path);
    const isWorkbook = config.format === 'XLSX' || (config.format === undefined && endingOf(file.path) === 'xlsx');
    // A few records need only the beginning of a file, if the format can be read in part.
    if (cx.mode === 'preview' && file.size > SMALL_BYTES && !/\.zip$/i.test(file.path) && !isWorkbook) {
        const name = file.path.replace(PACKED, '');
        const open = (): AsyncIterable<Uint8Array> =>
            unpackedBytes(files.open(file, 0), { file, host: files.host, maxBytes });
        return { reader: await readerOf(name, { open }, { config, file, cx }), release: () => Promise.resolve() };
    }
    const sleep = clock.sleep.bind(clock);
    const isUnpacked = (path: string): boolean => /\.zip$/i.test(path) || (!isPacked && !isWorkbook);
    const copy = await temporaryCopy(files, file, { signal, maxBytes, sleep, isUnpacked });
    try {
        const name = copy.innerName ?? file.path.replace(PACKED, '');
        return { reader: await readerOf(name, copy, { config, file, cx }), release: () => copy.release() };
    } catch (thrown) {
        await copy.release();
        throw thrown;
    }
}

interface Asked extends Pick<ContentSource, 'config' | 'file'> {
    readonly cx: ExtractContext;
}

async function readerOf(name: string, openCircuit: Opened, { config, file, cx }: Asked): Promise<RecordReader> {
    const ending = endingOf(name);
    const format = config.format ?? FORMAT_OF.get(ending);
    const text = (encoding?: Parameters<typeof decoded>[1]) => () => decoded(openCircuit.open(), encoding);
    switch (format) {
        case 'CSV': {
            const {
                delimiter = ending === 'tsv' ? '\t' : undefined,
                header: hasHeader,
                encoding,
                trim,
                formulaSafe: isFormulaSafe,
            } = config.csv;
            const { headerRow, skipAfterHeader, skipAtEnd } = config.csv;
            const cells = { hasHeader, headerRow, skipAfterHeader, skipAtEnd, trim, isFormulaSafe };
            const layout = { delimiter: delimiter ?? ',', isAssumed: delimiter === undefined, ...cells };
            const grouping = groupingOf(config.groupBy, 'ABSENT', '');
            // Rows that will be grouped keep their empty cells until then.
            const emptyValues = grouping ? 'TEXT' : 'ABSENT';
            const reader = rejectsCsvReader(text(encoding), { ...layout, emptyValues, warn: warnTo(cx) });
            return grouping ? groupedReader(reader, grouping, cx) : reader;
        }
        case 'JSON': {
            const { path: itemsPath } = config.json;
            return jsonReader(text(), { doubt: warnTo(cx), ...(itemsPath !== undefined && { itemsPath }) });
        }
        case 'XML': {
            const { recordPath } = config.xml;
            const options = { attributePrefix: '@', emptyValues: 'ABSENT', doubt: warnTo(cx) } as const;
            const encoding = xmlEncoding(await firstBytes(openCircuit.open()));
            return xmlReader(text(encoding), { ...options, ...(recordPath !== undefined && { recordPath }) });
        }
        case 'XLSX': {
            const { sheet, ...rows } = config.xlsx;
            const grouping = groupingOf(config.groupBy, 'ABSENT', null);
            const options = {
                ...rows,
                hasHeader: true,
                signal: cx.signal,
                warn: warnTo(cx),
                emptyValues: grouping ? 'NULL' : 'ABSENT',
            } as const;
            const local = { path: openCircuit.path!, release: () => Promise.resolve() };
            const reader = xlsxReader(local, { ...options, ...(sheet !== undefined && { sheet }) });
            return grouping ? groupedReader(reader, grouping, cx) : reader;
        }
        case undefined: {
            const known = [...FORMAT_OF.keys()].map(one => `.${one}`).join(', ');
            const problem = `the ending of its name says no format; allowed: ${known}, or the field format`;
            throw flowError('FILE_UNREADABLE', { filename: file.path, problem });
        }
    }
}

function endingOf(path: string): string {
    return /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}

/** Reads the rows of a table as groups. `rows` of a page is where a resumed run begins: of groups whose rows are apart, their number. */
function groupedReader(reader: RecordReader, grouping: Grouping, cx: ExtractContext): RecordReader {
    const groupsFrom = (skip: number | undefined): ReturnType<typeof groupedRows> => {
        const own = { ...cx, resumeFrom: skip === undefined || skip === 0 ? undefined : skip };
        return groupedRows(pagesOf(reader, rowContext(grouping, own)), grouping, own);
    };
    return {
        check: async () => {
            const checked = await reader.check();
            await checkGroups(pagesOf(reader, rowContext(grouping, { ...cx, resumeFrom: undefined })), grouping, cx);
            return checked;
        },
        async *read({ skip }) {
            for await (const { records, faults = [], checkpoint, placeOf } of groupsFrom(skip))
                yield { records, faults, rows: checkpoint as number, placeOf: index => placeOf?.(index) };
        },
    };
}
