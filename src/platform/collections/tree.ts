import { Collection } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import { column, Name, name, select, send, type Sql, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import type { CollectionState } from '../entity-descriptions/collection-state';
import type { EntityStore } from '../entities/entity-store';
import type { EntitySet } from '../entities/unit-of-work';

/** The tree of collections as it is stored: each has its parent, and a table has all pairs of one above the other. */
export class CollectionTree {
    constructor(private readonly store: EntityStore) {}

    /** The stored parents of some collections, and the parents of those, up to the root. */
    *parentsOf(ids: readonly Id[]): StatementProgram<ReadonlyMap<Id, Id | null>> {
        if (ids.length === 0) return new Map();
        const { table, dialect } = this.store;
        const c = (property: string) => column('c', table.column(property).name);
        const rows = yield* select<{ id: Id; parent: Id | null }>(
            sql`SELECT id, parent FROM (WITH RECURSIVE up (id, parent) AS (
                SELECT ${table.column('id')}, ${table.column('parentId')} FROM ${table.name} WHERE ${dialect.oneOf(table.column('id'), ids)}
                UNION SELECT ${c('id')}, ${c('parentId')} FROM up JOIN ${table.name} AS ${name('c')} ON ${c('id')} = up.parent
            ) SELECT id, parent FROM up) AS found`,
        );
        return new Map(rows.map(({ id, parent }) => [id, parent]));
    }

    /** Some collections and all that are stored below them. */
    *withDescendants(ids: readonly Id[]): StatementProgram<readonly Id[]> {
        if (ids.length === 0) return [];
        const { table, dialect } = this.store;
        const c = (property: string) => column('c', table.column(property).name);
        const rows = yield* select<{ id: Id }>(
            sql`SELECT id FROM (WITH RECURSIVE down (id) AS (
                SELECT ${table.column('id')} FROM ${table.name} WHERE ${dialect.oneOf(table.column('id'), ids)}
                UNION SELECT ${c('id')} FROM down JOIN ${table.name} AS ${name('c')} ON ${c('parentId')} = down.id
            ) SELECT id FROM down) AS found`,
        );
        return rows.map(({ id }) => id);
    }

    /** The last position, and the number, of what is stored below some collections. */
    *below(ids: readonly Id[]): StatementProgram<ReadonlyMap<Id, { readonly last: number; readonly count: number }>> {
        if (ids.length === 0) return new Map();
        const { table, dialect } = this.store;
        const parent = table.column('parentId');
        const rows = yield* select<{ id: Id; last: number; count: number | string }>(
            sql`SELECT ${parent} AS id, MAX(${table.column('position')}) AS ${name('last')}, COUNT(*) AS ${name('count')}
                FROM ${table.name} WHERE ${dialect.oneOf(parent, ids)} GROUP BY ${parent}`,
        );
        return new Map(rows.map(({ id, last, count }) => [id, { last: Number(last), count: Number(count) }]));
    }

    /** Removes some collections and their children from the tree, because databases do not delete a parent. */
    *detach(ids: readonly Id[]): StatementProgram<void> {
        if (ids.length === 0) return;
        const { table, dialect } = this.store;
        const parent = table.column('parentId');
        yield* send(
            sql`UPDATE ${table.name} SET ${parent} = NULL WHERE ${dialect.oneOf(table.column('id'), ids)} OR ${dialect.oneOf(parent, ids)}`,
        );
    }

    /** Rebuilds the closure rows of some collections from their parents. */
    *link(ids: readonly Id[]): StatementProgram<void> {
        if (ids.length === 0) return;
        const { table, dialect, platform } = this.store;
        const pairs = platform.dataSource.getMetadata(Collection).closureJunctionTable;
        const [ancestor, descendant] = pairs.columns.map(({ databaseName }) => new Name(databaseName)) as [Name, Name];
        const into = new Name(pairs.tablePath);
        const c = (property: string): Sql => column('c', table.column(property).name);
        yield* send(sql`DELETE FROM ${into} WHERE ${dialect.oneOf(descendant, ids)}`);
        yield* send(
            sql`INSERT INTO ${into} (${ancestor}, ${descendant})
                WITH RECURSIVE up (ancestor, descendant) AS (
                    SELECT ${table.column('id')}, ${table.column('id')} FROM ${table.name} WHERE ${dialect.oneOf(table.column('id'), ids)}
                    UNION SELECT ${c('parentId')}, up.descendant FROM up JOIN ${table.name} AS ${name('c')} ON ${c('id')} = up.ancestor
                    WHERE ${c('parentId')} IS NOT NULL
                ) SELECT ancestor, descendant FROM up`,
        );
    }
}

/** Whether a collection is another one, or a descendant of it, in the planned tree; `parents` are the stored parents. */
export function isBelow(
    from: CollectionState,
    other: CollectionState,
    {
        collections,
        parents,
    }: { readonly collections: EntitySet<CollectionState>; readonly parents: ReadonlyMap<Id, Id | null> },
): boolean {
    const seen = new Set<Id>();
    let state: CollectionState | undefined = from;
    let id: Id | null = null;
    for (;;) {
        if (state === other) return true;
        if (state?.parent) {
            state = state.parent;
            continue;
        }
        id = state ? state.parentId : (parents.get(id!) ?? null);
        if (id === null || seen.has(id)) return false;
        seen.add(id);
        state = collections.withId(id);
    }
}
