import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { TransactionalConnection } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import type { Database } from '../../database/database';
import { join, name, raw, select, send, type Sql, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import { deleteRows, type Id, type WriteTarget } from '../../database/write';
import { FlowEventTriggerOutbox } from '../entities/event-trigger-outbox';
import type { FlowSetup } from '../setup';
import { daysAgo, nowMs } from '../stores/database-clock';
import { insertFlowRows, storable } from '../stores/insert';
import { FLOW_DATABASE, FLOW_SETUP } from '../tokens';

const CLAIMED = [
    'id',
    'pipelineId',
    'revisionId',
    'triggerKey',
    'channelId',
    'event',
    'occurrenceKey',
    'seed',
    'causes',
    'attempts',
    'leaseToken',
] as const satisfies ReadonlyArray<keyof FlowEventTriggerOutbox>;

/** An event that this worker processes. */
export type ClaimedEvent = Pick<FlowEventTriggerOutbox, Exclude<(typeof CLAIMED)[number], 'id'>> & { readonly id: Id };

/** An event as it is stored. */
export type NewEvent = Pick<
    FlowEventTriggerOutbox,
    'pipelineId' | 'revisionId' | 'triggerKey' | 'channelId' | 'event' | 'seed' | 'causes'
>;

/** Earlier than any time of the clock: due at once. */
const AT_ONCE = 0;
/** The maximum number of characters of a message. */
const LONGEST_PROBLEM = 2_000;
/** The maximum number of rows that one statement deletes. */
const SLICE = 500;

/**
 * The rows of the events for which runs are to be started. A worker holds a row by a lease, which ends by the database's clock. Each
 * statement is atomic, so a process that stops between two of them blocks no other.
 */
@Injectable()
export class EventOutbox {
    private readonly table: Table;
    private readonly leaseMs: number;

    constructor(
        connection: TransactionalConnection,
        @Inject(FLOW_DATABASE) private readonly database: Database,
        @Inject(FLOW_SETUP) { options }: FlowSetup,
    ) {
        this.table = tableOf(connection.rawConnection, FlowEventTriggerOutbox);
        this.leaseMs = options.runtime.leaseMs;
    }

    /** Stores events, in the transaction in which they happened. */
    *insert(events: readonly NewEvent[]): StatementProgram<void> {
        const rows = events.map(event => ({
            ...event,
            causes: event.causes === null || event.causes.length === 0 ? null : event.causes,
            occurrenceKey: `event:${randomUUID()}`,
            dueAt: AT_ONCE,
        }));
        yield* insertFlowRows(this.target, rows);
    }

    /** Claims due rows, those that have waited longest first, and counts the attempt, even if the worker dies during it. */
    claim(limit: number): Promise<readonly ClaimedEvent[]> {
        return this.database.run(() => this.claiming(limit));
    }

    /** The row that a claim would take first. */
    async next(): Promise<Id | undefined> {
        return (await this.database.run(() => this.due(1)))[0];
    }

    /** Removes a row, when its run is stored or no run is needed. */
    async remove({ id }: ClaimedEvent): Promise<void> {
        await this.database.run(() => deleteRows(this.target, 'id', [id]));
    }

    /** Records a failed attempt. It is repeated after `waitMs` milliseconds, or never if that is null. */
    async fail(
        event: ClaimedEvent,
        { problem, waitMs }: { readonly problem: string; readonly waitMs: number | null },
    ): Promise<void> {
        const { table } = this;
        const text = storable(problem).slice(0, LONGEST_PROBLEM);
        await this.release(
            [event],
            sql`${table.column('lastError')} = ${text}, ${table.column('dueAt')} = ${waitMs === null ? null : this.in(waitMs)}`,
        );
    }

    /** Releases rows that were not processed, so that other workers can claim them at once. */
    async giveBack(events: readonly ClaimedEvent[]): Promise<void> {
        const { table } = this;
        const attempts = table.column('attempts');
        await this.release(events, sql`${attempts} = ${attempts} - 1, ${table.column('dueAt')} = ${AT_ONCE}`);
    }

    /** Deletes rows that were given up at least this many days ago, in slices. Returns how many there were. */
    async removeGivenUp(days: number, slice = SLICE): Promise<number> {
        let removed = 0;
        for (;;) {
            const some = await this.database.run(() => this.removingGivenUp(days, slice));
            removed += some;
            if (some < slice) return removed;
        }
    }

    private *removingGivenUp(days: number, slice: number): StatementProgram<number> {
        const { table } = this;
        const rows = yield* select<{ id: Id }>(sql`
            SELECT ${table.column('id')} AS ${name('id')} FROM ${table.name} WHERE ${table.column('dueAt')} IS NULL
            AND ${table.column('updatedAt')} < ${daysAgo(this.database.dialect, days)} LIMIT ${slice}`);
        yield* deleteRows(
            this.target,
            'id',
            rows.map(({ id }) => id),
        );
        return rows.length;
    }

    private *claiming(limit: number): StatementProgram<readonly ClaimedEvent[]> {
        const { table } = this;
        const { dialect } = this.database;
        const due = yield* this.due(limit);
        if (due.length === 0) return [];
        const token = randomUUID();
        const [attempts, dueAt, lease] = [table.column('attempts'), table.column('dueAt'), table.column('leaseToken')];
        const isOneOf = dialect.oneOf(table.column('id'), due);
        // Another worker may have selected the same rows. Adding '' or 0 makes MySQL find the rows by their ids: through the index of due
        // rows it would wait for rows of uncommitted requests, and block others.
        yield* send(sql`
            UPDATE ${table.name} SET ${lease} = ${token}, ${attempts} = ${attempts} + 1, ${dueAt} = ${this.in(this.leaseMs)}
            WHERE ${isOneOf} AND ${dueAt} + 0 <= ${nowMs(dialect)}`);
        const columns = join(CLAIMED.map(property => sql`${table.column(property)} AS ${name(property)}`));
        const rows = yield* select<Record<string, unknown>>(sql`
            SELECT ${columns} FROM ${table.name} WHERE ${isOneOf} AND ${lease} = ${token} ORDER BY ${table.column('id')}`);
        return rows.map(
            row =>
                Object.fromEntries(
                    CLAIMED.map(property => [property, table.fromColumn(property, row[property])]),
                ) as unknown as ClaimedEvent,
        );
    }

    private *due(limit: number): StatementProgram<readonly Id[]> {
        const { table } = this;
        const dueAt = table.column('dueAt');
        const rows = yield* select<{ id: Id }>(sql`
            SELECT ${table.column('id')} AS ${name('id')} FROM ${table.name} WHERE ${dueAt} <= ${nowMs(this.database.dialect)}
            ORDER BY ${dueAt}, ${table.column('id')} LIMIT ${limit}`);
        return rows.map(({ id }) => id);
    }

    /** Updates those rows that this worker still holds. */
    private async release(events: readonly ClaimedEvent[], assignments: Sql): Promise<void> {
        const [first] = events;
        if (!first) return;
        const { table, database } = this;
        const lease = table.column('leaseToken');
        const ids = events.map(({ id }) => id);
        await database.run(() =>
            send(sql`
                UPDATE ${table.name} SET ${assignments}, ${table.column('updatedAt')} = ${database.dialect.now}, ${lease} = ${null}
                WHERE ${database.dialect.oneOf(table.column('id'), ids)} AND ${lease} = ${first.leaseToken}`),
        );
    }

    private in(ms: number): Sql {
        return sql`${nowMs(this.database.dialect)} + ${raw(String(Math.round(ms)))}`;
    }

    private get target(): WriteTarget {
        return { table: this.table, dialect: this.database.dialect };
    }
}
