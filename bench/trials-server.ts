import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { openShop } from './shop';

process.env['VENDURE_DISABLE_TELEMETRY'] = 'true';

/** How often the memory is looked at; in between, Linux knows the highest it has been. */
const EVERY_MS = 20;
const MIB = 1024 * 1024;

/** A server by itself, to be tried out from outside. It tells its address, and what it holds when it is asked. */
async function serve(): Promise<void> {
    const shop = await openShop('sqlite', [], 'server');
    const { port } = ((shop.app as INestApplication).getHttpServer() as { address(): AddressInfo }).address();
    let highest = 0;
    setInterval(() => {
        highest = Math.max(highest, process.memoryUsage.rss());
    }, EVERY_MS);
    process.on('message', (asked: 'start' | 'now' | 'end') => {
        if (asked === 'end') void shop.close().then(() => process.exit(0));
        else {
            if (asked === 'start') highest = beginAgain();
            process.send!({
                rssMib: process.memoryUsage.rss() / MIB,
                peakMib: Math.max(highest, peakOfSystem()) / MIB,
            });
        }
    });
    process.on('disconnect', () => process.exit(1));
    process.send!({ port });
}

/** Has Linux forget how high it was; elsewhere only what is looked at counts. */
function beginAgain(): number {
    if (process.platform === 'linux') writeFileSync('/proc/self/clear_refs', '5');
    return process.memoryUsage.rss();
}

function peakOfSystem(): number {
    if (process.platform !== 'linux') return 0;
    const [, kib = '0'] = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return Number(kib) * 1024;
}

serve().catch((error: unknown) => {
    console.error(error);
    process.exit(1);
});
