import type { DataSource } from 'typeorm';
import type { Script } from '../core/adapter/loader';
import {
    type Database,
    type ManagedOptions,
    type ManagedTransaction,
    type TransactionOptions,
    stripesOf,
} from './database';
import { type Dialect, mysql, postgres } from './dialect';
import { databaseFault, isLockTimeout } from './faults';
import { BRIEF_PATIENCE_MS, type Limits, type SessionLimits } from './limits';
import { Session } from './session';
import { MysqlFrame, PostgresFrame, type TransactionFrame } from './transaction-frame';

/** One go at a transaction. */
interface Try {
    readonly limits: SessionLimits;
    readonly stripes: readonly number[];
    /** Its locks are held and the script is at work. */
    hasBegun: boolean;
}

/** PostgreSQL, MariaDB and MySQL: a transaction has a connection of the pool to itself, and limits that end it when nobody goes on with it. */
export class PooledDatabase implements Database {
    readonly dialect: Dialect;
    private readonly frame: TransactionFrame;

    constructor(
        private readonly dataSource: DataSource,
        private readonly limits: Limits,
    ) {
        const { type } = dataSource.options;
        this.dialect = type === 'postgres' ? postgres : mysql(type === 'mariadb');
        this.frame = type === 'postgres' ? new PostgresFrame() : new MysqlFrame(type === 'mariadb');
    }

    /** What has waited for a lock for too long is undone and, where it may be, begun anew: whoever stands still in between holds nothing up. */
    async transaction<T>(script: () => Script<T>, options: TransactionOptions = {}): Promise<T> {
        const { brief, repeatedUntil } = options;
        const stripes = stripesOf(options.locks ?? []);
        const limits = brief ? this.limits.brief : repeatedUntil ? this.limits.repeated : this.limits.usual;
        const begunAt = Date.now();
        for (;;) {
            options.signal?.throwIfAborted();
            repeatedUntil?.throwIfAborted();
            const go: Try = { limits, stripes, hasBegun: false };
            try {
                return await this.once(script, go, options.signal);
            } catch (error) {
                if (!isLockTimeout(error)) throw error;
                const isPatient = !brief || Date.now() - begunAt < BRIEF_PATIENCE_MS;
                const mayRepeat = brief || repeatedUntil !== undefined || !go.hasBegun;
                if (!isPatient || !mayRepeat) throw error;
            }
        }
    }

    async managed<T>(
        work: (tx: ManagedTransaction) => Promise<T>,
        { locks = [], signal }: ManagedOptions = {},
    ): Promise<T> {
        const { usual: limits } = this.limits;
        const stripes = stripesOf(locks);
        signal?.throwIfAborted();
        return this.connected(limits, async session => {
            const { runner } = session;
            try {
                await this.frame.begin(session, { limits, stripes, start: () => runner.startTransaction() });
                const result = await work({
                    manager: runner.manager,
                    run: script => session.drive(script()),
                });
                signal?.throwIfAborted();
                // A service may have ended it by itself.
                if (runner.isTransactionActive) await runner.commitTransaction();
                return result;
            } catch (error) {
                await quietly(session, async () => {
                    if (runner.isTransactionActive) await runner.rollbackTransaction();
                });
                throw session.fault(error);
            } finally {
                await quietly(session, () => this.frame.leave(session, stripes));
            }
        });
    }

    async run<T>(script: () => Script<T>): Promise<T> {
        return this.connected(this.limits.usual, session => session.drive(script(), true));
    }

    private once<T>(script: () => Script<T>, go: Try, signal: AbortSignal | undefined): Promise<T> {
        return this.connected(go.limits, async session => {
            try {
                await this.frame.begin(session, go);
                go.hasBegun = true;
                const result = await session.drive(script());
                signal?.throwIfAborted();
                await session.query('COMMIT');
                return result;
            } catch (error) {
                await quietly(session, () => session.query('ROLLBACK'));
                throw session.fault(error);
            } finally {
                await quietly(session, () => this.frame.leave(session, go.stripes));
            }
        });
    }

    private async connected<T>(limits: SessionLimits, work: (session: Session) => Promise<T>): Promise<T> {
        const session = await Session.take({ dataSource: this.dataSource, dialect: this.dialect, limits });
        try {
            return await work(session);
        } catch (error) {
            throw databaseFault(error);
        } finally {
            await session.release();
        }
    }
}

/** What does not succeed here says nothing of how the transaction has ended. The server undoes it with the session. */
async function quietly(session: Session, work: () => Promise<unknown>): Promise<void> {
    try {
        await work();
    } catch {
        session.discard();
    }
}
