import { Injectable } from '@nestjs/common';
import type { ID, RequestContext } from '@vendure/core';
import type { SelectQueryBuilder } from 'typeorm';
import type { RunStatus } from '../../core/progress/state';
import type { FlowPipeline } from '../entities/pipeline';
import { FlowRecordError } from '../entities/record-error';
import { FlowPipelineRun } from '../entities/run';
import { ActiveTriggers } from '../triggers/active-triggers';
import type { TriggerTypeName } from '../triggers/triggers';

/** Which pipelines are listed, by conditions on related tables, and in which order. */
export interface PipelineSelection {
    /** Part of the code or the name. */
    readonly search?: string | null;
    readonly triggerType?: TriggerTypeName | null;
    readonly lastRunStatus?: readonly RunStatus[] | null;
    readonly hasOpenErrors?: boolean | null;
    readonly orderBy?: 'LAST_RUN' | 'OPEN_ERRORS' | null;
}

/** Filters and sorts a list of pipelines by related rows. */
@Injectable()
export class PipelineSelections {
    constructor(private readonly triggers: ActiveTriggers) {}

    /** The query with the selection. Each condition uses an index, pipeline by pipeline. */
    apply(
        { channelId }: RequestContext,
        query: SelectQueryBuilder<FlowPipeline>,
        { search, triggerType, lastRunStatus, hasOpenErrors, orderBy }: PipelineSelection,
    ): void {
        const own = query.alias;
        query.setParameter('ofChannel', channelId);
        if (search != null && search.trim() !== '')
            query.andWhere(
                `(LOWER(${own}.code) LIKE :search ESCAPE '!' OR LOWER(${own}.name) LIKE :search ESCAPE '!')`,
                {
                    search: `%${search.trim().toLowerCase().replace(/[!%_]/g, '!$&')}%`,
                },
            );
        if (triggerType != null) inList(query, this.idsOf(triggerType));
        if (lastRunStatus && lastRunStatus.length > 0)
            query.andWhere(`${newest(query, 'status')} IN (:...lastRunStatus)`, { lastRunStatus });
        if (hasOpenErrors != null) query.andWhere(`${hasOpenErrors ? '' : 'NOT '}EXISTS ${openErrors(query, '1')}`);
        if (orderBy == null) return;
        const order = orderBy === 'LAST_RUN' ? newest(query, 'createdAt') : openErrors(query, 'COUNT(*)');
        query
            .addSelect(`CASE WHEN ${order} IS NULL THEN 1 ELSE 0 END`, 'ordered_last')
            .addSelect(order, 'ordered_by')
            // Of runs that were started at the same moment, the later one.
            .addSelect(newest(query, 'id'), 'ordered_then');
        query.orderBy({
            ordered_last: 'ASC',
            ordered_by: 'DESC',
            ...(orderBy === 'LAST_RUN' && { ordered_then: 'DESC' }),
            [`${own}.code`]: 'ASC',
        });
    }

    /** The pipelines with an active trigger of this type. */
    private idsOf(type: TriggerTypeName): readonly ID[] {
        return this.triggers.of(type).map(({ pipelineId }) => pipelineId);
    }
}

function inList(query: SelectQueryBuilder<FlowPipeline>, ids: readonly ID[]): void {
    if (ids.length === 0) query.andWhere('1 = 0');
    else query.andWhere(`${query.alias}.id IN (:...triggered)`, { triggered: ids });
}

/** A column of the pipeline's newest run. */
function newest(query: SelectQueryBuilder<FlowPipeline>, property: 'id' | 'status' | 'createdAt'): string {
    return query
        .subQuery()
        .select(`last.${property}`)
        .from(FlowPipelineRun, 'last')
        .where(`last.pipelineId = ${query.alias}.id`)
        .andWhere('last.channelId = :ofChannel')
        .orderBy('last.createdAt', 'DESC')
        .addOrderBy('last.id', 'DESC')
        .limit(1)
        .getQuery();
}

/** The pipeline's open record errors: their number, or at most one row. */
function openErrors(query: SelectQueryBuilder<FlowPipeline>, what: 'COUNT(*)' | '1'): string {
    return query
        .subQuery()
        .select(what, 'open')
        .from(FlowRecordError, 'error')
        .where(`error.pipelineId = ${query.alias}.id`)
        .andWhere(`error.state = 'OPEN'`)
        .getQuery();
}
