import type { EntityManager } from 'typeorm';
import type { StatementProgram } from '../core/adapter/loader';
import type { Dialect } from './dialect';

export interface TransactionOptions {
    /**
     * Business keys that this transaction locks until it ends, each with its kind as a prefix: `sku:TS-1`. No unique index guards SKUs and slugs,
     * so code that matches by them holds these locks first (ADR 3).
     */
    readonly locks?: readonly string[];
    /** Ends the transaction with its reason: at once while locks are waited for, and before the commit. */
    readonly signal?: AbortSignal;
    /**
     * A short transaction that a user, or many others, wait for. It is given up after a few seconds of waiting for locks, and the server ends it
     * when it is idle for two or three. Its script may run several times, each from the beginning.
     */
    readonly brief?: boolean;
    /**
     * Its script may run several times, each from the beginning: after a lock timeout or a deadlock, until this signal is aborted. Without it (and
     * without `brief`), it throws DATABASE_BUSY in these cases. An abort also ends the wait for locks of keys.
     */
    readonly repeatedUntil?: AbortSignal;
    /**
     * Statements that its script posts may be in flight while the script continues (ADR 24); if that is not possible, they are awaited like the
     * others.
     */
    readonly goesAhead?: boolean;
    /**
     * Its script finds rows only by keys: an index is used if there is one, even if the database has no statistics of
     * the table (ADR 23).
     */
    readonly byKeys?: boolean;
}

export type ReadOptions = Pick<TransactionOptions, 'byKeys'>;
export type ManagedOptions = Pick<TransactionOptions, 'locks' | 'signal'>;

export interface ManagedTransaction {
    readonly manager: EntityManager;
    run<T>(script: () => StatementProgram<T>): Promise<T>;
}

/**
 * The only way in which Flow writes to the shop's database. A script's statements use one connection and commit together. On PostgreSQL and MariaDB
 * that is a connection of the pool. On SQLite the whole process shares one connection. There, the script runs in one synchronous stretch while no
 * other transaction is open, so that no foreign statement can join it and no foreign rollback can undo it (ADR 3).
 */
export interface Database {
    readonly dialect: Dialect;
    /** Begin, script, commit. Rolls back and throws when the script throws; what a driver throws becomes a FlowError. */
    transaction<T>(script: () => StatementProgram<T>, options?: TransactionOptions): Promise<T>;
    /**
     * For writes of the platform's services: a transaction of TypeORM, so that they join it, in which scripts can run
     * as well. Takes locks too; rolls back and throws what the work throws.
     */
    managed<T>(work: (tx: ManagedTransaction) => Promise<T>, options?: ManagedOptions): Promise<T>;
    /**
     * A script within the transaction of a request: its writes commit or roll back with that transaction. A script that throws has spoilt it. If
     * `manager` has no open transaction, the script gets a separate one.
     */
    within<T>(manager: EntityManager, script: () => StatementProgram<T>): Promise<T>;
    /** A script without a transaction: one statement, or reads that need not be consistent; with `byKeys`, reads that wait for nothing else. */
    run<T>(script: () => StatementProgram<T>, options?: ReadOptions): Promise<T>;
}
