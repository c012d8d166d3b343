import { Upload } from '@aws-sdk/lib-storage';
import { createReadStream, statSync } from 'node:fs';
import path from 'node:path';
import { cutProxy } from '../test/servers/cut-proxy';
import { startFtp } from '../test/servers/ftp-server';
import { startCloud } from '../test/servers/s3-server';
import { startSftp } from '../test/servers/sftp-server';

const BUCKET = 'bench';
/** The test's server takes no more than 11 MiB at once. */
const PART_BYTES = 8 * 1024 * 1024;

/** What is served to a bench, by a process of its own. */
export interface ServedFiles {
    readonly kind: 'sftp' | 'ftp' | 's3';
    readonly folder: string;
    readonly name: string;
    /** So many times its connection is cut while it is read, at places by chance. */
    readonly cuts: number;
}

/** What it prints: where it is served, once it is, and in the end how often it was cut. */
export interface ServedAt {
    readonly port: number;
}

async function serve({ kind, folder, name, cuts }: ServedFiles): Promise<void> {
    const { size } = statSync(path.join(folder, name));
    /** In a share of the file each, so that they come all over it. */
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
        // In parts: 200 MB are more than it takes at once.
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
