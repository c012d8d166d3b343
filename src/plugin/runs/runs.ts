import { Injectable } from '@nestjs/common';
import {
    type ID,
    ListQueryBuilder,
    type ListQueryOptions,
    type PaginatedList,
    type RequestContext,
    TransactionalConnection,
    type Type,
    type VendureEntity,
} from '@vendure/core';
import { type FindOptionsOrder, type FindOptionsWhere, IsNull, type SelectQueryBuilder } from 'typeorm';
import { FlowDifference } from '../entities/difference';
import { FlowEventTriggerOutbox } from '../entities/event-trigger-outbox';
import { FlowLog } from '../entities/log';
import { FlowPipelineRun } from '../entities/run';
import { PipelineVisibility } from '../pipelines/pipeline-visibility';
import { withoutBlobs } from '../responses/lazy-blobs';
import { withDefaultSort } from '../stores/list-order';

interface OfChannel extends VendureEntity {
    readonly channelId: ID;
}

/** What narrows a list down, and its order when the caller did not sort it. */
interface Listing<E extends OfChannel> {
    readonly entity: Type<E>;
    readonly of: FindOptionsWhere<E>;
    readonly order: FindOptionsOrder<E>;
    readonly narrow?: (query: SelectQueryBuilder<E>) => void;
    /** The property that names the pipeline or the run. */
    readonly by: 'pipelineId' | 'runId';
}

/** Which differences of a dry run are listed. */
export interface DifferenceListing {
    readonly runId: ID;
    readonly options?: ListQueryOptions<FlowDifference>;
    /** Those of this field of the record alone. */
    readonly field?: string | null;
}

/**
 * Reads the runs of a channel and what belongs to them; those of other channels, and checks of other users' imports, are not there. A list is its rows
 * and their number, after one statement for what is hidden. Each carries the channel, which every index that serves them has in it: so the database counts within an
 * index and never reads the rows of other channels. What may be large in a row is left out (`LazyBlobs`).
 */
@Injectable()
export class Runs {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly lists: ListQueryBuilder,
        private readonly visibility: PipelineVisibility,
    ) {}

    list(
        ctx: RequestContext,
        options?: ListQueryOptions<FlowPipelineRun>,
        pipelineId?: ID | null,
    ): Promise<PaginatedList<FlowPipelineRun>> {
        return this.page(ctx, options, {
            entity: FlowPipelineRun,
            of: pipelineId == null ? {} : { pipelineId },
            order: { createdAt: 'DESC', id: 'DESC' },
            by: 'pipelineId',
        });
    }

    /** A check of an import is found by the user of the import alone. */
    async find(ctx: RequestContext, id: ID): Promise<FlowPipelineRun | null> {
        const { channelId } = ctx;
        const runs = this.connection.getRepository(ctx, FlowPipelineRun).createQueryBuilder('run');
        const run = await withoutBlobs(runs)
            .where('run.id = :id AND run.channelId = :channelId', { id, channelId })
            .getOne();
        return run && (await this.visibility.seesRun(ctx, run)) ? run : null;
    }

    logs(ctx: RequestContext, options?: ListQueryOptions<FlowLog>, runId?: ID | null): Promise<PaginatedList<FlowLog>> {
        return this.page(ctx, options, {
            entity: FlowLog,
            of: runId == null ? {} : { runId },
            order: { id: 'DESC' },
            by: 'runId',
        });
    }

    differences(
        ctx: RequestContext,
        { runId, options, field }: DifferenceListing,
    ): Promise<PaginatedList<FlowDifference>> {
        const listing = { entity: FlowDifference, of: { runId }, order: { id: 'ASC' }, by: 'runId' } as const;
        return this.page(ctx, options, {
            ...listing,
            ...(field != null && { narrow: query => changing(query, field) }),
        });
    }

    /** How many differences of a dry run there are, by step and action. */
    async differenceGroups(
        ctx: RequestContext,
        runId: ID,
    ): Promise<ReadonlyArray<Pick<FlowDifference, 'stepKey' | 'action'> & { readonly records: number }>> {
        const differences = this.connection.getRepository(ctx, FlowDifference).createQueryBuilder('difference');
        const grouped = differences
            .select('difference.stepKey', 'stepKey')
            .addSelect('difference.action', 'action')
            .addSelect('COUNT(*)', 'records')
            .where({ runId, channelId: ctx.channelId })
            .groupBy('difference.stepKey')
            .addGroupBy('difference.action')
            .orderBy('difference.stepKey')
            .addOrderBy('difference.action');
        const rows = await (
            await this.visibility.narrow(ctx, grouped, 'runId')
        ).getRawMany<Pick<FlowDifference, 'stepKey' | 'action'> & { readonly records: number | string }>();
        return rows.map(row => ({ ...row, records: Number(row.records) }));
    }

    /** Events that should have started runs and are no longer retried. */
    givenUpEvents(
        ctx: RequestContext,
        options?: ListQueryOptions<FlowEventTriggerOutbox>,
        pipelineId?: ID | null,
    ): Promise<PaginatedList<FlowEventTriggerOutbox>> {
        return this.page(ctx, options, {
            entity: FlowEventTriggerOutbox,
            of: { dueAt: IsNull(), ...(pipelineId != null && { pipelineId }) },
            order: { createdAt: 'DESC', id: 'DESC' },
            by: 'pipelineId',
        });
    }

    private async page<E extends OfChannel>(
        ctx: RequestContext,
        options: ListQueryOptions<E> | undefined,
        { entity, of, order, narrow, by }: Listing<E>,
    ): Promise<PaginatedList<E>> {
        const where = { ...of, channelId: ctx.channelId } as FindOptionsWhere<E>;
        const query = this.lists.build(entity, options, { ctx, where, orderBy: withDefaultSort(options, order) });
        narrow?.(query);
        const visible = await this.visibility.narrow(ctx, query, by);
        const [items, totalItems] = await withoutBlobs(visible).getManyAndCount();
        return { items, totalItems };
    }
}

/** The column contains only the fields that differ, each as the name of a value. */
function changing(query: SelectQueryBuilder<FlowDifference>, field: string): void {
    const text = `%${JSON.stringify(field).replace(/[!%_]/g, '!$&')}:%`;
    query.andWhere(
        `(${query.alias}.before LIKE :changed ESCAPE '!' OR ${query.alias}.after LIKE :changed ESCAPE '!')`,
        { changed: text },
    );
}
