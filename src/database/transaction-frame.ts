import type { StatementProgram } from '../core/adapter/loader';
import { mysql, render } from './dialect';
import { lockTimeout } from './database-errors';
import { type KindLock, LockNames, type Locks } from './locks';
import type { SessionLimits } from './limits';
import type { Session } from './session';
import { join, send, type Sql, sql } from './statement';

/** How a transaction begins. */
interface TransactionBeginning {
    readonly limits: SessionLimits;
    readonly locks: Locks;
    /** Ends the wait for the locks. */
    readonly stop: AbortSignal | undefined;
    /** Whether rows are found only by keys. */
    readonly byKeys?: boolean;
    /** Starts it where no statement of Flow's does. */
    readonly start?: () => Promise<void>;
}

/** The frame of a script's statements: the beginning of its transaction, and the session settings while Flow uses the session. */
export interface TransactionFrame {
    /** Limits the session, begins, and waits for the locks where there are any. Throws DATABASE_BUSY where that took too long, or was stopped. */
    begin(session: Session, transactionBeginning: TransactionBeginning): Promise<void>;
    /** When the transaction has ended, or has never begun: nothing of this stays with the session. */
    leave(session: Session, locks: Locks): Promise<void>;
}

/** Elsewhere it is unknown, or each use is a line in the server's log. */
const KNOWS_USER_TIMEOUT = /^PostgreSQL (1[2-9]|[2-9]\d)\b.* on \S*linux/;
const KNOWS_JIT = /^PostgreSQL (1[1-9]|[2-9]\d)\b/;

/**
 * Loads find a few rows of large tables by their keys. By default PostgreSQL takes an index to be so dear that it reads all of a table for some
 * hundred rows (ADR 23).
 */
const BY_INDEX = 'SET LOCAL random_page_cost = 1.1';
/**
 * If PostgreSQL has few statistics of a table, it expects millions of rows, and compiles for 25 ms what takes 3 (ADR
 * 23).
 */
const UNCOMPILED = 'SET LOCAL jit = off';
/**
 * For five hundred keys in a column without statistics PostgreSQL expects the whole table. Columns without an index
 * are still scanned (ADR 23).
 */
const WITHOUT_SCANS = 'SET LOCAL enable_seqscan = off';

/** First half of the key pair of a kind's advisory lock; that of a key has its kind there. */
const KIND_CLASS = 0x464c_4f57;

/** Queries a server's version once; concurrent callers wait, and after a failure the next caller queries it again. */
class ServerVersion {
    private requested: Promise<string> | undefined;

    of(session: Session): Promise<string> {
        this.requested ??= session.drive(version()).catch((error: unknown) => {
            this.requested = undefined;
            throw error;
        });
        return this.requested;
    }
}

function* version(): StatementProgram<string> {
    const { rows } = yield* send<{ version: string }>(sql`SELECT version() AS version`);
    return rows[0]?.version ?? '';
}

/** Limits and locks of PostgreSQL last as long as the transaction; they are sent with its beginning, so they cost no additional round trip. */
export class PostgresFrame implements TransactionFrame {
    private readonly version = new ServerVersion();

    async begin(
        session: Session,
        { limits: { idleMs, lockMs }, locks, stop, byKeys, start }: TransactionBeginning,
    ): Promise<void> {
        const version = await this.version.of(session);
        const limits = {
            idle_in_transaction_session_timeout: idleMs,
            lock_timeout: lockMs,
            // Ends a session that is stuck in a response which the client does not read; it is not idle then.
            ...(KNOWS_USER_TIMEOUT.test(version) && { tcp_user_timeout: idleMs }),
        };
        const settings = Object.entries(limits).map(([name, ms]) => `SET LOCAL ${name} = ${ms}`);
        const planning = [
            BY_INDEX,
            ...(KNOWS_JIT.test(version) ? [UNCOMPILED] : []),
            ...(byKeys === true ? [WITHOUT_SCANS] : []),
        ];
        await start?.();
        const beginning = [...(start ? [] : ['START TRANSACTION']), ...settings, ...planning];
        if (locks.kinds.length === 0) await session.query(beginning.join('; '));
        else await session.whileWanted(stop, () => session.query([...beginning, advisoryLocks(locks)].join('; ')));
    }

    leave(): Promise<void> {
        return Promise.resolve();
    }
}

/**
 * One statement that takes the locks one after another, in their order. It contains only numbers, so that it can be
 * sent with the others.
 */
function advisoryLocks({ kinds, keys }: Locks): string {
    const all = [
        ...kinds.map(({ id, isWhole }) => ({ of: KIND_CLASS, id, isAlone: isWhole })),
        ...keys.map(({ kind, id }) => ({ of: kind, id, isAlone: true })),
    ];
    const list = (type: string, values: ReadonlyArray<number | boolean>): string =>
        `'{${values.join(',')}}'::${type}[]`;
    const ofs = all.map(lock => lock.of);
    const ids = all.map(lock => lock.id);
    const alone = all.map(lock => lock.isAlone);
    return `SELECT count(CASE WHEN alone THEN pg_advisory_xact_lock(kind, id)::text ELSE pg_advisory_xact_lock_shared(kind, id)::text END)
        FROM unnest(${list('int', ofs)}, ${list('int', ids)}, ${list('bool', alone)}) AS wanted (kind, id, alone)`;
}

/** The settings of a session of MySQL or MariaDB, in whole seconds, and the variables for their previous values. */
const OF_SESSION = {
    // Not idle_transaction_timeout, which MySQL has not: GET_LOCK holds outside of transactions, too.
    wait_timeout: '@flow_wait_timeout',
    net_write_timeout: '@flow_net_write_timeout',
    innodb_lock_wait_timeout: '@flow_lock_wait_timeout',
};
const LOCKS_SESSION = mysql(true);

/**
 * GET_LOCK has no shared locks. So the lock of a kind has this many slots: a shared holder has one of them, an exclusive holder has all. The number
 * limits the transactions that share it.
 */
const KIND_SLOTS = 32;

/**
 * MySQL and MariaDB have no settings of a transaction, and GET_LOCK belongs to the session as well. So the first statement keeps what the
 * session had in variables of the session, and the last one gives it back together with the locks.
 */
export class MysqlFrame implements TransactionFrame {
    private readonly version = new ServerVersion();
    private readonly names: LockNames;

    constructor(
        private readonly isMariaDb: boolean,
        database: string,
    ) {
        this.names = new LockNames(database);
    }

    async begin(
        session: Session,
        { limits: { idleMs, lockMs }, locks, stop, start }: TransactionBeginning,
    ): Promise<void> {
        const [idle, lock] = [seconds(idleMs), seconds(lockMs)];
        const isolation = await this.isolationName(session);
        const values = { wait_timeout: idle, net_write_timeout: idle, innodb_lock_wait_timeout: lock };
        const kept = Object.entries(OF_SESSION).map(([name, variable]) => `${variable} = @@SESSION.${name}`);
        const set = Object.entries(values).map(([name, value]) => `@@SESSION.${name} = ${value}`);
        await session.query(
            `SET ${[...kept, `@flow_isolation = @@SESSION.${isolation}`, ...set, `@@SESSION.${isolation} = 'READ-COMMITTED'`].join(', ')}`,
        );
        if (locks.kinds.length > 0) await session.whileWanted(stop, () => session.drive(this.taking(locks, lock)));
        if (start) await start();
        else await session.query('START TRANSACTION');
    }

    async leave(session: Session, locks: Locks): Promise<void> {
        const isolation = await this.isolationName(session);
        const given = Object.entries(OF_SESSION).map(([name, variable]) => `@@SESSION.${name} = ${variable}`);
        const held = [...locks.kinds.flatMap(kind => this.slots(kind)), ...locks.keys.map(key => this.names.key(key))];
        const unlock = sql`@flow_unlocked = CONCAT_WS('', ${join(held.map(lock => sql`RELEASE_LOCK(${lock})`))})`;
        const { text, params } = render(unlock, LOCKS_SESSION);
        const settings = [...given, `@@SESSION.${isolation} = @flow_isolation`].join(', ');
        if (held.length > 0) await session.query(`SET ${settings}, ${text}`, params);
        else await session.query(`SET ${settings}`);
    }

    /** One statement that takes them one after another, and stops at the first unavailable one. */
    private *taking({ kinds, keys }: Locks, waitSec: number): StatementProgram<void> {
        const get = (lock: string, sec: number): Sql => sql`GET_LOCK(${lock}, ${sec}) = 1`;
        const kind = (desired: KindLock): Sql => {
            const slots = this.slots(desired);
            if (desired.isWhole) {
                return join(
                    slots.map(slot => get(slot, waitSec)),
                    ' AND ',
                );
            }
            // Any that is free; where none is, the last one is waited for.
            const any = slots.map((slot, i) => get(slot, i + 1 < slots.length ? 0 : waitSec));
            return sql`(${join(any, ' OR ')})`;
        };
        const all = [...kinds.map(kind), ...keys.map(key => get(this.names.key(key), waitSec))];
        const { rows } = yield* send<Record<string, number | null>>(sql`SELECT ${join(all, ' AND ')} AS taken`);
        if (Number(rows[0]?.['taken']) !== 1) throw lockTimeout('the locks of the batch are held by another one');
    }

    private slots(kind: KindLock): readonly string[] {
        return Array.from({ length: KIND_SLOTS }, (_, slot) => this.names.kind(kind, slot));
    }

    /** MariaDB uses the older name; MySQL has removed it. A MariaDB may be configured as mysql, so the server is queried. */
    private async isolationName(session: Session): Promise<string> {
        const isOld = this.isMariaDb || (await this.version.of(session)).includes('MariaDB');
        return isOld ? 'tx_isolation' : 'transaction_isolation';
    }
}

/** Servers that count in seconds: never 0, which would mean at once or never. */
const seconds = (ms: number): number => Math.max(1, Math.round(ms / 1000));
