import { createConnection, createPool, type Pool as MysqlPool } from 'mysql2/promise';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Pool } from 'pg';
import { RUN_QUEUE } from '../../src/plugin/tokens';
import type { DatabaseConnection } from '../config/vendure-config';

/** Distinguishes the bench's own connections from those of shop and workers. */
const BENCH_NAME = 'flow-crash-bench';

/**
 * The bench's own access to the shop's database, separate from server and workers. Statements must be valid in
 * PostgreSQL and MariaDB: names in double quotes, `||` between texts.
 */
export interface BenchDatabase {
    rows<R>(statement: string): Promise<R[]>;
    /** Cuts every connection but the bench's, as a proxy or an administrator would. */
    cutOthers(): Promise<void>;
    /** Returns how many sessions wait for a lock. */
    waiting(): Promise<number>;
    /** Holds every load of tags in the middle of its transaction, until the returned function is called. */
    holdLoads(): Promise<() => Promise<void>>;
    /**
     * Locks the jobs of waiting runs, as a worker that looks for its next one does, until the returned function is
     * called.
     */
    holdJobs(): Promise<() => Promise<void>>;
    /** Whether another session has locked them. */
    areJobsHeld(): Promise<boolean>;
    /** The values of a column in one text, sorted by another column. */
    listed(value: string, order: string): string;
    /** The database of a session. */
    readonly current: string;
    end(): Promise<void>;
}

/** The table whose only row a load of tags reads. */
export const BARRIER = 'crash_barrier';

export async function benchDatabase(connection: DatabaseConnection): Promise<BenchDatabase> {
    if (connection.type === 'better-sqlite3') throw new Error('SQLite has no workers that share it');
    const database = connection.type === 'postgres' ? onPostgres(connection.url) : onMariaDb(connection.url);
    await database.rows(`CREATE TABLE ${BARRIER} (id int PRIMARY KEY)`);
    await database.rows(`INSERT INTO ${BARRIER} VALUES (1)`);
    return database;
}

const HOLD = `SELECT id FROM ${BARRIER} FOR UPDATE`;
const JOBS = `SELECT id FROM job_record WHERE "queueName" = '${RUN_QUEUE}' AND state = 'PENDING' FOR UPDATE`;

/** Whether a statement that does not wait for locks is rejected. */
function isRefused(requested: Promise<unknown>): Promise<boolean> {
    return requested.then(
        () => false,
        () => true,
    );
}

function onPostgres(url: string): BenchDatabase {
    const own = { connectionString: url, application_name: BENCH_NAME };
    const pool = new Pool({ ...own, max: 2 });
    // Without a listener an idle connection that breaks would end the process. The next query reports the error.
    pool.on('error', () => undefined);
    const rows = async <R>(statement: string): Promise<R[]> => (await pool.query(statement)).rows as R[];
    const held = async (statement: string) => {
        const holder = new Client(own);
        holder.on('error', () => undefined); // It ends with its server, as the lock does.
        await holder.connect();
        await holder.query('BEGIN');
        await holder.query(statement);
        return () => holder.end().catch(() => undefined);
    };
    const others = `FROM pg_stat_activity WHERE datname = current_database() AND application_name <> '${BENCH_NAME}'`;
    return {
        rows,
        cutOthers: async () => void (await rows(`SELECT pg_terminate_backend(pid) ${others}`)),
        waiting: async () =>
            Number((await rows<{ n: string }>(`SELECT count(*) AS n ${others} AND wait_event_type = 'Lock'`))[0]?.n),
        holdLoads: () => held(HOLD),
        holdJobs: () => held(JOBS),
        areJobsHeld: () => isRefused(rows(`${JOBS} NOWAIT`)),
        listed: (value, order) => `string_agg(${value}, ',' ORDER BY ${order})`,
        current: "table_schema = 'public' AND table_catalog = current_database()",
        end: () => pool.end(),
    };
}

/** InnoDB reports its transactions from a cache, which it only refreshes after a tenth of a second without a query. */
const STALE_MS = 150;
const ANSI = "SET SESSION sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES,PIPES_AS_CONCAT')";

function onMariaDb(url: string): BenchDatabase {
    const pool: MysqlPool = createPool({ uri: url, connectionLimit: 2, supportBigNumbers: true });
    const own = new Set<number>();
    pool.pool.on('connection', connection => {
        own.add(connection.threadId);
        connection.on('error', () => undefined); // The next query reports the error.
        connection.query(ANSI, () => undefined);
    });
    const rows = async <R>(statement: string): Promise<R[]> => (await pool.query(statement))[0] as unknown as R[];
    const held = async (statement: string) => {
        const holder = await createConnection({ uri: url });
        holder.on('error', () => undefined); // It ends with its server, as the lock does.
        own.add(holder.threadId);
        await holder.query(ANSI);
        await holder.query('START TRANSACTION');
        await holder.query(statement);
        return () => holder.end().catch(() => undefined);
    };
    const database = new URL(url).pathname.slice(1);
    const sessions = async (): Promise<Array<{ id: number; state: string | null }>> =>
        (
            await rows<{ id: number; state: string | null }>(
                `SELECT id AS "id", state AS "state" FROM information_schema.processlist WHERE db = '${database}'`,
            )
        ).filter(({ id }) => !own.has(id));
    return {
        rows,
        cutOthers: async () => {
            for (const { id } of await sessions()) await rows(`KILL ${id}`).catch(() => undefined); // The session has already ended.
        },
        waiting: async () => {
            await sleep(STALE_MS);
            const [found] = await rows<{ n: number }>(
                `SELECT count(*) AS n FROM information_schema.innodb_trx t JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id
                WHERE t.trx_state = 'LOCK WAIT' AND p.db = '${database}'`,
            );
            return Number(found?.n) + (await sessions()).filter(({ state }) => state === 'User lock').length;
        },
        holdLoads: () => held(HOLD),
        holdJobs: () => held(JOBS),
        areJobsHeld: () => isRefused(rows(`${JOBS} NOWAIT`)),
        listed: (value, order) => `GROUP_CONCAT(${value} ORDER BY ${order} SEPARATOR ',')`,
        current: `table_schema = '${database}'`,
        end: () => pool.end(),
    };
}
