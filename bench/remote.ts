import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../src/core/value/json';
import { childUnder, leastHeap } from './child';
import { csvRows } from './csv';
import type { RemoteInput } from './remote-child';
import type { ServedAt, ServedFiles } from './remote-server';
import type { Row } from './report';
import { withFolder, writeRows } from './text-files';

const SMALL = 10_000;
/** About 200 MB. */
const LARGE = 1_000_000;
/** What the large file may need in addition to the small one, in heap and in total memory. */
const HEADROOM_MB = 64;
const CUTS = 20;
/** Cuts that are nearer to each other would come before any data arrives. */
const BETWEEN_CUTS = 4_000_000;
const KINDS = ['sftp', 'ftp', 's3'] as const;
type Kind = (typeof KINDS)[number];

interface Measured {
    readonly seconds: number;
    readonly peakRssMb: number;
}

/**
 * Executes runs over a CSV file of an SFTP server, an FTP server and a bucket: a small file, and a large one whose
 * connection is cut at 20 random positions.
 */
export async function benchRemote(records = LARGE, only?: string): Promise<readonly Row[]> {
    return withFolder(async folder => {
        await writeRows(path.join(folder, 'small.csv'), csvRows(SMALL));
        await writeRows(path.join(folder, 'large.csv'), csvRows(records));
        const rows: Row[] = [];
        for (const kind of KINDS)
            if (only === undefined || only === kind) rows.push(...(await smallAndLarge(kind, folder, records)));
        return rows;
    });
}

async function smallAndLarge(kind: Kind, folder: string, records: number): Promise<readonly Row[]> {
    const small = await served({ kind, folder, name: 'small.csv', cuts: 0 }, ({ port }) =>
        Promise.resolve(
            leastHeap<Measured>({
                ...SCRIPT,
                argument: argumentOf(kind, { port, name: 'small.csv', records: SMALL }),
                tempDir: folder,
            }),
        ),
    );
    const cuts = Math.min(CUTS, Math.floor(statSync(path.join(folder, 'large.csv')).size / BETWEEN_CUTS));
    const heapMb = small.heapMb + HEADROOM_MB;
    const passed = await served({ kind, folder, name: 'large.csv', cuts }, ({ port }) =>
        Promise.resolve(
            childUnder<Measured>({
                ...SCRIPT,
                argument: argumentOf(kind, { port, name: 'large.csv', records }),
                tempDir: folder,
                heapMb,
            }),
        ),
    );
    const outcome = !passed
        ? 'FAILED, out of heap'
        : passed.peakRssMb > small.result.peakRssMb + HEADROOM_MB
          ? 'FAILED, too much memory'
          : 'passed';
    return [
        rowOf(`${kind}, small, heap of ${small.heapMb} MB`, path.join(folder, 'small.csv'), {
            records: SMALL,
            ...small.result,
        }),
        rowOf(`${kind}, ${cuts} cuts, heap of ${heapMb} MB: ${outcome}`, path.join(folder, 'large.csv'), {
            records,
            ...passed,
        }),
    ];
}

const SCRIPT = { script: 'remote-child.ts' };

/** The value of each secret is its code. */
function argumentOf(
    kind: Kind,
    { port, name, records }: { readonly port: number; readonly name: string; readonly records: number },
): string {
    const server: JsonObject = {
        host: '127.0.0.1',
        port,
        username: 'shop',
        passwordSecretCode: 'secret',
        remotePath: '/',
        filePattern: name,
    };
    const bucket: JsonObject = {
        bucket: 'bench',
        endpoint: `http://127.0.0.1:${port}`,
        forcePathStyle: true,
        accessKeyIdSecretCode: 'test',
        secretAccessKeySecretCode: 'test',
        prefix: name,
    };
    const config =
        kind === 's3' ? { adapterCode: 'objectStorage', ...bucket } : { adapterCode: 'ftp', protocol: kind, ...server };
    const input: RemoteInput = { config, records };
    return JSON.stringify(input);
}

/** Runs the server in a separate process, since this process waits for its child synchronously. */
async function served<T>(files: ServedFiles, work: (at: ServedAt) => Promise<T>): Promise<T> {
    const args = ['-r', '@swc-node/register', path.join(__dirname, 'remote-server.ts'), JSON.stringify(files)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
        const [line] = (await once(child.stdout, 'data')) as [Buffer];
        return await work(JSON.parse(String(line)) as ServedAt);
    } finally {
        child.kill('SIGTERM');
        await once(child, 'exit');
    }
}

function rowOf(
    bench: string,
    file: string,
    { records, seconds, peakRssMb = 0 }: Partial<Measured> & { readonly records: number },
): Row {
    const megabytes = statSync(file).size / 1e6;
    const speed = seconds === undefined ? '' : `, ${(megabytes / seconds).toFixed(1)} MB/s`;
    return {
        bench: `${bench} (${megabytes.toFixed(0)} MB${speed})`,
        database: '–',
        records,
        recordsPerSecond: seconds === undefined ? 0 : records / seconds,
        statementsPerRecord: null,
        peakRssMb,
        ratioToRaw: null,
        ratioToVendure: null,
    };
}
