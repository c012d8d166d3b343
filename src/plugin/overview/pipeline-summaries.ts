import { Injectable } from '@nestjs/common';
import { type ID, type RequestContext, RequestContextCacheService } from '@vendure/core';
import DataLoader from 'dataloader';
import type { StatementProgram } from '../../core/adapter/loader';
import { name, select, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import { Analytics, type DayFigures } from '../analytics/analytics';
import { RunStores } from '../runs/run-stores';

/** The days that are shown of each pipeline, today included. */
const DAYS = 30;

/** What a list of pipelines shows of each, for all of its rows in one statement each. */
@Injectable()
export class PipelineSummaries {
    constructor(
        private readonly cache: RequestContextCacheService,
        private readonly stores: RunStores,
        private readonly analytics: Analytics,
    ) {}

    /** How many of its rejected records are open. */
    openErrors(ctx: RequestContext, id: ID): Promise<number> {
        return this.loader(ctx, 'open-errors', async ids => {
            const { database } = this.stores.env;
            const rows = await database.run(() => this.openOf(ctx.channelId as Id, ids as readonly Id[]));
            return new Map(rows.map(({ pipelineId, count }) => [String(pipelineId), Number(count)]));
        })(id, 0);
    }

    /** What its runs have come to on each of the last 30 days that had some, days of UTC. */
    days(ctx: RequestContext, id: ID): Promise<readonly DayFigures[]> {
        return this.loader(ctx, 'days', ids => this.analytics.daysOf(ctx, ids, DAYS))(id, []);
    }

    private loader<T>(
        ctx: RequestContext,
        what: string,
        read: (ids: readonly ID[]) => Promise<ReadonlyMap<string, T>>,
    ): (id: ID, none: T) => Promise<T> {
        const loader = this.cache.get(
            ctx,
            `flow-pipeline-${what}`,
            () =>
                new DataLoader<ID, T | undefined>(
                    async ids => {
                        const found = await read([...new Set(ids)]);
                        return ids.map(id => found.get(String(id)));
                    },
                    { cache: false },
                ),
        );
        return async (id, none) => (await loader.load(id)) ?? none;
    }

    private *openOf(
        channelId: Id,
        ids: readonly Id[],
    ): StatementProgram<ReadonlyArray<{ readonly pipelineId: Id; readonly count: number | string }>> {
        const { database, tables } = this.stores.env;
        const { errors } = tables;
        const pipelineId = errors.column('pipelineId');
        return yield* select(sql`
            SELECT ${pipelineId} AS ${name('pipelineId')}, COUNT(*) AS ${name('count')} FROM ${errors.name}
            WHERE ${database.dialect.oneOf(pipelineId, ids)} AND ${errors.column('state')} = ${'OPEN'} AND ${errors.column('channelId')} = ${channelId}
            GROUP BY ${pipelineId}`);
    }
}
