import { Injectable } from '@nestjs/common';
import {
    type ID,
    ListQueryBuilder,
    type ListQueryOptions,
    type PaginatedList,
    type RequestContext,
    RequestContextCacheService,
    TransactionalConnection,
} from '@vendure/core';
import type { SelectQueryBuilder } from 'typeorm';
import { flowError } from '../../core/errors/flow-error';
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineEvent } from '../entities/pipeline-event';
import { FlowPipelineRevision } from '../entities/revision';
import { withoutBlobs } from '../responses/lazy-blobs';
import { withDefaultSort } from '../stores/list-order';
import { PipelineVisibility } from './pipeline-visibility';

/** Reads the pipelines of a channel; those of other channels are not there. */
@Injectable()
export class Pipelines {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly lists: ListQueryBuilder,
        private readonly cache: RequestContextCacheService,
        private readonly visibility: PipelineVisibility,
    ) {}

    /** `narrow` may leave some out, and order them. */
    async list(
        ctx: RequestContext,
        options?: ListQueryOptions<FlowPipeline>,
        narrow?: (query: SelectQueryBuilder<FlowPipeline>) => void,
    ): Promise<PaginatedList<FlowPipeline>> {
        const orderBy = withDefaultSort(options, { code: 'ASC' });
        const where = { channelId: ctx.channelId, hidden: false };
        const query = this.lists.build(FlowPipeline, options, { ctx, where, orderBy });
        narrow?.(query);
        const [items, totalItems] = await query.getManyAndCount();
        return { items, totalItems };
    }

    /** A pipeline of an unfinished import is found by the user of the import alone. */
    async find(ctx: RequestContext, by: { readonly id: ID } | { readonly code: string }): Promise<FlowPipeline | null> {
        const where = { ...by, channelId: ctx.channelId };
        const pipeline = await this.connection.getRepository(ctx, FlowPipeline).findOne({ where });
        return pipeline && (await this.visibility.seesPipeline(ctx, pipeline)) ? pipeline : null;
    }

    revision(ctx: RequestContext, id: ID): Promise<FlowPipelineRevision | null> {
        const revisions = this.connection.getRepository(ctx, FlowPipelineRevision);
        return this.cache.get(ctx, `flow-revision-${id}`, () => revisions.findOne({ where: { id } }));
    }

    /** The revisions of a pipeline, without their definitions. Throws PIPELINE_NOT_FOUND. */
    async revisions(
        ctx: RequestContext,
        pipelineId: ID,
        options?: ListQueryOptions<FlowPipelineRevision>,
    ): Promise<PaginatedList<FlowPipelineRevision>> {
        await this.assertOwn(ctx, pipelineId);
        const orderBy = withDefaultSort(options, { number: 'DESC' });
        const query = this.lists.build(FlowPipelineRevision, options, { ctx, where: { pipelineId }, orderBy });
        const [items, totalItems] = await withoutBlobs(query).getManyAndCount();
        return { items, totalItems };
    }

    /** A revision of a pipeline of this channel, without its definition. */
    ownRevision(ctx: RequestContext, id: ID): Promise<FlowPipelineRevision | null> {
        const revisions = this.connection.getRepository(ctx, FlowPipelineRevision).createQueryBuilder('revision');
        return withoutBlobs(revisions)
            .innerJoin(
                FlowPipeline,
                'pipeline',
                'pipeline.id = revision.pipelineId AND pipeline.channelId = :channelId',
                { channelId: ctx.channelId },
            )
            .where('revision.id = :id', { id })
            .getOne();
    }

    /** What happened to a pipeline. Throws PIPELINE_NOT_FOUND. */
    async history(
        ctx: RequestContext,
        pipelineId: ID,
        options?: ListQueryOptions<FlowPipelineEvent>,
    ): Promise<PaginatedList<FlowPipelineEvent>> {
        await this.assertOwn(ctx, pipelineId);
        const orderBy = withDefaultSort(options, { id: 'DESC' });
        const [items, totalItems] = await this.lists
            .build(FlowPipelineEvent, options, { ctx, where: { pipelineId }, orderBy })
            .getManyAndCount();
        return { items, totalItems };
    }

    private async assertOwn(ctx: RequestContext, id: ID): Promise<void> {
        if (!(await this.find(ctx, { id }))) throw flowError('PIPELINE_NOT_FOUND', {});
    }
}
