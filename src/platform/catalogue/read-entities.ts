import type { Script } from '../../core/adapter/loader';
import type { JsonValue } from '../../core/value/json';
import type { ShopReference } from '../lookup/reference';
import type { CatalogueTables } from './tables';
import type { PriceAnswers, PriceSync } from '../pricing/price-sync';
import type { Dialect } from '../../database/dialect';
import { type Name, type Sql, EMPTY, column, join, name, select, sql } from '../../database/statement';
import type { Table } from '../../database/table';
import type { Id, Row } from '../../database/write';
import { type CustomField, type CustomFields, customValues } from '../entities/custom-fields';
import type { EntityStore } from '../entities/entity-store';
import type { Faults } from '../entities/faults';
import { Columns } from '../entities/columns';
import { ProductState, VariantState } from './state';
import type { World } from './world';

/** What all reads and writes of a catalogue load go by. */
export interface CatalogueContext {
    readonly tables: CatalogueTables;
    readonly dialect: Dialect;
    readonly reference: ShopReference;
    readonly facets: EntityStore;
    readonly facetValues: EntityStore;
    readonly productFields: CustomFields;
    readonly variantFields: CustomFields;
    readonly priceSync: PriceSync;
    /** What has to be waited for before a transaction: open questions of reading, and a price strategy that answers promises, by a rehearsal of the plan. */
    prepare(
        records: ReadonlyArray<{ readonly faults: Faults }>,
        rehearse: (answers: PriceAnswers) => Script<unknown>,
    ): Promise<PriceAnswers>;
}

/** A column of an alias, by property. */
export function at(alias: string, table: Table, property: string): Sql {
    return column(alias, table.column(property).name);
}

/** `table AS alias` */
export function as(table: Table, alias: string): Sql {
    return sql`${table.name} AS ${name(alias)}`;
}

export function asName(part: Sql, alias: string): Sql {
    return sql`${part} AS ${name(alias)}`;
}

/** `subject IN (…)`, `subject` being a column of an alias. */
export function among(dialect: Dialect, subject: Sql | Name, values: Iterable<Id>): Sql {
    return dialect.oneOf(subject, [...values]);
}

const PRODUCT_TEXT = ['name', 'slug', 'description'];
const VARIANT_COLUMNS = [
    'sku',
    'enabled',
    'trackInventory',
    'taxCategoryId',
    'outOfStockThreshold',
    'useGlobalOutOfStockThreshold',
];

/** Custom fields as columns "b0", "b1" … of the answer; nothing where no record has any. */
function customColumns(alias: string, table: Table, fields: readonly CustomField[]): Sql {
    if (fields.length === 0) return EMPTY;
    return sql`, ${join(fields.map((field, i) => asName(at(alias, table, field.property), alias + i)))}`;
}

/** Reads the products that have these slugs in the run's language. Slugs first: joined to the rest, planners take bad turns. */
export function* readProductsBySlug(catalogue: CatalogueContext, world: World, slugs: readonly string[]): Script<void> {
    if (slugs.length === 0) return;
    const {
        tables: { productText },
        dialect,
        reference,
    } = catalogue;
    const rows = yield* select<{
        id: Id;
    }>(sql`SELECT ${asName(at('t', productText, 'base'), 'id')} FROM ${as(productText, 't')}
        WHERE ${dialect.oneOf(at('t', productText, 'slug'), slugs)} AND ${at('t', productText, 'languageCode')} = ${reference.language}`);
    yield* readProducts(catalogue, world, new Set(rows.map(({ id }) => id)));
}

/** Reads products with their translations into the world; those that are in it already stay as they are. */
export function* readProducts(catalogue: CatalogueContext, world: World, ids: Iterable<Id>): Script<void> {
    const {
        tables: { product, productText, productChannels },
        dialect,
        reference,
        productFields,
    } = catalogue;
    const unknown = [...ids].filter(id => !world.products.has(id));
    if (unknown.length === 0) return;
    const rows =
        yield* select<Row>(sql`SELECT ${asName(at('p', product, 'id'), 'id')}, ${asName(at('p', product, 'enabled'), 'enabled')},
        ${asName(at('t', productText, 'id'), 'textId')}, ${asName(at('t', productText, 'languageCode'), 'language')},
        ${join(PRODUCT_TEXT.map(property => asName(at('t', productText, property), property)))}
        ${customColumns('p', product, productFields.base)}${customColumns('t', productText, productFields.localised)}
        FROM ${as(product, 'p')}
        JOIN ${as(productChannels, 'c')} ON ${at('c', productChannels, productChannels.owner)} = ${at('p', product, 'id')}
            AND ${at('c', productChannels, productChannels.member)} = ${reference.channel.id}
        LEFT JOIN ${as(productText, 't')} ON ${at('t', productText, 'base')} = ${at('p', product, 'id')}
        WHERE ${at('p', product, 'deletedAt')} IS NULL AND ${among(dialect, at('p', product, 'id'), unknown)} ORDER BY ${at('p', product, 'id')}`);
    const found: ProductState[] = [];
    const fresh = new Map<Id, ProductState>();
    for (const row of rows) {
        const id = row['id'] as Id;
        if (world.products.has(id)) continue;
        let state = fresh.get(id);
        if (!state) {
            state = new ProductState(
                id,
                new Columns({
                    enabled: product.fromColumn('enabled', row['enabled']) as boolean,
                    ...customValues('p', row, productFields.base),
                }),
            );
            fresh.set(id, state);
            found.push(state);
        }
        if (row['language'] === null) continue;
        state.texts.set(row['language'] as string, {
            id: row['textId'] as Id,
            columns: new Columns({
                name: row['name'] as string,
                slug: row['slug'] as string,
                description: row['description'] as string,
                ...customValues('t', row, productFields.localised),
            }),
        });
    }
    for (const state of found) world.addProduct(state);
}

/** Reads variants with their translations into the world, by SKU or by product. */
export function* readVariants(
    catalogue: CatalogueContext,
    world: World,
    by: { readonly skus: readonly string[] } | { readonly productIds: readonly Id[] },
): Script<void> {
    const {
        tables: { variant, variantText, variantChannels },
        dialect,
        reference,
        variantFields,
    } = catalogue;
    const wanted = 'skus' in by ? by.skus : by.productIds;
    if (wanted.length === 0) return;
    const matching =
        'skus' in by
            ? dialect.oneOf(at('v', variant, 'sku'), by.skus)
            : among(dialect, at('v', variant, 'productId'), by.productIds);
    // Those of a product in whatever channel: what is done to the product is done to all of them.
    const inChannel =
        'skus' in by
            ? sql`JOIN ${as(variantChannels, 'c')} ON ${at('c', variantChannels, variantChannels.owner)} = ${at('v', variant, 'id')}
            AND ${at('c', variantChannels, variantChannels.member)} = ${reference.channel.id}`
            : EMPTY;
    const rows =
        yield* select<Row>(sql`SELECT ${asName(at('v', variant, 'id'), 'id')}, ${asName(at('v', variant, 'productId'), 'productId')},
        ${join(VARIANT_COLUMNS.map(property => asName(at('v', variant, property), property)))},
        ${asName(at('t', variantText, 'id'), 'textId')}, ${asName(at('t', variantText, 'languageCode'), 'language')}, ${asName(at('t', variantText, 'name'), 'name')}
        ${customColumns('v', variant, variantFields.base)}${customColumns('t', variantText, variantFields.localised)}
        FROM ${as(variant, 'v')} ${inChannel} LEFT JOIN ${as(variantText, 't')} ON ${at('t', variantText, 'base')} = ${at('v', variant, 'id')}
        WHERE ${at('v', variant, 'deletedAt')} IS NULL AND ${matching} ORDER BY ${at('v', variant, 'id')}`);
    const fresh = new Map<Id, VariantState>();
    for (const row of rows) {
        const id = row['id'] as Id;
        if (world.variants.has(id)) continue;
        let state = fresh.get(id);
        if (!state) {
            const values = customValues('v', row, variantFields.base);
            for (const property of VARIANT_COLUMNS)
                values[property] = variant.fromColumn(property, row[property]) as JsonValue;
            const productId = row['productId'] as Id;
            state = new VariantState(id, new Columns(values), world.products.get(productId) ?? productId);
            fresh.set(id, state);
        }
        if (row['language'] === null) continue;
        state.texts.set(row['language'] as string, {
            id: row['textId'] as Id,
            columns: new Columns({ name: row['name'] as string, ...customValues('t', row, variantFields.localised) }),
        });
    }
    for (const state of fresh.values()) world.addVariant(state);
}
