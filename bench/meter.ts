import BetterSqlite from 'better-sqlite3';
import { Connection } from 'mysql2';
import { Client } from 'pg';

/** The number of statements that reached a driver of this process. The drivers count them, below TypeORM. */
let statements = 0;

/** The SQL job queue polls for jobs all the time, so its transactions are not counted. */
const JOB_QUEUE = /["`]job_record["`]/;
const BEGIN = /^(BEGIN|START TRANSACTION)/i;
const END = /^(COMMIT|ROLLBACK)$/i;

type Watcher = (text: string, params: readonly unknown[]) => void;

interface OpenTransaction {
    isJobQueue: boolean;
}
const open = new WeakMap<object, OpenTransaction>();
const watchers = new Set<Watcher>();

function add(text: string, params: readonly unknown[] = []): void {
    statements += 1;
    for (const watcher of watchers) watcher(text, params);
}

function count({ connection, text: statement, params }: Seen): void {
    const text = String(statement);
    const transaction = open.get(connection);
    if (BEGIN.test(text)) {
        open.set(connection, { isJobQueue: false });
    } else if (END.test(text)) {
        if (!transaction?.isJobQueue) {
            add('BEGIN');
            add(text);
        }
        open.delete(connection);
    } else if (!JOB_QUEUE.test(text)) {
        add(text, params);
    } else if (transaction) {
        transaction.isJobQueue = true;
    }
}

/**
 * The methods of drivers belong to the process and stay patched when a test file has ended. The next file installs its
 * own ones in their place.
 */
const ORIGINAL = Symbol.for('flow.meter.original');
type Method = ((this: object, ...args: unknown[]) => unknown) & { [ORIGINAL]?: Method };

interface Seen {
    readonly connection: object;
    readonly text: unknown;
    readonly params?: readonly unknown[];
}

function countCalls(target: object, method: string, look: (self: object, args: readonly unknown[]) => Seen): void {
    const methods = target as Record<string, Method>;
    const original = methods[method]![ORIGINAL] ?? methods[method]!;
    const counted: Method = function (...args) {
        count(look(this, args));
        return original.apply(this, args);
    };
    counted[ORIGINAL] = original;
    methods[method] = counted;
}

/** Once, before anything connects. */
export function countStatements(): void {
    countCalls(Client.prototype, 'query', (connection, [query, values]) => {
        const { text, values: params = [] } =
            typeof query === 'string'
                ? { text: query, values: Array.isArray(values) ? values : [] }
                : (query as { text?: string; values?: unknown[] });
        return { connection, text, params };
    });
    // Connections of a pool inherit from it.
    countCalls(Connection.prototype, 'query', (connection, [query, values]) => {
        const { sql: text, values: params = [] } =
            typeof query === 'string'
                ? { sql: query, values: Array.isArray(values) ? values : [] }
                : (query as { sql?: string; values?: unknown[] });
        return { connection, text, params };
    });
    const probe = new BetterSqlite(':memory:');
    const prepared = Object.getPrototypeOf(probe.prepare('SELECT 1')) as object;
    for (const method of ['run', 'all', 'get']) {
        countCalls(prepared, method, (self, params) => {
            const { database, source } = self as { database: object; source: string };
            return { connection: database, text: source, params };
        });
    }
    countCalls(Object.getPrototypeOf(probe) as object, 'exec', (connection, [text]) => ({ connection, text }));
    probe.close();
}

/** Calls the watcher with each counted statement and its parameters, until the returned function is called. */
export function watchStatements(watcher: Watcher): () => void {
    watchers.add(watcher);
    return () => void watchers.delete(watcher);
}

export interface Measured<T> {
    readonly value: T;
    readonly seconds: number;
    readonly statements: number;
    readonly peakRssMb: number;
}

const SAMPLE_MS = 25;

/** Executes the work and returns what it took. Peak memory is sampled, so short peaks may be missed. */
export async function measure<T>(work: () => Promise<T>): Promise<Measured<T>> {
    let peak = process.memoryUsage.rss();
    const sampler = setInterval(() => {
        peak = Math.max(peak, process.memoryUsage.rss());
    }, SAMPLE_MS);
    const before = statements;
    const start = performance.now();
    try {
        const value = await work();
        const seconds = (performance.now() - start) / 1000;
        peak = Math.max(peak, process.memoryUsage.rss());
        return { value, seconds, statements: statements - before, peakRssMb: peak / 1024 / 1024 };
    } finally {
        clearInterval(sampler);
    }
}

/** The median. */
export function median(values: readonly number[]): number {
    return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
