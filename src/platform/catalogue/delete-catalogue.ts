import { Product, ProductVariant } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import { name, select, sql } from '../../database/statement';
import { joinTableOf, tableOf } from '../../database/table';
import { deleteRows, type Id } from '../../database/write';
import type { ProductState } from '../entity-descriptions/product-state';
import { variant as variants } from '../entity-descriptions/variant';
import type { VariantState } from '../entity-descriptions/variant-state';
import { entitiesChanged } from '../effects/effect';
import { EntityStore } from '../entities/entity-store';
import type { ExtendedBatch, EntityExtension } from '../entities/entity-extension';
import { moveSlug } from '../entities/slugs';
import type { UnitOfWork } from '../entities/unit-of-work';
import { deleteEntities, idsOf } from '../entities/write-entities';
import { productOf } from './catalogue';

/** Frees the slugs of a deleted product, and removes its loaded variants. */
export function forgetProduct(work: UnitOfWork, store: EntityStore<ProductState>, state: ProductState): void {
    for (const [language, { columns }] of state.texts) {
        const from = columns.values['slug'] as string | undefined;
        moveSlug(work, store, { state, language, from, to: undefined });
    }
    for (const own of work.of(variants).ownedBy(state)) work.of(variants).remove(own);
}

/** Gives the combination of options free that a variant has which is deleted. */
export function forgetVariant(work: UnitOfWork, state: VariantState): void {
    const { combinations } = productOf(work, state) ?? {};
    for (const [combination, sku] of combinations ?? []) if (sku === state.key) combinations!.delete(combination);
}

/** Removes the option groups of deleted products (ProductService.softDelete). Returns their variants, which are deleted too. */
export function* detachOptionGroups(
    { dialect, platform: { dataSource } }: Pick<EntityStore, 'dialect' | 'platform'>,
    ids: readonly Id[],
): StatementProgram<readonly Id[]> {
    if (ids.length === 0) return [];
    const groups = joinTableOf(dataSource, Product, 'optionGroups');
    yield* deleteRows({ table: groups, dialect }, groups.owner, ids);
    const table = tableOf(dataSource, ProductVariant);
    const rows = yield* select<{ id: Id }>(sql`SELECT ${table.column('id')} AS ${name('id')} FROM ${table.name}
        WHERE ${dialect.oneOf(table.column('productId'), ids)} AND ${table.column('deletedAt')} IS NULL`);
    return rows.map(({ id }) => id);
}

/** What is deleted with products. */
export const productDependents: EntityExtension<ProductState> = {
    open({ store, channel, mode, sideEffects }) {
        const own = store as EntityStore<ProductState>;
        const ofVariants = new EntityStore(variants, store.platform);
        const batch = (work: UnitOfWork): ExtendedBatch<ProductState> => ({
            *read(records, found) {
                const ids = records.flatMap(found).flatMap(({ id }) => id ?? []);
                // A live run reads the tables when it writes; a dry run has to know of the variants later.
                if (mode !== 'live') yield* ofVariants.readWhere(work, 'productId', ids);
            },
            deleting(state) {
                forgetProduct(work, own, state);
                return undefined;
            },
            *written({ deleted }) {
                const ids = yield* detachOptionGroups(store, idsOf(deleted));
                yield* deleteEntities(ofVariants, ids);
                return entitiesChanged({ entity: 'ProductVariant', operation: 'DELETE', ids, sideEffects });
            },
        });
        // As loads of products lock them.
        return { locks: ({ key }) => (key === undefined ? [] : [`slug:${channel.language}:${key}`]), batch };
    },
};

/** Keeps a product's list of its variants up to date. */
export const variantDependents: EntityExtension<VariantState> = {
    open: () => ({
        locks: ({ key }) => (key === undefined ? [] : [`sku:${key}`]),
        batch: work => ({
            deleting(state) {
                forgetVariant(work, state);
                return undefined;
            },
        }),
    }),
};
