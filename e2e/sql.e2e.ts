import { setTimeout as sleep } from 'node:timers/promises';
import {
    Column,
    DataSource,
    type DataSourceOptions,
    Entity,
    PrimaryColumn,
    PrimaryGeneratedColumn,
    UpdateDateColumn,
} from 'typeorm';
import type { StatementProgram } from '../src/core/adapter/loader';
import type { ErrorCode } from '../src/core/errors/catalogue';
import { isFlowError } from '../src/core/errors/flow-error';
import type { Database } from '../src/database/database';
import { databaseError } from '../src/database/database-errors';
import { databaseOf } from '../src/database/open-database';
import { type Request, name, post, raw, select, send, sql } from '../src/database/statement';
import { tableOf } from '../src/database/table';
import { type Id, type WriteTarget, deleteRows, insertNumbered, insertRows, updateRows } from '../src/database/write';
import {
    type DatabaseServer,
    mariadbDatabases,
    postgresDatabases,
    scratchName,
} from '../test/servers/scratch-databases';
import { needs } from '../test/servers/needs';

/** The precision of SQLite's times. */
const SECOND_MS = 1000;

@Entity()
class Thing {
    @PrimaryGeneratedColumn() id: number;
    @UpdateDateColumn() updatedAt: Date;
    @Column({ unique: true, length: 20 }) code: string;
    @Column({ type: 'text', nullable: true }) note: string | null;
    @Column({ default: 7 }) amount: number;
    @Column({ default: true }) enabled: boolean;
    @Column({ type: Date, nullable: true }) seenAt: Date | null;
    @Column({ type: 'simple-json', nullable: true }) facts: unknown;
}

@Entity()
class Uuid {
    @PrimaryColumn({ type: 'varchar', length: 36 }) id: string;
    @Column() code: string;
}

interface Opened {
    readonly dataSource: DataSource;
    readonly database: Database;
    readonly things: WriteTarget;
}

async function openCircuit(options: DataSourceOptions): Promise<Opened> {
    const dataSource = await new DataSource({
        ...options,
        entities: [Thing, Uuid],
        synchronize: true,
    } as DataSourceOptions).initialize();
    const database = databaseOf(dataSource);
    return { dataSource, database, things: { table: tableOf(dataSource, Thing), dialect: database.dialect } };
}

const codeOf = async (work: Promise<unknown>): Promise<ErrorCode | 'no error'> => {
    try {
        await work;
        return 'no error';
    } catch (error) {
        if (!isFlowError(error)) throw error;
        return error.code;
    }
};

const at = new Date('2026-02-03T04:05:06.000Z');
const row = (code: string, more: Partial<Thing> = {}) => ({
    code,
    note: null,
    amount: 1,
    enabled: true,
    seenAt: null,
    facts: null,
    ...more,
});

/** What every database must do equally. */
function behavesLikeADatabase(open: () => Promise<Opened>): void {
    let db: Opened;
    const all = () => db.dataSource.getRepository(Thing).find({ order: { id: 'ASC' } });
    const inserted = (...rows: Array<ReturnType<typeof row>>): Promise<readonly Id[]> =>
        db.database.transaction(() => insertNumbered(db.things, rows));

    beforeAll(async () => {
        db = await open();
    });
    afterAll(async () => {
        await db?.dataSource.destroy();
    });
    beforeEach(async () => {
        await db.dataSource.getRepository(Thing).clear();
    });

    it('returns the new ids in the order of the rows, over more rows than one statement holds', async () => {
        const rows = Array.from({ length: 12_000 }, (_, i) => row(`c${i}`, { amount: i }));
        const ids = await inserted(...rows);
        const byId = new Map((await all()).map(thing => [Number(thing.id), thing.code]));
        expect(ids).toHaveLength(rows.length);
        expect(ids.every((id, i) => byId.get(Number(id)) === `c${i}`)).toBe(true);
    });

    it('stores every kind of value as TypeORM reads it, and gives omitted columns their defaults', async () => {
        const facts = { deep: [1, 'two', null] };
        await inserted(
            row('full', { note: 'Zwölf "quoted" \\ \'it\'', amount: -3, enabled: false, seenAt: at, facts }),
            row('empty'),
        );
        await db.database.transaction(() => insertRows(db.things, [{ code: 'defaults' }]));
        expect(await all()).toMatchObject([
            { code: 'full', note: 'Zwölf "quoted" \\ \'it\'', amount: -3, enabled: false, seenAt: at, facts },
            { code: 'empty', note: null, enabled: true, seenAt: null, facts: null },
            { code: 'defaults', note: null, amount: 7, enabled: true },
        ]);
    });

    it('updates many rows with different values, also when the first row has nothing but nulls', async () => {
        const [a, b, c] = await inserted(
            row('a'),
            row('b', { note: 'old', seenAt: at, facts: [1] }),
            row('c', { note: 'kept' }),
        );
        await db.database.transaction(() =>
            updateRows(db.things, [
                { id: b, note: null, amount: 2, enabled: false, seenAt: null, facts: null },
                { id: a, note: 'new', amount: 3, enabled: true, seenAt: at, facts: { x: 1 } },
            ]),
        );
        const things = await all();
        expect(things).toMatchObject([
            { id: a, code: 'a', note: 'new', amount: 3, enabled: true, seenAt: at, facts: { x: 1 } },
            { id: b, code: 'b', note: null, amount: 2, enabled: false, seenAt: null, facts: null },
            { id: c, code: 'c', note: 'kept', amount: 1 },
        ]);
    });

    it('changes updatedAt of the rows it updates, and of no others', async () => {
        const [a] = await inserted(row('a'), row('b'));
        const old = new Date('2020-01-01T00:00:00.000Z');
        await db.dataSource.getRepository(Thing).createQueryBuilder().update().set({ updatedAt: old }).execute();
        const before = new Date(Date.now() - SECOND_MS);
        await db.database.transaction(() => updateRows(db.things, [{ id: a, amount: 9 }]));
        const after = new Date(Date.now() + SECOND_MS);
        const [first, second] = await all();
        expect(before <= first!.updatedAt && first!.updatedAt <= after).toBe(true);
        expect(second!.updatedAt).toEqual(old);
    });

    it('finds the rows to update by a key of several columns', async () => {
        await inserted(row('a', { amount: 1 }), row('b', { amount: 1 }));
        await db.database.transaction(() =>
            updateRows(
                db.things,
                [
                    { code: 'a', amount: 1, note: 'hit' },
                    { code: 'b', amount: 2, note: 'miss' },
                ],
                ['code', 'amount'],
            ),
        );
        expect((await all()).map(({ note }) => note)).toEqual(['hit', null]);
    });

    it('updates more rows than one statement holds', async () => {
        const ids = await inserted(...Array.from({ length: 15_000 }, (_, i) => row(`c${i}`)));
        await db.database.transaction(() =>
            updateRows(
                db.things,
                ids.map((id, i) => ({ id, amount: i, note: `n${i}` })),
            ),
        );
        expect((await all()).every((thing, i) => thing.amount === i && thing.note === `n${i}`)).toBe(true);
    });

    it('writes nothing for no rows', async () => {
        const statements: Request[] = [];
        const watched = function* (statementProgram: StatementProgram<unknown>): StatementProgram<void> {
            let step = statementProgram.next();
            while (!step.done) {
                statements.push(step.value as Request);
                step = statementProgram.next(yield step.value);
            }
        };
        await db.database.transaction(() => watched(insertRows(db.things, [])));
        await db.database.transaction(() => watched(insertNumbered(db.things, [])));
        await db.database.transaction(() => watched(updateRows(db.things, [])));
        await db.database.transaction(() => watched(deleteRows(db.things, 'id', [])));
        expect(statements).toEqual([]);
    });

    it('deletes by ids and by text', async () => {
        const ids = await inserted(row('a'), row('b'), row("c'c"), row('d'));
        await db.database.transaction(function* () {
            yield* deleteRows(db.things, 'id', [ids[0]!]);
            yield* deleteRows(db.things, 'code', ["c'c", 'nobody']);
        });
        expect((await all()).map(({ code }) => code)).toEqual(['b', 'd']);
    });

    it('selects by lists, and reports how many rows a statement touched', async () => {
        await inserted(row('a'), row('b'), row('c'));
        const { table, dialect } = db.things;
        const codes = await db.database.run(() =>
            select<{ code: string }>(
                sql`SELECT ${table.column('code')} AS ${name('code')} FROM ${table.name} WHERE ${dialect.oneOf(table.column('code'), ['a', 'c', 'x'])} ORDER BY 1`,
            ),
        );
        expect(codes.map(({ code }) => code)).toEqual(['a', 'c']);
        const { affected } = await db.database.run(() =>
            send(
                sql`UPDATE ${table.name} SET ${table.column('amount')} = ${5} WHERE ${table.column('code')} <> ${'a'}`,
            ),
        );
        expect(affected).toBe(2);
    });

    it('creates ids itself where the database does not number the rows', async () => {
        const uuids: WriteTarget = { table: tableOf(db.dataSource, Uuid), dialect: db.database.dialect };
        const ids = await db.database.transaction(() => insertNumbered(uuids, [{ code: 'a' }, { code: 'b' }]));
        const stored = await db.dataSource.getRepository(Uuid).find();
        expect(new Map(stored.map(({ id, code }) => [code, id]))).toEqual(
            new Map([
                ['a', ids[0]],
                ['b', ids[1]],
            ]),
        );
    });

    it('undoes a whole transaction whose script throws, and reports what the script threw', async () => {
        const broken = db.database.transaction(function* () {
            yield* insertNumbered(db.things, [row('a')]);
            throw new TypeError('a bug');
        });
        await expect(broken).rejects.toThrow('a bug');
        expect(await all()).toEqual([]);
    });

    it('undoes what was written since a savepoint, and continues', async () => {
        const caught: unknown[] = [];
        await db.database.transaction(function* () {
            yield* insertNumbered(db.things, [row('a')]);
            yield { type: 'savepoint', name: 'flow_1' } satisfies Request;
            try {
                yield* insertNumbered(db.things, [row('b')]);
                yield* insertNumbered(db.things, [row('a')]);
            } catch (error) {
                caught.push(error);
                yield { type: 'rollback', name: 'flow_1' } satisfies Request;
            }
            yield { type: 'release', name: 'flow_1' } satisfies Request;
            yield* insertNumbered(db.things, [row('c')]);
        });
        expect(caught).toMatchObject([{ code: 'RECORD_REFUSED' }]);
        expect((await all()).map(({ code }) => code)).toEqual(['a', 'c']);
    });

    it('rolls back when it is aborted before its commit', async () => {
        const abort = new AbortController();
        const work = db.database.transaction(
            function* () {
                yield* insertNumbered(db.things, [row('a')]);
                abort.abort(new Error('enough'));
            },
            { signal: abort.signal },
        );
        await expect(work).rejects.toThrow('enough');
        expect(await all()).toEqual([]);
    });

    it('lets one transaction at a time work on a key', async () => {
        const table = db.things.table;
        const addIfMissing = (code: string) =>
            db.database.transaction(
                function* () {
                    const rows = yield* select(
                        sql`SELECT 1 FROM ${table.name} WHERE ${table.column('note')} = ${code}`,
                    );
                    if (rows.length === 0)
                        yield* insertRows(db.things, [row(`${code}${Math.random()}`.slice(0, 20), { note: code })]);
                },
                { locks: [code, 'another', 'a third'] },
            );
        await Promise.all(Array.from({ length: 8 }, () => addIfMissing('same')));
        expect(await all()).toHaveLength(1);
    });

    it('classifies database errors: the record, the statement, the deadline', async () => {
        await inserted(row('a'));
        const { table } = db.things;
        expect(await codeOf(inserted(row('a')))).toBe('RECORD_REFUSED');
        expect(
            await codeOf(
                db.database.run(() =>
                    send(
                        sql`INSERT INTO ${table.name} (${table.column('note')}, ${table.column('code')}) VALUES (${'x'}, ${null})`,
                    ),
                ),
            ),
        ).toBe('RECORD_REFUSED');
        expect(await codeOf(db.database.run(() => send(raw('SELECT nothing FROM nowhere'))))).toBe('DATABASE_REFUSED');
    });

    it('keeps responses with their statements after one that could not be sent', async () => {
        const { database, dataSource, things } = db;
        const circle: Record<string, unknown> = {};
        circle['of'] = circle;
        const work = database.transaction(
            function* () {
                yield* post(sql`INSERT INTO ${things.table.name} (${name('code')}) VALUES (${'before'})`);
                yield* post(sql`SELECT ${[circle] as never} AS ${name('one')}`);
                yield* post(sql`INSERT INTO ${things.table.name} (${name('code')}) VALUES (${'behind'})`);
            },
            { goesAhead: true },
        );
        const [{ status }] = await Promise.allSettled([work]);
        // MariaDB's driver writes anything as text.
        const isSent = database.dialect.kind === 'mysql';
        expect(status).toBe(isSent ? 'fulfilled' : 'rejected');
        for (let turn = 1; turn <= 4; turn++)
            expect(Number(((await dataSource.query(`SELECT ${turn} AS one`)) as Array<{ one: number }>)[0]!.one)).toBe(
                turn,
            );
        expect(await dataSource.getRepository(Thing).count()).toBe(isSent ? 2 : 0);
    });

    it('works again after a transaction that failed', async () => {
        expect(await codeOf(inserted(row('a'), row('a')))).toBe('RECORD_REFUSED');
        await inserted(row('a'));
        expect(await all()).toHaveLength(1);
    });
}

/** What only servers can do: several transactions at once, and outages. */
function behavesLikeAServer(open: () => Promise<Opened>, unreachable: () => DataSourceOptions): void {
    behavesLikeADatabase(open);

    it('returns the new ids even if they are not returned by the database and do not increase by one', async () => {
        const { dataSource, database, things } = await open();
        try {
            if (things.dialect.kind !== 'mysql') return;
            await dataSource.getRepository(Thing).clear();
            // As on MySQL, which has no RETURNING.
            const mysql: WriteTarget = { ...things, dialect: { ...things.dialect, hasReturning: false } };
            const ids = await database.transaction(function* (): StatementProgram<readonly Id[]> {
                yield* send(raw('SET SESSION auto_increment_increment = 3'));
                return yield* insertNumbered(mysql, [row('a'), row('b'), row('c')]);
            });
            const byId = new Map((await dataSource.getRepository(Thing).find()).map(({ id, code }) => [id, code]));
            expect(ids.map(id => byId.get(Number(id)))).toEqual(['a', 'b', 'c']);
        } finally {
            await dataSource.destroy();
        }
    });

    it('reports a deadlock as busy and keeps the other transaction', async () => {
        const {
            dataSource,
            database,
            things: { table, dialect },
        } = await open();
        try {
            await dataSource.getRepository(Thing).clear();
            await database.transaction(() => insertRows({ table, dialect }, [row('a'), row('b')]));
            let touched = 0;
            const touch = (code: string) =>
                send(
                    sql`UPDATE ${table.name} SET ${table.column('amount')} = ${2} WHERE ${table.column('code')} = ${code}`,
                );
            const slow = () =>
                send(dialect.kind === 'postgres' ? raw('SELECT pg_sleep(0.02)') : raw('SELECT SLEEP(0.02)'));
            const crossing = (first: string, second: string) =>
                codeOf(
                    database.transaction(function* () {
                        yield* touch(first);
                        touched++;
                        while (touched < 2) yield* slow();
                        yield* touch(second);
                    }),
                );
            const ends = await Promise.all([crossing('a', 'b'), crossing('b', 'a')]);
            expect(ends.sort()).toEqual(['DATABASE_BUSY', 'no error']);
        } finally {
            await dataSource.destroy();
        }
    });

    it('reports a connection that breaks in the middle of a transaction as lost, and continues with the next', async () => {
        const { dataSource, database, things } = await open();
        try {
            await dataSource.getRepository(Thing).clear();
            const isPostgres = things.dialect.kind === 'postgres';
            const idOf = () =>
                select<{ id: number }>(
                    isPostgres ? raw('SELECT pg_backend_pid() AS id') : raw('SELECT CONNECTION_ID() AS id'),
                );
            let connection = 0;
            let isKilled = false;
            let underWay = (): void => undefined;
            const isUnderWay = new Promise<void>(resolve => (underWay = resolve));
            const work = codeOf(
                database.transaction(function* () {
                    connection = Number((yield* idOf())[0]!.id);
                    yield* insertRows(things, [row('gone')]);
                    underWay();
                    while (!isKilled)
                        yield* send(isPostgres ? raw('SELECT pg_sleep(0.02)') : raw('SELECT SLEEP(0.02)'));
                    yield* insertRows(things, [row('never')]);
                }),
            );
            await isUnderWay;
            await dataSource.query(isPostgres ? `SELECT pg_terminate_backend(${connection})` : `KILL ${connection}`);
            isKilled = true;
            expect(await work).toBe('DATABASE_LOST');
            await database.transaction(() => insertRows(things, [row('next')]));
            expect((await dataSource.getRepository(Thing).find()).map(({ code }) => code)).toEqual(['next']);
        } finally {
            await dataSource.destroy();
        }
    });

    it('reports a server that rejects connections as lost', async () => {
        const { dataSource } = await open();
        const { host: _host, ...options } = dataSource.options as { host?: string };
        await dataSource.destroy();
        const away = new DataSource({
            ...options,
            ...unreachable(),
            entities: [Thing, Uuid],
            synchronize: false,
        } as DataSourceOptions);
        const issue = await away.initialize().then(
            () => undefined,
            (error: unknown) => databaseError(error),
        );
        expect(issue?.code).toBe('DATABASE_LOST');
    });
}

describe('the SQL floor on SQLite', () => {
    const open = () => openCircuit({ type: 'better-sqlite3', database: ':memory:' });
    behavesLikeADatabase(open);

    it('waits for another open transaction on the shared connection, whose rollback undoes nothing of ours', async () => {
        const { dataSource, database, things } = await open();
        const runner = dataSource.createQueryRunner();
        await runner.startTransaction();
        await runner.manager.getRepository(Thing).insert({ code: 'foreign' });
        let isDone = false;
        const ours = database
            .transaction(() => insertRows(things, [row('ours')]))
            .then(() => {
                isDone = true;
            });
        await sleep(50);
        expect(isDone).toBe(false);
        await runner.rollbackTransaction();
        await ours;
        expect((await dataSource.getRepository(Thing).find()).map(({ code }) => code)).toEqual(['ours']);
        await dataSource.destroy();
    });

    it('lets no other caller execute a statement while it is in progress', async () => {
        const { dataSource, database, things } = await open();
        const repository = dataSource.getRepository(Thing);
        let foreign: Promise<unknown> | undefined;
        const broken = database.transaction(function* () {
            yield* insertRows(things, [row('ours')]);
            foreign = repository.insert({ code: 'foreign' });
            throw new Error('undone');
        });
        await expect(broken).rejects.toThrow('undone');
        await foreign;
        expect((await repository.find()).map(({ code }) => code)).toEqual(['foreign']);
        await dataSource.destroy();
    });

    it('stops waiting when it is aborted', async () => {
        const { dataSource, database, things } = await open();
        const runner = dataSource.createQueryRunner();
        await runner.startTransaction();
        const abort = new AbortController();
        const ours = database.transaction(() => insertRows(things, [row('ours')]), { signal: abort.signal });
        setTimeout(() => abort.abort(new Error('enough')), 20);
        await expect(ours).rejects.toThrow('enough');
        await runner.rollbackTransaction();
        await dataSource.destroy();
    });
});

function scratch(server: Promise<DatabaseServer>): { create(): Promise<string>; drop(): Promise<void> } {
    const database = scratchName(process.env.FLOW_TEST_RUN ?? String(process.pid), `sql${Date.now().toString(36)}`);
    return {
        create: async () => {
            await (await server).create(database);
            return database;
        },
        drop: async () => {
            const opened = await server;
            await opened.drop(database);
            await opened.close();
        },
    };
}

function onServer(type: 'postgres' | 'mariadb', url: string, databases: () => Promise<DatabaseServer>): void {
    let own: ReturnType<typeof scratch>;
    let address: string;
    beforeAll(async () => {
        own = scratch(databases());
        const located = new URL(url);
        located.pathname = `/${await own.create()}`;
        address = located.href;
    });
    afterAll(() => own.drop());
    behavesLikeAServer(
        () => openCircuit({ type, url: address }),
        () => ({ type, url: 'x://nobody@127.0.0.1:1/nothing'.replace('x', type) }) as DataSourceOptions,
    );
}

needs('postgres', 'the SQL floor on PostgreSQL', ({ postgres }) =>
    onServer('postgres', postgres, () => postgresDatabases(postgres)),
);
needs('mariadb', 'the SQL floor on MariaDB', ({ mariadb }) =>
    onServer('mariadb', mariadb, () => mariadbDatabases(mariadb)),
);
