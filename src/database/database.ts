import type { EntityManager } from 'typeorm';
import type { Script } from '../core/adapter/loader';
import type { Dialect } from './dialect';

export interface TransactionOptions {
    /**
     * Business keys that this transaction alone may work on until it ends, each behind its kind: `sku:TS-1`. No unique index guards SKUs
     * and slugs, so whoever matches by them holds these first (ADR 3).
     */
    readonly locks?: readonly string[];
    /** Ends the transaction with its reason: at once while locks are waited for, and before the commit. */
    readonly signal?: AbortSignal;
    /**
     * Somebody waits for its end, or everybody for what it holds: it is given up after a few seconds of waiting for others' locks, and ended by
     * the server when it stands still for two or three. Its script may run several times, each from the beginning.
     */
    readonly brief?: boolean;
    /**
     * Its script may run several times, each from the beginning: whenever it has waited too long for somebody's lock, or was the victim of a
     * deadlock, until this is aborted. Without it (and without `brief`) it throws DATABASE_BUSY then. Locks of keys are no longer waited for
     * as soon as it is aborted.
     */
    readonly repeatedUntil?: AbortSignal;
    /** What its script posts may be on its way while the script goes on (ADR 24); where it may not, it is waited for like the rest. */
    readonly goesAhead?: boolean;
    /** Its script finds rows by keys alone: an index is taken wherever there is one, however little the database knows of the table (ADR 23). */
    readonly byKeys?: boolean;
}

export type ReadOptions = Pick<TransactionOptions, 'byKeys'>;
export type ManagedOptions = Pick<TransactionOptions, 'locks' | 'signal'>;

export interface ManagedTransaction {
    readonly manager: EntityManager;
    run<T>(script: () => Script<T>): Promise<T>;
}

/**
 * The one way in which Flow writes to the shop's database. A script's statements reach the database on one connection and
 * commit together. On PostgreSQL and MariaDB that is a connection of the pool; on SQLite, whose one connection the whole
 * process shares, the script runs in one synchronous stretch when no other transaction is open, so that nobody else's
 * statement can fall into it and nobody else's rollback can undo it (ADR 3).
 */
export interface Database {
    readonly dialect: Dialect;
    /** Begin, script, commit. Rolls back and throws when the script throws; what a driver throws becomes a FlowError. */
    transaction<T>(script: () => Script<T>, options?: TransactionOptions): Promise<T>;
    /**
     * For what the platform's services write: a transaction of TypeORM's, so that they take it for their own, in which scripts can be run
     * as well. Under the locks, too; rolls back and throws what the work throws.
     */
    managed<T>(work: (tx: ManagedTransaction) => Promise<T>, options?: ManagedOptions): Promise<T>;
    /**
     * A script within somebody else's transaction, that of a request: what it writes commits with what caused it, or goes with it. A script that
     * throws has spoilt that transaction. Where `manager` has none open, the script has one of its own.
     */
    within<T>(manager: EntityManager, script: () => Script<T>): Promise<T>;
    /** A script without a transaction of its own: one statement, or reads that need not agree; with `byKeys`, reads that wait for nothing else. */
    run<T>(script: () => Script<T>, options?: ReadOptions): Promise<T>;
}
