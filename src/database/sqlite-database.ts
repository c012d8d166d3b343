import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import type { StatementProgram } from '../core/adapter/loader';
import { flowError } from '../core/errors/flow-error';
import type { Database, ManagedOptions, ManagedTransaction, TransactionOptions } from './database';
import { type Dialect, render, sqlite } from './dialect';
import { databaseError } from './database-errors';
import { type StatementResult, type Request, type Statement, waited } from './statement';

type Wait = Extract<Request, { readonly type: 'wait' }>;

/** The part of better-sqlite3 that is used here. */
interface Handle {
    readonly inTransaction: boolean;
    exec(text: string): unknown;
    prepare(text: string): Prepared;
}
interface Prepared {
    readonly reader: boolean;
    all(...params: unknown[]): unknown[];
    run(...params: unknown[]): { changes: number; lastInsertRowid: number | bigint };
}

const CACHED_STATEMENTS = 200;
const WAIT_MS = 2;
const WAIT_LIMIT_MS = 30_000;
const CONTROL = { savepoint: 'SAVEPOINT', release: 'RELEASE', rollback: 'ROLLBACK TO' } as const;

const deadlineFromNow = (): number => Date.now() + WAIT_LIMIT_MS;

/** Waits while another transaction is open. Throws DATABASE_BUSY when it has been open for too long. */
async function pause(deadline: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (Date.now() > deadline) {
        throw flowError('DATABASE_BUSY', {
            problem: `another transaction has been open for ${WAIT_LIMIT_MS / 1000} seconds`,
        });
    }
    await sleep(WAIT_MS);
}

/**
 * better-sqlite3, whose calls are synchronous. A transaction waits until no other one is open on the shared connection, and then runs from BEGIN to
 * COMMIT without yielding.
 */
export class SqliteDatabase implements Database {
    readonly dialect: Dialect = sqlite;
    private readonly handle: Handle;
    private readonly prepared = new Map<string, Prepared>();

    constructor(private readonly dataSource: DataSource) {
        this.handle = (dataSource.driver as unknown as { databaseConnection: Handle }).databaseConnection;
    }

    async transaction<T>(script: () => StatementProgram<T>, options: TransactionOptions = {}): Promise<T> {
        const deadline = deadlineFromNow();
        // No await is allowed between the last check and BEGIN, because another transaction could start in between.
        while (this.handle.inTransaction) await pause(deadline, options.signal ?? options.repeatedUntil);
        try {
            this.handle.exec('BEGIN IMMEDIATE');
            const result = this.drive(script());
            options.signal?.throwIfAborted();
            this.handle.exec('COMMIT');
            return result;
        } catch (error) {
            // SQLite may have rolled back by itself (disk full), then there is none to undo.
            if (this.handle.inTransaction) this.handle.exec('ROLLBACK');
            throw databaseError(error);
        }
    }

    /**
     * Like any transaction of the shop on SQLite it awaits its statements on the shared connection: statements of
     * other code in between are part of it.
     */
    async managed<T>(work: (tx: ManagedTransaction) => Promise<T>, { signal }: ManagedOptions = {}): Promise<T> {
        const deadline = deadlineFromNow();
        const runner = this.dataSource.createQueryRunner();
        while (this.handle.inTransaction || runner.isTransactionActive) await pause(deadline, signal);
        await runner.startTransaction();
        try {
            const result = await work({
                manager: runner.manager,
                run: async script => this.drive(script()),
            });
            signal?.throwIfAborted();
            if (runner.isTransactionActive) await runner.commitTransaction();
            return result;
        } catch (error) {
            if (runner.isTransactionActive) await runner.rollbackTransaction();
            throw databaseError(error);
        } finally {
            await runner.release();
        }
    }

    /** All of the process's transactions have the one connection. */
    async within<T>({ queryRunner }: EntityManager, script: () => StatementProgram<T>): Promise<T> {
        if (!queryRunner?.isTransactionActive) return this.transaction(script);
        try {
            return this.drive(script());
        } catch (error) {
            throw databaseError(error);
        }
    }

    async run<T>(script: () => StatementProgram<T>): Promise<T> {
        const running = script();
        try {
            let step = await this.unhindered(() => this.until(running, running.next()));
            while (!step.done) {
                const answer = await waited(step.value as Wait, true);
                step = await this.unhindered(() => this.until(running, running.next(answer)));
            }
            return step.value;
        } catch (error) {
            throw databaseError(error);
        }
    }

    /** Runs work while no transaction is open. */
    private async unhindered<T>(work: () => T): Promise<T> {
        const deadline = deadlineFromNow();
        while (this.handle.inTransaction) await pause(deadline, undefined);
        return work();
    }

    private drive<T>(statementProgram: StatementProgram<T>): T {
        let step = this.until(statementProgram, statementProgram.next());
        while (!step.done) {
            void waited(step.value as Wait, false).catch(() => undefined);
            step = this.until(statementProgram, statementProgram.throw(flowError('LOAD_UNPREPARED', {})));
        }
        return step.value;
    }

    /** Continues a script until it has ended, or has to wait. */
    private until<T>(
        statementProgram: StatementProgram<T>,
        step: IteratorResult<unknown, T>,
    ): IteratorResult<unknown, T> {
        while (!step.done) {
            const request = step.value as Request;
            if (request.type === 'wait') return step;
            let answer: unknown;
            try {
                answer = this.answer(request);
            } catch (error) {
                step = statementProgram.throw(databaseError(error));
                continue;
            }
            step = statementProgram.next(answer);
        }
        return step;
    }

    /** SQLite sends nothing ahead: each posted statement has its result at once. */
    private answer(request: Exclude<Request, Wait>): unknown {
        if (request.type === 'settle') return undefined;
        if (request.type === 'answer') return request.to.answer;
        const answer = this.perform(request);
        return request.type === 'query' && request.isAhead ? { answer } : answer;
    }

    private perform(request: Statement): StatementResult<unknown> {
        if (request.type !== 'query') {
            this.handle.exec(`${CONTROL[request.type]} ${request.name}`);
            return { rows: [], affected: 0, insertId: undefined };
        }
        const { text, params } = render(request.sql, sqlite);
        const statement = this.statement(text);
        if (statement.reader) return { rows: statement.all(...params), affected: 0, insertId: undefined };
        const { changes, lastInsertRowid } = statement.run(...params);
        return { rows: [], affected: changes, insertId: Number(lastInsertRowid) };
    }

    private statement(text: string): Prepared {
        let statement = this.prepared.get(text);
        if (!statement) {
            statement = this.handle.prepare(text);
            const oldest = this.prepared.size >= CACHED_STATEMENTS ? this.prepared.keys().next().value : undefined;
            if (oldest !== undefined) this.prepared.delete(oldest);
            this.prepared.set(text, statement);
        }
        return statement;
    }
}
