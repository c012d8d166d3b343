import {
    Collection,
    CollectionTranslation,
    Customer,
    CustomerGroup,
    Facet,
    FacetValue,
    Order,
    OrderLine,
    Product,
    ProductTranslation,
    ProductVariant,
    StockLevel,
    StockLocation,
} from '@vendure/core';
import type { EntityTarget, ObjectLiteral } from 'typeorm';
import { column, EMPTY, name, type Sql, sql } from '../../database/statement';
import { joinTableOf, ofLiving, type Table, tableOf } from '../../database/table';
import type { VendurePlatform } from '../context';
import type { QueriedEntity } from './entities';
import type { ComparedField, LinkedField } from './filters';
import { LINE_PRICES, linePriceSql } from './line-prices';

/** The fields that filters may compare in addition to those of the entity's row, with the relation that leads to them. */
export type RelatedFilterFields = ReadonlyMap<string, ComparedField | LinkedField>;

/** By entity: the names, and the relation whose rights comparing them needs. */
const NAMES: Readonly<Partial<Record<QueriedEntity, Readonly<Record<string, string>>>>> = {
    PRODUCT: { facetValues: 'facetValues', 'variants.sku': 'variants', stock: 'variants.stockLevels' },
    PRODUCT_VARIANT: {
        facetValues: 'facetValues',
        allFacetValues: 'product.facetValues',
        'product.slug': 'product',
        'product.enabled': 'product',
        stock: 'stockLevels',
    },
    COLLECTION: { 'parent.slug': 'parent' },
    CUSTOMER: { groups: 'groups' },
    ORDER: {
        'customer.emailAddress': 'customer',
        ...Object.fromEntries([...LINE_PRICES.keys()].map(price => [`lines.${price}`, 'lines'])),
    },
};

/** The relations that filters follow: a comparison requires the permissions for them. */
export function relationsOfFilters(entity: QueriedEntity, fields: readonly unknown[]): readonly string[] {
    const names = NAMES[entity] ?? {};
    return fields.flatMap(field => (typeof field === 'string' && Object.hasOwn(names, field) ? [names[field]!] : []));
}

/** The fields of related entities that filters may compare: facet values, SKUs, slugs, groups, stock. */
export function linkedFieldsOf(entity: QueriedEntity, platform: VendurePlatform): RelatedFilterFields {
    const links = new Links(platform);
    const made: Readonly<Partial<Record<QueriedEntity, Readonly<Record<string, ComparedField | LinkedField>>>>> = {
        PRODUCT: {
            facetValues: links.facetValues(Product),
            'variants.sku': links.skus(),
            stock: links.stock(Product, id => links.variantsOf(id)),
        },
        PRODUCT_VARIANT: {
            facetValues: links.facetValues(ProductVariant),
            allFacetValues: links.allFacetValues(),
            'product.enabled': links.productEnabled(),
            'product.slug': links.slugs(ProductTranslation, { of: ProductVariant, by: 'productId' }),
            stock: links.stock(ProductVariant, id => id),
        },
        COLLECTION: { 'parent.slug': links.slugs(CollectionTranslation, { of: Collection, by: 'parentId' }) },
        CUSTOMER: { groups: links.groups() },
        ORDER: { 'customer.emailAddress': links.mails(), ...links.linePrices() },
    };
    return new Map(Object.entries(made[entity] ?? {}));
}

const text = (of: Sql): ComparedField => ({ kind: 'text', of: () => of, toColumn: value => value });
const fitting = (value: Sql, fits: ((field: ComparedField) => Sql) | undefined): Sql =>
    fits ? sql` AND ${fits(text(value))}` : EMPTY;

class Links {
    constructor(private readonly platform: VendurePlatform) {}

    /** Facet values of a variant and of its product. */
    allFacetValues(): LinkedField {
        const variant = this.table(ProductVariant);
        const [own, ofProduct] = [
            this.facetValues(ProductVariant),
            this.facetValues(Product, alias => at(alias, variant, 'productId')),
        ];
        return { kind: 'text', any: (alias, fits) => sql`(${own.any(alias, fits)} OR ${ofProduct.any(alias, fits)})` };
    }

    /** Whether the product of a variant is enabled. */
    productEnabled(): ComparedField {
        const [product, variant] = [this.table(Product), this.table(ProductVariant)];
        return {
            kind: 'flag',
            toColumn: value => product.toColumn('enabled', value),
            of: alias => sql`(SELECT ${at('lp', product, 'enabled')} FROM ${product.name} AS ${name('lp')}
                WHERE ${at('lp', product, 'id')} = ${at(alias, variant, 'productId')})`,
        };
    }

    /** Facet values as loads name them: "facet:value", by their codes. `idOf` is the id of the entity that has them. */
    facetValues(
        of: EntityTarget<ObjectLiteral>,
        idOf: (alias: string) => Sql = alias => this.id(of, alias),
    ): LinkedField {
        const { dataSource, database } = this.platform;
        const join = joinTableOf(dataSource, of, 'facetValues');
        const [value, facet] = [this.table(FacetValue), this.table(Facet)];
        const [code, ofFacet] = [at('lv', value, 'code'), at('lf', facet, 'code')];
        const named =
            database.dialect.kind === 'mysql'
                ? sql`CONCAT(${ofFacet}, ':', ${code})`
                : sql`(${ofFacet} || ':' || ${code})`;
        return {
            kind: 'text',
            any: (alias, fits) => sql`EXISTS (SELECT 1 FROM ${join.name} AS ${name('lj')}
                JOIN ${value.name} AS ${name('lv')} ON ${at('lv', value, 'id')} = ${at('lj', join, join.member)}
                JOIN ${facet.name} AS ${name('lf')} ON ${at('lf', facet, 'id')} = ${at('lv', value, 'facet')}
                WHERE ${at('lj', join, join.owner)} = ${idOf(alias)}${fitting(named, fits)})`,
        };
    }

    /** The SKUs of a product's variants. */
    skus(): LinkedField {
        const variant = this.table(ProductVariant);
        return {
            kind: 'text',
            any: (alias, fits) => sql`EXISTS (SELECT 1 FROM ${variant.name} AS ${name('lp')}
                WHERE ${at('lp', variant, 'productId')} = ${this.id(Product, alias)}${ofLiving(variant, 'lp')}${fitting(at('lp', variant, 'sku'), fits)})`,
        };
    }

    /** The slugs, in any language, of what a column refers to. */
    slugs(
        texts: EntityTarget<ObjectLiteral>,
        from: { readonly of: EntityTarget<ObjectLiteral>; readonly by: string },
    ): LinkedField {
        const [slugs, owner] = [this.table(texts), this.table(from.of)];
        return {
            kind: 'text',
            any: (alias, fits) => sql`EXISTS (SELECT 1 FROM ${slugs.name} AS ${name('ls')}
                WHERE ${at('ls', slugs, 'base')} = ${at(alias, owner, from.by)}${fitting(at('ls', slugs, 'slug'), fits)})`,
        };
    }

    /** The names of a customer's groups. */
    groups(): LinkedField {
        const join = joinTableOf(this.platform.dataSource, Customer, 'groups');
        const group = this.table(CustomerGroup);
        return {
            kind: 'text',
            any: (alias, fits) => sql`EXISTS (SELECT 1 FROM ${join.name} AS ${name('lj')}
                JOIN ${group.name} AS ${name('lg')} ON ${at('lg', group, 'id')} = ${at('lj', join, join.member)}
                WHERE ${at('lj', join, join.owner)} = ${this.id(Customer, alias)}${fitting(at('lg', group, 'name'), fits)})`,
        };
    }

    /** The e-mail address of an order's customer. */
    mails(): LinkedField {
        const [customer, order] = [this.table(Customer), this.table(Order)];
        return {
            kind: 'text',
            any: (alias, fits) => sql`EXISTS (SELECT 1 FROM ${customer.name} AS ${name('lu')}
                WHERE ${at('lu', customer, 'id')} = ${at(alias, order, 'customerId')}${fitting(at('lu', customer, 'emailAddress'), fits)})`,
        };
    }

    /** The prices of an order's lines. */
    linePrices(): Readonly<Record<string, LinkedField>> {
        const { dialect } = this.platform.database;
        const line = this.table(OrderLine);
        const fields = [...LINE_PRICES].map(([price, desired]): [string, LinkedField] => {
            const of = (): Sql => linePriceSql('ll', line, { ...desired, dialect });
            const any: LinkedField['any'] = (alias, fits) => {
                const fit = fits ? sql` AND ${fits({ kind: 'number', of, toColumn: value => value })}` : EMPTY;
                return sql`EXISTS (SELECT 1 FROM ${line.name} AS ${name('ll')}
                    WHERE ${at('ll', line, 'order')} = ${this.id(Order, alias)}${fit})`;
            };
            return [`lines.${price}`, { kind: 'number', any }];
        });
        return Object.fromEntries(fields);
    }

    /** What is in stock of variants, at all locations of the run's channel. */
    stock(of: EntityTarget<ObjectLiteral>, variants: (id: Sql) => Sql): ComparedField {
        const { dataSource, ctx } = this.platform;
        const level = this.table(StockLevel);
        const channels = joinTableOf(dataSource, StockLocation, 'channels');
        return {
            kind: 'number',
            toColumn: value => value,
            of: alias => sql`(SELECT COALESCE(SUM(${at('ll', level, 'stockOnHand')}), 0) FROM ${level.name} AS ${name('ll')}
                JOIN ${channels.name} AS ${name('lc')} ON ${at('lc', channels, channels.owner)} = ${at('ll', level, 'stockLocationId')}
                    AND ${at('lc', channels, channels.member)} = ${ctx.channelId}
                WHERE ${at('ll', level, 'productVariantId')} IN (${variants(this.id(of, alias))}))`,
        };
    }

    /** The ids of a product's variants. */
    variantsOf(id: Sql): Sql {
        const variant = this.table(ProductVariant);
        return sql`SELECT ${at('lp', variant, 'id')} FROM ${variant.name} AS ${name('lp')}
            WHERE ${at('lp', variant, 'productId')} = ${id}${ofLiving(variant, 'lp')}`;
    }

    private id(of: EntityTarget<ObjectLiteral>, alias: string): Sql {
        return at(alias, this.table(of), 'id');
    }

    private table(of: EntityTarget<ObjectLiteral>): Table {
        return tableOf(this.platform.dataSource, of);
    }
}

function at(alias: string, table: Table, property: string): Sql {
    return column(alias, table.column(property).name);
}
