import Redis from 'ioredis';
import type { OwnServer } from './needs';
import { findOnPath, freePort, interruptible, type InterruptibleServer, launch, scratchFolder } from './process';
import type { ServerKind } from './server';

/** Redis. Suites share it, so each uses a different key prefix. */
export const redis: ServerKind = { usual: ['redis://127.0.0.1:6379'], probe, start: privateRedis };

async function probe(url: string): Promise<void> {
    const client = new Redis(url, {
        lazyConnect: true,
        connectTimeout: 3000,
        maxRetriesPerRequest: 0,
        retryStrategy: () => null,
    });
    // Without a listener, ioredis prints each rejected connection; connect() rejects with the same error.
    client.on('error', () => undefined);
    try {
        await client.connect();
        await client.ping();
    } finally {
        client.disconnect();
    }
}

/** For tests that stop it. */
export function ownRedis(): OwnServer {
    const reason = program() === undefined ? MISSING : undefined;
    return { name: 'redis', reason, bring: 'apt-get install -y redis-server' };
}

const MISSING = 'there is no redis-server on the PATH';

function program(): string | undefined {
    return findOnPath('redis-server') ?? findOnPath('valkey-server');
}

/** What a private Redis keeps. */
interface Keeping {
    /** Confirmed writes survive a restart, and an interruption kills the server. */
    readonly isLasting?: boolean;
}

/** Starts a Redis on a scratch port and folder, from the program on the PATH. It keeps its data after a stop only if it is set to. */
export async function privateRedis({ isLasting = false }: Keeping = {}): Promise<InterruptibleServer> {
    const server = program();
    if (!server) throw new Error(MISSING);
    const folder = scratchFolder();
    const port = await freePort();
    const url = `redis://127.0.0.1:${port}`;
    // BullMQ needs `noeviction`.
    const args = [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--dir',
        folder,
        '--save',
        '',
        '--maxmemory-policy',
        'noeviction',
        ...(isLasting ? ['--appendonly', 'yes', '--appendfsync', 'always'] : []),
    ];
    const stop = isLasting ? { stopSignal: 'SIGKILL' as const } : {};
    return interruptible(url, () => launch({ command: server, args, folder, ...stop }, () => probe(url)));
}
