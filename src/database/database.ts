import type { EntityManager } from 'typeorm';
import type { Script } from '../core/adapter/loader';
import type { Dialect } from './dialect';

export interface TransactionOptions {
    /**
     * Business keys that this transaction alone may work on until it ends. No unique index guards SKUs and slugs, so
     * whoever matches by them holds these first (architecture 10a, "Locks").
     */
    readonly locks?: readonly string[];
    readonly signal?: AbortSignal;
    /**
     * Somebody waits for its end, or everybody for what it holds: it is given up after a few seconds of waiting for others' locks, and ended by
     * the server when it stands still for two or three. Its script may run several times, each from the beginning.
     */
    readonly brief?: boolean;
    /**
     * Its script may run several times, each from the beginning: whenever it has waited too long for somebody's lock, until this is aborted.
     * Without it (and without `brief`) it throws DATABASE_BUSY then.
     */
    readonly repeatedUntil?: AbortSignal;
}

export type ManagedOptions = Pick<TransactionOptions, 'locks' | 'signal'>;

export interface ManagedTransaction {
    readonly manager: EntityManager;
    run<T>(script: () => Script<T>): Promise<T>;
}

/**
 * The one way in which Flow writes to the shop's database. A script's statements reach the database on one connection and
 * commit together. On PostgreSQL and MariaDB that is a connection of the pool; on SQLite, whose one connection the whole
 * process shares, the script runs in one synchronous stretch when no other transaction is open, so that nobody else's
 * statement can fall into it and nobody else's rollback can undo it (ADR 10).
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
    /** A script without a transaction of its own: one statement, or reads that need not agree. */
    run<T>(script: () => Script<T>): Promise<T>;
}

/** Locks are taken by stripes of the keys' hash: few, in ascending order, so that two batches cannot wait for each other. */
export const LOCK_STRIPES = 64;

/** The stripes of some keys, ascending. FNV-1a: every process must come to the same numbers. */
export function stripesOf(keys: readonly string[]): readonly number[] {
    const stripes = new Set<number>();
    for (const key of keys) {
        let hash = 0x811c9dc5;
        for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
        stripes.add((hash >>> 0) % LOCK_STRIPES);
        if (stripes.size === LOCK_STRIPES) break;
    }
    return [...stripes].sort((a, b) => a - b);
}
