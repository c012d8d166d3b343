import { Inject, Injectable } from '@nestjs/common';
import type { LogText } from '../../core/log/log-text';
import { eventLine } from '../../core/adapter/log-event';
import {
    type ID,
    ListQueryBuilder,
    type ListQueryOptions,
    type PaginatedList,
    type RequestContext,
    TransactionalConnection,
} from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';
import type { Database } from '../../database/database';
import { join, name, raw, select, send, type Sql, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import { deleteRows, type Id, type WriteTarget } from '../../database/write';
import { FlowLog } from '../entities/log';
import { FlowRemoteAction } from '../entities/remote-action';
import { nowMs } from '../stores/database-clock';
import { insertFlowRows, storable, storableFacts, storableMessage } from '../stores/insert';
import { withDefaultSort } from '../stores/list-order';
import { FLOW_DATABASE } from '../tokens';

/** The number of pipelines that one statement finds. */
const PAGE = 100;
/** How long a pipeline's job may be queued before another one is sent. */
const DISPATCH_MS = 60_000;
const LONGEST_PROBLEM = 2_000;

const DUE = ['id', 'pipelineId', 'channelId', 'runId', 'revisionId', 'stepKey', 'action', 'attempts'] as const;

/** An action as a worker executes it. */
export type DueAction = Pick<FlowRemoteAction, Exclude<(typeof DUE)[number], 'id'>> & { readonly id: Id };

/** Pending actions on remote files. Each statement is independent, so a process that stops between two of them does not block others. */
@Injectable()
export class RemoteActions {
    private readonly table: Table;
    private readonly logs: Table;

    constructor(
        private readonly connection: TransactionalConnection,
        private readonly lists: ListQueryBuilder,
        @Inject(FLOW_DATABASE) private readonly database: Database,
    ) {
        this.table = tableOf(connection.rawConnection, FlowRemoteAction);
        this.logs = tableOf(connection.rawConnection, FlowLog);
    }

    /** The pipelines with due actions and without a queued job, one page after the given id. Marks them as queued. */
    dispatch(after: Id | undefined): Promise<readonly Id[]> {
        return this.database.run(() => this.dispatching(after));
    }

    /** The due actions of a pipeline, the oldest first. */
    due(pipelineId: Id, limit: number): Promise<readonly DueAction[]> {
        return this.database.run(() => this.findingDue(pipelineId, limit));
    }

    /** Deletes an action that was executed or is no longer needed. */
    async done({ id }: Pick<DueAction, 'id'>): Promise<void> {
        await this.database.run(() => deleteRows(this.target, 'id', [id]));
    }

    /** Records a failed attempt. The action is retried after `waitMs`. */
    async failed(
        { id }: DueAction,
        { problem, waitMs }: { readonly problem: string; readonly waitMs: number },
    ): Promise<void> {
        const { table, database } = this;
        const column = (property: string) => table.column(property);
        await database.run(() =>
            send(sql`
                UPDATE ${table.name} SET ${column('attempts')} = ${column('attempts')} + 1, ${column('dueAt')} = ${this.in(waitMs)},
                ${column('dispatchedUntil')} = ${null}, ${column('lastError')} = ${storable(problem).slice(0, LONGEST_PROBLEM)},
                ${column('updatedAt')} = ${database.dialect.now} WHERE ${column('id')} = ${id}`),
        );
    }

    /** Writes a line to the log of the run. */
    async tell({ runId, channelId, stepKey }: DueAction, text: LogText): Promise<void> {
        const { message, facts, ...line } = eventLine(text);
        const row = {
            ...{ runId, channelId, stepKey },
            ...line,
            message: storableMessage(message),
            facts: storableFacts(facts),
        };
        await this.database.run(() => insertFlowRows({ table: this.logs, dialect: this.database.dialect }, [row]));
    }

    /** The pending actions of the channel. */
    async list(
        ctx: RequestContext,
        options: ListQueryOptions<FlowRemoteAction> | undefined,
        pipelineId: ID | null | undefined,
    ): Promise<PaginatedList<FlowRemoteAction>> {
        const where = { channelId: ctx.channelId, ...(pipelineId != null && { pipelineId }) };
        const [items, totalItems] = await this.lists
            .build(FlowRemoteAction, options, {
                ctx,
                where,
                orderBy: withDefaultSort(options, { createdAt: 'DESC', id: 'DESC' }),
            })
            .getManyAndCount();
        return { items, totalItems };
    }

    /** Deletes an action, so that it is not retried. Returns undefined if the channel has no action with this id. */
    async giveUp(ctx: RequestContext, id: ID): Promise<FlowRemoteAction | undefined> {
        const repository = this.connection.getRepository(ctx, FlowRemoteAction);
        const found = await repository.findOne({ where: { id, channelId: ctx.channelId } });
        if (!found) return undefined;
        await repository.delete({ id });
        return found;
    }

    private *dispatching(after: Id | undefined): StatementProgram<readonly Id[]> {
        const { table } = this;
        const now = nowMs(this.database.dialect);
        const [pipelineId, dueAt, until] = [
            table.column('pipelineId'),
            table.column('dueAt'),
            table.column('dispatchedUntil'),
        ];
        const isDue = sql`${dueAt} <= ${now} AND (${until} IS NULL OR ${until} <= ${now})`;
        const next = after === undefined ? sql`` : sql` AND ${pipelineId} > ${after}`;
        const rows = yield* select<{ pipelineId: Id }>(sql`
            SELECT DISTINCT ${pipelineId} AS ${name('pipelineId')} FROM ${table.name} WHERE ${isDue}${next}
            ORDER BY ${name('pipelineId')} LIMIT ${PAGE}`);
        const found = rows.map(row => row.pipelineId);
        if (found.length > 0)
            yield* send(sql`
                UPDATE ${table.name} SET ${until} = ${this.in(DISPATCH_MS)}
                WHERE ${this.database.dialect.oneOf(pipelineId, found)} AND ${isDue}`);
        return found;
    }

    private *findingDue(pipelineId: Id, limit: number): StatementProgram<readonly DueAction[]> {
        const { table } = this;
        const columns = join(DUE.map(property => sql`${table.column(property)} AS ${name(property)}`));
        const rows = yield* select<Record<string, unknown>>(sql`
            SELECT ${columns} FROM ${table.name} WHERE ${table.column('pipelineId')} = ${pipelineId}
            AND ${table.column('dueAt')} <= ${nowMs(this.database.dialect)} ORDER BY ${table.column('id')} LIMIT ${limit}`);
        return rows.map(
            row =>
                Object.fromEntries(
                    DUE.map(property => [property, table.fromColumn(property, row[property])]),
                ) as unknown as DueAction,
        );
    }

    private in(ms: number): Sql {
        return sql`${nowMs(this.database.dialect)} + ${raw(String(Math.round(ms)))}`;
    }

    private get target(): WriteTarget {
        return { table: this.table, dialect: this.database.dialect };
    }
}

/** The properties of an action that users see. */
export function shownAction({ action }: Pick<FlowRemoteAction, 'action'>): {
    readonly kind: string;
    readonly path: string;
    readonly to: string | null;
} {
    const {
        action: kind,
        file,
        to,
    } = action as { readonly action?: string; readonly file?: JsonObject; readonly to?: string };
    return { kind: kind ?? '', path: String(file?.['path'] ?? ''), to: to ?? null };
}
