import { Injectable } from '@nestjs/common';
import { type ID, type RequestContext, TransactionalConnection } from '@vendure/core';
import { type FindOptionsWhere, In } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import { column, name, select, type Sql, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import { Analytics, type RunAnalytics } from '../analytics/analytics';
import { PipelineVisibility } from '../pipelines/pipeline-visibility';
import { withoutBlobs } from '../responses/lazy-blobs';
import { FlowPipelineRun } from '../entities/run';
import { RecordErrorGroupings, type RecordErrorGroups } from '../record-errors/groups';
import { RunStores } from '../runs/run-stores';
import { type TriggerWarning, TriggerWarnings } from './trigger-warnings';

/** What needs attention, what is in progress, and the numbers of a day. */
export interface Overview {
    readonly asOf: Date;
    /** For each pipeline whose last run that was not cancelled has failed: that run, the latest first. */
    readonly failures: readonly FlowPipelineRun[];
    readonly failuresTotal: number;
    readonly waitingGates: readonly FlowPipelineRun[];
    readonly waitingGatesTotal: number;
    readonly running: readonly FlowPipelineRun[];
    readonly runningTotal: number;
    readonly errors: RecordErrorGroups;
    readonly triggerWarnings: readonly TriggerWarning[];
    readonly day: RunAnalytics;
    readonly hasRuns: boolean;
}

/** The most runs that are shown of each kind. */
const SHOWN = 20;
const CAUSES = 5;
const DAY_MS = 86_400_000;

/** Reads the overview with a number of statements that does not depend on the amount of data. */
@Injectable()
export class Overviews {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly stores: RunStores,
        private readonly groups: RecordErrorGroupings,
        private readonly analytics: Analytics,
        private readonly warnings: TriggerWarnings,
        private readonly visibility: PipelineVisibility,
    ) {}

    async of(ctx: RequestContext): Promise<Overview> {
        const asOf = new Date();
        const { channelId } = ctx;
        const [failed, paused, running, errors, triggerWarnings, day, hasRuns] = await Promise.all([
            this.failures(ctx),
            this.inState(ctx, { channelId, status: 'PAUSED' }),
            this.inState(ctx, { channelId, status: 'RUNNING' }),
            this.groups.list(ctx, {}, { take: CAUSES }),
            this.warnings.of(ctx),
            this.analytics.of(ctx, { from: new Date(asOf.getTime() - DAY_MS), to: asOf, period: 'HOUR' }),
            this.connection.getRepository(ctx, FlowPipelineRun).exists({ where: { channelId, dryRun: false } }),
        ]);
        return {
            asOf,
            failures: failed.runs,
            failuresTotal: failed.total,
            waitingGates: paused.runs,
            waitingGatesTotal: paused.total,
            running: running.runs,
            runningTotal: running.total,
            errors,
            triggerWarnings,
            day,
            hasRuns,
        };
    }

    private async inState(ctx: RequestContext, where: FindOptionsWhere<FlowPipelineRun>): Promise<Found> {
        const query = withoutBlobs(this.connection.getRepository(ctx, FlowPipelineRun).createQueryBuilder('run'))
            .where(where)
            .orderBy({ 'run.createdAt': 'ASC', 'run.id': 'ASC' })
            .take(SHOWN);
        const [runs, total] = await (await this.visibility.narrow(ctx, query, 'pipelineId')).getManyAndCount();
        return { runs, total };
    }

    private async failures(ctx: RequestContext): Promise<Found> {
        const ids = await this.stores.env.database.run(() => this.failed(ctx.channelId as Id));
        if (ids.length === 0) return { runs: [], total: 0 };
        const runs = await withoutBlobs(this.connection.getRepository(ctx, FlowPipelineRun).createQueryBuilder('run'))
            .where({ id: In(ids.slice(0, SHOWN)) })
            .orderBy({ 'run.createdAt': 'DESC', 'run.id': 'DESC' })
            .getMany();
        return { runs, total: ids.length };
    }

    /**
     * Reads pipeline by pipeline, each by the index of its runs. Replays are ignored, since they do not read the sources, and so are cancelled runs, which show
     * no problem of the pipeline.
     */
    private *failed(channelId: Id): StatementProgram<readonly ID[]> {
        const { runs, pipelines } = this.stores.env.tables;
        const of = (alias: 'r' | 'n', property: string): Sql => column(alias, runs.column(property).name);
        const ofPipeline = (property: string): Sql => column('p', pipelines.column(property).name);
        const rows = yield* select<{ id: Id }>(sql`
            SELECT ${of('r', 'id')} AS ${name('id')} FROM ${pipelines.name} ${name('p')} JOIN ${runs.name} ${name('r')} ON ${of('r', 'id')} = (
                SELECT ${of('n', 'id')} FROM ${runs.name} ${name('n')}
                WHERE ${of('n', 'pipelineId')} = ${ofPipeline('id')} AND ${of('n', 'channelId')} = ${channelId}
                AND ${of('n', 'status')} IN (${'COMPLETED'}, ${'FAILED'}) AND ${of('n', 'dryRun')} = ${runs.toColumn('dryRun', false)}
                AND ${of('n', 'replays')} IS NULL
                ORDER BY ${of('n', 'createdAt')} DESC, ${of('n', 'id')} DESC LIMIT 1)
            WHERE ${ofPipeline('channelId')} = ${channelId} AND ${ofPipeline('archived')} = ${pipelines.toColumn('archived', false)}
            AND ${of('r', 'status')} = ${'FAILED'}
            ORDER BY ${of('r', 'createdAt')} DESC, ${of('r', 'id')} DESC`);
        return rows.map(({ id }) => id);
    }
}

interface Found {
    readonly runs: readonly FlowPipelineRun[];
    readonly total: number;
}
