import { PutObjectCommand } from '@aws-sdk/client-s3';
import { createReadStream, statSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { startFtp } from '../test/servers/ftp-server';
import { startCloud } from '../test/servers/s3-server';
import { startSftp } from '../test/servers/sftp-server';

const BUCKET = 'bench';

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
    let done = 0;
    const cloud = kind === 's3' ? await startCloud(BUCKET) : undefined;
    process.once('SIGTERM', () => {
        if (cuts > 0) process.stderr.write(`${kind}: ${done} cuts\n`);
        void Promise.resolve(cloud?.stop()).then(() => process.exit(0));
    });
    if (kind === 'ftp') {
        const server = await startFtp({ folder });
        const begun = (): number => server.commands.filter(command => command.startsWith('RETR')).length;
        let armed = 0;
        setInterval(() => {
            // Each cut makes for another transfer.
            done = Math.max(0, begun() - 1);
            if (begun() <= armed || armed >= cuts) return;
            armed++;
            server.cutAfter(next());
        }, 1);
        say(server.port);
        return;
    }
    if (cloud)
        await cloud.client.send(
            new PutObjectCommand({
                Bucket: BUCKET,
                Key: name,
                Body: createReadStream(path.join(folder, name)),
                ContentLength: size,
            }),
        );
    const port = cloud ? Number(new URL(cloud.endpoint).port) : (await startSftp({ folder })).port;
    let left = cuts > 0 ? next() : Infinity;
    const open = new Set<Socket>();
    const proxy = createServer(near => {
        const far = connect(port, '127.0.0.1');
        open.add(near);
        far.on('data', (chunk: Buffer) => {
            // What was on its way when it was cut.
            if (near.destroyed) return;
            left -= chunk.length;
            if (left > 0 || done >= cuts) return;
            done++;
            left = next();
            for (const socket of open) socket.destroy();
        });
        near.on('error', () => undefined).on('close', () => {
            open.delete(near);
            far.destroy();
        });
        far.on('error', () => undefined).on('close', () => near.destroy());
        near.pipe(far);
        far.pipe(near);
    });
    proxy.listen(0, '127.0.0.1', () => say((proxy.address() as AddressInfo).port));
}

function say(port: number): void {
    const at: ServedAt = { port };
    process.stdout.write(`${JSON.stringify(at)}\n`);
}

void serve(JSON.parse(process.argv[2]!) as ServedFiles);
