import type { Script } from '../../core/adapter/loader';
import { type Ahead, answerOf, EMPTY, join, post, raw, type Sql, sql } from '../../database/statement';
import { type JoinTable, ofLiving } from '../../database/table';
import type { Id, Row } from '../../database/write';
import { VariantState } from '../described/variant-state';
import { Columns } from '../entities/columns';
import type { CatalogueContext } from './catalogue';
import { as, asName, at } from './tables';

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

/** A variant as it is stored in the run's channel and language, with its price in the channel's currency and its level at one location. */
export interface StoredVariant {
    readonly id: Id;
    readonly sku: string;
    readonly productId: Id;
    readonly enabled: boolean;
    readonly outOfStockThreshold: number;
    readonly featuredAssetId: Id | null;
    readonly taxCategoryId: Id | null;
    readonly trackInventory: string;
    readonly hasOwnThreshold: boolean;
    /** null where it has none. */
    readonly name: string | null;
    readonly price: number | null;
    readonly stock: number | null;
    /** What is allocated of that. */
    readonly allocated: number | null;
    /** The ids of the rows in which name, price and level stand; null where there is none. */
    readonly textId: Id | null;
    readonly priceId: Id | null;
    readonly levelId: Id | null;
}

/** Rows by what they were looked for by. */
export interface StoredRows<T> {
    /** Those of which each has one alone. */
    readonly single: ReadonlyMap<string, T>;
    /** Whether any has it. */
    has(key: string): boolean;
}

/** Asked for, and told when the answer is called. */
type Asked<T> = Script<() => Script<StoredRows<T>>>;

/** Asks for products by their slugs, without waiting: one statement. */
export function* askProducts(
    { products: { table, texts, channels, members }, dialect, reference }: CatalogueContext,
    slugs: readonly string[],
    { withFacets }: { readonly withFacets: boolean },
): Asked<StoredProduct> {
    const own = ['enabled'] as const;
    const facets = members.get('facetValues')!.table;
    const list = dialect.listOf(at('f', facets, facets.member));
    const joined = sql`(SELECT ${list} FROM ${as(facets, 'f')} WHERE ${at('f', facets, facets.owner)} = ${at('p', table, 'id')})`;
    const columns = [
        asName(at('c', channels!, channels!.member), 'channel'),
        asName(at('p', table, 'id'), 'id'),
        ...own.map(property => asName(at('p', table, property), property)),
        ...['slug', 'name', 'description'].map(property => asName(at('t', texts!, property), property)),
        asName(withFacets ? joined : raw('NULL'), 'facetValues'),
    ];
    const asked = yield* post<Row>(sql`SELECT ${join(columns)} FROM ${as(texts!, 't')}
        ${dialect.lookUp(table.name, 'p', sql`${at('p', table, 'id')} = ${at('t', texts!, 'base')}${ofLiving(table, 'p')}`)}
        ${dialect.lookUp(channels!.name, 'c', inChannel(channels!, at('p', table, 'id'), reference.channel.id))}
        WHERE ${dialect.oneOf(at('t', texts!, 'slug'), slugs)} AND ${at('t', texts!, 'languageCode')} = ${reference.language}`);
    return () =>
        rowsOf(
            asked,
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

const OF_VARIANT = [
    'id',
    'sku',
    'productId',
    'enabled',
    'taxCategoryId',
    'featuredAssetId',
    'trackInventory',
    'outOfStockThreshold',
    'useGlobalOutOfStockThreshold',
] as const;

/** Asks for variants by their SKUs, without waiting: one statement. */
export function* askVariants(
    catalogue: CatalogueContext,
    skus: readonly string[],
    { locationId }: { readonly locationId: Id | undefined },
): Asked<StoredVariant> {
    const {
        variants: { table, texts, channels },
        tables: { price, stockLevel },
        dialect,
        reference: { channel, language },
    } = catalogue;
    if (skus.length === 0) return () => none();
    const id = at('v', table, 'id');
    const stocked =
        locationId === undefined
            ? EMPTY
            : dialect.lookUp(
                  stockLevel.name,
                  's',
                  sql`${at('s', stockLevel, 'productVariantId')} = ${id} AND ${at('s', stockLevel, 'stockLocationId')} = ${locationId}`,
              );
    const isNamed = sql`${at('t', texts!, 'base')} = ${id} AND ${at('t', texts!, 'languageCode')} = ${language}`;
    const named = dialect.lookUp(texts!.name, 't', isNamed);
    const isPriced = sql`${at('p', price, 'variant')} = ${id} AND ${at('p', price, 'channelId')} = ${channel.id} AND ${at('p', price, 'currencyCode')} = ${channel.defaultCurrency}`;
    const priced = dialect.lookUp(price.name, 'p', isPriced);
    const level = (property: string): Sql => (locationId === undefined ? raw('NULL') : at('s', stockLevel, property));
    const columns = [
        asName(at('c', channels!, channels!.member), 'channel'),
        ...OF_VARIANT.map(property => asName(at('v', table, property), property)),
        asName(at('t', texts!, 'id'), 'textId'),
        asName(at('t', texts!, 'name'), 'name'),
        asName(at('p', price, 'id'), 'priceId'),
        asName(at('p', price, 'price'), 'price'),
        asName(level('id'), 'levelId'),
        asName(level('stockOnHand'), 'stock'),
        asName(level('stockAllocated'), 'allocated'),
    ];
    const asked = yield* post<Row>(sql`SELECT ${join(columns)} FROM ${as(table, 'v')}
        ${dialect.lookUp(channels!.name, 'c', inChannel(channels!, id, channel.id))} ${named} ${priced} ${stocked} WHERE ${dialect.oneOf(at('v', table, 'sku'), skus)}${ofLiving(table, 'v')}`);
    // Nobody else has these rows: they become what is read of them.
    const read = (row: Row): StoredVariant =>
        Object.assign(row as unknown as StoredVariant, {
            enabled: table.fromColumn('enabled', row['enabled']) as boolean,
            trackInventory: table.fromColumn('trackInventory', row['trackInventory']) as string,
            hasOwnThreshold:
                table.fromColumn('useGlobalOutOfStockThreshold', row['useGlobalOutOfStockThreshold']) !== true,
            price: row['price'] === null ? null : Number(price.fromColumn('price', row['price'])),
        });
    return () => rowsOf(asked, row => row['sku'] as string, read);
}

/** Which parts of a variant somebody asks for. */
interface PartsAsked {
    readonly price: boolean;
    /** Where its level is asked for. */
    readonly locationId: Id | undefined;
}

/** A variant as it was read, with those parts that a record asks for. */
export function stateOf(
    { reference: { channel, language } }: CatalogueContext,
    row: StoredVariant,
    asked: PartsAsked,
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
    if (asked.price) {
        const facts = { channelId: channel.id, currency: channel.defaultCurrency };
        state.prices = priceId === null ? [] : [{ ...facts, id: priceId, stored: price!, price: price! }];
    }
    const { locationId } = asked;
    if (locationId !== undefined) {
        const level = { id: levelId!, locationId, allocated: row.allocated!, stored: stock!, onHand: stock! };
        state.stock = levelId === null ? [] : [{ ...level, isLocked: false, adjustments: [] }];
    }
    return state;
}

// eslint-disable-next-line require-yield -- a script that asks for nothing
function* none<T>(): Script<StoredRows<T>> {
    return { single: new Map(), has: () => false };
}

function inChannel(channels: JoinTable, owner: Sql, channelId: Id): Sql {
    return sql`${at('c', channels, channels.owner)} = ${owner} AND ${at('c', channels, channels.member)} = ${channelId}`;
}

function* rowsOf<T>(asked: Ahead<Row>, keyOf: (row: Row) => string, read: (row: Row) => T): Script<StoredRows<T>> {
    const { rows } = yield* answerOf(asked);
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
