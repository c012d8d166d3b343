import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '../../src/core/adapter/extractor';
import { database } from '../../src/adapters/extractors/database';
import { afterPair } from '../../src/io/database/keyset';
import { checkSelect } from '../../src/io/database/select-guard';
import type { SqlDialect } from '../../src/io/database/sql-tokens';
import { openSession } from '../../src/io/database/session-pool';
import { extractedPages } from '../../src/testing/bare-extract';
import { HARMLESS } from '../fixtures/hostile-selects';
import {
    mariadbSource,
    pagesOf,
    postgresSource,
    recordsOf,
    sourceContext,
    type SourceDatabase,
} from '../kit/source-database';
import { freezableWay } from '../kit/freezable-way';
import { needs } from '../servers/needs';

const LIMITS = { timeoutMs: 5_000, signal: new AbortController().signal };

/** Calls of volatile functions: those of the owner, those written as attributes, and those of PostgreSQL itself. */
const VOLATILE = [
    'SELECT evil() AS a',
    'SELECT public.evil() AS a',
    'SELECT * FROM evil() AS a',
    'SELECT (SELECT max(evil()) FROM items) AS a',
    'SELECT i.evil_of AS a FROM items i',
    'SELECT n FROM items WHERE evil() > 0',
    'SELECT pg_get_wal_replay_pause_state() AS a',
    'SELECT name FROM pg_show_all_file_settings()',
];

/** What both servers have: functions that write, lock and wait, and rows with the same sort value. */
const SETUP: Readonly<Record<'postgres' | 'mysql', readonly string[]>> = {
    postgres: [
        'CREATE TABLE items (n int PRIMARY KEY)',
        'INSERT INTO items VALUES (1), (2), (3)',
        'CREATE FUNCTION evil() RETURNS int LANGUAGE sql AS $$ INSERT INTO items VALUES (99) RETURNING n $$',
        'CREATE FUNCTION evil_lock() RETURNS void LANGUAGE sql STABLE AS $$ SELECT pg_advisory_lock(4711) $$',
        "CREATE FUNCTION evil_setting() RETURNS text LANGUAGE sql STABLE AS $$ SELECT set_config('flow.evil', 'yes', false) $$",
        'CREATE FUNCTION evil_of(items) RETURNS int LANGUAGE sql AS $$ SELECT evil() $$',
        'CREATE FUNCTION evil_wait() RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN PERFORM pg_sleep(60); RETURN 1; END $$',
        'CREATE TABLE changes (id bigint PRIMARY KEY, changed timestamptz NOT NULL, note text)',
        "INSERT INTO changes SELECT i, '2024-01-01 00:00:00+00'::timestamptz + (i / 5) * interval '0.000001 s', 'n' || i FROM generate_series(1, 40) i",
        'CREATE INDEX ON changes (changed, id)',
        'CREATE TABLE holes (id int PRIMARY KEY, changed timestamptz)',
        'INSERT INTO holes VALUES (1, now()), (2, NULL)',
        'CREATE TABLE twins (id int, changed int)',
        'INSERT INTO twins VALUES (1, 1), (2, 1), (2, 1), (3, 1)',
        'CREATE TABLE spellings (id numeric, changed int)',
        'INSERT INTO spellings VALUES (1.0, 1), (1.00, 1), (2, 1), (3, 1)',
    ],
    mysql: [
        'CREATE TABLE items (n INT PRIMARY KEY)',
        'INSERT INTO items VALUES (1), (2), (3)',
        'CREATE FUNCTION evil() RETURNS INT MODIFIES SQL DATA BEGIN INSERT INTO items VALUES (99); RETURN 1; END',
        "CREATE FUNCTION evil_lock() RETURNS INT NO SQL RETURN GET_LOCK('flow_evil', 1)",
        'CREATE FUNCTION evil_setting() RETURNS INT NO SQL BEGIN SET @evil = 1; RETURN 1; END',
        'CREATE FUNCTION evil_wait() RETURNS INT NO SQL RETURN SLEEP(60)',
        'CREATE TABLE changes (id BIGINT PRIMARY KEY, changed TIMESTAMP(6) NOT NULL, note TEXT, KEY (changed, id))',
        `INSERT INTO changes WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 40)
            SELECT i, '2024-01-01 00:00:00' + INTERVAL (i DIV 5) MICROSECOND, CONCAT('n', i) FROM r`,
        'CREATE TABLE holes (id INT PRIMARY KEY, changed TIMESTAMP NULL)',
        'INSERT INTO holes VALUES (1, NOW()), (2, NULL)',
        'CREATE TABLE twins (id INT, changed INT)',
        'INSERT INTO twins VALUES (1, 1), (2, 1), (2, 1), (3, 1)',
        'CREATE TABLE spellings (id VARCHAR(5) COLLATE utf8mb4_general_ci, changed INT)',
        "INSERT INTO spellings VALUES ('a', 1), ('A', 1), ('b', 1), ('c', 1)",
    ],
};
const CURSOR = { type: 'CURSOR', cursorColumn: 'changed', cursorTieBreakerColumn: 'id' };

function reading(dialect: 'postgres' | 'mysql', make: () => Promise<SourceDatabase>): void {
    let source: SourceDatabase;
    beforeAll(async () => {
        source = await make();
        for (const sql of SETUP[dialect]) await source.ask(sql);
        // The transaction, not missing rights, must keep it from writing.
        await source.ask(
            `GRANT INSERT, UPDATE, DELETE ON items TO ${dialect === 'mysql' ? `'${source.target.user}'@'%'` : `"${source.target.user}"`}`,
        );
        if (dialect === 'mysql')
            await source.ask(`GRANT EXECUTE ON \`${source.target.database}\`.* TO '${source.target.user}'@'%'`);
    });
    afterAll(() => source?.drop());

    const step = (more: object) => ({ ...source.step, ...more });
    const ids = (pages: readonly Page[]) => pages.flatMap(({ records }) => records.map(({ id }) => Number(id)));
    const all = Array.from({ length: 40 }, (_, i) => i + 1);
    const codeOf = (work: Promise<unknown>): Promise<unknown> =>
        work.then(
            () => 'none',
            (error: { code?: unknown }) => error.code,
        );
    const atWork = async (): Promise<number> => {
        const sql =
            dialect === 'postgres'
                ? `SELECT 1 FROM pg_stat_activity WHERE usename = '${source.target.user}' AND state <> 'idle'`
                : `SELECT 1 FROM information_schema.PROCESSLIST WHERE DB = '${source.target.database}' AND COMMAND <> 'Sleep' AND ID <> CONNECTION_ID()`;
        return (await source.ask(sql)).length;
    };
    const untilNothingWorks = async (): Promise<void> => {
        let count = await atWork();
        for (let i = 0; i < 200 && count > 0; i++) {
            await sleep(50);
            count = await atWork();
        }
        // Not counted once more: the connection that ends another one at the server may begin and end meanwhile.
        expect(count).toBe(0);
    };

    describe('what a query changes', () => {
        it.each(HARMLESS[dialect])('is nothing: %j', async query => {
            await codeOf(recordsOf(step({ query })));
            expect(await source.ask('SELECT n FROM items ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
            const locks =
                dialect === 'postgres'
                    ? "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711"
                    : "SELECT 1 FROM (SELECT IS_USED_LOCK('flow_evil') AS l) AS q WHERE l IS NOT NULL";
            for (let i = 0; i < 100 && (await source.ask(locks)).length > 0; i++) await sleep(20);
            expect(await source.ask(locks)).toEqual([]);
        });

        it('does not affect another source that gets the connection', async () => {
            const cx = sourceContext();
            const pool = { max: 1, idleTimeoutMs: 60_000 };
            const [set, seen] =
                dialect === 'postgres'
                    ? [
                          'SELECT evil_lock(), evil_setting()',
                          "SELECT COALESCE(current_setting('flow.evil', true), '') AS s, (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS l, pg_backend_pid() AS p",
                      ]
                    : [
                          'SELECT evil_lock(), evil_setting()',
                          "SELECT IS_USED_LOCK('flow_evil') = CONNECTION_ID() AS l, CONNECTION_ID() AS p",
                      ];
            const first = extractedPages(
                {
                    extractor: database,
                    config: step({ query: set, pool, pagination: { type: 'OFFSET', pageSize: 1 } }),
                },
                cx,
            );
            await first.next();
            const [row] = await recordsOf(step({ query: seen, pool }), cx);
            expect(row).toMatchObject(dialect === 'postgres' ? { s: '', l: '0' } : { l: null });
            await first.return();
        });

        it('is not extended by a second statement, whatever the guard allows', async () => {
            const { outbound } = sourceContext();
            const session = await openSession(source.target, { ...LIMITS, outbound: outbound! });
            for (const text of [
                'SELECT 1; SELECT 2',
                'SELECT 1; DELETE FROM items',
                'INSERT INTO items VALUES (99)',
                'SELECT 1; COMMIT; DELETE FROM items',
            ])
                expect(await codeOf(session.rows({ text, values: [] }, LIMITS))).toBe('QUERY_FAILED');
            expect(await session.rows({ text: 'SELECT 1 AS a', values: [] }, LIMITS)).toHaveLength(1);
            session.end();
            expect(await source.ask('SELECT n FROM items')).toHaveLength(3);
        });
    });

    if (dialect === 'postgres')
        describe('a volatile function', () => {
            it.each(VOLATILE)('is not called for a role that can write: %j', async query => {
                expect(await codeOf(recordsOf(step({ query })))).toBe('QUERY_REFUSED');
            });

            it.each([
                'SELECT random() > 2 AS a, gen_random_uuid() IS NULL AS b, clock_timestamp() IS NULL AS c',
                "SELECT pg_table_size('items') > 0 AS a",
                'SELECT now() IS NULL AS a, count(*) AS n FROM items i WHERE i.n = abs(i.n)',
            ])('is called if it only reads: %j', async query => {
                expect(await recordsOf(step({ query }))).toHaveLength(1);
            });

            it('is called for a role that can only read, and writes nothing', async () => {
                const own = await make();
                try {
                    for (const sql of SETUP[dialect]) await own.ask(sql);
                    const read = (query: string) => codeOf(recordsOf({ ...own.step, query }));
                    expect(await read('SELECT pg_get_wal_replay_pause_state() AS a')).not.toBe('QUERY_REFUSED');
                    expect(await read('SELECT evil() AS a')).toBe('QUERY_FAILED');
                    expect(await own.ask('SELECT n FROM items')).toHaveLength(3);
                } finally {
                    await own.drop();
                }
            });
        });

    describe('a query that takes too long', () => {
        it('is ended, at the server as well', async () => {
            const work = recordsOf(
                step({ query: 'SELECT evil_wait() AS a', queryTimeoutMs: 300, pagination: { type: 'OFFSET' } }),
            );
            expect(await codeOf(work)).toBe('OUTBOUND_TIMEOUT');
            await untilNothingWorks();
            expect(await codeOf(recordsOf(step({ query: 'SELECT evil_wait() AS a', queryTimeoutMs: 300 })))).toBe(
                'OUTBOUND_TIMEOUT',
            );
            await untilNothingWorks();
        });

        it('is ended when the run is cancelled', async () => {
            const cancel = new AbortController();
            const long = ['a', 'b', 'c', 'd', 'e', 'f'].map(name => `changes ${name}`).join(', ');
            const query = `SELECT count(*) AS n FROM ${long} WHERE a.note > b.note`;
            const work = recordsOf(step({ query, queryTimeoutMs: 60_000 }), { signal: cancel.signal });
            const reason = expect(work).rejects.toThrow('cancelled');
            for (let i = 0; i < 200 && (await atWork()) === 0; i++) await sleep(20);
            await sleep(100);
            cancel.abort(new Error('cancelled'));
            await reason;
            await untilNothingWorks();
        });

        it('may be processed for longer than that, since only waiting counts', async () => {
            const query = 'SELECT a.id FROM changes a, changes b, changes c';
            const pages = extractedPages(
                { extractor: database, config: step({ query, queryTimeoutMs: 2_000 }) },
                sourceContext(),
            );
            let count = 0;
            for await (const { records } of pages) {
                count += records.length;
                if (count < 3_000) await sleep(1_500);
            }
            expect(count).toBe(64_000);
        });
    });

    describe('pages of a cursor', () => {
        const query = 'SELECT id, changed, note FROM changes';

        it('have each row once, however many are alike at the edge of a page, with fractions that a JavaScript date cannot have', async () => {
            for (const pageSize of [1, 3, 5, 7, 39, 40, 41]) {
                const pages = await pagesOf(step({ query, pagination: { ...CURSOR, pageSize } }));
                expect(ids(pages)).toEqual(all);
                expect(pages).toHaveLength(Math.ceil(40 / pageSize));
            }
        });

        it('continue after each checkpoint, which is text', async () => {
            const config = step({ query, pagination: { ...CURSOR, pageSize: 7 } });
            const pages = await pagesOf(config);
            let read = 0;
            for (const { records, checkpoint } of pages) {
                read += records.length;
                const kept = JSON.parse(JSON.stringify(checkpoint)) as Exclude<typeof checkpoint, undefined>;
                expect(ids(await pagesOf(config, { resumeFrom: kept }))).toEqual(all.slice(read));
            }
            const { behind: after } = pages[0]!.checkpoint as unknown as { behind: readonly string[] };
            expect(after[1]).toBe('7');
            expect(after[0]).toMatch(/^2024-01-01 00:00:00\.000001/);
        });

        it('take the values of the query in addition to their own', async () => {
            const [low, high] = dialect === 'postgres' ? ['$1', '$2'] : ['?', '?'];
            const config = step({
                query: `${query} WHERE id > ${low} AND note <> ${high}`,
                parameters: [10, 'n12'],
                pagination: { ...CURSOR, pageSize: 4 },
            });
            expect(ids(await pagesOf(config))).toEqual(all.filter(id => id > 10 && id !== 12));
        });

        it('are rejected if a row has no value to sort by', async () => {
            const config = step({ query: 'SELECT id, changed FROM holes', pagination: CURSOR });
            await expect(pagesOf(config)).rejects.toMatchObject({
                code: 'SOURCE_MALFORMED',
                message: expect.stringContaining('"changed"'),
            });
        });

        it('are rejected if two rows cannot be distinguished, also across the edge of a page', async () => {
            for (const pageSize of [1, 2, 3, 10]) {
                const config = step({ query: 'SELECT id, changed FROM twins', pagination: { ...CURSOR, pageSize } });
                await expect(pagesOf(config)).rejects.toMatchObject({
                    code: 'SOURCE_MALFORMED',
                    message: expect.stringContaining('"id"'),
                });
            }
        });

        it('are rejected if two rows differ, but not for the database', async () => {
            const config = step({
                query: 'SELECT id, changed FROM spellings',
                pagination: { ...CURSOR, pageSize: 1 },
            });
            await expect(pagesOf(config)).rejects.toMatchObject({
                code: 'SOURCE_MALFORMED',
                message: expect.stringContaining('"id"'),
            });
        });

        if (dialect === 'mysql')
            it.each(["ENUM ('b', 'a')", "SET ('b', 'a')"])(
                'are rejected for a column of type %s, whose sort order differs from its comparison',
                async type => {
                    await source.ask(`CREATE OR REPLACE TABLE sizes (id INT PRIMARY KEY, size ${type})`);
                    await source.ask("INSERT INTO sizes VALUES (1, 'b'), (2, 'a')");
                    const pagination = { ...CURSOR, cursorColumn: 'size', pageSize: 1 };
                    await expect(pagesOf(step({ query: 'SELECT * FROM sizes', pagination }))).rejects.toMatchObject({
                        code: 'QUERY_REFUSED',
                    });
                },
            );

        it('are rejected for columns that the query does not have', async () => {
            const config = step({ query, pagination: { ...CURSOR, cursorColumn: 'gone' } });
            await expect(pagesOf(config)).rejects.toMatchObject({ code: 'QUERY_REFUSED' });
        });

        it('are read with the index of both columns', async () => {
            const judged = checkSelect(query, dialect) as Exclude<ReturnType<typeof checkSelect>, { problem: unknown }>;
            const moment = "'2024-01-01 00:00:00.000003'";
            const pair =
                dialect === 'postgres'
                    ? ([`${moment}::timestamptz`, '17::bigint'] as const)
                    : ([`CAST(${moment} AS DATETIME(6))`, "CAST('17' AS SIGNED)"] as const);
            const text = afterPair(
                { ...judged, dialect },
                { column: 'changed', tieBreaker: 'id' },
                { limit: 5, behind: pair },
            );
            if (dialect === 'postgres') {
                await source.ask('SET enable_seqscan = off');
                const plan = (await source.ask(`EXPLAIN ${text}`)).map(row => String(row['QUERY PLAN'])).join('\n');
                expect(plan).toMatch(/Index Cond: \(ROW\(.*changed.*id\) > ROW\(/);
                expect(plan).not.toContain('Sort');
            } else {
                const plan = await source.ask(`EXPLAIN ${text.replace('SELECT * FROM (', 'SELECT id FROM (')}`);
                expect(plan).toHaveLength(1);
                expect(String(plan[0]!['type'])).toMatch(/range|index/);
            }
        });
    });

    describe('pages that count rows', () => {
        it('keep the order of the query, also if it has a limit', async () => {
            const pagination = { type: 'OFFSET', pageSize: 7 };
            const query = 'SELECT id FROM changes ORDER BY id DESC';
            expect(ids(await pagesOf(step({ query, pagination })))).toEqual([...all].reverse());
            const config = step({ query: `${query} LIMIT 10`, pagination });
            expect(ids(await pagesOf(config))).toEqual([...all].reverse().slice(0, 10));
        });

        it('continue at the row where a killed run has stopped', async () => {
            const config = step({
                query: 'SELECT id FROM changes ORDER BY id',
                pagination: { type: 'OFFSET', pageSize: 7 },
            });
            const [first] = await pagesOf(config);
            expect(ids(await pagesOf(config, { resumeFrom: first!.checkpoint! }))).toEqual(all.slice(7));
        });
    });

    describe('a table that changes while it is read', () => {
        const bytes =
            dialect === 'postgres' ? "ALTER note TYPE bytea USING '\\x00ff'::bytea" : 'MODIFY note VARBINARY(20)';
        const pagings: readonly object[] = [CURSOR, { type: 'OFFSET' }];
        const read = async (pagination: object, change: string) => {
            await source.ask('CREATE TABLE moving AS SELECT * FROM changes');
            const config = step({ query: 'SELECT * FROM moving', pagination: { ...pagination, pageSize: 7 } });
            const notes: unknown[] = [];
            let end: unknown = 'its end';
            try {
                for await (const page of extractedPages({ extractor: database, config }, sourceContext())) {
                    if (notes.length === 0) await source.ask(`ALTER TABLE moving ${change}`);
                    notes.push(...page.records.map(({ note }) => note));
                }
            } catch (error) {
                const { code, message } = error as { readonly code?: string; readonly message: string };
                end = [code, message.includes('"note"')];
            } finally {
                await source.ask('DROP TABLE moving');
            }
            // One page or two, since one is read ahead.
            expect(notes).toEqual(all.slice(0, notes.length).map(id => `n${id}`));
            return { end, isAll: notes.length === all.length };
        };

        it.each(pagings)(
            'is rejected once a column has another type, instead of being read as before (%j)',
            async pagination => {
                const rejected = { end: ['SOURCE_MALFORMED', true], isAll: false };
                expect(await read(pagination, bytes)).toEqual(rejected);
                const other = dialect === 'postgres' ? 'RENAME note TO remark' : 'CHANGE note remark TEXT';
                expect(await read(pagination, other)).toEqual(rejected);
            },
        );

        it.each(pagings)('is read further if a column was added at the end (%j)', async pagination => {
            expect(await read(pagination, 'ADD remark VARCHAR(20)')).toEqual({ end: 'its end', isAll: true });
        });
    });

    describe('more pages than allowed', () => {
        it('fail a run, or are left to the next one if that can continue there', async () => {
            const query = 'SELECT id, changed FROM changes ORDER BY id';
            for (const type of [{ type: 'OFFSET' }, CURSOR]) {
                const config = step({ query, pagination: { ...type, pageSize: 10, maxPages: 3 } });
                await expect(pagesOf(config)).rejects.toMatchObject({ code: 'PAGE_LIMIT' });
                const enough = step({ query, pagination: { ...type, pageSize: 10, maxPages: 4 } });
                expect(ids(await pagesOf(enough))).toEqual(all);
            }
            const incremental = { enabled: true, column: 'changed' };
            const config = step({ query, incremental, pagination: { ...CURSOR, pageSize: 10, maxPages: 3 } });
            const pages = await pagesOf(config);
            expect(ids(pages)).toEqual(all.slice(0, 30));
            const { from } = pages.at(-1)!.nextRun as { readonly from: never };
            expect(ids(await pagesOf(config, { resumeFrom: from }))).toEqual(all.slice(30));
        });
    });

    describe('a preview', () => {
        it('reads no more than it needs, whatever limit the query has', async () => {
            for (const query of [
                'SELECT id FROM changes ORDER BY id DESC',
                'SELECT id FROM changes ORDER BY id DESC LIMIT 1000',
            ])
                for (const pagination of [undefined, { type: 'OFFSET', pageSize: 4 }]) {
                    const pages = await pagesOf(step({ query, pagination }), { limit: 5, mode: 'preview' });
                    expect(ids(pages)).toEqual([40, 39, 38, 37, 36]);
                }
            expect(
                ids(await pagesOf(step({ query: 'SELECT id FROM changes ORDER BY id LIMIT 2' }), { limit: 5 })),
            ).toEqual([1, 2]);
        });
    });

    describe('what is wrong with a query', () => {
        it.each<[string, string, string]>([
            ['a table that is not there', 'SELECT * FROM nothing', 'QUERY_FAILED'],
            [
                'a column that comes twice',
                'SELECT 1 AS a, 2 AS a',
                dialect === 'postgres' ? 'QUERY_REFUSED' : 'QUERY_FAILED',
            ],
            ['an error that only the message explains', 'SELECT 1; SELECT 2', 'CONFIG'],
        ])('is reported: %s', async (_, query, code) => {
            const work = Promise.resolve().then(() => pagesOf(step({ query })));
            if (code === 'CONFIG') await expect(work).rejects.toThrow('semicolon');
            else await expect(work).rejects.toMatchObject({ code });
        });

        it('includes rights that its user lacks', async () => {
            const { user } = source.target;
            await source.ask('CREATE TABLE hidden (n int)');
            if (dialect === 'postgres') await source.ask(`REVOKE ALL ON hidden FROM "${user}"`);
            const query = dialect === 'postgres' ? 'SELECT * FROM hidden' : 'SELECT * FROM mysql.user';
            expect(await codeOf(pagesOf(step({ query })))).toBe('REMOTE_REFUSED');
        });
    });

    it('does not wait for ever for a server that freezes before a session is reused', async () => {
        const way = await freezableWay(source.target.port);
        const cx = sourceContext();
        const config = step({
            port: way.port,
            query: 'SELECT n FROM items ORDER BY n',
            queryTimeoutMs: 300,
            pool: { max: 1, idleTimeoutMs: 60_000 },
            pagination: { pageSize: 1 },
        });
        const first = extractedPages({ extractor: database, config }, cx);
        await first.next();
        way.freeze();
        expect(await codeOf(pagesOf(config, cx))).toBe('OUTBOUND_TIMEOUT');
        way.close();
        await first.return();
    });

    it('aborts an answer that is larger at once than a process should hold', async () => {
        const rows = dialect === 'postgres' ? 'generate_series(1, 400)' : 'seq_1_to_400';
        const big = step({ query: `SELECT repeat('x', 1000000) AS a FROM ${rows}`, pagination: { pageSize: 1_000 } });
        const cx = sourceContext();
        await expect(pagesOf(big, cx)).rejects.toMatchObject({ code: 'OUTBOUND_TOO_LARGE' });
        expect(await recordsOf(step({ query: 'SELECT 1 AS a' }), cx)).toEqual([{ a: 1 }]);
    });

    it('warns once a run of users who may do more than read', async () => {
        const lines: string[] = [];
        const silent = (): void => undefined;
        const log = { debug: silent, info: silent, error: silent, warn: (message: string) => void lines.push(message) };
        await pagesOf(step({ query: 'SELECT 1 AS a' }), { log });
        expect(lines).toEqual([]);
        const grown =
            dialect === 'postgres'
                ? `ALTER ROLE "${source.target.user}" SUPERUSER`
                : `GRANT FILE ON *.* TO '${source.target.user}'@'%'`;
        const shrunk =
            dialect === 'postgres'
                ? `ALTER ROLE "${source.target.user}" NOSUPERUSER`
                : `REVOKE FILE ON *.* FROM '${source.target.user}'@'%'`;
        await source.ask(grown);
        const cx = { ...sourceContext(), log };
        await pagesOf(step({ query: 'SELECT 1 AS a' }), cx);
        await source.ask(shrunk);
        expect(lines).toHaveLength(1);
    });
}

describe('a server that does not behave like PostgreSQL', () => {
    const message = (kind: string, body: Buffer, length = body.length + 4): Buffer => {
        const head = Buffer.alloc(5);
        head.write(kind);
        head.writeInt32BE(length, 1);
        return Buffer.concat([head, body]);
    };
    const KERBEROS = Buffer.from([0, 0, 0, 7]);
    const LET_IN = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]);

    it.each<[string, readonly Buffer[]]>([
        ['requires an authentication that is not supported', [message('R', KERBEROS)]],
        ['sends rows that are shorter than announced', [LET_IN, message('D', Buffer.alloc(0), 0)]],
        ['describes columns that it does not send', [LET_IN, message('T', Buffer.from([9, 9, 9]))]],
    ])('%s: that is an error, and the process continues', async (_, answers) => {
        const server = createServer(socket => {
            const left = [...answers];
            socket.on('data', () => void (left.length > 0 && socket.write(left.shift()!))).on('error', () => undefined);
        });
        await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
        const { port } = server.address() as AddressInfo;
        const config = {
            databaseType: 'POSTGRES',
            host: '127.0.0.1',
            port,
            database: 'shop',
            username: 'reader',
            passwordSecretCode: 'reader-password',
            query: 'SELECT 1 AS a',
            queryTimeoutMs: 5_000,
        };
        await expect(pagesOf(config)).rejects.toMatchObject({ code: 'REMOTE_MALFORMED' });
        await new Promise(resolve => server.close(resolve));
    });
});

needs('postgres', 'reading PostgreSQL', ({ postgres }) => reading('postgres', () => postgresSource(postgres)));
needs('mariadb', 'reading MariaDB', ({ mariadb }) => reading('mysql', () => mariadbSource(mariadb)));

describe('reading SQLite', () => {
    const file = { databaseType: 'SQLITE', database: ':memory:' };

    it.each(HARMLESS['sqlite' satisfies SqlDialect])('changes nothing: %j', async query => {
        expect((await recordsOf({ ...file, query })).length).toBeGreaterThan(0);
    });

    it('reads the file of its connection, but no other that a step names', async () => {
        const connections = { ledger: { type: 'SQLITE', settings: { database: ':memory:' } } };
        const query = 'SELECT 1 AS n';
        const cx = sourceContext({}, connections);
        expect(await recordsOf({ connectionCode: 'ledger', query }, cx)).toEqual([{ n: 1 }]);
        await expect(recordsOf({ connectionCode: 'ledger', database: '/etc/passwd', query }, cx)).rejects.toMatchObject(
            {
                code: 'CONNECTION_INVALID',
            },
        );
    });

    it('does not block the event loop while it computes', async () => {
        const query =
            'SELECT count(*) AS n FROM (WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 1000000) SELECT * FROM r)';
        let turns = 0;
        let isOver = false;
        const tick = (): void => {
            turns++;
            if (!isOver) setImmediate(tick);
        };
        setImmediate(tick);
        await recordsOf({ ...file, query });
        isOver = true;
        expect(turns).toBeGreaterThan(100);
    });
});
