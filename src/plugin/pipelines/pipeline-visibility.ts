import { Injectable } from '@nestjs/common';
import { type RequestContext, RequestContextCacheService, TransactionalConnection } from '@vendure/core';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineRun } from '../entities/run';
import { FlowWorkingCopy } from '../entities/working-copy';

/**
 * Hidden pipelines belong to unfinished imports, and only the user of the import sees them, as with drafts. This user alone edits their working copies.
 */
@Injectable()
export class PipelineVisibility {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly cache: RequestContextCacheService,
    ) {}

    /** Whether the caller sees a pipeline of the channel. */
    async seesPipeline(ctx: RequestContext, { id, hidden }: Pick<FlowPipeline, 'id' | 'hidden'>): Promise<boolean> {
        const { activeUserId } = ctx;
        if (!hidden) return true;
        if (activeUserId === undefined) return false;
        const copies = this.connection.getRepository(ctx, FlowWorkingCopy);
        return copies.exists({ where: { pipelineId: id, updatedBy: activeUserId } });
    }

    /** Whether the caller sees a run of the channel. Hidden pipelines have dry runs only. */
    async seesRun(
        ctx: RequestContext,
        { pipelineId, dryRun }: Pick<FlowPipelineRun, 'pipelineId' | 'dryRun'>,
    ): Promise<boolean> {
        if (!dryRun) return true;
        const pipeline = await this.connection
            .getRepository(ctx, FlowPipeline)
            .findOne({ where: { id: pipelineId }, select: { id: true, hidden: true } });
        return pipeline === null || this.seesPipeline(ctx, pipeline);
    }

    /** Leaves out of a list what belongs to hidden pipelines that the caller does not see. `by` is the property that names the pipeline or the run. */
    async narrow<E extends ObjectLiteral>(
        ctx: RequestContext,
        query: SelectQueryBuilder<E>,
        by: 'pipelineId' | 'runId',
    ): Promise<SelectQueryBuilder<E>> {
        // Usually there are none, and then the indexes of the list are enough.
        if (!(await this.cache.get(ctx, 'flow-unseen-pipelines', () => this.hasUnseen(ctx)))) return query;
        const unseen = this.unseen(ctx, query.subQuery().select('hidden.id').from(FlowPipeline, 'hidden'));
        const own = `${query.alias}.${by}`;
        if (by === 'pipelineId') return query.andWhere(`${own} NOT IN ${unseen.getQuery()}`, unseen.getParameters());
        const runs = query
            .subQuery()
            .select('check.id')
            .from(FlowPipelineRun, 'check')
            .where(`check.pipelineId IN ${unseen.getQuery()}`);
        return query.andWhere(`${own} NOT IN ${runs.getQuery()}`, unseen.getParameters());
    }

    private hasUnseen(ctx: RequestContext): Promise<boolean> {
        const pipelines = this.connection.getRepository(ctx, FlowPipeline).createQueryBuilder('hidden');
        return this.unseen(ctx, pipelines).getExists();
    }

    private unseen(
        { channelId, activeUserId }: RequestContext,
        query: SelectQueryBuilder<FlowPipeline>,
    ): SelectQueryBuilder<FlowPipeline> {
        const all = query.where('hidden.channelId = :hiddenOf AND hidden.hidden = :isHidden', {
            hiddenOf: channelId,
            isHidden: true,
        });
        if (activeUserId === undefined) return all;
        return all
            .leftJoin(FlowWorkingCopy, 'copy', 'copy.pipelineId = hidden.id')
            .andWhere('(copy.updatedBy IS NULL OR copy.updatedBy <> :viewer)', { viewer: activeUserId });
    }
}
