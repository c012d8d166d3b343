import { Injectable } from '@nestjs/common';
import {
    type ID, ListQueryBuilder, type ListQueryOptions, type PaginatedList, type RequestContext, TransactionalConnection, User, type VendureEntity,
} from '@vendure/core';
import type { SelectQueryBuilder } from 'typeorm';
import { FlowLog } from '../entities/log';
import { FlowRecordError } from '../entities/record-error';
import { FlowPipelineRun } from '../entities/run';
import { unlessSorted } from './list-order';

/** Reads the runs of a channel and what belongs to them; those of other channels are not there. */
@Injectable()
export class Runs {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly lists: ListQueryBuilder,
    ) {}

    async list(
        ctx: RequestContext,
        options?: ListQueryOptions<FlowPipelineRun>,
        pipelineId?: ID | null,
    ): Promise<PaginatedList<FlowPipelineRun>> {
        const where = { channelId: ctx.channelId, ...(pipelineId != null && { pipelineId }) };
        return page(this.lists.build(FlowPipelineRun, options, { ctx, where, orderBy: unlessSorted(options, { createdAt: 'DESC', id: 'DESC' }) }));
    }

    find(ctx: RequestContext, id: ID): Promise<FlowPipelineRun | null> {
        return this.connection.getRepository(ctx, FlowPipelineRun).findOne({ where: { id, channelId: ctx.channelId } });
    }

    newestOf(ctx: RequestContext, pipelineId: ID): Promise<FlowPipelineRun | null> {
        return this.connection.getRepository(ctx, FlowPipelineRun).findOne({ where: { pipelineId, channelId: ctx.channelId }, order: { createdAt: 'DESC', id: 'DESC' } });
    }

    async logs(ctx: RequestContext, options?: ListQueryOptions<FlowLog>, runId?: ID | null): Promise<PaginatedList<FlowLog>> {
        const orderBy = unlessSorted(options, { id: 'DESC' });
        const query = this.lists.build(FlowLog, options, { ctx, ...(runId != null && { where: { runId } }), orderBy });
        return page(this.ofChannel(ctx, query));
    }

    async recordErrors(
        ctx: RequestContext,
        options?: ListQueryOptions<FlowRecordError>,
        runId?: ID | null,
    ): Promise<PaginatedList<FlowRecordError>> {
        const orderBy = unlessSorted(options, { id: 'ASC' });
        const query = this.lists.build(FlowRecordError, options, { ctx, ...(runId != null && { where: { runId } }), orderBy });
        return page(this.ofChannel(ctx, query));
    }

    /** The user that a run acts for; null when he is gone for good. */
    user(ctx: RequestContext, id: ID): Promise<User | null> {
        return this.connection.getRepository(ctx, User).findOne({ where: { id } });
    }

    private ofChannel<E extends VendureEntity>(ctx: RequestContext, query: SelectQueryBuilder<E>): SelectQueryBuilder<E> {
        const own = query.subQuery().select('run.id').from(FlowPipelineRun, 'run').where('run.channelId = :flowChannelId').getQuery();
        return query.andWhere(`${query.alias}.runId IN ${own}`).setParameter('flowChannelId', ctx.channelId);
    }
}

async function page<E extends VendureEntity>(query: SelectQueryBuilder<E>): Promise<PaginatedList<E>> {
    const [items, totalItems] = await query.getManyAndCount();
    return { items, totalItems };
}
