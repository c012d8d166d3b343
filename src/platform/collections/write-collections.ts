import type { StatementProgram } from '../../core/adapter/loader';
import { Collection } from '@vendure/core';
import { select, sql } from '../../database/statement';
import { joinTableOf } from '../../database/table';
import type { Id } from '../../database/write';
import type { CollectionState } from '../entity-descriptions/collection-state';
import { Columns } from '../entities/columns';
import type { EntityStore } from '../entities/entity-store';
import type { WrittenEntities } from '../entities/entity-extension';
import { idsOf } from '../entities/write-entities';
import { updateChanged } from '../entities/write-rows';
import type { CollectionTree } from './tree';

/** Where collections are written. */
interface CollectionPlace {
    readonly store: EntityStore;
    readonly tree: CollectionTree;
}

/** The fields that decide which variants a collection contains. */
const DECISIVE = ['filters', 'inheritFilters', 'parentId'];

/** Removes deleted collections from the tree; returns the variants that they contained. */
export function* detachCollections(
    { store, tree }: CollectionPlace,
    ids: readonly Id[],
): StatementProgram<readonly Id[]> {
    const lost = yield* variantsIn(store, ids);
    yield* tree.detach(ids);
    return lost;
}

/**
 * Writes the tree of the collections that a batch has written, and returns the collections whose variants may have
 * changed.
 */
export function* linkCollections(
    { store, tree }: CollectionPlace,
    { created, changed }: Pick<WrittenEntities<CollectionState>, 'created' | 'changed'>,
): StatementProgram<readonly Id[]> {
    // Children of a new collection could not be written before it had an id.
    const late = [...created, ...changed].filter(
        ({ parent, columns }) => parent && columns.get('parentId') !== parent.id,
    );
    yield* updateChanged(store, store.table, late.map(belowNew));
    const moved = changed.filter(({ columns }) => columns.changed.has('parentId'));
    const relinked = yield* tree.withDescendants(idsOf(moved));
    yield* tree.link([...new Set([...idsOf(created), ...relinked])]);
    const decided = changed.filter(({ columns }) => DECISIVE.some(property => columns.changed.has(property)));
    const stale = yield* tree.withDescendants(idsOf(decided));
    return [...new Set([...idsOf(created), ...stale])];
}

function belowNew({ id, parent }: CollectionState): { readonly id: Id; readonly columns: Columns } {
    const columns = new Columns({});
    columns.set('parentId', parent!.id!);
    return { id: id!, columns };
}

/** The variants that some collections hold. */
function* variantsIn({ dialect, platform }: EntityStore, ids: readonly Id[]): StatementProgram<readonly Id[]> {
    if (ids.length === 0) return [];
    const table = joinTableOf(platform.dataSource, Collection, 'productVariants');
    const rows = yield* select<{ id: Id }>(
        sql`SELECT DISTINCT ${table.column(table.member)} AS id FROM ${table.name} WHERE ${dialect.oneOf(table.column(table.owner), ids)}`,
    );
    return rows.map(({ id }) => id);
}
