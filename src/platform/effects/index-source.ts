import {
    Channel,
    Collection,
    FacetValue,
    Product,
    ProductTranslation,
    ProductVariant,
    ProductVariantPrice,
    ProductVariantTranslation,
} from '@vendure/core';
import { type EntityTarget, In, IsNull, type ObjectLiteral } from 'typeorm';
import type { VendurePlatform } from '../context';
import { column, name, select, sql } from '../../database/statement';
import { joinTableOf, tableOf } from '../../database/table';
import type { Id } from '../../database/write';
import { channelsOfVariants } from './changed-variants';

/**
 * Reads variants with all that their index entries show. Lists are read by statements of their own and put together here:
 * TypeORM compares every row of a list with every variant, and joins multiply the rows.
 */
export class IndexSource {
    private constructor(
        private readonly platform: VendurePlatform,
        private readonly channels: readonly Channel[],
        private readonly collections: ReadonlyMap<Id, Collection>,
    ) {}

    static async open(platform: VendurePlatform): Promise<IndexSource> {
        const channels = await platform.dataSource
            .getRepository(Channel)
            .find({ relations: { defaultTaxZone: true }, order: { id: 'ASC' } });
        const collections = await platform.dataSource
            .getRepository(Collection)
            .find({ relations: { translations: true }, loadEagerRelations: false });
        return new IndexSource(platform, channels, new Map(collections.map(collection => [collection.id, collection])));
    }

    /** Living variants that are in a channel, by id. */
    async variants(ids: readonly Id[]): Promise<readonly ProductVariant[]> {
        const variants = await this.platform.dataSource.getRepository(ProductVariant).find({
            where: { id: In([...ids]), deletedAt: IsNull(), product: { deletedAt: IsNull() } },
            relations: { taxCategory: true, featuredAsset: true, product: { featuredAsset: true } },
            loadEagerRelations: false,
            order: { id: 'ASC' },
        });
        const productIds = [...new Set(variants.map(({ productId }) => productId))];
        const byChannel = await channelsOfVariants(ids, this.platform);
        const members = new Map([...byChannel].map(([channelId, variantIds]) => [channelId, new Set(variantIds)]));
        const translations = await this.childrenOf(ProductVariantTranslation, 'base', ids);
        const prices = await this.childrenOf(ProductVariantPrice, 'variant', ids);
        const facetValues = await this.facetValuesOf(ProductVariant, ids);
        const collections = await this.collectionsOf(ids);
        const ofProducts = {
            translations: await this.childrenOf(ProductTranslation, 'base', productIds),
            facetValues: await this.facetValuesOf(Product, productIds),
        };
        for (const variant of variants) {
            const { id, productId, product } = variant;
            variant.translations = translations.get(id) ?? [];
            variant.productVariantPrices = prices.get(id) ?? [];
            variant.facetValues = facetValues.get(id) ?? [];
            variant.collections = collections.get(id) ?? [];
            variant.channels = this.channels.filter(channel => members.get(channel.id)?.has(id));
            product.translations = ofProducts.translations.get(productId) ?? [];
            product.facetValues = ofProducts.facetValues.get(productId) ?? [];
        }
        return variants.filter(({ channels }) => channels.length > 0);
    }

    /** Whole entities by the id of what they belong to. */
    private async childrenOf<E extends ObjectLiteral>(
        entity: EntityTarget<E>,
        parent: string,
        ids: readonly Id[],
    ): Promise<ReadonlyMap<Id, E[]>> {
        if (ids.length === 0) return new Map();
        const joinColumn = tableOf(this.platform.dataSource, entity).column(parent).name;
        const { raw, entities } = await this.platform.dataSource
            .getRepository(entity)
            .createQueryBuilder('child')
            .where(`child.${parent} IN (:...ids)`, { ids: [...ids] })
            .orderBy('child.id')
            .getRawAndEntities<Record<string, Id>>();
        return grouped(
            entities,
            entities.map((_, i) => raw[i]?.[`child_${joinColumn}`]),
        );
    }

    /** Facet values with no more than their own and their facet's id. */
    private async facetValuesOf(
        owner: typeof Product | typeof ProductVariant,
        ids: readonly Id[],
    ): Promise<ReadonlyMap<Id, FacetValue[]>> {
        if (ids.length === 0) return new Map();
        const { dataSource, database } = this.platform;
        const join = joinTableOf(dataSource, owner, 'facetValues');
        const values = tableOf(dataSource, FacetValue);
        const ownerId = column('j', join.column(owner === Product ? 'productId' : 'productVariantId').name);
        const rows = await database.run(() =>
            select<{ ownerId: Id; id: Id; facetId: Id }>(sql`
            SELECT ${ownerId} AS ${name('ownerId')}, ${column('f', values.column('id').name)} AS ${name('id')},
                ${column('f', values.column('facetId').name)} AS ${name('facetId')}
            FROM ${join.name} AS ${name('j')}
            JOIN ${values.name} AS ${name('f')} ON ${column('f', values.column('id').name)} = ${column('j', join.column('facetValueId').name)}
            WHERE ${database.dialect.oneOf(ownerId, ids)} ORDER BY 2`),
        );
        return grouped(
            rows.map(({ id, facetId }) => new FacetValue({ id, facet: { id: facetId } })),
            rows.map(row => row.ownerId),
        );
    }

    private async collectionsOf(ids: readonly Id[]): Promise<ReadonlyMap<Id, Collection[]>> {
        const { dataSource, database } = this.platform;
        const join = joinTableOf(dataSource, Collection, 'productVariants');
        const rows = await database.run(() =>
            select<{ variantId: Id; collectionId: Id }>(sql`
            SELECT ${join.column('productVariantId')} AS ${name('variantId')}, ${join.column('collectionId')} AS ${name('collectionId')}
            FROM ${join.name} WHERE ${database.dialect.oneOf(join.column('productVariantId'), ids)} ORDER BY 2`),
        );
        const known = rows.flatMap(({ variantId, collectionId }) => {
            const collection = this.collections.get(collectionId);
            return collection ? [{ variantId, collection }] : [];
        });
        return grouped(
            known.map(({ collection }) => collection),
            known.map(({ variantId }) => variantId),
        );
    }
}

function grouped<T>(values: readonly T[], keys: ReadonlyArray<Id | undefined>): ReadonlyMap<Id, T[]> {
    const groups = new Map<Id, T[]>();
    values.forEach((value, i) => {
        const key = keys[i];
        if (key === undefined) return;
        const group = groups.get(key);
        if (group) group.push(value);
        else groups.set(key, [value]);
    });
    return groups;
}
