import type { Script } from '../../core/adapter/loader';
import { send, select, sql } from '../../database/statement';
import type { JoinTable } from '../../database/table';
import { type Id, insertNumbered, insertRows, deleteRows } from '../../database/write';
import { type Catalogue, among, as, asName, at } from './read-entities';
import type { Members } from '../entities/columns';
import type { EntityState } from '../entities/entity-state';
import type { ProductState } from './state';
import { removeUnusedGroups } from './write-options';
import { addPairs, newRows, removePairs, updateChanged } from '../entities/write-rows';

/** Writes products' own rows, translations, channels and facet values: the new ones and what changed of the others. */
export function* writeProducts(
    catalogue: Catalogue,
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

interface Owner {
    readonly id: Id | undefined;
}

/** Writes what joined and what left a relation. */
export function* writeMembers<O extends Owner, T>(
    catalogue: Catalogue,
    table: JoinTable,
    {
        owners,
        membersOf,
        idOf,
    }: {
        readonly owners: readonly O[];
        readonly membersOf: (owner: O) => Members<T> | undefined;
        readonly idOf: (member: T) => Id;
    },
): Script<void> {
    const moved = owners.filter(owner => membersOf(owner)?.isChanged === true);
    if (moved.length === 0) return;
    yield* removePairs(
        catalogue,
        table,
        moved.flatMap(owner => membersOf(owner)!.removed.map(member => [owner.id!, idOf(member)] as const)),
    );
    yield* addPairs(
        catalogue,
        table,
        moved.flatMap(owner => membersOf(owner)!.added.map(member => [owner.id!, idOf(member)] as const)),
    );
}

type TextOwner = Owner & Pick<ProductState, 'texts'>;

/** Writes translations: the new ones in one statement, the changed ones by the columns that changed. */
export function* writeTexts(
    catalogue: Catalogue,
    owners: readonly TextOwner[],
    {
        table,
        properties,
        custom,
    }: {
        readonly table: Parameters<typeof updateChanged>[1];
        readonly properties: readonly string[];
        readonly custom: Parameters<typeof newRows>[1]['custom'];
    },
): Script<void> {
    const all = owners.flatMap(owner => [...owner.texts].map(([language, text]) => ({ owner, language, ...text })));
    const fresh = all.filter(({ id }) => id === undefined);
    yield* insertRows(
        { table, dialect: catalogue.dialect },
        newRows(fresh, {
            columnsOf: ({ columns }) => columns,
            properties,
            custom,
            rest: ({ owner, language }) => ({ languageCode: language, base: owner.id }),
        }),
    );
    const stored = all.flatMap(({ id, columns }) =>
        id !== undefined && columns.changed.size > 0 ? [{ id, columns }] : [],
    );
    yield* updateChanged(catalogue, table, stored);
}

/** Soft-deletes products with their variants and lets go of their option groups (ProductService.softDelete). Answers the variants. */
export function* deleteProducts(catalogue: Catalogue, ids: readonly Id[]): Script<readonly Id[]> {
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
