import Redis from 'ioredis';
import { findOnPath, freePort, launch, scratchFolder, type StartedServer } from './process';
import type { ServerKind } from './server';

/** Redis. Suites share it, so each uses a key prefix of its own. */
export const redis: ServerKind = { usual: ['redis://127.0.0.1:6379'], probe, start };

async function probe(url: string): Promise<void> {
    const client = new Redis(url, {
        lazyConnect: true,
        connectTimeout: 3000,
        maxRetriesPerRequest: 0,
        retryStrategy: () => null,
    });
    // Without a listener ioredis prints each refused connection; the rejection of connect() says the same.
    client.on('error', () => undefined);
    try {
        await client.connect();
        await client.ping();
    } finally {
        client.disconnect();
    }
}

async function start(): Promise<StartedServer> {
    const server = findOnPath('redis-server') ?? findOnPath('valkey-server');
    if (!server) throw new Error('there is no redis-server on the PATH');
    const folder = scratchFolder();
    const port = await freePort();
    const url = `redis://127.0.0.1:${port}`;
    // BullMQ needs `noeviction`; nothing here has to survive a restart.
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
    ];
    const { stop } = await launch({ command: server, args, folder }, () => probe(url));
    return { url, stop };
}
