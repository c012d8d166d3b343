import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { openShop } from './shop';

process.env['VENDURE_DISABLE_TELEMETRY'] = 'true';

/** How often the memory is sampled. Linux also knows the peak between samples. */
const EVERY_MS = 20;
const MIB = 1024 * 1024;
/** How often the event loop is checked. */
const TICK_MS = 20;

/** A server in a separate process for the trials. It reports its address, and on request its memory. */
async function serve(): Promise<void> {
    const shop = await openShop('sqlite', {}, { as: 'server' });
    const { port } = ((shop.app as INestApplication).getHttpServer() as { address(): AddressInfo }).address();
    let highest = 0;
    // Where the system keeps the peak itself, sampling would only slow the server down.
    if (process.platform !== 'linux')
        setInterval(() => {
            highest = Math.max(highest, process.memoryUsage.rss());
        }, EVERY_MS);
    const blocks = new Blocks();
    process.on('message', (requested: 'start' | 'now' | 'end') => {
        if (requested === 'end') void shop.close().then(() => process.exit(0));
        else {
            if (requested === 'start') {
                highest = beginAgain();
                blocks.begin();
            }
            process.send!({
                rssMib: process.memoryUsage.rss() / MIB,
                peakMib: Math.max(highest, peakOfSystem()) / MIB,
                ...blocks.figures,
            });
        }
    });
    process.on('disconnect', () => process.exit(1));
    process.send!({ port });
}

/** How long the event loop is blocked, and how much of that is work, which a busy machine does not make longer. */
class Blocks {
    private longestMs = 0;
    private mostCpuMs = 0;
    private last = 0;
    private spent = process.cpuUsage();

    begin(): void {
        this.last = performance.now();
        this.spent = process.cpuUsage();
        setInterval(() => this.tick(), TICK_MS);
    }

    get figures(): { readonly blockMs: number; readonly blockCpuMs: number } {
        return { blockMs: this.longestMs, blockCpuMs: this.mostCpuMs };
    }

    private tick(): void {
        const now = performance.now();
        const ms = now - this.last - TICK_MS;
        const { user, system } = process.cpuUsage(this.spent);
        this.longestMs = Math.max(this.longestMs, ms);
        this.mostCpuMs = Math.max(this.mostCpuMs, Math.min(ms, (user + system) / 1_000));
        this.last = now;
        this.spent = process.cpuUsage();
    }
}

/** Resets the peak on Linux. On other systems only the samples count. */
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
