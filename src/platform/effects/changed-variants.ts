import { Product, ProductVariant, ProductVariantPrice, StockMovement } from '@vendure/core';
import type { EntityTarget, ObjectLiteral } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import type { VendurePlatform } from '../context';
import { selectAhead, type Sql, column, name, select, sql } from '../../database/statement';
import { joinTableOf, tableOf } from '../../database/table';
import { type Id, oldestFirst } from '../../database/write';
import type { ChangedEntity, EntityChange } from './effect';

/** Ids that one statement looks for. */
const AT_ONCE = 10_000;

/** The ids of one list after another, a bounded number at a time. */
export function* inChunks<T>(list: readonly T[], size: number): Generator<readonly T[]> {
    for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size);
}

const idsOf = (changes: readonly EntityChange[], entity: ChangedEntity): readonly Id[] => [
    ...new Set(changes.filter(change => change.entity === entity).flatMap(({ ids }) => ids)),
];

/** Products that were changed themselves, in the order of the changes. */
export function changedProducts(changes: readonly EntityChange[]): readonly Id[] {
    return idsOf(changes, 'Product');
}

/** Variants that a change is about: changed themselves, or by their product, a price or a stock movement; deleted ones too. */
export async function changedVariants(
    changes: readonly EntityChange[],
    platform: VendurePlatform,
): Promise<readonly Id[]> {
    const lookups: ReadonlyArray<
        readonly [ChangedEntity, EntityTarget<ObjectLiteral>, { readonly key: string; readonly variant: string }]
    > = [
        ['Product', ProductVariant, { key: 'productId', variant: 'id' }],
        ['ProductVariantPrice', ProductVariantPrice, { key: 'id', variant: 'variant' }],
        ['StockMovement', StockMovement, { key: 'id', variant: 'productVariant' }],
    ];
    const found = new Set<Id>(idsOf(changes, 'ProductVariant'));
    for (const [entity, target, { key, variant }] of lookups) {
        const table = tableOf(platform.dataSource, target);
        for (const ids of inChunks(idsOf(changes, entity), AT_ONCE)) {
            const rows = await platform.database.run(
                () =>
                    select<{ id: Id | null }>(sql`
                SELECT DISTINCT ${table.column(variant)} AS ${name('id')} FROM ${table.name}
                WHERE ${platform.database.dialect.oneOf(table.column(key), ids)}`),
                { byKeys: true },
            );
            for (const { id } of rows) if (id !== null) found.add(id);
        }
    }
    return [...found];
}

/** A variant as the search index needs to know it. */
export interface IndexedVariant {
    readonly id: Id;
    readonly productId: Id;
    /** False when the variant or its product is deleted. */
    readonly isAlive: boolean;
}

/** What has become of some variants by now. */
export async function variantStates(
    variantIds: readonly Id[],
    { dataSource, database }: VendurePlatform,
): Promise<readonly IndexedVariant[]> {
    const variants = tableOf(dataSource, ProductVariant);
    const products = tableOf(dataSource, Product);
    const v = (property: string): Sql => column('v', variants.column(property).name);
    const p = (property: string): Sql => column('p', products.column(property).name);
    const states: IndexedVariant[] = [];
    for (const ids of inChunks(variantIds, AT_ONCE)) {
        const rows = await database.run(
            () =>
                select<{ id: Id; productId: Id; deleted: unknown; productDeleted: unknown }>(sql`
            SELECT ${v('id')} AS ${name('id')}, ${v('productId')} AS ${name('productId')},
                ${v('deletedAt')} AS ${name('deleted')}, ${p('deletedAt')} AS ${name('productDeleted')}
            FROM ${variants.name} AS ${name('v')} ${database.dialect.lookUp(products.name, 'p', sql`${p('id')} = ${v('productId')}`)}
            WHERE ${database.dialect.oneOf(v('id'), ids)}`),
            { byKeys: true },
        );
        states.push(
            ...oldestFirst(rows).map(row => ({
                id: row.id,
                productId: row.productId,
                isAlive: row.deleted === null && row.productDeleted === null,
            })),
        );
    }
    return states;
}

/** Living products among some that have no living variant. */
export async function productsWithoutVariants(
    productIds: readonly Id[],
    { dataSource, database }: VendurePlatform,
): Promise<readonly Id[]> {
    const products = tableOf(dataSource, Product);
    const variants = tableOf(dataSource, ProductVariant);
    const found: Id[] = [];
    for (const ids of inChunks(productIds, AT_ONCE)) {
        const rows = await database.run(
            () =>
                select<{ id: Id }>(sql`
            SELECT ${column('p', products.column('id').name)} AS ${name('id')} FROM ${products.name} AS ${name('p')}
            WHERE ${database.dialect.oneOf(column('p', products.column('id').name), ids)} AND ${column('p', products.column('deletedAt').name)} IS NULL
                AND NOT EXISTS (SELECT 1 FROM ${variants.name} AS ${name('v')}
                    WHERE ${column('v', variants.column('productId').name)} = ${column('p', products.column('id').name)}
                    AND ${column('v', variants.column('deletedAt').name)} IS NULL)
            ORDER BY 1`),
            { byKeys: true },
        );
        found.push(...rows.map(({ id }) => id));
    }
    return found;
}

/** Those of some variants that are in a channel no more. */
export async function variantsOutOf(
    channelId: Id,
    variantIds: readonly Id[],
    platform: VendurePlatform,
): Promise<readonly Id[]> {
    const there = new Set((await channelsOfVariants(variantIds, platform)).get(channelId));
    return variantIds.filter(id => !there.has(id));
}

/** The channels that some variants are in: channel id → variant ids. */
export async function channelsOfVariants(
    variantIds: readonly Id[],
    platform: VendurePlatform,
): Promise<ReadonlyMap<Id, readonly Id[]>> {
    const channels = new Map<Id, Id[]>();
    for (const ids of inChunks(variantIds, AT_ONCE)) {
        const found = await platform.database.run(
            function* () {
                return yield* (yield* prefetchChannels(ids, platform))();
            },
            { byKeys: true },
        );
        for (const [channelId, members] of found)
            channels.set(channelId, [...(channels.get(channelId) ?? []), ...members]);
    }
    return channels;
}

/** Requests the same for as many as fit into one statement. */
export function* prefetchChannels(
    ids: readonly Id[],
    { dataSource, database }: VendurePlatform,
): StatementProgram<() => StatementProgram<ReadonlyMap<Id, readonly Id[]>>> {
    const table = joinTableOf(dataSource, ProductVariant, 'channels');
    const requested = yield* selectAhead<{ channelId: Id; id: Id }>(sql`
        SELECT ${table.column('channelId')} AS ${name('channelId')}, ${table.column('productVariantId')} AS ${name('id')}
        FROM ${table.name} WHERE ${database.dialect.oneOf(table.column('productVariantId'), ids)}`);
    return function* () {
        const channels = new Map<Id, Id[]>();
        for (const { channelId, id } of oldestFirst(yield* requested())) {
            const list = channels.get(channelId);
            if (list) list.push(id);
            else channels.set(channelId, [id]);
        }
        return channels;
    };
}
