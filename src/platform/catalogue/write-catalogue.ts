import { Product, ProductVariant } from '@vendure/core';
import type { Effect, StatementProgram } from '../../core/adapter/loader';
import { type Id, deleteRows, updateRows } from '../../database/write';
import { product as products } from '../entity-descriptions/product';
import type { GroupState, ProductState } from '../entity-descriptions/product-state';
import { variant as variants } from '../entity-descriptions/variant';
import type { VariantState } from '../entity-descriptions/variant-state';
import {
    type ChangedEntity,
    type ChannelChange,
    channelsChanged,
    type Operation,
    type OptionGroupMoves,
    optionGroupsMoved,
    type EffectPublishers,
    entitiesChanged,
} from '../effects/effect';
import type { UnitOfWork } from '../entities/unit-of-work';
import { deleteEntities, idsOf, saveEntities, writeReferredTo } from '../entities/write-entities';
import { addPairs } from '../entities/write-rows';
import { type CatalogueContext, facetValuesOf, productOf } from './catalogue';
import { MovedVariants } from './compare-variant';
import { detachOptionGroups } from './delete-catalogue';
import { writePrices } from './prices';
import { writeStock } from './stock';
import { removeGroups, removeUnusedGroups, writeOptions } from './write-options';

/** Writes the changes of a batch, with a few statements per table for any batch size, and returns the effects to publish. */
export function* writeCatalogue(
    catalogue: CatalogueContext,
    work: UnitOfWork,
    effectPublishers: EffectPublishers,
): StatementProgram<readonly Effect[]> {
    const { reference } = catalogue;
    const writing = {
        channel: { id: reference.channel.id, defaultId: reference.defaultChannel.id },
        sideEffects: effectPublishers,
    };
    const facetValues = facetValuesOf(catalogue);
    const made = yield* writeReferredTo([facetValues.refs.get('facet')!, facetValues], work, writing);
    const [ofProducts, ofVariants] = [plannedState(work.of(products)), plannedState(work.of(variants))];
    const allProducts = [...ofProducts.created, ...ofProducts.changed];
    const allVariants = [...ofVariants.created, ...ofVariants.changed];
    const { galleries } = catalogue;
    const pictures = (yield* galleries?.writeAssets(work, [...allProducts, ...allVariants]) ?? []) ?? [];
    yield* saveEntities({ ...writing, store: catalogue.products }, ofProducts);
    yield* leaveGroups(catalogue, ofProducts.changed);
    yield* removeGroups(catalogue, ofProducts.changed);
    const owners = withOptions(work, { ofProducts, ofVariants });
    const madeOptions = yield* writeOptions(catalogue, owners, ofVariants.created);
    for (const { columns, madeFor } of ofVariants.created) columns.values['productId'] = madeFor!.id!;
    yield* saveEntities({ ...writing, store: catalogue.variants }, ofVariants);
    const moved = work.part(MovedVariants);
    // Only their change date is updated in their own rows.
    yield* updateRows(
        { table: catalogue.variants.table, dialect: catalogue.dialect },
        moved.ids.map(id => ({ id })),
    );
    yield* writeChosenOptions(catalogue, ofVariants);
    yield* galleries?.write(work, Product, allProducts) ?? [];
    yield* galleries?.write(work, ProductVariant, allVariants) ?? [];
    const pricesOf = yield* writePrices(catalogue, allVariants, moved.prices);
    const movementsOf = yield* writeStock(catalogue, allVariants, moved.levels);
    const deletedProducts = idsOf(ofProducts.deleted);
    yield* deleteEntities(catalogue.products, deletedProducts);
    const deletedVariants = new Set([
        ...idsOf(ofVariants.deleted),
        ...(yield* detachOptionGroups(catalogue.products, deletedProducts)),
    ]);
    yield* deleteEntities(catalogue.variants, [...deletedVariants]);
    const moves = movesOf({ products: ofProducts.changed, variants: ofVariants.changed }, effectPublishers);
    const [prices, movements] = [yield* pricesOf(), yield* movementsOf()];
    const told = (changes: ReadonlyArray<readonly [ChangedEntity, Operation, readonly Id[]]>): readonly Effect[] =>
        changes.flatMap(([entity, operation, ids]) =>
            entitiesChanged({ entity, operation, ids, sideEffects: effectPublishers }),
        );
    return [
        ...made,
        ...pictures,
        ...told([
            ['Product', 'CREATE', idsOf(ofProducts.created)],
            ['ProductOptionGroup', 'CREATE', madeOptions.groups],
            ['ProductOption', 'CREATE', madeOptions.options],
        ]),
        ...groupMovesOf(owners).flatMap(move => optionGroupsMoved(move, effectPublishers)),
        ...told([
            ['Product', 'UPDATE', idsOf(ofProducts.changed)],
            ['Product', 'DELETE', deletedProducts],
            ['ProductVariant', 'CREATE', idsOf(ofVariants.created)],
            ['ProductVariant', 'UPDATE', [...idsOf(ofVariants.changed), ...moved.ids]],
            ['ProductVariant', 'DELETE', [...deletedVariants]],
            ['ProductVariantPrice', 'CREATE', prices.created],
            ['ProductVariantPrice', 'UPDATE', prices.updated],
            ['ProductVariantPrice', 'DELETE', prices.deleted],
            ['StockMovement', 'CREATE', movements],
        ]),
        ...channelsChanged(moves),
    ];
}

/** Which option groups some products have got, and which they have lost. */
function groupMovesOf(products: readonly ProductState[]): readonly OptionGroupMoves[] {
    const pairsOf = (groupsOf: (product: ProductState) => readonly GroupState[]) =>
        products.flatMap(product => groupsOf(product).map(({ id }) => [product.id!, id!] as const));
    return [
        { pairs: pairsOf(({ removedGroups }) => removedGroups), isAssigned: false },
        { pairs: pairsOf(({ newGroups }) => newGroups), isAssigned: true },
    ];
}

/** Which existing entities were added to a channel, or removed from it. */
function movesOf(
    changed: { readonly products: readonly ProductState[]; readonly variants: readonly VariantState[] },
    effectPublishers: EffectPublishers,
): readonly ChannelChange[] {
    const moves: ChannelChange[] = [];
    for (const isAssigned of [true, false]) {
        const byChannel = (states: ReadonlyArray<ProductState | VariantState>): ReadonlyMap<Id, Id[]> => {
            const ids = new Map<Id, Id[]>();
            for (const { id, channels } of states)
                for (const channelId of (isAssigned ? channels?.added : channels?.removed) ?? []) {
                    const there = ids.get(channelId);
                    if (there) there.push(id!);
                    else ids.set(channelId, [id!]);
                }
            return ids;
        };
        const [products, variants] = [byChannel(changed.products), byChannel(changed.variants)];
        for (const channelId of new Set([...products.keys(), ...variants.keys()]))
            moves.push({
                channelId,
                productIds: products.get(channelId) ?? [],
                variantIds: variants.get(channelId) ?? [],
                isAssigned,
                sideEffects: effectPublishers,
            });
    }
    return moves;
}

interface Planned<S> {
    readonly created: readonly S[];
    readonly changed: readonly S[];
    readonly deleted: readonly S[];
}

/** A copy from before the write: afterwards, created entities have an id. */
function plannedState<S>({ created, changed, deleted }: Planned<S>): Planned<S> {
    return { created, changed, deleted };
}

/** The products whose options may be new, or may be assigned to other channels. */
function withOptions(
    work: UnitOfWork,
    {
        ofProducts,
        ofVariants,
    }: { readonly ofProducts: Planned<ProductState>; readonly ofVariants: Planned<VariantState> },
): readonly ProductState[] {
    const owners = [...ofVariants.created, ...ofVariants.changed].flatMap(state => productOf(work, state) ?? []);
    return [...new Set([...ofProducts.created, ...ofProducts.changed, ...owners])];
}

/** Removes the option groups of products that left a channel from that channel, if no other product uses them there. */
function* leaveGroups(catalogue: CatalogueContext, changed: readonly ProductState[]): StatementProgram<void> {
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

/** Writes which options variants have, where that is new. */
function* writeChosenOptions(
    catalogue: CatalogueContext,
    { created, changed }: Pick<Planned<VariantState>, 'created' | 'changed'>,
): StatementProgram<void> {
    const {
        dialect,
        tables: { variantOptions: table },
    } = catalogue;
    const moved = changed.filter(({ areOptionsChanged }) => areOptionsChanged);
    yield* deleteRows({ table, dialect }, table.owner, idsOf(moved));
    yield* addPairs(
        catalogue,
        table,
        [...created, ...moved].flatMap(({ id, options = [] }) => options.map(option => [id!, option.id!] as const)),
    );
}
