import 'reflect-metadata';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { databaseOf } from '../../src/database/open-database';
import { RedisLeases } from '../../src/io/redis/redis-leases';
import { FlowLease } from '../../src/plugin/entities/lease';
import { DatabaseLeases } from '../../src/plugin/leases/database-leases';
import { Leader } from '../../src/plugin/leases/leader';
import type { Leases } from '../../src/plugin/leases/leases';
import { PeriodicRunner } from '../../src/plugin/periodic-jobs/periodic-runner';
import { keepCompiled } from '../config/code-cache.cjs';

/** The place of the leases of a test process. */
export interface LeadingOrder {
    readonly at:
        { readonly redis: string; readonly keyPrefix: string } | { readonly type: string; readonly url: string };
    readonly leaseMs: number;
    readonly everyMs: number;
}

async function leasesAt(at: LeadingOrder['at']): Promise<Leases> {
    if ('redis' in at) return RedisLeases.open({ url: at.redis, keyPrefix: at.keyPrefix });
    const options = { type: at.type, url: at.url, entities: [FlowLease] } as DataSourceOptions;
    const dataSource = await new DataSource(options).initialize();
    return new DatabaseLeases(dataSource, databaseOf(dataSource));
}

/** Tries to be the leader. Prints a line each time that its work begins, and one when it stops leading. */
async function main({ at, leaseMs, everyMs }: LeadingOrder): Promise<void> {
    let known: AbortSignal | undefined;
    const say = (line: string): void => void process.stdout.write(`${line}\n`);
    const leader = new Leader(await leasesAt(at), { name: 'work', leaseMs });
    const periodicRunner = new PeriodicRunner({
        name: 'Work',
        everyMs,
        jitter: 0,
        leader,
        isReady: () => Promise.resolve(true),
        async work({ term }) {
            const leadership = await leader.lead();
            if (leadership && leadership.signal !== known) {
                known = leadership.signal;
                known.addEventListener('abort', () => say(`lost ${leadership.term}`));
            }
            say(`beat ${String(term)}`);
        },
    });
    periodicRunner.start();
    keepCompiled();
    say('ready');
    process.on('SIGTERM', () => void periodicRunner.stop().then(() => process.exit(0)));
    // Flow's timers do not keep a process alive.
    setInterval(() => undefined, 1_000);
}

void main(JSON.parse(process.argv[2]!) as LeadingOrder);
