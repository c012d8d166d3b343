import { Injectable } from '@nestjs/common';
import { type ID, ProductVariant, type RequestContext, TransactionalConnection } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
import { name, select, type Sql, sql } from '../../database/statement';
import { tableOf } from '../../database/table';
import type { Id } from '../../database/write';
import type { ChangedEntity } from '../../platform/effects/effect';
import { RunStores } from '../runs/run-stores';
import { isRowId } from '../stores/row-id';

/** What one load step of a run has written of an entity, and when last. */
export interface EntityWrite {
    readonly runId: ID;
    readonly pipelineId: ID;
    readonly stepKey: string;
    /** CREATE, UPDATE or DELETE. UPDATE if the run has written only variants of a product. */
    readonly action: string;
    readonly at: Date;
    /** Of a product: how many of its variants. */
    readonly variants: number;
}

/** The entity, and how many of the last runs that wrote it to return. Default: 10. */
export interface HistoryRequest {
    readonly entity: ChangedEntity;
    readonly id: ID;
    readonly take?: number | null;
}

/** The latest writes, and how many are kept. */
export interface EntityWrites {
    readonly items: readonly EntityWrite[];
    readonly totalItems: number;
}

interface WriteRow {
    readonly runId: Id;
    readonly pipelineId: Id;
    readonly stepKey: string;
    readonly action: string | null;
    readonly at: unknown;
    readonly variants: number | string;
    readonly total: number | string;
}

const USUAL = 10;
const MOST = 100;

/** Finds the runs that have last written an entity, for load steps that keep its history. */
@Injectable()
export class EntityHistories {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly stores: RunStores,
    ) {}

    /** Those of runs of the active channel, the latest first. Throws INPUT_INVALID. */
    async of({ channelId }: RequestContext, { entity, id, take }: HistoryRequest): Promise<EntityWrites> {
        const { database, tables } = this.stores.env;
        const { histories } = tables;
        const most = take ?? USUAL;
        if (most < 1 || most > MOST)
            throw flowError('INPUT_INVALID', { problem: `take is ${most}; allowed: 1 to ${MOST}` });
        if (!isRowId(histories, id)) return { items: [], totalItems: 0 };
        const variantIds = entity === 'Product' ? await database.run(() => this.variantsOf(id as Id)) : [];
        const rows = await database.run(() =>
            this.writes({ channelId: channelId as Id, entity, id: id as Id, variantIds }, most),
        );
        return {
            items: rows.map(({ action, at, variants, ...row }) => ({
                ...row,
                action: action ?? 'UPDATE',
                at: histories.fromColumn('updatedAt', at) as Date,
                variants: Number(variants),
            })),
            totalItems: Number(rows[0]?.total ?? 0),
        };
    }

    /** Includes deleted ones. */
    private *variantsOf(productId: Id): StatementProgram<readonly Id[]> {
        const variants = tableOf(this.connection.rawConnection, ProductVariant);
        const rows = yield* select<{ id: Id }>(
            sql`SELECT ${variants.column('id')} AS ${name('id')} FROM ${variants.name} WHERE ${variants.column('productId')} = ${productId}`,
        );
        return rows.map(({ id }) => id);
    }

    /** Uses the index of entities, entity by entity. */
    private *writes(
        requested: {
            readonly channelId: Id;
            readonly entity: string;
            readonly id: Id;
            readonly variantIds: readonly Id[];
        },
        most: number,
    ): StatementProgram<readonly WriteRow[]> {
        const { database, tables } = this.stores.env;
        const { histories } = tables;
        const of = (property: string): Sql => sql`${histories.column(property)}`;
        const isItself = sql`${of('entity')} = ${requested.entity}`;
        const isVariant = sql`${of('entity')} = ${'ProductVariant'} AND ${database.dialect.oneOf(of('entityId'), requested.variantIds)}`;
        const isOne = requested.variantIds.length > 0 ? sql` OR (${isVariant})` : sql``;
        return yield* select<WriteRow>(sql`
            SELECT ${of('runId')} AS ${name('runId')}, ${of('pipelineId')} AS ${name('pipelineId')}, ${of('stepKey')} AS ${name('stepKey')},
                MAX(CASE WHEN ${isItself} THEN ${of('action')} END) AS ${name('action')}, MAX(${of('updatedAt')}) AS ${name('at')},
                SUM(CASE WHEN ${isItself} THEN 0 ELSE 1 END) AS ${name('variants')}, COUNT(*) OVER () AS ${name('total')}
            FROM ${histories.name}
            WHERE ${of('channelId')} = ${requested.channelId} AND ((${isItself} AND ${of('entityId')} = ${requested.id})${isOne})
            GROUP BY ${of('runId')}, ${of('pipelineId')}, ${of('stepKey')}
            ORDER BY MAX(${of('updatedAt')}) DESC, MAX(${of('id')}) DESC LIMIT ${most}`);
    }
}
