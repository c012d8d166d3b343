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
import DataLoader from 'dataloader';
import { In } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import { column, name, select, type Sql, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import { PipelineVisibility } from '../pipelines/pipeline-visibility';
import { withoutBlobs } from '../responses/lazy-blobs';
import { FlowRecordError } from '../entities/record-error';
import { RunStores } from '../runs/run-stores';
import { withDefaultSort } from '../stores/list-order';
import { narrowed, type RecordErrorSelection } from './selection';

/** Which rejected records of the channel are listed. */
interface RecordErrorListing {
    readonly options?: ListQueryOptions<FlowRecordError>;
    readonly runId?: ID | null;
    readonly selection?: RecordErrorSelection | null;
}

/** Reads the rejected records of a channel. A list uses two statements, for its rows and their number. Large columns are left out (`LazyBlobs`). */
@Injectable()
export class RecordErrors {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly lists: ListQueryBuilder,
        private readonly cache: RequestContextCacheService,
        private readonly stores: RunStores,
        private readonly visibility: PipelineVisibility,
    ) {}

    /** The records of a selection. Without a selection all of them, including those that cannot be replayed. */
    async list(
        ctx: RequestContext,
        { options, runId, selection }: RecordErrorListing,
    ): Promise<PaginatedList<FlowRecordError>> {
        const where = { channelId: ctx.channelId, ...(runId != null && { runId }) };
        const orderBy = withDefaultSort(options, { id: 'ASC' });
        const query = withoutBlobs(this.lists.build(FlowRecordError, options, { ctx, where, orderBy }));
        if (selection) narrowed(query, this.stores.env.tables.errors, selection);
        const visible = await this.visibility.narrow(ctx, query, 'pipelineId');
        const [items, totalItems] = await visible.getManyAndCount();
        return { items, totalItems };
    }

    /** The record error of a replayed record that was rejected again. */
    refusedAgain(ctx: RequestContext, { id }: FlowRecordError): Promise<FlowRecordError | null> {
        const read = async (all: readonly ID[]): Promise<ReadonlyArray<FlowRecordError | null>> => {
            const pairs = await this.stores.env.database.run(() => this.successors([...new Set(all)]));
            const errors = this.connection.getRepository(ctx, FlowRecordError).createQueryBuilder('error');
            const found = await withoutBlobs(errors)
                .where({ id: In(pairs.map(({ again }) => again)), channelId: ctx.channelId })
                .getMany();
            const errorsById = new Map(found.map(error => [String(error.id), error]));
            // If there are several, the first one.
            const again = new Map([...pairs].reverse().map(pair => [String(pair.refused), String(pair.again)]));
            return all.map(own => errorsById.get(again.get(String(own)) ?? '') ?? null);
        };
        return this.cache.get(ctx, 'flow-refused-again', () => new DataLoader(read, { cache: false })).load(id);
    }

    private *successors(
        ids: readonly ID[],
    ): StatementProgram<ReadonlyArray<{ readonly refused: Id; readonly again: Id }>> {
        const { database, tables } = this.stores.env;
        const { errors } = tables;
        const of = (alias: string, property: string): Sql => column(alias, errors.column(property).name);
        return yield* select<{ refused: Id; again: Id }>(sql`
            SELECT ${of('o', 'id')} AS ${name('refused')}, ${of('n', 'id')} AS ${name('again')}
            FROM ${errors.name} ${name('o')} JOIN ${errors.name} ${name('n')} ON ${of('n', 'runId')} = ${of('o', 'replayRunId')}
                AND ${of('n', 'sourceKey')} = ${of('o', 'replaySourceKey')} AND ${of('n', 'seq')} = ${of('o', 'replaySeq')}
                AND ${of('n', 'severity')} = ${'ERROR'}
            WHERE ${database.dialect.oneOf(of('o', 'id'), ids as readonly Id[])} AND ${of('o', 'state')} = ${'REJECTED'}
            ORDER BY ${of('n', 'id')}`);
    }
}
