import BetterSqlite from 'better-sqlite3';
import { Client } from 'pg';

/** Statements that reached a driver of this process, counted in the drivers themselves, below TypeORM. */
let statements = 0;

/** The SQL job queue asks for jobs all the time, whatever else goes on: its transactions are left out. */
const JOB_QUEUE = /["`]job_record["`]/;
const BEGIN = /^(BEGIN|START TRANSACTION)/i;
const END = /^(COMMIT|ROLLBACK)$/i;

interface OpenTransaction {
    isJobQueue: boolean;
}
const open = new WeakMap<object, OpenTransaction>();
const watchers = new Set<(text: string) => void>();

function add(...texts: readonly string[]): void {
    statements += texts.length;
    for (const watcher of watchers) texts.forEach(watcher);
}

function count(connection: object, text: string): void {
    const transaction = open.get(connection);
    if (BEGIN.test(text)) {
        open.set(connection, { isJobQueue: false });
    } else if (END.test(text)) {
        if (!transaction?.isJobQueue) add('BEGIN', text);
        open.delete(connection);
    } else if (!JOB_QUEUE.test(text)) {
        add(text);
    } else if (transaction) {
        transaction.isJobQueue = true;
    }
}

type Method = (this: object, ...args: unknown[]) => unknown;

interface Seen {
    readonly connection: object;
    readonly text: unknown;
}

function countCalls(target: object, method: string, look: (self: object, args: readonly unknown[]) => Seen): void {
    const methods = target as Record<string, Method>;
    const original = methods[method]!;
    methods[method] = function (...args) {
        const { connection, text } = look(this, args);
        count(connection, String(text));
        return original.apply(this, args);
    };
}

/** Once, before anything connects. */
export function countStatements(): void {
    countCalls(Client.prototype, 'query', (connection, [query]) => ({ connection, text: typeof query === 'string' ? query : (query as { text?: string }).text }));
    const probe = new BetterSqlite(':memory:');
    const prepared = Object.getPrototypeOf(probe.prepare('SELECT 1')) as object;
    for (const method of ['run', 'all', 'get']) {
        countCalls(prepared, method, self => {
            const { database, source } = self as { database: object; source: string };
            return { connection: database, text: source };
        });
    }
    countCalls(Object.getPrototypeOf(probe) as object, 'exec', (connection, [text]) => ({ connection, text }));
    probe.close();
}

/** Hands each statement that is counted to the watcher, until the answer is called. */
export function watchStatements(watcher: (text: string) => void): () => void {
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

/** Runs the work and says what it took. Peak memory is sampled, so short peaks may be missed. */
export async function measure<T>(work: () => Promise<T>): Promise<Measured<T>> {
    let peak = process.memoryUsage.rss();
    const sampler = setInterval(() => { peak = Math.max(peak, process.memoryUsage.rss()); }, SAMPLE_MS);
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
