import type { StatementProgram } from '../../core/adapter/loader';
import { type Ahead, resultOf, join, post, raw, type Sql, sql } from '../../database/statement';
import { type JoinTable, ofLiving, type Table } from '../../database/table';
import type { Id, Row } from '../../database/write';
import { VariantState } from '../entity-descriptions/variant-state';
import { Columns } from '../entities/columns';
import type { CatalogueContext } from './catalogue';
import { as, sqlNameOf, at } from './tables';

/** A product as it is stored in the run's language, as far as records of one variant speak of it. */
export interface StoredProduct {
    readonly id: Id;
    readonly slug: string;
    readonly name: string;
    readonly description: string;
    readonly enabled: boolean;
    /** The ids of its facet values with commas between them; null for none. */
    readonly facetValues: string | null;
}

/**
 * The part of a variant with which a record is compared, in the run's channel and language: its price in the
 * channel's currency, its level at one location. Fields that no record has are omitted.
 */
export interface StoredVariantSummary {
    readonly sku: string;
    readonly productId: Id;
    /** null where it has none. */
    readonly name: string | null;
    readonly enabled?: boolean;
    readonly taxCategoryId?: Id | null;
    readonly trackInventory?: string;
    readonly hasOwnThreshold?: boolean;
    readonly price?: number | null;
    readonly stock?: number | null;
}

/** A stored variant with everything that a new price, a new level or a plan needs. */
export interface StoredVariant extends Required<StoredVariantSummary> {
    readonly id: Id;
    readonly outOfStockThreshold: number;
    readonly featuredAssetId: Id | null;
    /** What is allocated of that. */
    readonly allocated: number | null;
    /** The ids of the rows of name, price and level; null if there is no such row. */
    readonly textId: Id | null;
    readonly priceId: Id | null;
    readonly levelId: Id | null;
}

/** Rows by what they were looked for by. */
export interface StoredRows<T> {
    /** The rows of keys that have only one row. */
    readonly single: ReadonlyMap<string, T>;
    /** Whether any has it. */
    has(key: string): boolean;
}

/** Requested first, and read when the returned script runs. */
type Asked<T> = StatementProgram<() => StatementProgram<StoredRows<T>>>;

/** Requests products by their slugs, without waiting: one statement. */
export function* prefetchProducts(
    { products: { table, texts, channels, members }, dialect, reference }: CatalogueContext,
    slugs: readonly string[],
    { withFacets }: { readonly withFacets: boolean },
): Asked<StoredProduct> {
    const own = ['enabled'] as const;
    const facets = members.get('facetValues')!.table;
    const list = dialect.listOf(at('f', facets, facets.member));
    const joined = sql`(SELECT ${list} FROM ${as(facets, 'f')} WHERE ${at('f', facets, facets.owner)} = ${at('p', table, 'id')})`;
    const columns = [
        sqlNameOf(at('c', channels!, channels!.member), 'channel'),
        sqlNameOf(at('p', table, 'id'), 'id'),
        ...own.map(property => sqlNameOf(at('p', table, property), property)),
        ...['slug', 'name', 'description'].map(property => sqlNameOf(at('t', texts!, property), property)),
        sqlNameOf(withFacets ? joined : raw('NULL'), 'facetValues'),
    ];
    const requested = yield* post<Row>(sql`SELECT ${join(columns)} FROM ${as(texts!, 't')}
        ${dialect.lookUp(table.name, 'p', sql`${at('p', table, 'id')} = ${at('t', texts!, 'base')}${ofLiving(table, 'p')}`)}
        ${dialect.lookUp(channels!.name, 'c', inChannel(channels!, at('p', table, 'id'), reference.channel.id))}
        WHERE ${dialect.oneOf(at('t', texts!, 'slug'), slugs)} AND ${at('t', texts!, 'languageCode')} = ${reference.language}`);
    return () =>
        rowsOf(
            requested,
            row => row['slug'] as string,
            row =>
                Object.assign(
                    row as unknown as StoredProduct,
                    {
                        enabled: table.fromColumn('enabled', row['enabled']),
                        // A list of numbers may come as bytes.
                        facetValues: row['facetValues'] === null ? null : String(row['facetValues']),
                    } as Pick<StoredProduct, 'enabled' | 'facetValues'>,
                ),
        );
}

/** Columns of the variant's own row, and whether they are read by a glance. */
const OF_VARIANT = {
    id: () => false,
    sku: () => true,
    productId: () => true,
    enabled: ({ enabled }) => enabled,
    taxCategoryId: ({ taxCategory }) => taxCategory,
    featuredAssetId: () => false,
    trackInventory: ({ trackInventory }) => trackInventory,
    outOfStockThreshold: () => false,
    useGlobalOutOfStockThreshold: ({ locationId }) => locationId !== undefined,
} satisfies Record<string, (storedSummary: StoredSummary) => boolean>;

/** The fields that some records have, and the location of their stock; undefined if they have none. */
export interface StoredSummary {
    readonly enabled: boolean;
    readonly taxCategory: boolean;
    readonly trackInventory: boolean;
    readonly price: boolean;
    readonly locationId: Id | undefined;
}

/** Requests variants by their SKUs, without waiting: one statement. */
export function prefetchVariants(
    catalogue: CatalogueContext,
    skus: readonly string[],
    { locationId }: Pick<StoredSummary, 'locationId'>,
): Asked<StoredVariant> {
    const {
        variants: { texts },
        tables: { price, stockLevel },
    } = catalogue;
    const level = (property: string): Sql => (locationId === undefined ? raw('NULL') : at('s', stockLevel, property));
    const columns = [
        sqlNameOf(at('t', texts!, 'id'), 'textId'),
        sqlNameOf(at('p', price, 'id'), 'priceId'),
        sqlNameOf(level('id'), 'levelId'),
        sqlNameOf(level('stockAllocated'), 'allocated'),
    ];
    const all = { enabled: true, taxCategory: true, trackInventory: true, price: true, locationId };
    return variantsAsked<StoredVariant>(catalogue, skus, { own: Object.keys(OF_VARIANT), columns, glance: all });
}

/** Requests the parts of variants that some records set. */
export function prefetchVariantSummaries(
    catalogue: CatalogueContext,
    skus: readonly string[],
    storedSummary: StoredSummary,
): Asked<StoredVariantSummary> {
    const own = Object.entries(OF_VARIANT).flatMap(([property, isRead]) => (isRead(storedSummary) ? [property] : []));
    return variantsAsked<StoredVariantSummary>(catalogue, skus, { own, columns: [], glance: storedSummary });
}

interface VariantColumns {
    /** Of the variant's own row. */
    readonly own: readonly string[];
    /** Columns in addition to those of the glance. */
    readonly columns: readonly Sql[];
    readonly glance: StoredSummary;
}

function* variantsAsked<T>(
    { variants, tables, dialect, reference: { channel, language } }: CatalogueContext,
    skus: readonly string[],
    { own, columns, glance: { price: isPriceAsked, locationId } }: VariantColumns,
): Asked<T> {
    const { table, texts, channels } = variants;
    const { price, stockLevel } = tables;
    if (skus.length === 0) return () => none();
    const id = at('v', table, 'id');
    const isNamed = sql`${at('t', texts!, 'base')} = ${id} AND ${at('t', texts!, 'languageCode')} = ${language}`;
    const isPriced = sql`${at('p', price, 'variant')} = ${id} AND ${at('p', price, 'channelId')} = ${channel.id} AND ${at('p', price, 'currencyCode')} = ${channel.defaultCurrency}`;
    const isStocked = (location: Id): Sql =>
        sql`${at('s', stockLevel, 'productVariantId')} = ${id} AND ${at('s', stockLevel, 'stockLocationId')} = ${location}`;
    const read = [
        sqlNameOf(at('c', channels!, channels!.member), 'channel'),
        ...own.map(property => sqlNameOf(at('v', table, property), property)),
        sqlNameOf(at('t', texts!, 'name'), 'name'),
        ...(isPriceAsked ? [sqlNameOf(at('p', price, 'price'), 'price')] : []),
        ...(locationId === undefined ? [] : [sqlNameOf(at('s', stockLevel, 'stockOnHand'), 'stock')]),
        ...columns,
    ];
    const lookedUp = [
        dialect.lookUp(channels!.name, 'c', inChannel(channels!, id, channel.id)),
        dialect.lookUp(texts!.name, 't', isNamed),
        ...(isPriceAsked ? [dialect.lookUp(price.name, 'p', isPriced)] : []),
        ...(locationId === undefined ? [] : [dialect.lookUp(stockLevel.name, 's', isStocked(locationId))]),
    ];
    const requested = yield* post<Row>(sql`SELECT ${join(read)} FROM ${as(table, 'v')}
        ${join(lookedUp, ' ')} WHERE ${dialect.oneOf(at('v', table, 'sku'), skus)}${ofLiving(table, 'v')}`);
    return () =>
        rowsOf(
            requested,
            row => row['sku'] as string,
            row => glanced<T>(row, { table, price }),
        );
}

/** The row is not shared, so it is changed in place to become the result. */
function glanced<T>(row: Row, { table, price }: { readonly table: Table; readonly price: Table }): T {
    const { enabled, trackInventory, useGlobalOutOfStockThreshold: usesGlobal, price: stored } = row;
    const told: Record<string, unknown> = {};
    if (enabled !== undefined) told['enabled'] = table.fromColumn('enabled', enabled);
    if (trackInventory !== undefined) told['trackInventory'] = table.fromColumn('trackInventory', trackInventory);
    if (usesGlobal !== undefined)
        told['hasOwnThreshold'] = table.fromColumn('useGlobalOutOfStockThreshold', usesGlobal) !== true;
    if (stored !== undefined && stored !== null) told['price'] = Number(price.fromColumn('price', stored));
    return Object.assign(row as T & object, told);
}

/** The parts of a variant that a record needs. */
interface PartsAsked {
    readonly price: boolean;
    /** The location whose level is needed. */
    readonly locationId: Id | undefined;
}

/** A variant from a read row, with the parts that a record needs. */
export function stateOf(
    { reference: { channel, language } }: CatalogueContext,
    row: StoredVariant,
    requested: PartsAsked,
): VariantState {
    const { id, sku, name, textId, price, priceId, stock, levelId } = row;
    const columns = new Columns({
        sku,
        productId: row.productId,
        enabled: row.enabled,
        taxCategoryId: row.taxCategoryId,
        featuredAssetId: row.featuredAssetId,
        trackInventory: row.trackInventory,
        outOfStockThreshold: row.outOfStockThreshold,
        useGlobalOutOfStockThreshold: !row.hasOwnThreshold,
    });
    const state = new VariantState(id, columns, sku);
    if (textId !== null) state.setText(language, { id: textId, columns: new Columns({ name }) });
    if (requested.price) {
        const facts = { channelId: channel.id, currency: channel.defaultCurrency };
        state.prices = priceId === null ? [] : [{ ...facts, id: priceId, stored: price!, price: price! }];
    }
    const { locationId } = requested;
    if (locationId !== undefined) {
        const level = { id: levelId!, locationId, allocated: row.allocated!, stored: stock!, onHand: stock! };
        state.stock = levelId === null ? [] : [{ ...level, isLocked: false, adjustments: [] }];
    }
    return state;
}

// eslint-disable-next-line require-yield -- a script without statements
function* none<T>(): StatementProgram<StoredRows<T>> {
    return { single: new Map(), has: () => false };
}

function inChannel(channels: JoinTable, owner: Sql, channelId: Id): Sql {
    return sql`${at('c', channels, channels.owner)} = ${owner} AND ${at('c', channels, channels.member)} = ${channelId}`;
}

function* rowsOf<T>(
    requested: Ahead<Row>,
    keyOf: (row: Row) => string,
    read: (row: Row) => T,
): StatementProgram<StoredRows<T>> {
    const { rows } = yield* resultOf(requested);
    const single = new Map<string, T>();
    const seen = new Set<string>();
    for (const row of rows) {
        if (row['channel'] === null) continue;
        const key = keyOf(row);
        if (seen.has(key)) single.delete(key);
        else single.set(key, read(row));
        seen.add(key);
    }
    return { single, has: key => seen.has(key) };
}
