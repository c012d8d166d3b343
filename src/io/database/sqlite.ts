import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { JsonValue } from '../../core/value/json';
import { sourceError, driver } from './source-errors';
import {
    type CursorColumn,
    type SessionGateway,
    type SqlColumn,
    type SqlLimits,
    type SqlRow,
    type SqlSession,
    type SqlStatement,
    type SqlTarget,
    type SqlParameter,
    targetName,
} from './session';
import { withinLimits } from './session-deadline';

/** Nothing in SQLite ends a query; its caller has the run's signal, and the thread is left to itself. */
const NEVER_MS = 2 ** 31 - 1;

type Answer = { readonly id: number } & (
    { readonly value: unknown } | { readonly error: { readonly message: string; readonly code: string } }
);

interface Waiting {
    resolve(value: unknown): void;
    reject(error: unknown): void;
}

/** A SQLite file, read in a separate thread. */
export class SqliteSession implements SqlSession {
    readonly product = 'SQLite';
    readonly excess = undefined;
    readonly zone = '';
    private readonly waiting = new Map<number, Waiting>();
    private count = 0;
    private over = false;

    private constructor(
        private readonly target: SqlTarget,
        private readonly worker: Worker,
    ) {
        const lost = (error: unknown): void => {
            this.over = true;
            for (const { reject } of this.waiting.values()) reject(error);
            this.waiting.clear();
        };
        worker
            .on('message', (statementResult: Answer) => this.answered(statementResult))
            .on('error', lost)
            .on('exit', () => lost(Object.assign(new Error('the thread has ended'), { code: 'ERR_STREAM_DESTROYED' })));
    }

    static async open(target: SqlTarget, { signal }: SessionGateway): Promise<SqliteSession> {
        const path = await driver('better-sqlite3', async () => require.resolve('better-sqlite3'));
        const worker = new Worker(join(__dirname, 'sqlite-worker.cjs'), {
            env: {},
            execArgv: [],
            workerData: { driver: path, path: target.database },
        });
        const session = new SqliteSession(target, worker);
        try {
            await session.ask({ op: 'open' }, signal);
            return session;
        } catch (error) {
            session.end();
            throw error;
        }
    }

    get isOver(): boolean {
        return this.over;
    }

    async columns(statement: SqlStatement, { signal }: SqlLimits): Promise<readonly SqlColumn[]> {
        const names = (await this.ask({ op: 'columns', ...given(statement) }, signal)) as readonly string[];
        return names.map(name => ({ name, toJson: jsonOf as (cell: never) => JsonValue, cursor: CURSOR }));
    }

    async rows(statement: SqlStatement, { signal }: SqlLimits): Promise<readonly SqlRow[]> {
        return (await this.ask({ op: 'rows', ...given(statement) }, signal)) as readonly SqlRow[];
    }

    async *portions(
        statement: SqlStatement,
        { size, signal }: SqlLimits & { readonly size: number },
    ): AsyncGenerator<readonly SqlRow[]> {
        await this.ask({ op: 'begin', ...given(statement) }, signal);
        try {
            for (;;) {
                const rows = (await this.ask({ op: 'next', size }, signal)) as readonly SqlRow[];
                if (rows.length > 0) yield rows;
                if (rows.length < size) return;
            }
        } finally {
            if (!this.over) await this.ask({ op: 'leave' }, signal);
        }
    }

    clean(): Promise<void> {
        return Promise.resolve();
    }

    end(): void {
        this.over = true;
        void this.worker.terminate();
    }

    private async ask(order: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown> {
        const id = ++this.count;
        const requested = (): Promise<unknown> =>
            new Promise((resolve, reject) => {
                this.waiting.set(id, { resolve, reject });
                this.worker.postMessage({ id, ...order });
            });
        const breakable = { host: targetName(this.target), what: 'did not end the query', end: () => this.end() };
        try {
            return await withinLimits(requested, { timeoutMs: NEVER_MS, signal }, breakable);
        } catch (error) {
            throw signal.aborted ? error : sourceError(error, this.target, NEVER_MS);
        }
    }

    private answered(statementResult: Answer): void {
        const waiting = this.waiting.get(statementResult.id);
        this.waiting.delete(statementResult.id);
        if ('error' in statementResult) waiting?.reject(statementResult.error);
        else waiting?.resolve(statementResult.value);
    }
}

/** SQLite has no booleans, and reads whole numbers as numbers with a fraction unless they are marked as integers. */
function given({ text, values }: SqlStatement): { readonly text: string; readonly values: readonly SqlParameter[] } {
    const value = (one: SqlParameter): SqlParameter => {
        if (typeof one === 'boolean') return one ? 1n : 0n;
        return typeof one === 'number' && Number.isSafeInteger(one) ? BigInt(one) : one;
    };
    return { text, values: values.map(value) };
}

/**
 * Each value has its own type, whatever the column's declaration. A whole number that no double holds exactly becomes
 * text.
 */
function jsonOf(cell: bigint | number | string | Uint8Array): JsonValue {
    if (typeof cell === 'bigint') {
        const number = Number(cell);
        return Number.isSafeInteger(number) ? number : String(cell);
    }
    if (typeof cell === 'number') return Number.isFinite(cell) ? cell : String(cell);
    return typeof cell === 'string' ? cell : Buffer.from(cell).toString('base64');
}

/** '5' is not 5 to SQLite, so the stored value contains its type. */
const CURSOR: CursorColumn = {
    store(cell): JsonValue | undefined {
        if (typeof cell === 'bigint') return { integer: String(cell) };
        if (typeof cell === 'number') return Number.isFinite(cell) ? { real: cell } : undefined;
        if (cell instanceof Uint8Array) return { blob: Buffer.from(cell).toString('base64') };
        return typeof cell === 'string' ? cell : undefined;
    },
    bind(stored) {
        const { integer, real, blob } = Object(stored) as {
            readonly integer?: string;
            readonly real?: number;
            readonly blob?: string;
        };
        if (integer !== undefined) return BigInt(integer);
        if (real !== undefined) return real;
        return blob === undefined ? String(stored as string) : Buffer.from(blob, 'base64');
    },
    cast: placeholder => placeholder,
};
