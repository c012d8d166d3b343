import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { databaseOf } from '../src/database/open-database';
import { RedisLeases } from '../src/io/redis/redis-leases';
import { DatabaseLeases } from '../src/plugin/leases/database-leases';
import { type Leases, ProcessLeases } from '../src/plugin/leases/leases';
import { freePort } from '../test/servers/process';
import { needs } from '../test/servers/needs';
import { type BareDatabase, bareDatabase } from './config/bare-database';
import type { Database } from './config/databases';
import { scriptArguments } from './config/script-process';
import type { LeadingOrder } from './leading/leading-process';

/** A place where leases are stored. */
interface Place {
    readonly leases: Leases;
    /** For other processes; undefined if they have no access. */
    readonly at: LeadingOrder['at'] | undefined;
    close(): Promise<void>;
}

const A_LONG_TIME = 600_000;

function leases(open: () => Promise<Place>): void {
    let keysetPosition: Place;
    let count = 0;
    beforeAll(async () => {
        keysetPosition = await open();
    });
    afterAll(async () => {
        await keysetPosition?.leases.close();
        await keysetPosition?.close();
    });
    const nextName = (): string => `lease-${++count}`;
    const take = (name: string, holder: string, leaseMs = A_LONG_TIME) =>
        keysetPosition.leases.take({ name, holder, leaseMs });

    it('have one holder, who may renew them', async () => {
        const name = nextName();
        expect(await take(name, 'a')).toBe(1);
        expect(await take(name, 'b')).toBeUndefined();
        expect(await take(name, 'a')).toBe(1);
        expect(await take(nextName(), 'b')).toBe(1);
    });

    it('go to one of many who request them at once', async () => {
        const name = nextName();
        const terms = await Promise.all(Array.from({ length: 8 }, (_, i) => take(name, `holder-${i}`)));
        expect(terms.filter(term => term !== undefined)).toEqual([1]);
    });

    it('are free when their holder gives them back, and then have another term', async () => {
        const name = nextName();
        await take(name, 'a');
        await keysetPosition.leases.release({ name, holder: 'b' });
        expect(await take(name, 'b')).toBeUndefined();
        await keysetPosition.leases.release({ name, holder: 'a' });
        expect(await take(name, 'b')).toBe(2);
    });

    it('expire by themselves', async () => {
        const name = nextName();
        await take(name, 'a', 200);
        let term: number | undefined;
        while (term === undefined) {
            await sleep(20);
            term = await take(name, 'b');
        }
        expect(term).toBe(2);
        expect(await take(name, 'a')).toBeUndefined();
    });
}

/** A process that tries to be the leader, and the lines that it has printed. */
class Leading {
    readonly lines: string[] = [];
    private readonly child: ChildProcess;

    constructor(order: LeadingOrder) {
        const file = join(__dirname, 'leading/leading-process.ts');
        this.child = spawn(process.execPath, scriptArguments(file, order), {
            cwd: join(__dirname, '..'),
            stdio: ['ignore', 'pipe', 'inherit'],
            env: { ...process.env, NODE_OPTIONS: '' },
        });
        createInterface({ input: this.child.stdout! }).on('line', line => this.lines.push(line));
    }

    signal(signal: NodeJS.Signals): void {
        this.child.kill(signal);
    }

    async said(line: string): Promise<void> {
        while (!this.lines.includes(line)) await sleep(20);
    }

    async ended(): Promise<void> {
        if (this.child.exitCode === null && this.child.signalCode === null)
            await new Promise(resolve => this.child.once('exit', resolve));
    }
}

/** Tests leaders that are frozen, wake up and die. */
function frozenLeaders(open: () => Promise<Place>): void {
    it('a frozen leader is replaced, and does not lead when it wakes up', async () => {
        const place = await open();
        const order: LeadingOrder = { at: place.at!, leaseMs: 1_500, everyMs: 100 };
        const first = new Leading(order);
        await first.said('beat 1');
        const second = new Leading(order);
        try {
            await second.said('ready');
            first.signal('SIGSTOP');
            await second.said('beat 2');
            const before = first.lines.length;
            first.signal('SIGCONT');
            await first.said('lost 1');
            const beatsAfter = second.lines.filter(line => line === 'beat 2').length;
            while (second.lines.filter(line => line === 'beat 2').length < beatsAfter + 5) await sleep(20);
            // At most the beat during which it was frozen.
            expect(first.lines.slice(before).filter(line => line.startsWith('beat')).length).toBeLessThanOrEqual(1);
            expect(second.lines.filter(line => line.startsWith('lost'))).toEqual([]);

            second.signal('SIGKILL');
            await first.said('beat 3');
            const third = new Leading(order);
            await third.said('ready');
            first.signal('SIGTERM');
            await first.ended();
            await third.said('beat 4');
            third.signal('SIGTERM');
            await third.ended();
        } finally {
            for (const each of [first, second]) each.signal('SIGKILL');
            await place.leases.close();
            await place.close();
        }
    });
}

async function databasePlace(database: Database): Promise<Place> {
    const bare: BareDatabase = await bareDatabase(database, 'numbers');
    const dataSource: DataSource = await bare.connect('flow');
    await dataSource.runMigrations({ transaction: 'each' });
    const { type } = dataSource.options;
    const { url } = dataSource.options as { readonly url?: string };
    return {
        leases: new DatabaseLeases(dataSource, databaseOf(dataSource)),
        at: url === undefined ? undefined : { type, url },
        close: async () => {
            await dataSource.destroy();
            await bare.drop();
        },
    };
}

async function redisPlace(redis: string): Promise<Place> {
    const keyPrefix = `flow-test:${process.pid}:${Date.now()}`;
    const opened = await RedisLeases.open({ url: redis, keyPrefix });
    return { leases: opened, at: { redis, keyPrefix }, close: () => Promise.resolve() };
}

describe('leases in the process', () =>
    leases(() => Promise.resolve({ leases: new ProcessLeases(), at: undefined, close: () => Promise.resolve() })));
describe('leases in an SQLite', () => leases(() => databasePlace('sqlite')));
needs('postgres', 'leases in a PostgreSQL', () => {
    leases(() => databasePlace('postgres'));
    frozenLeaders(() => databasePlace('postgres'));
});
needs('mariadb', 'leases in a MariaDB', () => leases(() => databasePlace('mariadb')));
needs('redis', 'leases in a Redis', ({ redis }) => {
    leases(() => redisPlace(redis));
    frozenLeaders(() => redisPlace(redis));
});

describe('a missing Redis', () => {
    it('is reported, and no process leads', async () => {
        const away = await RedisLeases.open({ url: `redis://127.0.0.1:${await freePort()}`, keyPrefix: 'flow' });
        const requested = away.take({ name: 'work', holder: 'a', leaseMs: 1_000 });
        await expect(requested).rejects.toMatchObject({ code: 'LEASES_UNREACHABLE' });
        await away.close();
    });
});
