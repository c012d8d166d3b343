import { Upload } from '@aws-sdk/lib-storage';
import { createReadStream, statSync } from 'node:fs';
import path from 'node:path';
import { cutProxy } from '../test/servers/cut-proxy';
import { startFtp } from '../test/servers/ftp-server';
import { startCloud } from '../test/servers/s3-server';
import { startSftp } from '../test/servers/sftp-server';

const BUCKET = 'bench';
/** The test's server accepts at most 11 MiB at once. */
const PART_BYTES = 8 * 1024 * 1024;

/** The files that a separate process serves to a bench. */
export interface ServedFiles {
    readonly kind: 'sftp' | 'ftp' | 's3';
    readonly folder: string;
    readonly name: string;
    /** How often its connection is cut while it is read, at random positions. */
    readonly cuts: number;
}

/** What the process prints: the address once it serves, and at the end the number of cuts. */
export interface ServedAt {
    readonly port: number;
}

async function serve({ kind, folder, name, cuts }: ServedFiles): Promise<void> {
    const { size } = statSync(path.join(folder, name));
    /** The next distance between cuts, a share of the file, so that the cuts are spread over the whole file. */
    const next = (): number => Math.floor(((Math.random() * 0.8 + 0.1) * size) / Math.max(1, cuts + 1));
    const places = Array.from({ length: cuts }, next);
    const cloud = kind === 's3' ? await startCloud(BUCKET) : undefined;
    let done = (): number => 0;
    process.once('SIGTERM', () => {
        if (cuts > 0) process.stderr.write(`${kind}: ${done()} cuts\n`);
        void Promise.resolve(cloud?.stop()).then(() => process.exit(0));
    });
    if (kind === 'ftp') {
        const server = await startFtp({ folder });
        server.cutAfter(...places);
        done = () => server.cuts();
        say(server.port);
        return;
    }
    if (cloud)
        // In parts, since it accepts less than 200 MB at once.
        await new Upload({
            client: cloud.client,
            params: { Bucket: BUCKET, Key: name, Body: createReadStream(path.join(folder, name)) },
            partSize: PART_BYTES,
        }).done();
    const port = cloud ? Number(new URL(cloud.endpoint).port) : (await startSftp({ folder })).port;
    const proxy = await cutProxy(port);
    proxy.cutAfter(...places);
    done = () => proxy.cuts();
    say(proxy.port);
}

function say(port: number): void {
    const at: ServedAt = { port };
    process.stdout.write(`${JSON.stringify(at)}\n`);
}

void serve(JSON.parse(process.argv[2]!) as ServedFiles);
