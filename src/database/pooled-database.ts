import type { DataSource, EntityManager } from 'typeorm';
import type { StatementProgram } from '../core/adapter/loader';
import type { Database, ManagedOptions, ManagedTransaction, ReadOptions, TransactionOptions } from './database';
import { type Dialect, mysql, postgres } from './dialect';
import { databaseError, isLockConflict, isOutOfLocks } from './database-errors';
import { BRIEF_PATIENCE_MS, type Limits, type SessionLimits } from './limits';
import { type Locks, locksOf } from './locks';
import { Session } from './session';
import { MysqlFrame, PostgresFrame, type TransactionFrame } from './transaction-frame';

/** One go at a transaction. */
interface Try {
    readonly limits: SessionLimits;
    readonly locks: Locks;
    readonly stop: AbortSignal | undefined;
    readonly byKeys: boolean;
    /** What its script posts is not waited for. */
    readonly mayGoAhead: boolean;
    /** Its locks are held and the script is at work. */
    hasBegun: boolean;
}

/** The conditions for a repeated transaction. */
interface Patience {
    readonly locks: readonly string[];
    readonly limits: SessionLimits;
    readonly stop: AbortSignal | undefined;
    readonly byKeys?: boolean;
    readonly mayGoAhead?: boolean;
    /** Whether the transaction may be repeated after its script has begun. */
    readonly mayRepeat: boolean;
    /** The maximum total wait in milliseconds. */
    readonly patienceMs: number;
}

/** PostgreSQL, MariaDB and MySQL: a transaction has a pool connection to itself, and limits that end it when its worker stalls. */
export class PooledDatabase implements Database {
    readonly dialect: Dialect;
    private readonly frame: TransactionFrame;

    constructor(
        private readonly dataSource: DataSource,
        private readonly limits: Limits,
    ) {
        const { type } = dataSource.options;
        this.dialect = type === 'postgres' ? postgres : mysql(type === 'mariadb');
        const { database = '' } = (dataSource.driver ?? {}) as Partial<DataSource['driver']>;
        this.frame = type === 'postgres' ? new PostgresFrame() : new MysqlFrame(type === 'mariadb', database);
    }

    async transaction<T>(script: () => StatementProgram<T>, options: TransactionOptions = {}): Promise<T> {
        const { brief = false, repeatedUntil, signal, locks = [], goesAhead = false, byKeys = false } = options;
        // On other databases, a failed statement may end the transaction, and later statements would be committed separately.
        const mayGoAhead = goesAhead && this.dialect.kind === 'postgres';
        const work = (session: Session): Promise<T> => session.drive(script(), { mayGoAhead });
        return this.patiently((go: Try) => this.once(work, go, signal), {
            mayGoAhead,
            locks,
            byKeys,
            limits: brief ? this.limits.brief : repeatedUntil ? this.limits.repeated : this.limits.usual,
            stop: signal && repeatedUntil ? AbortSignal.any([signal, repeatedUntil]) : (signal ?? repeatedUntil),
            mayRepeat: brief || repeatedUntil !== undefined,
            patienceMs: brief ? BRIEF_PATIENCE_MS : Infinity,
        });
    }

    async managed<T>(
        work: (tx: ManagedTransaction) => Promise<T>,
        { locks = [], signal }: ManagedOptions = {},
    ): Promise<T> {
        return this.patiently((go: Try) => this.onceManaged(work, go, signal), {
            locks,
            limits: this.limits.usual,
            stop: signal,
            mayRepeat: false,
            patienceMs: Infinity,
        });
    }

    async within<T>({ queryRunner }: EntityManager, script: () => StatementProgram<T>): Promise<T> {
        if (!queryRunner?.isTransactionActive) return this.transaction(script);
        const { dataSource, dialect } = this;
        const session = await Session.borrow(queryRunner, { dataSource, dialect, limits: this.limits.usual });
        try {
            return await session.drive(script());
        } catch (error) {
            throw session.fault(error);
        } finally {
            session.giveBack();
        }
    }

    async run<T>(script: () => StatementProgram<T>, { byKeys = false }: ReadOptions = {}): Promise<T> {
        // Plans are chosen by settings of a transaction there.
        if (byKeys && this.dialect.kind === 'postgres') return this.transaction(script, { byKeys, goesAhead: true });
        return this.connected(this.limits.usual, session => session.drive(script(), { mayWait: true }));
    }

    /** A transaction with a lock conflict is rolled back and, if allowed, repeated, so that it blocks nothing in between. */
    private async patiently<T>(once: (go: Try) => Promise<T>, patience: Patience): Promise<T> {
        const { limits, stop, byKeys = false, mayGoAhead = false, mayRepeat, patienceMs } = patience;
        let locks = locksOf(patience.locks);
        const begunAt = Date.now();
        for (;;) {
            stop?.throwIfAborted();
            const go: Try = { limits, locks, stop, byKeys, mayGoAhead, hasBegun: false };
            try {
                return await once(go);
            } catch (error) {
                if (go.hasBegun && !mayRepeat) throw error;
                // The stop signal has ended the wait.
                if (!go.hasBegun) stop?.throwIfAborted();
                if (isOutOfLocks(error) && !go.hasBegun && locks.keys.length > 0) {
                    locks = locksOf(patience.locks, 0);
                    continue;
                }
                if (!isLockConflict(error) || Date.now() - begunAt >= patienceMs) throw error;
            }
        }
    }

    private onceManaged<T>(
        work: (tx: ManagedTransaction) => Promise<T>,
        go: Try,
        signal: AbortSignal | undefined,
    ): Promise<T> {
        return this.connected(go.limits, async session => {
            const { runner } = session;
            try {
                await this.frame.begin(session, { ...go, start: () => runner.startTransaction() });
                go.hasBegun = true;
                const result = await work({
                    manager: runner.manager,
                    run: script => session.drive(script()),
                });
                signal?.throwIfAborted();
                session.throwIfLost();
                // A service may have ended it by itself.
                if (runner.isTransactionActive) await runner.commitTransaction();
                return result;
            } catch (thrown) {
                const error = session.faultOfService(thrown);
                await quietly(session, async () => {
                    if (runner.isTransactionActive) await runner.rollbackTransaction();
                });
                throw session.fault(error);
            } finally {
                await quietly(session, () => this.frame.leave(session, go.locks));
            }
        });
    }

    private once<T>(work: (session: Session) => Promise<T>, go: Try, signal: AbortSignal | undefined): Promise<T> {
        return this.connected(go.limits, async session => {
            const pipelined = go.mayGoAhead ? session.pipelined() : undefined;
            try {
                await this.frame.begin(session, go);
                go.hasBegun = true;
                const result = await work(session);
                signal?.throwIfAborted();
                await session.query('COMMIT');
                return result;
            } catch (error) {
                await quietly(session, () => session.query('ROLLBACK'));
                throw session.fault(error);
            } finally {
                await quietly(session, () => this.frame.leave(session, go.locks));
                pipelined?.();
            }
        });
    }

    private async connected<T>(limits: SessionLimits, work: (session: Session) => Promise<T>): Promise<T> {
        const session = await Session.take({ dataSource: this.dataSource, dialect: this.dialect, limits });
        try {
            return await work(session);
        } catch (error) {
            throw databaseError(error);
        } finally {
            await session.release();
        }
    }
}

/** An error here does not show how the transaction has ended. The server rolls it back with the session. */
async function quietly(session: Session, work: () => Promise<unknown>): Promise<void> {
    try {
        await work();
    } catch {
        session.discard();
    }
}
