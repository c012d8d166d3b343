import { statSync } from 'node:fs';
import path from 'node:path';
import { childUnder, leastHeap } from './child';
import { csvRows } from './csv';
import type { FileInput } from './file-run';
import { linesOf, listOf } from './json';
import type { Row } from './report';
import { withFolder, writeRows } from './text-files';
import { writeWorkbook } from './workbook-file';
import { products } from './xml';

const SMALL = 10_000;
/** What the large file may need in addition to the small one, in heap and in total memory. */
const HEADROOM_MB = 64;

interface FileKind extends Pick<FileInput, 'format' | 'config'> {
    readonly name: string;
    /** The rows of the large file: about 200 MB of text, or of strings that cells refer to. */
    readonly records: number;
    /** Returns the number of bytes of text in it. */
    write(file: string, records: number): Promise<number> | number;
}

const KINDS: readonly FileKind[] = [
    {
        name: 'csv',
        format: 'csv',
        records: 1_000_000,
        config: { adapterCode: 'csv' },
        write: (file, records) => written(file, csvRows(records)),
    },
    {
        name: 'json list',
        format: 'json',
        records: 800_000,
        config: { adapterCode: 'json' },
        write: (file, records) => written(file, listOf(records)),
    },
    {
        name: 'ndjson',
        format: 'json',
        records: 800_000,
        config: { adapterCode: 'json' },
        write: (file, records) => written(file, linesOf(records)),
    },
    {
        name: 'xml',
        format: 'xml',
        records: 600_000,
        config: { adapterCode: 'xml', recordPath: 'catalog.products.product' },
        write: (file, records) => written(file, products(records)),
    },
    {
        name: 'xlsx, 50 shared strings',
        format: 'xlsx',
        records: 100_000,
        config: { adapterCode: 'xlsx' },
        write: (file, records) => writeWorkbook(file, records, false),
    },
    {
        name: 'xlsx, all strings different',
        format: 'xlsx',
        records: 100_000,
        config: { adapterCode: 'xlsx' },
        write: (file, records) => writeWorkbook(file, records, true),
    },
];

async function written(file: string, rows: Iterable<string>): Promise<number> {
    await writeRows(file, rows);
    return statSync(file).size;
}

interface Made {
    readonly input: FileInput;
    readonly bytes: number;
}

interface Measured {
    readonly seconds: number;
    readonly peakRssMb: number;
}

/**
 * Executes whole runs over managed files: a small file with the smallest heap that suffices, and a large one with that
 * heap and 64 MB more.
 */
export async function benchFiles(records?: number): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for (const kind of KINDS)
        rows.push(...(await withFolder(folder => smallAndLarge(kind, { folder, records: records ?? kind.records }))));
    return rows;
}

async function smallAndLarge(
    kind: FileKind,
    { folder, records }: { readonly folder: string; readonly records: number },
): Promise<readonly Row[]> {
    const { name, format, config } = kind;
    const made = async (size: string, count: number): Promise<Made> => {
        const file = path.join(folder, size);
        const bytes = await kind.write(file, count);
        return { input: { path: file, records: count, format, config }, bytes };
    };
    const small = await made('small', SMALL);
    const { heapMb, result } = leastHeap<Measured>({
        script: 'file-child.ts',
        argument: JSON.stringify(small.input),
        tempDir: folder,
    });
    const large = await made('large', records);
    const limit = heapMb + HEADROOM_MB;
    const passed = childUnder<Measured>({
        script: 'file-child.ts',
        argument: JSON.stringify(large.input),
        tempDir: folder,
        heapMb: limit,
    });
    const outcome = !passed
        ? 'FAILED, out of heap'
        : passed.peakRssMb > result.peakRssMb + HEADROOM_MB
          ? 'FAILED, too much memory'
          : 'passed';
    return [
        rowOf(`${name}, small, heap of ${heapMb} MB`, small, result),
        rowOf(`${name}, heap of ${limit} MB: ${outcome}`, large, passed),
    ];
}

function rowOf(bench: string, { input: { records }, bytes }: Made, measured: Measured | undefined): Row {
    const megabytes = bytes / 1e6;
    const speed = measured ? `, ${(megabytes / measured.seconds).toFixed(1)} MB/s` : '';
    return {
        bench: `${bench} (${megabytes.toFixed(0)} MB${speed})`,
        database: '–',
        records,
        recordsPerSecond: measured ? records / measured.seconds : 0,
        statementsPerRecord: null,
        peakRssMb: measured?.peakRssMb ?? 0,
        ratioToRaw: null,
        ratioToVendure: null,
    };
}
