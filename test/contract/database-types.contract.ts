import { SOURCE_TYPES } from '../fixtures/source-types';
import { mariadbSource, postgresSource, recordsOf, type SourceDatabase } from '../kit/source-database';
import { needs } from '../servers/needs';

needs('postgres', 'every type of PostgreSQL is read without a loss', ({ postgres }) => {
    let source: SourceDatabase;
    beforeAll(async () => {
        source = await postgresSource(postgres);
        await source.ask(`CREATE TYPE mood AS ENUM ('sad', 'so, so'); CREATE DOMAIN cents AS bigint; CREATE TYPE pair AS (a int, b text);
            CREATE TYPE moods AS (m mood[])`);
    });
    afterAll(() => source?.drop());

    it.each(SOURCE_TYPES.postgres)('%s: %s', async (_, sql, expected) => {
        const query = `SELECT v FROM (SELECT ${sql} AS v) AS t`;
        expect(await recordsOf({ ...source.step, query })).toEqual([{ v: expected }]);
    });

    it('does not depend on how the server and the role write dates', async () => {
        const { user, database } = source.target;
        await source.ask(`ALTER ROLE "${user}" IN DATABASE "${database}" SET datestyle = 'SQL, DMY'`);
        await source.ask(`ALTER ROLE "${user}" IN DATABASE "${database}" SET timezone = 'Asia/Kolkata'`);
        await source.ask(`ALTER ROLE "${user}" IN DATABASE "${database}" SET bytea_output = 'escape'`);
        const query =
            "SELECT '2024-03-31'::date AS d, '2024-03-31 02:30:00+00'::timestamptz AS t, '\\x00ff'::bytea AS b";
        expect(await recordsOf({ ...source.step, query })).toEqual([
            { d: '2024-03-31', t: '2024-03-31T02:30:00Z', b: 'AP8=' },
        ]);
    });
});

needs('mariadb', 'every type of MariaDB is read without a loss', ({ mariadb }) => {
    let source: SourceDatabase;
    beforeAll(async () => {
        source = await mariadbSource(mariadb);
        // A strict server no longer accepts a zero date, but old shops are full of them.
        await source.ask("SET SESSION sql_mode = '', SESSION time_zone = '+00:00'");
    });
    afterAll(() => source?.drop());

    it.each(SOURCE_TYPES.mariadb.map((one, i) => [...one, i] as const))('%s: %s', async (type, sql, expected, i) => {
        await source.ask(`CREATE TABLE t${i} (id INT, v ${type.replace(/ \(.*$/, '')} NULL)`);
        await source.ask(`INSERT INTO t${i} VALUES (1, ${sql}), (2, NULL)`);
        const query = `SELECT v FROM t${i} ORDER BY id`;
        const pages = { pagination: { type: 'OFFSET', pageSize: 1 } };
        // Connections are never kept idle, so each page gets another one.
        const pool = { max: 1, idleTimeoutMs: 1 };
        for (const more of [{}, pages, { ...pages, pool }])
            expect(await recordsOf({ ...source.step, query, ...more })).toEqual([{ v: expected }, { v: null }]);
    });

    it('as the results of expressions', async () => {
        const query =
            'SELECT COUNT(*) AS n, SUM(i) AS s, AVG(i) AS a, 1 = 1 AS t, CAST(1 AS UNSIGNED) AS u, NULL AS x FROM (SELECT 1 AS i UNION SELECT 2) AS q';
        expect(await recordsOf({ ...source.step, query })).toEqual([
            { n: '2', s: '3', a: '1.5000', t: 1, u: expect.anything(), x: null },
        ]);
    });
});

describe('every type of SQLite is read without a loss', () => {
    it.each(SOURCE_TYPES.sqlite)('%s: %s', async (_, sql, expected) => {
        const query = `SELECT ${sql} AS v`;
        expect(await recordsOf({ databaseType: 'SQLITE', database: ':memory:', query })).toEqual([{ v: expected }]);
    });
});
