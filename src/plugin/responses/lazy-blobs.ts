import { Inject, Injectable } from '@nestjs/common';
import {
    type ID,
    type RequestContext,
    RequestContextCacheService,
    TransactionalConnection,
    type Type,
} from '@vendure/core';
import DataLoader from 'dataloader';
import type { DataSource, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import type { YieldingTask } from '../../core/concurrency/yielding-task';
import type { Database } from '../../database/database';
import { name, raw, select, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import type { Id } from '../../database/write';
import { responseLimitOf } from './response-limit';
import { FlowDifference } from '../entities/difference';
import { FlowRecordError } from '../entities/record-error';
import { FlowPipelineRevision } from '../entities/revision';
import { FlowPipelineRun } from '../entities/run';
import { FLOW_DATABASE } from '../tokens';
import { ProcessTaskQueue } from '../process-task-queue';

/** The rows that one statement reads: the page size of Vendure's admin API. */
const BATCH = 1_000;

/** The columns of listed entities that may have megabytes in each row. */
const LARGE: ReadonlyMap<unknown, readonly string[]> = new Map<unknown, readonly string[]>([
    [FlowPipelineRevision, ['definition']],
    [FlowRecordError, ['payload', 'source', 'faults', 'correction']],
    [FlowDifference, ['before', 'after']],
    [FlowPipelineRun, ['report']],
]);

/** Excludes the large columns of an entity from a query. */
export function withoutBlobs<E extends ObjectLiteral>(query: SelectQueryBuilder<E>): SelectQueryBuilder<E> {
    const { metadata } = query.expressionMap.mainAlias!;
    const large = LARGE.get(metadata.target) ?? [];
    const small = metadata.columns.filter(({ isSelect, propertyPath }) => isSelect && !large.includes(propertyPath));
    return query.select(small.map(({ propertyPath }) => `${query.alias}.${propertyPath}`));
}

/** A large column of an entity, and its name in the API. */
interface BlobColumn<E> {
    readonly entity: Type<E>;
    readonly property: keyof E & string;
    /** The column by which the row is found. Default: its id. */
    readonly key?: keyof E & string;
    /** The field's name, for example `FlowRecordError.payload`. */
    readonly as: string;
}

/**
 * Reads values that lists leave out, for all rows of a page in two statements: first their lengths, for which there must be room in the response, then the
 * values. The caller has already checked that the user may read the rows.
 */
@Injectable()
export class LazyBlobs {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly cache: RequestContextCacheService,
        private readonly taskQueue: ProcessTaskQueue,
        @Inject(FLOW_DATABASE) private readonly database: Database,
    ) {}

    /** Null if there is no value or no such row. Throws ANSWER_TOO_LARGE and ANSWER_BUSY before the value is read. */
    of<E, P extends keyof E & string>(
        ctx: RequestContext,
        column: BlobColumn<E> & { readonly property: P },
        id: ID,
    ): Promise<E[P] | null> {
        const loader = this.cache.get(ctx, `flow-large ${column.as}`, () => this.loader(ctx, column));
        return loader.load(id) as Promise<E[P] | null>;
    }

    /** The total number of characters of the rows' values. */
    async length<E>(
        { entity, key = 'id' as never, property }: Omit<BlobColumn<E>, 'as'>,
        ids: readonly ID[],
    ): Promise<number> {
        const table = tableOf(this.dataSource, entity);
        const [row] = await this.database.run(() => this.lengths(table, { key, property }, ids));
        return Number(row?.chars ?? 0);
    }

    private loader<E>(ctx: RequestContext, column: BlobColumn<E>): DataLoader<ID, unknown> {
        return new DataLoader<ID, unknown>(
            async all => {
                const ids = [...new Map(all.map(id => [String(id), id])).values()];
                const found = await responseLimitOf(ctx.req).reading(
                    column.as,
                    () => this.length(column, ids),
                    () => this.read(column, ids),
                );
                return all.map(id => found.get(String(id)) ?? null);
            },
            { cache: false, maxBatchSize: BATCH },
        );
    }

    private async read<E>(
        { entity, key = 'id' as never, property }: BlobColumn<E>,
        ids: readonly ID[],
    ): Promise<ReadonlyMap<string, unknown>> {
        const table = tableOf(this.dataSource, entity);
        const rows = await this.database.run(() => this.values(table, { key, property }, ids));
        return this.taskQueue.done(opened(table, property, rows));
    }

    private *lengths(
        table: Table,
        { key, property }: Named,
        ids: readonly ID[],
    ): StatementProgram<ReadonlyArray<Length>> {
        const { dialect } = this.database;
        const length = raw(dialect.kind === 'sqlite' ? 'LENGTH' : 'CHAR_LENGTH');
        return yield* select<Length>(sql`
            SELECT SUM(${length}(${table.column(property)})) AS ${name('chars')} FROM ${table.name}
            WHERE ${dialect.oneOf(table.column(key), ids as readonly Id[])}`);
    }

    private *values(table: Table, { key, property }: Named, ids: readonly ID[]): StatementProgram<readonly Row[]> {
        return yield* select<Row>(sql`
            SELECT ${table.column(key)} AS ${name('id')}, ${table.column(property)} AS ${name('value')} FROM ${table.name}
            WHERE ${this.database.dialect.oneOf(table.column(key), ids as readonly Id[])}`);
    }

    private get dataSource(): DataSource {
        return this.connection.rawConnection;
    }
}

interface Named {
    readonly key: string;
    readonly property: string;
}

interface Length {
    /** Some drivers return a text. Null without rows. */
    readonly chars: number | string | null;
}

interface Row {
    readonly id: ID;
    readonly value: unknown;
}

/** Parses JSON columns. */
function* opened(table: Table, property: string, rows: readonly Row[]): YieldingTask<ReadonlyMap<string, unknown>> {
    const all = new Map<string, unknown>();
    for (const { id, value } of rows) {
        all.set(String(id), table.fromColumn(property, value));
        yield;
    }
    return all;
}
