import { setTimeout as sleep } from 'node:timers/promises';
import { Column, DataSource, type DataSourceOptions, Entity, PrimaryColumn } from 'typeorm';
import type { StatementProgram } from '../src/core/adapter/loader';
import type { TransactionOptions } from '../src/database/database';
import { limitsFor } from '../src/database/limits';
import { MAX_KEYS } from '../src/database/locks';
import { PooledDatabase } from '../src/database/pooled-database';
import { name, select, send, sql } from '../src/database/statement';
import { type Table, tableOf } from '../src/database/table';
import { needs } from '../test/servers/needs';
import { mariadbDatabases, postgresDatabases, scratchName } from '../test/servers/scratch-databases';

@Entity()
class Tally {
    @PrimaryColumn({ type: 'varchar', length: 20 }) code: string;
    @Column({ type: 'int' }) amount: number;
}

type Type = 'postgres' | 'mariadb';

/** A transaction that is open until it is released. */
interface Holder {
    readonly connection: number;
    release(): Promise<void>;
}

/** A shop's database, and Flow's access to it. */
interface Shop {
    readonly dataSource: DataSource;
    readonly database: PooledDatabase;
}

function deferred<T>() {
    let resolve!: (value: T) => void;
    let reject!: (reason: unknown) => void;
    const promise = new Promise<T>((...both) => ([resolve, reject] = both));
    return { promise, resolve, reject };
}

const keysOf = (kind: string, from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, i) => `${kind}:${from + i}`);

function locksOn(type: Type, serverUrl: string): void {
    const isPostgres = type === 'postgres';
    const servers = () => (isPostgres ? postgresDatabases(serverUrl) : mariadbDatabases(serverUrl));
    const run = process.env.FLOW_TEST_RUN ?? String(process.pid);
    const databases = ['one', 'two'].map(which => scratchName(run, `locks${which}${Date.now().toString(36)}`));
    const opened: DataSource[] = [];
    const held: Holder[] = [];
    let host: DataSource;

    const connected = (which: string, poolSize: number): Promise<DataSource> => {
        const url = new URL(serverUrl);
        url.pathname = `/${which}`;
        const options = { type, url: url.href, poolSize, entities: [Tally], synchronize: true };
        return new DataSource(options as DataSourceOptions).initialize();
    };
    const open = async (poolSize = 8, which = databases[0]!): Promise<Shop> => {
        const dataSource = await connected(which, poolSize);
        opened.push(dataSource);
        return { dataSource, database: new PooledDatabase(dataSource, limitsFor(30_000)) };
    };

    beforeAll(async () => {
        const server = await servers();
        for (const each of databases) await server.create(each);
        await server.close();
        host = await connected(databases[0]!, 2);
    });
    afterAll(async () => {
        await host.destroy();
        const server = await servers();
        for (const each of databases) await server.drop(each);
        await server.close();
    });
    afterEach(async () => {
        for (const holder of held.splice(0)) await holder.release();
        for (const dataSource of opened.splice(0)) await dataSource.destroy();
    });

    const CONNECTION = isPostgres ? 'SELECT pg_backend_pid() AS id' : 'SELECT CONNECTION_ID() AS id';
    /** Begins a transaction with these locks. Returns when it has them. */
    async function hold({ database }: Shop, locks: readonly string[]): Promise<Holder> {
        const begun = deferred<number>();
        const gate = deferred<void>();
        const ended = database.managed(
            async ({ manager }) => {
                const [row] = await manager.query<Array<{ id: number }>>(CONNECTION);
                begun.resolve(Number(row!.id));
                await gate.promise;
            },
            { locks },
        );
        // Its connection may be killed.
        const over = ended.catch(() => undefined);
        void ended.catch(begun.reject);
        const holder = {
            connection: await begun.promise,
            release: async () => {
                gate.resolve();
                await over;
            },
        };
        held.push(holder);
        return holder;
    }
    /** How many transactions of these databases wait for a lock. */
    const waiting = async (): Promise<number> => {
        const names = databases.map(each => `'${each}'`).join(', ');
        const [row] = await host.query<Array<{ n: unknown }>>(
            isPostgres
                ? `SELECT count(*) AS n FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE NOT l.granted AND d.datname IN (${names})`
                : `SELECT count(*) AS n FROM information_schema.processlist WHERE state = 'User lock' AND db IN (${names})`,
        );
        return Number(row!.n);
    };
    const untilWaiting = async (count: number): Promise<void> => {
        while ((await waiting()) !== count) await sleep(5);
    };
    function* nothing(): StatementProgram<void> {
        yield* select(sql`SELECT 1`);
    }
    const work = ({ database }: Shop, locks: readonly string[], more: TransactionOptions = {}): Promise<void> =>
        database.transaction(nothing, { ...more, locks });
    /** Work that has to wait, and whether it is done. */
    const begin = (shop: Shop, locks: readonly string[]) => {
        const state = { isDone: false, ended: Promise.resolve() };
        state.ended = work(shop, locks).then(() => void (state.isDone = true));
        return state;
    };

    it('batches of other keys do not wait for each other, of some hundred keys each', async () => {
        const shop = await open();
        for (let batch = 0; batch < 6; batch++) {
            const [from, to] = [batch * 200, (batch + 1) * 200];
            await hold(shop, [...keysOf('sku', from, to), ...keysOf('slug', from, to)]);
        }
        expect(await waiting()).toBe(0);
    });

    it('a batch that shares one key waits until the other one has ended', async () => {
        const shop = await open();
        const holder = await hold(shop, keysOf('sku', 0, 100));
        const other = begin(shop, keysOf('sku', 99, 200));
        await untilWaiting(1);
        expect(other.isDone).toBe(false);
        await holder.release();
        await other.ended;
        expect(await waiting()).toBe(0);
    });

    it('two shops on one server do not wait for each other', async () => {
        const [one, two] = [await open(), await open(8, databases[1])];
        await hold(one, ['sku:1', ...keysOf('slug', 0, MAX_KEYS + 1)]);
        await work(two, ['sku:1', ...keysOf('slug', 0, MAX_KEYS + 1)]);
        expect(await waiting()).toBe(0);
    });

    it('a batch of thousands of keys excludes all others of its kind, and no other kind', async () => {
        const shop = await open();
        const large = await hold(shop, keysOf('sku', 0, 3_000));
        await work(shop, ['slug:1']);
        const small = begin(shop, ['sku:another']);
        const second = begin(shop, keysOf('sku', 3_000, 6_000));
        await untilWaiting(2);
        await large.release();
        await Promise.all([small.ended, second.ended]);

        const single = await hold(shop, ['sku:another']);
        const waits = begin(shop, keysOf('sku', 0, 3_000));
        await untilWaiting(1);
        await single.release();
        await waits.ended;
    });

    it('the locks of a worker that is killed are free', async () => {
        const shop = await open();
        const { connection } = await hold(shop, ['sku:1', ...keysOf('slug', 0, MAX_KEYS + 1)]);
        const other = begin(shop, ['sku:1', 'slug:1']);
        await untilWaiting(1);
        await host.query(isPostgres ? `SELECT pg_terminate_backend(${connection})` : `KILL ${connection}`);
        await other.ended;
    });

    it.each(['of the batch', 'of the kind'])(
        'an aborted transaction stops waiting for a lock %s, and so does the server',
        async what => {
            const shop = await open();
            const keys = what === 'of the batch' ? ['sku:1'] : keysOf('sku', 0, MAX_KEYS + 1);
            await hold(shop, keys);
            const stop = new AbortController();
            const { database } = shop;
            const waits = [
                work(shop, ['sku:1'], { repeatedUntil: stop.signal }),
                work(shop, ['sku:1'], { signal: stop.signal }),
                database.managed(() => Promise.resolve(), { locks: ['sku:1'], signal: stop.signal }),
            ].map(ended => expect(ended).rejects.toThrow('cancelled'));
            await untilWaiting(3);
            stop.abort(new Error('cancelled'));
            await Promise.all(waits);
            expect(await waiting()).toBe(0);
            await work(shop, ['sku:2', 'slug:2'].slice(what === 'of the batch' ? 0 : 1));
        },
    );

    it('an aborted transaction stops waiting even if no connection is left to notify the server', async () => {
        const shop = await open(2);
        const holder = await hold(shop, ['sku:1']);
        const stop = new AbortController();
        const waits = work(shop, ['sku:1'], { repeatedUntil: stop.signal });
        const rejected = expect(waits).rejects.toThrow('cancelled');
        await untilWaiting(1);
        stop.abort(new Error('cancelled'));
        await rejected;
        await holder.release();
        await work(shop, ['sku:1']);
    });

    it('batches that overlap crosswise all end, and none overwrites what another has written', async () => {
        const shop = await open();
        const { database, dataSource } = shop;
        const codes = Array.from({ length: 12 }, (_, i) => String(i));
        await dataSource.getRepository(Tally).save(codes.map(code => ({ code, amount: 0 })));
        const tally = tableOf(dataSource, Tally);
        const batches = Array.from({ length: 60 }, (_, i) => codes.filter((_, k) => (i * 7 + k * 5) % 4 === 0));
        const { signal } = new AbortController();
        await Promise.all(
            batches.map((batch, i) => {
                const mixed = i % 2 === 0 ? batch : [...batch].reverse();
                const many = i % 9 === 0 ? keysOf('sku', 1_000, 1_000 + MAX_KEYS) : [];
                const locks = mixed.flatMap(code => [`sku:${code}`, `slug:${code}`]).concat(many);
                return database.transaction(() => count(tally, mixed), { locks, repeatedUntil: signal });
            }),
        );
        const stored = await dataSource.getRepository(Tally).find();
        const expected = codes.map(code => [code, batches.filter(batch => batch.includes(code)).length]);
        expect(Object.fromEntries(stored.map(({ code, amount }) => [code, amount]))).toEqual(
            Object.fromEntries(expected),
        );
    });
}

/** Reads without locking the rows and then writes: the numbers are only correct if no other transaction runs. */
function* count(tally: Table, codes: readonly string[]): StatementProgram<void> {
    for (const code of codes) {
        const [row] = yield* select<{ amount: number }>(
            sql`SELECT ${tally.column('amount')} AS ${name('amount')} FROM ${tally.name} WHERE ${tally.column('code')} = ${code}`,
        );
        yield* send(
            sql`UPDATE ${tally.name} SET ${tally.column('amount')} = ${row!.amount + 1} WHERE ${tally.column('code')} = ${code}`,
        );
    }
}

needs('postgres', 'locks on a PostgreSQL', ({ postgres }) => locksOn('postgres', postgres));
needs('mariadb', 'locks on a MariaDB', ({ mariadb }) => locksOn('mariadb', mariadb));
