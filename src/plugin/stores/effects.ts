import { Logger } from '@vendure/core';
import { randomUUID } from 'node:crypto';
import type { Script } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';
import { RUN_STATUSES, isTerminal } from '../../core/progress/state';
import { EMPTY, type Sql, join, name, raw, select, send, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import { LOG_CONTEXT } from '../tokens';
import { nowMs } from './database-clock';
import type { StoreEnv } from './store-env';

/** An effect that waits to be made known. */
export interface PendingEffect {
    readonly id: Id;
    readonly stepKey: string;
    readonly kind: string;
    readonly payload: JsonObject;
}

/** The kind of the effect that each run leaves when it ends: its hooks are to be told. */
export const RUN_ENDED = 'RUN_ENDED';

/** Makes the effects of one run known. All of it may happen again when a process dies before they are deleted. */
export interface Publication {
    /** Tells the hooks of the run's end; first of all, and once it is done never again. */
    ended(): Promise<void>;
    /** Some of the effects, in the order in which they were committed. */
    announce(effects: readonly PendingEffect[]): Promise<void>;
    /** What is done once for all that was announced. */
    finish(): Promise<void>;
}

const CHUNK = 100;
const ENDED = RUN_STATUSES.filter(isTerminal);

/**
 * What committed batches, and the end of the run, have left to be made known (architecture 10a). Whoever comes first drains a run that has ended;
 * its row's lease, which nobody else needs by then, keeps others off meanwhile.
 */
export class PendingEffects {
    constructor(
        private readonly env: StoreEnv,
        private readonly leaseMs: number,
    ) {}

    /** Ended runs with effects that nobody is at, in the order of their ids; those behind one, so that what fails for ever hides no other. */
    async waiting(limit: number, after?: Id): Promise<readonly Id[]> {
        const { runs, effects } = this.env.tables;
        const behind = after === undefined ? EMPTY : sql` AND ${runs.column('id')} > ${after}`;
        const rows = await this.env.database.run(() =>
            select<{ id: Id }>(sql`
            SELECT ${runs.column('id')} AS ${name('id')} FROM ${runs.name} WHERE ${this.isEnded()} AND ${this.isFree()}${behind}
            AND EXISTS (SELECT 1 FROM ${effects.name} WHERE ${effects.name}.${effects.column('runId')} = ${runs.name}.${runs.column('id')})
            ORDER BY ${runs.column('id')} LIMIT ${limit}`),
        );
        return rows.map(({ id }) => id);
    }

    /**
     * Tells the hooks of an ended run, then publishes its effects, read a bounded number at a time, and deletes them when all are known.
     * Answers how many; undefined when somebody else is at it, or the run has not ended. Throws what the publication throws; the effects stay then.
     */
    async drain(runId: Id, publication: Publication): Promise<number | undefined> {
        const token = randomUUID();
        if (!(await this.hold(runId, token, this.isFree()))) return undefined;
        const renewing = this.keepHolding(runId, token);
        try {
            const ending = await this.env.database.run(() => this.ending(runId));
            if (ending !== undefined) {
                await publication.ended();
                await this.env.database.run(() => this.settle(ending));
            }
            let published = 0;
            let last: Id | undefined;
            for (;;) {
                const chunk = await this.env.database.run(() => this.chunk(runId, last));
                if (chunk.length === 0) break;
                await publication.announce(chunk);
                published += chunk.length;
                last = chunk[chunk.length - 1]!.id;
            }
            if (last === undefined) return published;
            await publication.finish();
            const upTo = last;
            await this.env.database.run(() => this.remove(runId, upTo));
            return published;
        } finally {
            clearInterval(renewing);
            await this.env.database.run(() => this.letGo(runId, token));
        }
    }

    /** Collections and index of a large run take longer than a lease. */
    private keepHolding(runId: Id, token: string): NodeJS.Timeout {
        const isMine = sql`${this.env.tables.runs.column('leaseToken')} = ${token}`;
        const renew = (): void => {
            this.hold(runId, token, isMine).catch((error: unknown) => {
                Logger.warn(
                    `The effects of run ${runId} could not be kept from other workers: ${String(error)}`,
                    LOG_CONTEXT,
                );
            });
        };
        return setInterval(renew, Math.max(1, this.leaseMs / 3)).unref();
    }

    private *ending(runId: Id): Script<Id | undefined> {
        const { effects } = this.env.tables;
        const [row] = yield* select<{ id: Id }>(sql`
            SELECT ${effects.column('id')} AS ${name('id')} FROM ${effects.name}
            WHERE ${effects.column('runId')} = ${runId} AND ${effects.column('kind')} = ${RUN_ENDED}`);
        return row?.id;
    }

    private *settle(id: Id): Script<void> {
        const { effects } = this.env.tables;
        yield* send(sql`DELETE FROM ${effects.name} WHERE ${effects.column('id')} = ${id}`);
    }

    private *remove(runId: Id, upTo: Id): Script<void> {
        const { effects } = this.env.tables;
        yield* send(
            sql`DELETE FROM ${effects.name} WHERE ${effects.column('runId')} = ${runId} AND ${effects.column('id')} <= ${upTo}`,
        );
    }

    private hold(runId: Id, token: string, condition: Sql): Promise<boolean> {
        const { tables, database } = this.env;
        const { runs } = tables;
        return database.run(
            function* (this: PendingEffects): Script<boolean> {
                const { affected } = yield* send(sql`
                UPDATE ${runs.name} SET ${runs.column('leaseToken')} = ${token},
                    ${runs.column('leaseExpiresAt')} = ${nowMs(database.dialect)} + ${raw(String(this.leaseMs))}
                WHERE ${runs.column('id')} = ${runId} AND ${this.isEnded()} AND ${condition}`);
                return affected > 0;
            }.bind(this),
        );
    }

    private *letGo(runId: Id, token: string): Script<void> {
        const { runs } = this.env.tables;
        yield* send(sql`
            UPDATE ${runs.name} SET ${runs.column('leaseToken')} = NULL, ${runs.column('leaseExpiresAt')} = NULL
            WHERE ${runs.column('id')} = ${runId} AND ${runs.column('leaseToken')} = ${token}`);
    }

    private *chunk(runId: Id, after: Id | undefined): Script<readonly PendingEffect[]> {
        const { effects } = this.env.tables;
        const properties = ['id', 'stepKey', 'kind', 'payload'] as const;
        const columns = join(properties.map(property => sql`${effects.column(property)} AS ${name(property)}`));
        const rest = after === undefined ? EMPTY : sql` AND ${effects.column('id')} > ${after}`;
        const rows = yield* select<Omit<PendingEffect, 'payload'> & { payload: string }>(sql`
            SELECT ${columns} FROM ${effects.name} WHERE ${effects.column('runId')} = ${runId}${rest} ORDER BY ${effects.column('id')} LIMIT ${CHUNK}`);
        return rows.map(row => ({ ...row, payload: JSON.parse(row.payload) as JsonObject }));
    }

    private isEnded(): Sql {
        return sql`${this.env.tables.runs.column('status')} IN (${join(ENDED)})`;
    }

    private isFree(): Sql {
        const { tables, database } = this.env;
        const { runs } = tables;
        return sql`(${runs.column('leaseToken')} IS NULL OR ${runs.column('leaseExpiresAt')} < ${nowMs(database.dialect)})`;
    }
}
