import { Injectable } from '@nestjs/common';
import {
    type ID, ListQueryBuilder, type ListQueryOptions, type PaginatedList, type RequestContext, RequestContextCacheService, TransactionalConnection,
} from '@vendure/core';
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineRevision } from '../entities/revision';
import { unlessSorted } from './list-order';

/** Reads the pipelines of a channel; those of other channels are not there. */
@Injectable()
export class Pipelines {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly lists: ListQueryBuilder,
        private readonly cache: RequestContextCacheService,
    ) {}

    async list(ctx: RequestContext, options?: ListQueryOptions<FlowPipeline>): Promise<PaginatedList<FlowPipeline>> {
        const orderBy = unlessSorted(options, { code: 'ASC' });
        const query = this.lists.build(FlowPipeline, options, { ctx, where: { channelId: ctx.channelId }, orderBy });
        const [items, totalItems] = await query.getManyAndCount();
        return { items, totalItems };
    }

    find(ctx: RequestContext, by: { readonly id: ID } | { readonly code: string }): Promise<FlowPipeline | null> {
        return this.connection.getRepository(ctx, FlowPipeline).findOne({ where: { ...by, channelId: ctx.channelId } });
    }

    /** The pipeline of a run, whose channel has been checked. Asked for once a request. */
    ofRun(ctx: RequestContext, id: ID): Promise<FlowPipeline | null> {
        const pipelines = this.connection.getRepository(ctx, FlowPipeline);
        return this.cache.get(ctx, `flow-pipeline-${id}`, () => pipelines.findOne({ where: { id } }));
    }

    revision(ctx: RequestContext, id: ID): Promise<FlowPipelineRevision | null> {
        const revisions = this.connection.getRepository(ctx, FlowPipelineRevision);
        return this.cache.get(ctx, `flow-revision-${id}`, () => revisions.findOne({ where: { id } }));
    }
}
