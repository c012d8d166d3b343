import { createHash } from 'node:crypto';
import type { Outbound } from '../../core/adapter/outbound';
import { onAbort } from '../../core/concurrency/abort';
import { MysqlSession } from './mysql';
import { PostgresSession } from './postgres';
import { type OpenSession, type SqlLimits, type SqlSession, type SqlTarget, targetName } from './session';
import { withinLimits } from './session-deadline';
import { SqliteSession } from './sqlite';
import type { SqlDialect } from './sql-tokens';

/** How many connections there may be, and how long an idle one is kept. */
export interface PoolSize {
    readonly max: number;
    readonly idleTimeoutMs: number;
}

const OPEN: Readonly<Record<SqlDialect, OpenSession>> = {
    postgres: (target, gateway) => PostgresSession.open(target, gateway),
    mysql: (target, gateway) => MysqlSession.open(target, gateway),
    sqlite: (target, gateway) => SqliteSession.open(target, gateway),
};

/** The pools of a run, by what they lead to: its steps that read the same database share one. */
const pools = new WeakMap<Outbound, Map<string, SessionPool>>();

/** A single session without a pool, to check whether one can be opened. */
export function openSession(
    target: SqlTarget,
    gateway: SqlLimits & { readonly outbound: Outbound },
): Promise<SqlSession> {
    return OPEN[target.dialect](target, gateway);
}

/**
 * A run's connections to one database, shared by all its readers. Each reader calls `close` in the end; the last one
 * closes all.
 */
export function poolOf(outbound: Outbound, target: SqlTarget, size: PoolSize): SessionPool {
    const known = pools.get(outbound) ?? new Map<string, SessionPool>();
    pools.set(outbound, known);
    const key = createHash('sha256')
        .update(JSON.stringify([target, size]))
        .digest('hex');
    const pool = known.get(key) ?? new SessionPool(outbound, target, size);
    known.set(key, pool);
    pool.users++;
    pool.onUnused = () => known.delete(key);
    return pool;
}

/**
 * A reader of a database. It keeps the session that it has used until another reader takes the session, which gets it
 * clean.
 */
type SessionOwner = object;

interface Idle {
    readonly session: SqlSession;
    readonly owner: SessionOwner;
    readonly timer: NodeJS.Timeout;
}

/** A limited number of connections to one database. */
export class SessionPool {
    users = 0;
    onUnused = (): unknown => undefined;
    private readonly idle: Idle[] = [];
    private readonly waiting: Array<() => void> = [];
    private opened = 0;

    constructor(
        private readonly outbound: Outbound,
        private readonly target: SqlTarget,
        private readonly size: PoolSize,
    ) {}

    /** Runs work with a session that no other reader uses meanwhile. */
    async with<T>(owner: SessionOwner, limits: SqlLimits, work: (session: SqlSession) => Promise<T>): Promise<T> {
        const session = await this.take(owner, limits);
        try {
            return await work(session);
        } finally {
            this.giveBack(owner, session);
        }
    }

    /** Waits if the maximum number is in use. Rejects with the signal's reason. */
    async take(owner: SessionOwner, limits: SqlLimits): Promise<SqlSession> {
        const { signal } = limits;
        for (;;) {
            signal.throwIfAborted();
            const kept = this.kept(owner);
            if (kept) {
                const isHandedOn = kept.owner !== owner;
                if (!kept.session.isOver && (!isHandedOn || (await this.isClean(kept.session, limits))))
                    return kept.session;
                kept.session.end();
                this.left();
            } else if (this.opened < this.size.max) {
                this.opened++;
                try {
                    return await openSession(this.target, { outbound: this.outbound, ...limits });
                } catch (error) {
                    this.left();
                    throw error;
                }
            } else await this.turn(signal);
        }
    }

    giveBack(owner: SessionOwner, session: SqlSession): void {
        if (session.isOver || this.users === 0) {
            if (!session.isOver) session.end();
            return this.left();
        }
        const timer = setTimeout(() => {
            this.idle.splice(
                this.idle.findIndex(one => one.session === session),
                1,
            );
            session.end();
            this.left();
        }, this.size.idleTimeoutMs).unref();
        this.idle.push({ session, owner, timer });
        this.waiting.shift()?.();
    }

    /** One user of the pool has finished. */
    close(): void {
        if (--this.users > 0) return;
        this.onUnused();
        for (const { session, timer } of this.idle.splice(0)) {
            clearTimeout(timer);
            session.end();
            this.left();
        }
    }

    /** An idle session, the owner's own before others'. */
    private kept(owner: SessionOwner): Idle | undefined {
        const own = this.idle.findIndex(one => one.owner === owner);
        const [kept] = this.idle.splice(own < 0 ? this.idle.length - 1 : own, 1);
        if (kept) clearTimeout(kept.timer);
        return kept;
    }

    private left(): void {
        this.opened--;
        this.waiting.shift()?.();
    }

    private turn(signal: AbortSignal): Promise<void> {
        return new Promise((resolve, reject) => {
            const next = (): void => {
                leave();
                resolve();
            };
            const leave = onAbort(signal, () => {
                const at = this.waiting.indexOf(next);
                if (at >= 0) this.waiting.splice(at, 1);
                reject(signal.reason as Error);
            });
            this.waiting.push(next);
        });
    }

    /** A session that cannot be reset in time is not given to another reader. */
    private isClean(session: SqlSession, limits: SqlLimits): Promise<boolean> {
        const breakable = {
            host: targetName(this.target),
            what: 'did not clean the session',
            end: () => session.end(),
        };
        return withinLimits(() => session.clean(), limits, breakable).then(
            () => !session.isOver,
            () => false,
        );
    }
}
