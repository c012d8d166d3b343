import type { Script } from '../../core/adapter/loader';
import { send, select, sql } from '../../database/statement';
import { type Id, deleteRows, insertNumbered } from '../../database/write';
import { type CatalogueContext, among, as, asName, at } from './read-entities';
import type { EntityState } from '../entities/entity-state';
import type { ProductState } from './state';
import { removeUnusedGroups } from './write-options';
import { newRows, updateChanged, writeMembers, writeTexts } from '../entities/write-rows';

/** Writes products' own rows, translations, channels and facet values: the new ones and what changed of the others. */
export function* writeProducts(
    catalogue: CatalogueContext,
    { created, changed }: { readonly created: readonly ProductState[]; readonly changed: readonly ProductState[] },
): Script<void> {
    const { tables, dialect, productFields } = catalogue;
    const ids = yield* insertNumbered(
        { table: tables.product, dialect },
        newRows(created, {
            columnsOf: ({ columns }) => columns,
            properties: ['enabled'],
            custom: productFields.base,
            rest: () => ({}),
        }),
    );
    created.forEach((product, i) => (product.id = ids[i]!));
    yield* updateChanged(
        catalogue,
        tables.product,
        changed.map(({ id, columns }) => ({ id: id!, columns })),
    );
    yield* writeTexts(catalogue, [...created, ...changed], {
        table: tables.productText,
        properties: ['name', 'slug', 'description'],
        custom: productFields.localised,
    });
    yield* writeMembers(catalogue, tables.productChannels, {
        owners: [...created, ...changed],
        membersOf: ({ channels }) => channels,
        idOf: id => id,
    });
    yield* writeMembers(catalogue, tables.productFacetValues, {
        owners: [...created, ...changed],
        membersOf: ({ facetValues }) => facetValues,
        idOf: facetValueId,
    });
    const left = new Map<Id, Set<Id>>();
    for (const { channels, groups } of changed) {
        for (const channelId of channels?.removed ?? []) {
            const groupIds = left.get(channelId) ?? new Set<Id>();
            for (const { id } of groups ?? []) if (id !== undefined) groupIds.add(id);
            left.set(channelId, groupIds);
        }
    }
    for (const [channelId, groupIds] of left) yield* removeUnusedGroups(catalogue, channelId, [...groupIds]);
}

export const facetValueId = ({ id }: EntityState): Id => id!;

/** Soft-deletes products with their variants and lets go of their option groups (ProductService.softDelete). Answers the variants. */
export function* deleteProducts(catalogue: CatalogueContext, ids: readonly Id[]): Script<readonly Id[]> {
    if (ids.length === 0) return [];
    const {
        tables: { product, productGroups, variant },
        dialect,
    } = catalogue;
    yield* send(sql`UPDATE ${product.name} SET ${product.column('deletedAt')} = ${dialect.now}, ${product.column('updatedAt')} = ${dialect.now}
        WHERE ${among(dialect, product.column('id'), ids)}`);
    yield* deleteRows({ table: productGroups, dialect }, productGroups.owner, ids);
    const rows = yield* select<{ id: Id }>(sql`SELECT ${asName(at('v', variant, 'id'), 'id')} FROM ${as(variant, 'v')}
        WHERE ${among(dialect, at('v', variant, 'productId'), ids)} AND ${at('v', variant, 'deletedAt')} IS NULL`);
    return rows.map(({ id }) => id);
}
