import { Injectable } from '@nestjs/common';
import { type ID, type RequestContext, RequestContextCacheService, TransactionalConnection, User } from '@vendure/core';
import DataLoader from 'dataloader';
import { In, type SelectQueryBuilder } from 'typeorm';
import type { JsonObject } from '../../core/value/json';
import { tableOf } from '../../database/table';
import type { Issue } from '../../core/pipeline/issues';
import { responseLimitOf } from '../responses/response-limit';
import { StoredChecks } from '../pipelines/stored-checks';
import { FlowGateDecision } from '../entities/gate-decision';
import { FlowLog } from '../entities/log';
import { FlowManagedFile } from '../entities/managed-file';
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineRevision } from '../entities/revision';
import { FlowPipelineRun } from '../entities/run';
import { FlowWorkingCopy } from '../entities/working-copy';
import { isRowId } from '../stores/row-id';
import { LazyBlobs, withoutBlobs } from '../responses/lazy-blobs';

/** The maximum number of ids in one statement; more than a page of Vendure's Admin API has. */
const BATCH = 1_000;

type Loader<T> = DataLoader<ID, T | null>;
type Read<T> = (ids: readonly ID[]) => Promise<ReadonlyArray<readonly [ID, T]>>;

/** Who has edited a working copy and when; its definition may have a megabyte. */
export type EditedWorkingCopy = Pick<FlowWorkingCopy, 'pipelineId' | 'updatedBy' | 'updatedAt'>;

interface Loaders {
    readonly pipelines: Loader<FlowPipeline>;
    readonly revisions: Loader<FlowPipelineRevision>;
    readonly copies: Loader<EditedWorkingCopy>;
    readonly issues: Loader<readonly Issue[]>;
    readonly users: Loader<User>;
    readonly runs: Loader<FlowPipelineRun>;
    readonly files: Loader<FlowManagedFile>;
    readonly newestRuns: Loader<FlowPipelineRun>;
    readonly decisions: Loader<readonly FlowGateDecision[]>;
    readonly warnings: Loader<number>;
}

/**
 * Loads what lists show in addition to their own columns, for all of their rows in one statement. Each lookup returns null for a missing row.
 * Nothing is cached between two batches, because a mutation may have changed it.
 */
@Injectable()
export class DataLoaders {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly cache: RequestContextCacheService,
        private readonly checks: StoredChecks,
        private readonly large: LazyBlobs,
    ) {}

    /** A pipeline of the active channel. */
    pipeline(ctx: RequestContext, id: ID): Promise<FlowPipeline | null> {
        return this.of(ctx).pipelines.load(id);
    }

    /** A revision of a pipeline whose channel has been checked, without its definition. */
    revision(ctx: RequestContext, id: ID): Promise<FlowPipelineRevision | null> {
        return this.of(ctx).revisions.load(id);
    }

    /** A stored file of the active channel, be it past its time. */
    file(ctx: RequestContext, id: ID): Promise<FlowManagedFile | null> {
        return this.of(ctx).files.load(id);
    }

    /** A run of the active channel. */
    run(ctx: RequestContext, id: ID): Promise<FlowPipelineRun | null> {
        return this.of(ctx).runs.load(id);
    }

    /** What a dry run of the active channel has found. */
    report(ctx: RequestContext, runId: ID): Promise<JsonObject | null> {
        const as = 'FlowPipelineRun.report';
        return this.large.of(ctx, { entity: FlowPipelineRun, property: 'report', as }, runId);
    }

    /** Of the working copy of a pipeline whose channel has been checked. */
    workingCopy(ctx: RequestContext, pipelineId: ID): Promise<EditedWorkingCopy | null> {
        return this.of(ctx).copies.load(pipelineId);
    }

    /** The definition of the working copy of such a pipeline. */
    draft(ctx: RequestContext, pipelineId: ID): Promise<JsonObject | null> {
        return this.large.of(
            ctx,
            { entity: FlowWorkingCopy, key: 'pipelineId', property: 'definition', as: 'FlowWorkingCopy.definition' },
            pipelineId,
        );
    }

    /** The definition of a revision whose channel has been checked. */
    definition(ctx: RequestContext, revisionId: ID): Promise<JsonObject | null> {
        const as = 'FlowPipelineRevision.definition';
        return this.large.of(ctx, { entity: FlowPipelineRevision, property: 'definition', as }, revisionId);
    }

    /** The issues of the working copy of a pipeline in the active channel. */
    issues(ctx: RequestContext, pipelineId: ID): Promise<readonly Issue[] | null> {
        return this.of(ctx).issues.load(pipelineId);
    }

    /** A user; null also if the referenced row was deleted permanently. */
    async user(ctx: RequestContext, id: ID | null): Promise<User | null> {
        return id === null ? null : this.of(ctx).users.load(id);
    }

    /** The gate decisions of a run whose channel has been checked, the first decision first. Null if there are none. */
    gateDecisions(ctx: RequestContext, runId: ID): Promise<readonly FlowGateDecision[] | null> {
        return this.of(ctx).decisions.load(runId);
    }

    /** The number of warnings in the log of a run of the active channel. */
    async warnings(ctx: RequestContext, runId: ID): Promise<number> {
        return (await this.of(ctx).warnings.load(runId)) ?? 0;
    }

    /** The newest run of a pipeline of the active channel. */
    newestRun(ctx: RequestContext, pipelineId: ID): Promise<FlowPipelineRun | null> {
        return this.of(ctx).newestRuns.load(pipelineId);
    }

    /** All field resolvers of an operation are given the same context. */
    private of(ctx: RequestContext): Loaders {
        return this.cache.get(ctx, 'flow-lookups', () => this.loaders(ctx));
    }

    private loaders(ctx: RequestContext): Loaders {
        const { channelId } = ctx;
        return {
            pipelines: loader(async ids =>
                byId(await this.connection.getRepository(ctx, FlowPipeline).findBy({ id: In([...ids]), channelId })),
            ),
            revisions: loader(async ids => {
                const revisions = this.connection
                    .getRepository(ctx, FlowPipelineRevision)
                    .createQueryBuilder('revision');
                return byId(
                    await withoutBlobs(revisions)
                        .where({ id: In([...ids]) })
                        .getMany(),
                );
            }),
            copies: loader(async ids => {
                const rows = await this.connection.getRepository(ctx, FlowWorkingCopy).find({
                    select: { pipelineId: true, updatedBy: true, updatedAt: true },
                    where: { pipelineId: In([...ids]) },
                });
                return rows.map(row => [row.pipelineId, row] as const);
            }),
            issues: loader(ids =>
                responseLimitOf(ctx.req).reading(
                    'FlowWorkingCopy.issues',
                    () => this.large.length({ entity: FlowWorkingCopy, key: 'pipelineId', property: 'checked' }, ids),
                    () => this.checks.issuesOf(channelId, ids),
                ),
            ),
            users: loader(async ids =>
                byId(await this.connection.getRepository(ctx, User).findBy({ id: In([...ids]) })),
            ),
            runs: loader(async ids => {
                const runs = this.connection.getRepository(ctx, FlowPipelineRun).createQueryBuilder('run');
                return byId(
                    await withoutBlobs(runs)
                        .where({ id: In([...ids]), channelId })
                        .getMany(),
                );
            }),
            files: loader(async ids => {
                const table = tableOf(this.connection.rawConnection, FlowManagedFile);
                const known = ids.filter(id => isRowId(table, id));
                const files = this.connection.getRepository(ctx, FlowManagedFile);
                return byId(await files.findBy({ id: In(known), channelId }));
            }),
            decisions: loader(async ids => {
                const decisions = await this.connection.getRepository(ctx, FlowGateDecision).find({
                    where: { runId: In([...ids]) },
                    order: { createdAt: 'ASC', id: 'ASC' },
                });
                const ofRuns = new Map<string, FlowGateDecision[]>(ids.map(id => [String(id), []]));
                for (const decision of decisions) ofRuns.get(String(decision.runId))!.push(decision);
                return ids.map(id => [id, ofRuns.get(String(id))!] as const);
            }),
            warnings: loader(async ids => {
                const counted = await this.connection
                    .getRepository(ctx, FlowLog)
                    .createQueryBuilder('line')
                    .select('line.runId', 'runId')
                    .addSelect('COUNT(*)', 'lines')
                    .where({ runId: In([...ids]), channelId, level: 'WARN' })
                    .groupBy('line.runId')
                    .getRawMany<{ readonly runId: ID; readonly lines: string | number }>();
                return counted.map(({ runId, lines }) => [runId, Number(lines)] as const);
            }),
            newestRuns: loader(async ids => (await this.newestRuns(ctx, ids)).map(run => [run.pipelineId, run])),
        };
    }

    /** Reads the last entry of the runs' index for each pipeline, so the number of runs does not matter. */
    private newestRuns(ctx: RequestContext, pipelineIds: readonly ID[]): Promise<FlowPipelineRun[]> {
        const newestIds = (query: SelectQueryBuilder<FlowPipelineRun>): SelectQueryBuilder<FlowPipeline> => {
            const newestId = query
                .subQuery()
                .select('last.id')
                .from(FlowPipelineRun, 'last')
                .where('last.pipelineId = pipeline.id')
                .andWhere('last.channelId = :channelId')
                .orderBy('last.createdAt', 'DESC')
                .addOrderBy('last.id', 'DESC')
                .limit(1);
            return query
                .subQuery()
                .select(newestId.getQuery(), 'id')
                .from(FlowPipeline, 'pipeline')
                .where('pipeline.id IN (:...pipelineIds)')
                .andWhere('pipeline.channelId = :channelId');
        };
        return withoutBlobs(this.connection.getRepository(ctx, FlowPipelineRun).createQueryBuilder('run'))
            .innerJoin(newestIds, 'newest', 'newest.id = run.id')
            .setParameters({ pipelineIds, channelId: ctx.channelId })
            .getMany();
    }
}

function byId<T extends { readonly id: ID }>(rows: readonly T[]): ReadonlyArray<readonly [ID, T]> {
    return rows.map(row => [row.id, row]);
}

function loader<T>(read: Read<T>): Loader<T> {
    return new DataLoader<ID, T | null>(
        async ids => {
            const found = new Map((await read([...new Set(ids)])).map(([id, row]) => [String(id), row]));
            return ids.map(id => found.get(String(id)) ?? null);
        },
        { cache: false, maxBatchSize: BATCH },
    );
}
