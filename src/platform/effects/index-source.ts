import {
    Asset,
    Channel,
    Collection,
    FacetValue,
    Product,
    ProductTranslation,
    ProductVariant,
    ProductVariantPrice,
    ProductVariantTranslation,
    TaxCategory,
} from '@vendure/core';
import { type DeepPartial, type EntityTarget, IsNull, type ObjectLiteral } from 'typeorm';
import type { VendurePlatform } from '../context';
import { entitiesOneOf } from '../../database/find-one-of';
import type { StatementProgram } from '../../core/adapter/loader';
import { selectAhead, column, join, name, type Sql, sql } from '../../database/statement';
import { joinTableOf, tableOf } from '../../database/table';
import { type Id, oldestFirst } from '../../database/write';
import { prefetchChannels } from './changed-variants';

const SHOWN_TEXTS = ['languageCode', 'name', 'slug', 'description'];

/**
 * Reads variants with all data of their index entries. Lists are read by separate statements and joined here: TypeORM compares every row of a list
 * with every variant, and SQL joins multiply the rows.
 */
export class IndexSource {
    private constructor(
        private readonly platform: VendurePlatform,
        private readonly channels: readonly Channel[],
        private readonly collections: ReadonlyMap<Id | null, Collection>,
        private readonly taxCategories: ReadonlyMap<Id | null, TaxCategory>,
    ) {}

    static async open(platform: VendurePlatform): Promise<IndexSource> {
        const channels = await platform.dataSource
            .getRepository(Channel)
            .find({ relations: { defaultTaxZone: true }, order: { id: 'ASC' } });
        const collections = await platform.dataSource
            .getRepository(Collection)
            .find({ relations: { translations: true }, loadEagerRelations: false });
        const taxCategories = await platform.dataSource.getRepository(TaxCategory).find({ loadEagerRelations: false });
        return new IndexSource(platform, channels, byId(collections), byId(taxCategories));
    }

    /** Living variants that are in a channel, by id. What belongs to them is read while they and their products are, on another connection. */
    async variants(ids: readonly Id[]): Promise<readonly ProductVariant[]> {
        const [{ variants, ofProducts }, ofVariants] = await Promise.all([
            this.living(ids),
            this.platform.database.run(() => this.listsOfVariants(ids), { byKeys: true }),
        ]);
        for (const variant of variants) {
            const { id, productId, product } = variant;
            variant.translations = ofVariants.translations.get(id) ?? [];
            variant.productVariantPrices = ofVariants.prices.get(id) ?? [];
            variant.facetValues = ofVariants.facetValues.get(id) ?? [];
            variant.collections = ofVariants.collections.get(id) ?? [];
            variant.channels = this.channels.filter(channel => ofVariants.members.get(channel.id)?.has(id));
            product.translations = ofProducts.translations.get(productId) ?? [];
            product.facetValues = ofProducts.facetValues.get(productId) ?? [];
        }
        return variants.filter(({ channels }) => channels.length > 0);
    }

    /**
     * TypeORM's own entities, whose listeners run. Each table is read separately, since a join makes rows wide with
     * columns that most of them do not need.
     */
    private async living(ids: readonly Id[]) {
        const { dataSource, database } = this.platform;
        const { dialect } = database;
        const found = await dataSource.getRepository(ProductVariant).find({
            where: { id: entitiesOneOf(dialect, ids), deletedAt: IsNull() },
            loadEagerRelations: false,
        });
        const productIds = [...new Set(found.map(({ productId }) => productId))];
        const products = byId(
            await dataSource.getRepository(Product).find({
                where: { id: entitiesOneOf(dialect, productIds), deletedAt: IsNull() },
                loadEagerRelations: false,
            }),
        );
        const variants = oldestFirst(found.filter(({ productId }) => products.has(productId)));
        const assets = await this.assetsOf([...products.values(), ...variants]);
        for (const variant of variants) {
            variant.product = products.get(variant.productId)!;
            // TypeORM uses null, not undefined, for a missing relation.
            variant.taxCategory = (this.taxCategories.get(variant.taxCategoryId) ?? null) as TaxCategory;
            variant.featuredAsset = (assets.get(variant.featuredAssetId) ?? null) as Asset;
        }
        for (const product of products.values())
            product.featuredAsset = (assets.get(product.featuredAssetId) ?? null) as Asset;
        const ofProducts = await database.run(() => this.listsOfProducts(productIds), { byKeys: true });
        return { variants, ofProducts };
    }

    private async assetsOf(
        pictured: ReadonlyArray<{ readonly featuredAssetId: Id | null }>,
    ): Promise<ReadonlyMap<Id | null, Asset>> {
        const ids = new Set(pictured.flatMap(({ featuredAssetId }) => featuredAssetId ?? []));
        if (ids.size === 0) return new Map();
        const { dataSource, database } = this.platform;
        const repository = dataSource.getRepository(Asset);
        return byId(
            await repository.find({
                where: { id: entitiesOneOf(database.dialect, [...ids]) },
                loadEagerRelations: false,
            }),
        );
    }

    /** The data of variants, by their ids; `members` are those of each channel. Each list is requested before the previous one has arrived. */
    private *listsOfVariants(ids: readonly Id[]) {
        const byChannel = yield* prefetchChannels(ids, this.platform);
        const translations = yield* this.translationsOf(ProductVariantTranslation, ids);
        const members = new Map(
            [...(yield* byChannel())].map(([channelId, variantIds]) => [channelId, new Set(variantIds)]),
        );
        const prices = yield* this.pricesOf(ids);
        const named = yield* translations();
        const facetValues = yield* this.facetValuesOf(ProductVariant, ids);
        const priced = yield* prices();
        const collections = yield* this.collectionsOf(ids);
        return {
            members,
            translations: named,
            prices: priced,
            facetValues: yield* facetValues(),
            collections: yield* collections(),
        };
    }

    private *listsOfProducts(ids: readonly Id[]) {
        const translations = yield* this.translationsOf(ProductTranslation, ids);
        const facetValues = yield* this.facetValuesOf(Product, ids);
        return { translations: yield* translations(), facetValues: yield* facetValues() };
    }

    /** Translations with no more than an entry shows. */
    private *translationsOf<T extends ProductTranslation | ProductVariantTranslation>(
        entity: new (input: DeepPartial<T>) => T,
        ids: readonly Id[],
    ): Asked<T> {
        const requested = yield* this.rowsOf(entity, { parent: 'base', shown: SHOWN_TEXTS }, ids);
        return function* () {
            const rows = yield* requested();
            return grouped(
                rows.map(row => new entity(row as DeepPartial<T>)),
                rows.map(({ base }) => base as Id),
            );
        };
    }

    /** Prices with all of their columns, since the shop's strategies choose and calculate by them. */
    private *pricesOf(ids: readonly Id[]): Asked<ProductVariantPrice> {
        const { columns } = this.platform.dataSource.getMetadata(ProductVariantPrice);
        const shown = columns.filter(({ relationMetadata }) => !relationMetadata);
        const requested = yield* this.rowsOf(
            ProductVariantPrice,
            { parent: 'variant', shown: shown.map(({ propertyPath }) => propertyPath) },
            ids,
        );
        return function* () {
            const rows = yield* requested();
            const prices = rows.map(row => {
                const price = new ProductVariantPrice();
                for (const column of shown) column.setEntityValue(price, row[column.propertyPath]);
                return price;
            });
            return grouped(
                prices,
                rows.map(({ variant }) => variant as Id),
            );
        };
    }

    /** Requests the rows of a table that belong to others, the oldest first; only the properties that the table has. */
    private *rowsOf(
        entity: EntityTarget<ObjectLiteral>,
        { parent, shown }: { readonly parent: string; readonly shown: readonly string[] },
        ids: readonly Id[],
    ): StatementProgram<() => StatementProgram<ReadonlyArray<Record<string, unknown> & { readonly id: Id }>>> {
        const { dataSource, database } = this.platform;
        const table = tableOf(dataSource, entity);
        const properties = ['id', parent, ...shown.filter(property => property !== 'id' && table.has(property))];
        const requested = yield* selectAhead<Record<string, unknown>>(sql`
            SELECT ${join(properties.map(property => sql`${table.column(property)} AS ${name(property)}`))}
            FROM ${table.name} WHERE ${database.dialect.oneOf(table.column(parent), ids)}`);
        return function* () {
            const rows = yield* requested();
            for (const row of rows)
                for (const property of properties) row[property] = table.fromColumn(property, row[property]);
            // Not by the database (see `oldestFirst`).
            return oldestFirst(rows as ReadonlyArray<Record<string, unknown> & { readonly id: Id }>);
        };
    }

    /** Facet values with no more than their own and their facet's id. */
    private *facetValuesOf(owner: typeof Product | typeof ProductVariant, ids: readonly Id[]): Asked<FacetValue> {
        const { dataSource, database } = this.platform;
        const members = joinTableOf(dataSource, owner, 'facetValues');
        const values = tableOf(dataSource, FacetValue);
        const value = (property: string): Sql => column('f', values.column(property).name);
        const isMember = sql`${value('id')} = ${column('j', members.column(members.member).name)}`;
        const requested = yield* selectAhead<{ ownerId: Id; id: Id; facetId: Id }>(sql`
            SELECT ${column('j', members.column(members.owner).name)} AS ${name('ownerId')}, ${value('id')} AS ${name('id')}, ${value('facetId')} AS ${name('facetId')}
            FROM ${members.name} AS ${name('j')} ${database.dialect.lookUp(values.name, 'f', isMember)}
            WHERE ${database.dialect.oneOf(column('j', members.column(members.owner).name), ids)}`);
        return function* () {
            const rows = oldestFirst(yield* requested());
            return grouped(
                rows.map(({ id, facetId }) => new FacetValue({ id, facet: { id: facetId } })),
                rows.map(row => row.ownerId),
            );
        };
    }

    private *collectionsOf(ids: readonly Id[]): Asked<Collection> {
        const { dataSource, database } = this.platform;
        const members = joinTableOf(dataSource, Collection, 'productVariants');
        const requested = yield* selectAhead<{ variantId: Id; id: Id }>(sql`
            SELECT ${members.column('productVariantId')} AS ${name('variantId')}, ${members.column('collectionId')} AS ${name('id')}
            FROM ${members.name} WHERE ${database.dialect.oneOf(members.column('productVariantId'), ids)}`);
        const { collections } = this;
        return function* () {
            const known = oldestFirst(yield* requested()).flatMap(({ variantId, id }) => {
                const collection = collections.get(id);
                return collection ? [{ variantId, collection }] : [];
            });
            return grouped(
                known.map(({ collection }) => collection),
                known.map(({ variantId }) => variantId),
            );
        };
    }
}

/** Lists by their owners: requested first, and read when the returned script runs. */
type Asked<T> = StatementProgram<() => StatementProgram<ReadonlyMap<Id, T[]>>>;

const byId = <T extends { readonly id: Id }>(entities: readonly T[]): ReadonlyMap<Id | null, T> =>
    new Map(entities.map(entity => [entity.id, entity]));

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
