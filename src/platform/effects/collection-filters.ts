import { Collection, CollectionService, ConfigService, Logger, ProductVariant } from '@vendure/core';
import type { SelectQueryBuilder } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import type { VendurePlatform } from '../context';
import { raw, send, sql } from '../../database/statement';
import { type Table, joinTableOf } from '../../database/table';
import { type Id, insertRows } from '../../database/write';
import { databaseError } from '../../database/database-errors';

/** Part of the transaction that has added variants to a collection, or removed them. */
type CollectionChanged = (collectionId: Id, variantIds: readonly Id[]) => StatementProgram<void>;

/**
 * Applies the filters of all collections, as Vendure does after product changes (CollectionService, job `apply-collection-filters`), but
 * immediately and without its CollectionModificationEvent: the index job that this event queues takes 50 of each 1,000 variants. The caller indexes
 * the reported variants. Does nothing in a shop that has disabled the filters (`setApplyAllFiltersOnProductUpdates(false)`).
 */
export async function applyCollectionFilters(platform: VendurePlatform, changed: CollectionChanged): Promise<void> {
    if (!appliesAllFilters(platform)) return;
    const collections = await platform.dataSource
        .getRepository(Collection)
        .find({ loadEagerRelations: false, order: { id: 'ASC' } });
    const byId = new Map(collections.map(collection => [collection.id, collection]));
    const members = joinTableOf(platform.dataSource, Collection, 'productVariants');
    for (const collection of collections)
        await applyTo(collection, { platform, members, filters: filtersOf(collection, byId), changed });
}

/** Whether all collections are updated when products change (`setApplyAllFiltersOnProductUpdates`). */
export function appliesAllFilters({ injector }: VendurePlatform): boolean {
    const switchable = injector.get(CollectionService) as unknown as {
        readonly applyAllFiltersOnProductUpdates?: boolean;
    };
    return switchable.applyAllFiltersOnProductUpdates !== false;
}

type Filters = Collection['filters'];

/** Its own filters and those that it inherits, up to the first ancestor that inherits none. */
function filtersOf(collection: Collection, byId: ReadonlyMap<Id, Collection>): Filters {
    const filters = [...(collection.filters ?? [])];
    const seen = new Set<Id>([collection.id]);
    let at: Collection | undefined = collection;
    while (at?.inheritFilters) {
        at = byId.get(at.parentId);
        if (!at || at.isRoot || seen.has(at.id)) break;
        seen.add(at.id);
        filters.push(...(at.filters ?? []));
    }
    return filters;
}

interface Application {
    readonly platform: VendurePlatform;
    readonly members: Table;
    readonly filters: Filters;
    readonly changed: CollectionChanged;
}

/** A filter that fails does so for its collection alone, as in Vendure. */
async function applyTo(collection: Collection, application: Application): Promise<void> {
    const {
        platform: { database },
        members,
        changed,
    } = application;
    try {
        const matching = await matchingVariants(application);
        const apply = function* (): StatementProgram<void> {
            const variantIds = yield* replaceMembers(collection.id, { members, dialect: database.dialect, matching });
            if (variantIds.length > 0) yield* changed(collection.id, variantIds);
        };
        await database.transaction(apply, { locks: [`collection:${collection.id}`] });
    } catch (error) {
        if (isTransient(error)) throw error;
        Logger.error(
            `The filters of the collection with the id ${collection.id} could not be applied: ${error instanceof Error ? error.message : String(error)}`,
            'Flow',
        );
    }
}

/** A filter is the shop's own code and may throw anything. */
function isTransient(error: unknown): boolean {
    try {
        return databaseError(error).treat === 'transient';
    } catch {
        // No database error at all.
        return false;
    }
}

async function matchingVariants({ platform, filters }: Application): Promise<ReadonlySet<Id>> {
    if (filters.length === 0) return new Set();
    const { collectionFilters } = platform.injector.get(ConfigService).catalogOptions;
    let query: SelectQueryBuilder<ProductVariant> = platform.dataSource
        .getRepository(ProductVariant)
        .createQueryBuilder('productVariant')
        .select('productVariant.id', 'id')
        .setFindOptions({ loadEagerRelations: false });
    for (const type of collectionFilters) {
        for (const filter of filters.filter(({ code }) => code === type.code)) query = type.apply(query, filter.args);
    }
    return new Set((await query.getRawMany<{ id: Id }>()).map(({ id }) => id));
}

interface Replacement {
    readonly members: Table;
    readonly dialect: VendurePlatform['database']['dialect'];
    readonly matching: ReadonlySet<Id>;
}

function* replaceMembers(
    collectionId: Id,
    { members, dialect, matching }: Replacement,
): StatementProgram<readonly Id[]> {
    const [collection, variant] = [members.column('collectionId'), members.column('productVariantId')];
    const { rows } = yield* send<{ id: Id }>(
        sql`SELECT ${variant} AS id FROM ${members.name} WHERE ${collection} = ${collectionId}`,
    );
    const present = new Set(rows.map(({ id }) => id));
    const gone = [...present].filter(id => !matching.has(id));
    const come = [...matching].filter(id => !present.has(id));
    for (let from = 0; from < gone.length; from += 5000) {
        const part = gone.slice(from, from + 5000);
        yield* send(
            sql`DELETE FROM ${members.name} WHERE ${collection} = ${collectionId} AND ${dialect.oneOf(variant, part)}`,
        );
    }
    // Vendure's own job may add the same ones at the same time.
    const unlessThere =
        dialect.kind === 'mysql'
            ? sql` ON DUPLICATE KEY UPDATE ${collection} = ${collection}`
            : raw(' ON CONFLICT DO NOTHING');
    yield* insertRows(
        { table: members, dialect },
        come.map(id => ({ collectionId, productVariantId: id })),
        unlessThere,
    );
    return [...gone, ...come];
}
