import type { DataSource } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import type { RunStatus } from '../../core/progress/state';
import type { Database } from '../../database/database';
import { Sql, join, name, select, send, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import { type Id, type Row, type WriteTarget, deleteRows, insertNumbered, insertRows } from '../../database/write';
import { FlowImportOrigin } from '../entities/import-origin';
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineEvent, type PipelineAction } from '../entities/pipeline-event';
import { FlowPipelineRevision } from '../entities/revision';
import { FlowWorkingCopy } from '../entities/working-copy';
import { insertFlowRows } from '../stores/insert';
import { openRunOf, removeRunsOf } from '../stores/cleanup-queries';
import { type StoreEnv, storeEnv } from '../stores/store-env';
import type { CopyContent } from './stored-checks';

/** The newest revision of a pipeline. */
export interface Newest {
    readonly number: number;
    readonly digest: string;
}

const STATE = [
    'id',
    'code',
    'enabled',
    'archived',
    'codeFirst',
    'hidden',
    'version',
    'status',
    'selectedRevisionId',
] as const;

/** The columns that are read before a pipeline is changed. */
export type PipelineState = Pick<FlowPipeline, (typeof STATE)[number]>;

/** A line of the history. */
interface HistoryLine {
    readonly pipelineId: Id;
    readonly action: PipelineAction;
    readonly actorId: Id | null;
    readonly revisionId: Id | null;
    readonly comment: string | null;
}

/** The statements on a pipeline, its working copy, its revisions and its history. */
export class PipelineRows {
    private readonly pipelines: Table;
    private readonly copies: Table;
    private readonly revisions: Table;
    private readonly events: Table;
    private readonly origins: Table;
    private readonly env: StoreEnv;

    constructor(
        dataSource: DataSource,
        private readonly database: Database,
    ) {
        this.pipelines = tableOf(dataSource, FlowPipeline);
        this.copies = tableOf(dataSource, FlowWorkingCopy);
        this.revisions = tableOf(dataSource, FlowPipelineRevision);
        this.events = tableOf(dataSource, FlowPipelineEvent);
        this.origins = tableOf(dataSource, FlowImportOrigin);
        this.env = storeEnv(dataSource, database);
    }

    /** A pipeline of a channel in its current state, locked until the transaction ends. */
    *locked(id: Id, channelId: Id): StatementProgram<PipelineState | undefined> {
        const { pipelines } = this;
        const columns = join(STATE.map(property => sql`${pipelines.column(property)} AS ${name(property)}`));
        const [row] = yield* select<Row>(sql`
            SELECT ${columns} FROM ${pipelines.name}
            WHERE ${pipelines.column('id')} = ${id} AND ${pipelines.column('channelId')} = ${channelId}${this.database.dialect.forUpdate}`);
        return (
            row &&
            (Object.fromEntries(
                STATE.map(property => [property, pipelines.fromColumn(property, row[property])]),
            ) as unknown as PipelineState)
        );
    }

    *newest(pipelineId: Id): StatementProgram<Newest | undefined> {
        const { revisions } = this;
        const rows = yield* select<Newest>(sql`
            SELECT ${revisions.column('number')} AS ${name('number')}, ${revisions.column('digest')} AS ${name('digest')} FROM ${revisions.name}
            WHERE ${revisions.column('pipelineId')} = ${pipelineId} ORDER BY ${revisions.column('number')} DESC LIMIT 1`);
        return rows[0];
    }

    /** Whether the working copy was edited by this user last. */
    *isEditor(pipelineId: Id, userId: Id | undefined): StatementProgram<boolean> {
        const { copies } = this;
        if (userId === undefined) return false;
        const rows = yield* select(sql`
            SELECT ${copies.column('pipelineId')} FROM ${copies.name}
            WHERE ${copies.column('pipelineId')} = ${pipelineId} AND ${copies.column('updatedBy')} = ${userId}`);
        return rows.length > 0;
    }

    /** Whether a pipeline of any channel has this code. */
    *hasCode(code: string): StatementProgram<boolean> {
        const { pipelines } = this;
        const rows = yield* select(
            sql`SELECT ${pipelines.column('id')} FROM ${pipelines.name} WHERE ${pipelines.column('code')} = ${code}`,
        );
        return rows.length > 0;
    }

    *insert(row: Row, copy: CopyContent & { readonly updatedBy: Id | null }): StatementProgram<Id> {
        const [pipelineId] = yield* insertNumbered(this.into(this.pipelines), [row]);
        yield* insertRows(this.into(this.copies), [{ pipelineId, ...copy }]);
        return pipelineId!;
    }

    /** Returns false if the pipeline is no longer at that version. Then nothing is written. */
    *update({ id, version }: Pick<PipelineState, 'id' | 'version'>, set: Row): StatementProgram<boolean> {
        const { pipelines } = this;
        const { affected } = yield* send(sql`
            UPDATE ${pipelines.name}
            SET ${this.assigned(pipelines, { ...set, version: version + 1, updatedAt: this.database.dialect.now })}
            WHERE ${pipelines.column('id')} = ${id} AND ${pipelines.column('version')} = ${version}`);
        return affected > 0;
    }

    /** Without `updatedBy`, the copy is only rewritten in its normal form, which does not count as an edit. */
    *updateCopy(pipelineId: Id, copy: CopyContent & { readonly updatedBy?: Id | null }): StatementProgram<void> {
        const { copies, database } = this;
        // Assigned to itself, since MySQL would touch it.
        const updatedAt = copy.updatedBy === undefined ? sql`${copies.column('updatedAt')}` : database.dialect.now;
        yield* send(
            sql`UPDATE ${copies.name} SET ${this.assigned(copies, { ...copy, updatedAt })} WHERE ${copies.column('pipelineId')} = ${pipelineId}`,
        );
    }

    *insertRevision(row: Row): StatementProgram<Id> {
        const [id] = yield* insertNumbered(this.into(this.revisions), [row]);
        return id!;
    }

    /** Ids of the history ascend with time, whatever the shop's strategy for ids. */
    *record(line: HistoryLine): StatementProgram<void> {
        yield* insertFlowRows(this.into(this.events), [{ ...line }]);
    }

    /** The state of a run that has not ended, or undefined if all have ended. No other run starts while the pipeline is locked. */
    *openRun(id: Id): StatementProgram<RunStatus | undefined> {
        return yield* openRunOf(this.env, id);
    }

    /** Deletes a pipeline without revisions, and the dry runs of its working copy. */
    *remove(id: Id): StatementProgram<void> {
        yield* removeRunsOf(this.env, id);
        yield* deleteRows(this.into(this.events), 'pipelineId', [id]);
        yield* deleteRows(this.into(this.copies), 'pipelineId', [id]);
        yield* deleteRows(this.into(this.origins), 'pipelineId', [id]);
        yield* deleteRows(this.into(this.pipelines), 'id', [id]);
    }

    private assigned(table: Table, values: Row): Sql {
        return join(
            Object.entries(values).map(
                ([property, value]) =>
                    sql`${table.column(property)} = ${value instanceof Sql ? value : table.toColumn(property, value)}`,
            ),
        );
    }

    private into(table: Table): WriteTarget {
        return { table, dialect: this.database.dialect };
    }
}
