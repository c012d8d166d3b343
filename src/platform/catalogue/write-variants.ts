import type { Script } from '../../core/adapter/loader';
import { select, send, sql } from '../../database/statement';
import { type Id, deleteRows, insertNumbered, insertRows, updateRows } from '../../database/write';
import { type CatalogueContext, among, as, asName, at } from './read-entities';
import { type PriceState, ProductState, type StockState, type VariantState } from './state';
import { facetValueId } from './write-products';
import { addPairs, newRows, updateChanged, writeMembers, writeTexts } from '../entities/write-rows';

/** Writes variants' own rows, translations, channels, options and facet values. */
export function* writeVariants(
    catalogue: CatalogueContext,
    { created, changed }: { readonly created: readonly VariantState[]; readonly changed: readonly VariantState[] },
): Script<void> {
    const { tables, dialect, variantFields } = catalogue;
    const ids = yield* insertNumbered(
        { table: tables.variant, dialect },
        newRows(created, {
            columnsOf: ({ columns }) => columns,
            properties: ['enabled', 'sku', 'trackInventory', 'taxCategoryId'],
            custom: variantFields.base,
            rest: ({ product }) => ({ productId: product instanceof ProductState ? product.id : product }),
        }),
    );
    created.forEach((variant, i) => (variant.id = ids[i]!));
    yield* updateChanged(
        catalogue,
        tables.variant,
        changed.map(({ id, columns }) => ({ id: id!, columns })),
    );
    const all = [...created, ...changed];
    yield* writeTexts(catalogue, all, {
        table: tables.variantText,
        properties: ['name'],
        custom: variantFields.localised,
    });
    yield* writeMembers(catalogue, tables.variantChannels, {
        owners: all,
        membersOf: ({ channels }) => channels,
        idOf: id => id,
    });
    yield* writeMembers(catalogue, tables.variantFacetValues, {
        owners: all,
        membersOf: ({ facetValues }) => facetValues,
        idOf: facetValueId,
    });
    const reoptioned = all.filter(({ areOptionsChanged }) => areOptionsChanged);
    const stored = reoptioned.filter(variant => !created.includes(variant));
    yield* deleteRows(
        { table: tables.variantOptions, dialect },
        tables.variantOptions.owner,
        stored.map(({ id }) => id!),
    );
    yield* addPairs(
        catalogue,
        tables.variantOptions,
        reoptioned.flatMap(variant => variant.options!.map(option => [variant.id!, option.id!] as const)),
    );
}

export interface WrittenPrices {
    readonly created: readonly Id[];
    readonly updated: readonly Id[];
    readonly deleted: readonly Id[];
}

export function* writePrices(
    { tables: { price }, dialect }: CatalogueContext,
    variants: readonly VariantState[],
): Script<WrittenPrices> {
    const fresh: Array<{ readonly variantId: Id; readonly state: PriceState }> = [];
    const changed: PriceState[] = [];
    const removed: Id[] = [];
    for (const { id, prices } of variants) {
        for (const state of prices ?? []) {
            if (state.isRemoved === true) {
                if (state.id !== undefined) removed.push(state.id);
            } else if (state.id === undefined) fresh.push({ variantId: id!, state });
            else if (state.isChanged) changed.push(state);
        }
    }
    yield* deleteRows({ table: price, dialect }, 'id', removed);
    yield* updateRows(
        { table: price, dialect },
        changed.map(state => ({ id: state.id, price: state.price })),
    );
    const created = yield* insertNumbered(
        { table: price, dialect },
        fresh.map(({ variantId, state }) => ({
            currencyCode: state.currency,
            channelId: state.channelId,
            price: state.price,
            variant: variantId,
        })),
    );
    return { created, updated: changed.map(({ id }) => id!), deleted: removed };
}

/** Writes stock levels and, for each difference, a movement; answers the movements (StockMovementService.adjustProductVariantStock). */
export function* writeStock(catalogue: CatalogueContext, variants: readonly VariantState[]): Script<readonly Id[]> {
    const {
        tables: { stockLevel, stockMovement },
        dialect,
    } = catalogue;
    const all = variants.flatMap(({ id, stock }) => (stock ?? []).map(state => ({ variantId: id!, state })));
    const fresh = all.filter(({ state }) => state.id === undefined);
    const changed = all.filter(({ state }) => state.id !== undefined && state.onHand !== state.stored);
    const current = yield* lockLevels(
        catalogue,
        changed.map(({ state }) => state),
    );
    yield* updateRows(
        { table: stockLevel, dialect },
        changed.map(({ state }) => ({ id: state.id, stockOnHand: state.onHand })),
    );
    yield* insertRows(
        { table: stockLevel, dialect },
        fresh.map(({ variantId, state }) => ({
            productVariantId: variantId,
            stockLocationId: state.locationId,
            stockOnHand: state.onHand,
            stockAllocated: 0,
        })),
    );
    const movements = [...fresh, ...changed].map(({ variantId, state }) => ({
        type: 'ADJUSTMENT',
        discriminator: 'StockAdjustment',
        stockLocationId: state.locationId,
        productVariant: variantId,
        quantity: state.onHand - (state.id === undefined ? 0 : (current.get(state.id) ?? state.stored)),
    }));
    return yield* insertNumbered(
        { table: stockMovement, dialect },
        movements.filter(({ quantity }) => quantity !== 0),
    );
}

/** Levels as they are now, held until the commit: an order may have taken from them since they were read. */
function* lockLevels(
    { tables: { stockLevel }, dialect }: CatalogueContext,
    states: readonly StockState[],
): Script<ReadonlyMap<Id, number>> {
    if (states.length === 0 || dialect.kind === 'sqlite') return new Map();
    const rows = yield* select<{
        id: Id;
        onHand: number;
    }>(sql`SELECT ${asName(at('s', stockLevel, 'id'), 'id')}, ${asName(at('s', stockLevel, 'stockOnHand'), 'onHand')}
        FROM ${as(stockLevel, 's')} WHERE ${among(
            dialect,
            at('s', stockLevel, 'id'),
            states.map(({ id }) => id!),
        )} ORDER BY ${at('s', stockLevel, 'id')} FOR UPDATE`);
    return new Map(rows.map(({ id, onHand }) => [id, onHand]));
}

/** Soft-deletes variants (ProductVariantService.softDelete). */
export function* deleteVariants({ tables: { variant }, dialect }: CatalogueContext, ids: readonly Id[]): Script<void> {
    if (ids.length === 0) return;
    yield* send(sql`UPDATE ${variant.name} SET ${variant.column('deletedAt')} = ${dialect.now}, ${variant.column('updatedAt')} = ${dialect.now}
        WHERE ${among(dialect, variant.column('id'), ids)}`);
}
