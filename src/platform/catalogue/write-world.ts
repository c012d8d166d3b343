import type { Effect, Script } from '../../core/adapter/loader';
import { type ChangedEntity, type Operation, type SideEffects, entitiesChanged } from '../effects/effect';
import type { Id } from '../../database/write';
import type { CatalogueContext } from './read-entities';
import type { World } from './world';
import { insertEntities } from '../entities/write-entities';
import { writeOptions } from './write-options';
import { deleteProducts, writeProducts } from './write-products';
import { deleteVariants, writePrices, writeStock, writeVariants } from './write-variants';

/** Writes what a batch changed, a few statements a table whatever its size, and answers what is to be made known. */
export function* writeWorld(
    catalogue: CatalogueContext,
    world: World,
    sideEffects: SideEffects,
): Script<readonly Effect[]> {
    const products = {
        created: [...world.newProducts].filter(({ isDeleted }) => !isDeleted),
        changed: [...world.products.values()].filter(({ isDeleted, isTouched }) => isTouched && !isDeleted),
    };
    const variants = {
        created: [...world.newVariants].filter(({ isDeleted }) => !isDeleted),
        changed: [...world.variants.values()].filter(({ isDeleted, isTouched }) => isTouched && !isDeleted),
    };
    const allVariants = [...variants.created, ...variants.changed];
    const { facets, facetValues, reference } = catalogue;
    const channel = { id: reference.channel.id, defaultId: reference.defaultChannel.id };
    const newFacets = yield* insertEntities({ store: facets, channel }, world.work.of(facets.entity));
    const newValues = yield* insertEntities({ store: facetValues, channel }, world.work.of(facetValues.entity));
    yield* writeProducts(catalogue, products);
    yield* writeOptions(
        catalogue,
        [...products.created, ...[...world.products.values()].filter(({ isDeleted, groups }) => !isDeleted && groups)],
        variants.created,
    );
    yield* writeVariants(catalogue, variants);
    const prices = yield* writePrices(catalogue, allVariants);
    const movements = yield* writeStock(catalogue, allVariants);
    const deletedProducts = [...world.products.values()].flatMap(({ id, isDeleted }) => (isDeleted ? [id!] : []));
    const deletedVariants = new Set([
        ...[...world.variants.values()].flatMap(({ id, isDeleted }) => (isDeleted ? [id!] : [])),
        ...(yield* deleteProducts(catalogue, deletedProducts)),
    ]);
    yield* deleteVariants(catalogue, [...deletedVariants]);
    const changes: ReadonlyArray<readonly [ChangedEntity, Operation, readonly Id[]]> = [
        ['Facet', 'CREATE', newFacets],
        ['FacetValue', 'CREATE', newValues],
        ['Product', 'CREATE', products.created.map(({ id }) => id!)],
        ['Product', 'UPDATE', products.changed.map(({ id }) => id!)],
        ['Product', 'DELETE', deletedProducts],
        ['ProductVariant', 'CREATE', variants.created.map(({ id }) => id!)],
        ['ProductVariant', 'UPDATE', variants.changed.map(({ id }) => id!)],
        ['ProductVariant', 'DELETE', [...deletedVariants]],
        ['ProductVariantPrice', 'CREATE', prices.created],
        ['ProductVariantPrice', 'UPDATE', prices.updated],
        ['ProductVariantPrice', 'DELETE', prices.deleted],
        ['StockMovement', 'CREATE', movements],
    ];
    return changes.flatMap(([entity, operation, ids]) => entitiesChanged({ entity, operation, ids, sideEffects }));
}
