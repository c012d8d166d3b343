import type { Socket } from 'node:net';
import { Column, DataSource, type DataSourceOptions, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { StatementProgram } from '../src/core/adapter/loader';
import { flowError, isFlowError } from '../src/core/errors/flow-error';
import { type Limits, limitsFor } from '../src/database/limits';
import { LockNames, locksOf } from '../src/database/locks';
import { PooledDatabase } from '../src/database/pooled-database';
import { raw, select, send, sql } from '../src/database/statement';
import { tableOf } from '../src/database/table';
import { insertRows, type WriteTarget } from '../src/database/write';
import { needs } from '../test/servers/needs';
import { mariadbDatabases, postgresDatabases, scratchName } from '../test/servers/scratch-databases';
import { type FaultProxy, faultProxy } from './config/fault-proxy';

@Entity()
class Line {
    @PrimaryGeneratedColumn() id: number;
    @Column({ unique: true, length: 20 }) code: string;
    @Column({ default: 0 }) amount: number;
}

type Type = 'postgres' | 'mariadb';

/** The worker's code and message of a failure. */
const failureOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
        () => 'none',
        (error: unknown) => {
            if (!isFlowError(error)) throw error;
            return `${error.code}: ${error.message}`;
        },
    );

/** The limits of a lease so short that a test can wait for its end. */
const SHORT = limitsFor(1_500);
const withAnswerMs = (answerMs: number): Limits => {
    const { usual, repeated, brief } = SHORT;
    return { usual: { ...usual, answerMs }, repeated: { ...repeated, answerMs }, brief: { ...brief, answerMs } };
};

/** The connections in the pools of pg and mysql2. */
interface PoolsOfDrivers {
    readonly master: {
        readonly _clients: ReadonlyArray<{
            readonly processID: number;
            readonly connection: { readonly stream: Socket };
        }>;
    };
    readonly pool: {
        readonly _allConnections: {
            toArray(): ReadonlyArray<{ readonly threadId: number; readonly stream: Socket }>;
        };
    };
}

function faultsOn(type: Type, serverUrl: string): void {
    const isPostgres = type === 'postgres';
    const name = scratchName(process.env.FLOW_TEST_RUN ?? String(process.pid), `faults${Date.now().toString(36)}`);
    const servers = () => (isPostgres ? postgresDatabases(serverUrl) : mariadbDatabases(serverUrl));
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    let host: DataSource;
    let dataSource: DataSource;
    let database: PooledDatabase;
    let lines: WriteTarget;
    let proxy: FaultProxy | undefined;

    const connected = (address: string, poolSize: number): Promise<DataSource> =>
        new DataSource({
            type,
            url: address,
            poolSize,
            entities: [Line],
            synchronize: true,
        } as DataSourceOptions).initialize();

    beforeAll(async () => {
        const server = await servers();
        await server.create(name).finally(() => server.close());
        host = await connected(url.href, 4);
    });
    afterAll(async () => {
        await host.destroy();
        const server = await servers();
        await server.drop(name).finally(() => server.close());
    });
    /** A pool that one test has to itself. */
    const open = async (limits: Limits, { poolSize = 4, through = url.href } = {}): Promise<void> => {
        await host.getRepository(Line).clear();
        dataSource = await connected(through, poolSize);
        database = new PooledDatabase(dataSource, limits);
        lines = { table: tableOf(dataSource, Line), dialect: database.dialect };
    };
    afterEach(async () => {
        proxy?.cutAll();
        await dataSource.destroy().catch(() => undefined); // Its connections may be closed.
        await proxy?.close();
        proxy = undefined;
    });

    const codes = async (): Promise<string[]> =>
        (await host.getRepository(Line).find({ order: { id: 'ASC' } })).map(({ code }) => code);
    const added = (code: string): StatementProgram<void> => insertRows(lines, [{ code }]);
    const kill = (id: number): Promise<unknown> =>
        host.query(isPostgres ? `SELECT pg_terminate_backend(${id})` : `KILL ${id}`);
    const idle = (seconds: number): string => (isPostgres ? `SELECT pg_sleep(${seconds})` : `SELECT SLEEP(${seconds})`);

    /** Queries the id of its connection, and then executes a statement that a test can hold. */
    function* pausing(): StatementProgram<void> {
        yield* send(raw(isPostgres ? 'SELECT pg_backend_pid() AS id' : 'SELECT CONNECTION_ID() AS id'));
        yield* send(raw("SELECT 'pause' AS pause"));
    }
    type Happens = (connection: number) => Promise<unknown>;
    /** Something happens before the next statement of this kind is sent, or after its response has arrived. */
    const when = (at: 'before' | 'after', kind: RegExp, happens: Happens): void => {
        let id = 0;
        let isDue = true;
        const due = (desired: typeof at, query: string): Promise<unknown> | undefined => {
            if (!isDue || at !== desired || !kind.test(query)) return undefined;
            isDue = false;
            // A promise of this realm, since TypeORM only waits for such promises.
            return (async () => happens(id))();
        };
        dataSource.subscribers.push({
            beforeQuery: ({ query }) => due('before', query) as Promise<void> | undefined,
            afterQuery: ({ query, rawResults }) => {
                if (/AS id$/.test(query)) {
                    const rows = ((rawResults as { rows?: unknown }).rows ?? rawResults) as Array<{ id: number }>;
                    id = Number(rows[0]!.id);
                }
                return due('after', query) as Promise<void> | undefined;
            },
        });
    };
    /** The socket of a connection of the pool, which drivers do not expose. */
    const socketOf = (connection: number): Socket => {
        const { master, pool } = dataSource.driver as unknown as PoolsOfDrivers;
        const socket = isPostgres
            ? master._clients.find(({ processID }) => processID === connection)?.connection.stream
            : pool._allConnections.toArray().find(({ threadId }) => threadId === connection)?.stream;
        if (!socket) throw new Error(`the pool has no connection ${connection}`);
        return socket;
    };
    /** Waits until the socket is closed. The driver is notified before later listeners. */
    const killed: Happens = async id => {
        const socket = socketOf(id);
        const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
        await kill(id);
        await closed;
    };

    it('a connection that breaks between two statements is reported as lost, with the reason, and the next one works', async () => {
        await open(SHORT);
        // mysql2's response does not wait for subscribers.
        when(isPostgres ? 'after' : 'before', /'pause'/, killed);
        const failure = await failureOf(
            database.transaction(function* () {
                yield* added('gone');
                yield* pausing();
                yield* added('never');
            }),
        );
        expect(failure).toMatch(/^DATABASE_LOST/);
        expect(failure).not.toMatch(/released|closed state/);
        await database.transaction(() => added('next'));
        expect(await codes()).toEqual(['next']);
    });

    it.each([
        ['rejects the record', () => Promise.reject(flowError('SERVICE_REFUSED', { problem: 'it is not there' }))],
        ['continues elsewhere', () => Promise.resolve()],
    ])(
        'a service whose connection breaks and that %s fails with a lost connection, and stores nothing',
        async (_, then) => {
            await open(SHORT);
            const work = database.managed(async tx => {
                await tx.run(() => added('gone'));
                const [{ id }] = await tx.manager.query<[{ id: number }]>(
                    isPostgres ? 'SELECT pg_backend_pid() AS id' : 'SELECT CONNECTION_ID() AS id',
                );
                await killed(Number(id));
                await then();
            });
            expect(await failureOf(work)).toMatch(/^DATABASE_LOST/);
            expect(await codes()).toEqual([]);
        },
    );

    it('a connection that breaks before the rollback leaves the first error unchanged', async () => {
        await open(SHORT);
        when('before', /^ROLLBACK/, killed);
        const rejected = function* (): StatementProgram<void> {
            yield* pausing();
            yield* added('twice');
            yield* added('twice');
        };
        expect(await failureOf(database.transaction(rejected))).toMatch(/^RECORD_REFUSED/);
        expect(await failureOf(database.transaction(() => added('after')))).toBe('none');
        expect(await codes()).toEqual(['after']);
    });

    it.each([
        ['before its COMMIT arrives', 'before'],
        ['before the answer to its COMMIT does', 'after'],
    ] as const)('a connection that is cut %s is reported as lost, and the next one works', async (_, cut) => {
        proxy = await faultProxy(url.href);
        await open(SHORT, { through: proxy.url });
        proxy.onCommit(() => (proxy!.cuts.all === 0 ? cut : undefined));
        expect(await failureOf(database.transaction(() => added('first')))).toMatch(/^DATABASE_LOST/);
        await database.transaction(() => added('second'));
        expect(await codes()).toEqual(cut === 'before' ? ['second'] : ['first', 'second']);
    });

    it('a transaction whose worker is frozen is ended by the server, and another one gets its locks', async () => {
        await open(SHORT);
        when('before', /'pause'/, () => database.transaction(() => added('other'), { locks: ['sku:1'] }));
        const failure = await failureOf(
            database.transaction(
                function* () {
                    yield* added('never');
                    yield* pausing();
                    yield* added('nor this');
                },
                { locks: ['sku:1', 'sku:2'] },
            ),
        );
        expect(failure).toMatch(/^DATABASE_LOST/);
        expect(await codes()).toEqual(['other']);
    });

    it("a session gets its own settings back, however its transaction has ended, and the shop's never change", async () => {
        await open(SHORT, { poolSize: 1 });
        const settings = (): Promise<unknown> =>
            dataSource.query(
                isPostgres
                    ? "SELECT name, setting FROM pg_settings WHERE name ~ '(timeout|isolation|user_timeout)' ORDER BY name"
                    : `SELECT @@SESSION.wait_timeout, @@SESSION.net_write_timeout, @@SESSION.innodb_lock_wait_timeout,
                        @@SESSION.tx_isolation, @@SESSION.autocommit`,
            );
        const names = new LockNames(name);
        const { kinds, keys } = locksOf(['a', 'b']);
        const heldNames = [
            ...kinds.flatMap(kind => Array.from({ length: 32 }, (_, slot) => names.kind(kind, slot))),
            ...keys.map(key => names.key(key)),
        ];
        const locksHeld = async (): Promise<number> => {
            const held = isPostgres
                ? "SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
                : `SELECT ${heldNames.map(held => `COALESCE(IS_USED_LOCK('${held}') = CONNECTION_ID(), 0)`).join(' + ')} AS n`;
            return Number((await dataSource.query<Array<{ n: unknown }>>(held))[0]!.n);
        };
        const setByHost = isPostgres
            ? "SET lock_timeout = '44s'"
            : 'SET SESSION wait_timeout = 4444, SESSION innodb_lock_wait_timeout = 44';
        await dataSource.query(setByHost);
        const before = await settings();
        await database.transaction(() => added('a'), { locks: ['a', 'b'] });
        expect(await settings()).toEqual(before);
        expect(await failureOf(database.transaction(() => added('a'), { locks: ['a'] }))).toMatch(/^RECORD_REFUSED/);
        await database.transaction(() => added('b'), { brief: true });
        const aborted = AbortSignal.abort(new Error('enough'));
        await expect(database.transaction(() => added('c'), { repeatedUntil: aborted })).rejects.toThrow('enough');
        expect(await settings()).toEqual(before);
        expect(await locksHeld()).toBe(0);
    });

    it('costs no more statements around a script than necessary', async () => {
        await open(SHORT);
        await database.transaction(() => added('first'));
        const sent: string[] = [];
        const { logger } = dataSource;
        dataSource.logger = Object.assign(Object.create(logger) as typeof logger, {
            logQuery: (text: string) => void sent.push(text.trim().split(/[ (;]/, 1)[0]!),
        });
        await database.transaction(() => added('a'));
        await database.transaction(() => added('b'), { locks: ['b'] });
        expect(sent).toEqual(
            isPostgres
                ? ['START', 'INSERT', 'COMMIT', 'START', 'INSERT', 'COMMIT']
                : ['SET', 'START', 'INSERT', 'COMMIT', 'SET', 'SET', 'SELECT', 'START', 'INSERT', 'COMMIT', 'SET'],
        );
    });

    describe("when the shop's own transaction holds a row", () => {
        let release: () => Promise<void>;
        const touch = (): StatementProgram<unknown> =>
            send(
                sql`UPDATE ${lines.table.name} SET ${lines.table.column('amount')} = ${lines.table.column('amount')} + 1`,
            );
        beforeEach(async () => {
            await open(SHORT);
            await host.getRepository(Line).insert({ code: 'held' });
            const runner = host.createQueryRunner();
            await runner.startTransaction();
            await runner.query('UPDATE line SET amount = 5');
            let released: Promise<void> | undefined;
            release = () => (released ??= runner.commitTransaction().then(() => runner.release()));
        });
        afterEach(() => release());
        const amount = async () => (await host.getRepository(Line).findOneByOrFail({ code: 'held' })).amount;

        it('a load waits for it longer than for a single lock, and does not fail', async () => {
            let tries = 0;
            await database.transaction(
                () => {
                    tries += 1;
                    if (tries === 3) void release();
                    return touch();
                },
                { repeatedUntil: new AbortController().signal },
            );
            expect(tries).toBeGreaterThanOrEqual(3);
            expect(await amount()).toBe(6);
        });

        it('an aborted load stops waiting', async () => {
            const stop = new AbortController();
            const work = database.transaction(
                () => {
                    stop.abort(new Error('cancelled'));
                    return touch();
                },
                { repeatedUntil: stop.signal },
            );
            await expect(work).rejects.toThrow('cancelled');
        });

        it('a brief caller gets the error that the database is busy, and has changed nothing', async () => {
            expect(await failureOf(database.transaction(touch, { brief: true }))).toMatch(/^DATABASE_BUSY/);
            await release();
            expect(await amount()).toBe(5);
        });
    });

    it('a statement in progress on the server is waited for, however long it takes', async () => {
        await open(withAnswerMs(200));
        const rows = await database.run(() => select(raw(idle(1.5))));
        expect(rows).toHaveLength(1);
    });

    it('a silent network is noticed, and work continues when it is back', async () => {
        proxy = await faultProxy(url.href);
        await open(withAnswerMs(200), { through: proxy.url });
        when('before', /'pause'/, () => Promise.resolve(proxy!.silence()));
        const failure = await failureOf(
            database.transaction(function* () {
                yield* added('never');
                yield* pausing();
                yield* added('nor this');
            }),
        );
        expect(failure).toMatch(/^DATABASE_LOST/);
        dataSource.subscribers.length = 0;
        proxy.heal();
        await database.transaction(() => added('again'));
        expect(await codes()).toEqual(['again']);
    });
}

needs('postgres', 'failures of a PostgreSQL and of the connection to it', ({ postgres }) =>
    faultsOn('postgres', postgres),
);
needs('mariadb', 'failures of a MariaDB and of the connection to it', ({ mariadb }) => faultsOn('mariadb', mariadb));
