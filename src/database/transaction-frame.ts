import type { Script } from '../core/adapter/loader';
import { mysql, render } from './dialect';
import { lockTimeout } from './faults';
import type { SessionLimits } from './limits';
import type { Session } from './session';
import { join, send, sql } from './statement';

/** How a transaction begins. */
export interface Beginning {
    readonly limits: SessionLimits;
    readonly stripes: readonly number[];
    /** Starts it where no statement of Flow's does. */
    readonly start?: () => Promise<void>;
}

/** What stands around a script's statements: how its transaction begins, and what the session may do while it is Flow's. */
export interface TransactionFrame {
    /** Limits the session, begins, and waits for the stripes where there are any. Throws DATABASE_BUSY where that took too long. */
    begin(session: Session, beginning: Beginning): Promise<void>;
    /** When the transaction has ended, or has never begun: nothing of this stays with the session. */
    leave(session: Session, stripes: readonly number[]): Promise<void>;
}

/** Elsewhere it is unknown, or each use is a line in the server's log. */
const KNOWS_USER_TIMEOUT = /^PostgreSQL (1[2-9]|[2-9]\d)\b.* on \S*linux/;

/** First half of the advisory locks' key pair, so that they meet nobody else's. */
const LOCK_CLASS = 0x464c_4f57;

/** Asks a server once what it is; whoever comes meanwhile waits, and the next one asks again when nobody was answered. */
class ServerVersion {
    private asked: Promise<string> | undefined;

    of(session: Session): Promise<string> {
        this.asked ??= session.drive(version()).catch((error: unknown) => {
            this.asked = undefined;
            throw error;
        });
        return this.asked;
    }
}

function* version(): Script<string> {
    const { rows } = yield* send<{ version: string }>(sql`SELECT version() AS version`);
    return rows[0]?.version ?? '';
}

/** Limits and locks of PostgreSQL last as long as the transaction; they travel with its beginning, so that they cost no trip of their own. */
export class PostgresFrame implements TransactionFrame {
    private readonly version = new ServerVersion();

    async begin(session: Session, { limits: { idleMs, lockMs }, stripes, start }: Beginning): Promise<void> {
        const limits = {
            idle_in_transaction_session_timeout: idleMs,
            lock_timeout: lockMs,
            // Ends a session that is stuck in an answer which nobody takes; it is not idle then.
            ...(KNOWS_USER_TIMEOUT.test(await this.version.of(session)) && { tcp_user_timeout: idleMs }),
        };
        const settings = Object.entries(limits).map(([name, ms]) => `SET LOCAL ${name} = ${ms}`);
        await start?.();
        await session.query([...(start ? [] : ['START TRANSACTION']), ...settings].join('; '));
        if (stripes.length > 0) await session.drive(advisoryLocks(stripes));
    }

    leave(): Promise<void> {
        return Promise.resolve();
    }
}

function* advisoryLocks(stripes: readonly number[]): Script<void> {
    yield* send(sql`SELECT pg_advisory_xact_lock(${LOCK_CLASS}::int, stripe) FROM unnest(${stripes}::int[]) AS stripe`);
}

/** What a session of MySQL or MariaDB is given, in whole seconds, and what it had before is kept in. */
const OF_SESSION = {
    // Not idle_transaction_timeout, which MySQL has not: GET_LOCK holds outside of transactions, too.
    wait_timeout: '@flow_wait_timeout',
    net_write_timeout: '@flow_net_write_timeout',
    innodb_lock_wait_timeout: '@flow_lock_wait_timeout',
};
const LOCKS_SESSION = mysql(true);

/**
 * MySQL and MariaDB have no settings of a transaction, and GET_LOCK belongs to the session as well. So the first statement keeps what the
 * session had in variables of the session, and the last one gives it back together with the locks.
 */
export class MysqlFrame implements TransactionFrame {
    private readonly version = new ServerVersion();

    constructor(private readonly isMariaDb: boolean) {}

    async begin(session: Session, { limits: { idleMs, lockMs }, stripes, start }: Beginning): Promise<void> {
        const [idle, lock] = [seconds(idleMs), seconds(lockMs)];
        const isolation = await this.isolationName(session);
        const values = { wait_timeout: idle, net_write_timeout: idle, innodb_lock_wait_timeout: lock };
        const kept = Object.entries(OF_SESSION).map(([name, variable]) => `${variable} = @@SESSION.${name}`);
        const set = Object.entries(values).map(([name, value]) => `@@SESSION.${name} = ${value}`);
        await session.query(
            `SET ${[...kept, `@flow_isolation = @@SESSION.${isolation}`, ...set, `@@SESSION.${isolation} = 'READ-COMMITTED'`].join(', ')}`,
        );
        if (stripes.length > 0) await session.drive(getLocks(stripes, lock));
        if (start) await start();
        else await session.query('START TRANSACTION');
    }

    async leave(session: Session, stripes: readonly number[]): Promise<void> {
        const isolation = await this.isolationName(session);
        const given = Object.entries(OF_SESSION).map(([name, variable]) => `@@SESSION.${name} = ${variable}`);
        const unlock = sql`@flow_unlocked = CONCAT_WS('', ${join(stripes.map(stripe => sql`RELEASE_LOCK(${lockName(stripe)})`))})`;
        const { text, params } = render(unlock, LOCKS_SESSION);
        const settings = [...given, `@@SESSION.${isolation} = @flow_isolation`].join(', ');
        if (stripes.length > 0) await session.query(`SET ${settings}, ${text}`, params);
        else await session.query(`SET ${settings}`);
    }

    /** MariaDB's name is the older one; MySQL has given it up. Somebody may have said mysql of a MariaDB, so that the server is asked. */
    private async isolationName(session: Session): Promise<string> {
        const isOld = this.isMariaDb || (await this.version.of(session)).includes('MariaDB');
        return isOld ? 'tx_isolation' : 'transaction_isolation';
    }
}

const lockName = (stripe: number): string => `flow:${stripe}`;

/** Servers that count in seconds: never 0, which would mean at once or never. */
const seconds = (ms: number): number => Math.max(1, Math.round(ms / 1000));

/** Ascending, and none behind one that is not to be had. */
function* getLocks(stripes: readonly number[], waitSec: number): Script<void> {
    const calls = stripes.map(stripe => sql`GET_LOCK(${lockName(stripe)}, ${waitSec})`);
    const { rows } = yield* send<Record<string, number | null>>(sql`SELECT ${join(calls, ' AND ')} AS taken`);
    if (Number(rows[0]?.['taken']) !== 1) throw lockTimeout('the locks of the batch are held by another one');
}
