import {
    Country,
    Customer,
    Product,
    ProductVariant,
    Promotion,
    ShippingMethod,
    type VendureEntity,
} from '@vendure/core';
import type { EntityTarget } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import { column, EMPTY, join, name, select, type Sql, sql } from '../../database/statement';
import { joinTableOf, ofLiving, type Table, tableOf } from '../../database/table';
import type { Id } from '../../database/write';
import type { VendurePlatform } from '../context';
import { customer } from '../entity-descriptions/customer';
import { variant } from '../entity-descriptions/variant';
import { inChunks } from '../effects/changed-variants';
import type { EntityDescription } from '../entities/description';
import type { UnitOfWork } from '../entities/unit-of-work';
import type { RequestedOrder } from './order-record';

/** The number of keys in one statement. */
const AT_ONCE = 20_000;

export interface VariantFact {
    readonly id: Id;
    readonly isDeleted: boolean;
    readonly taxCategoryId: Id | null;
    readonly assetId: Id | null;
}

interface Named {
    readonly id: Id;
    readonly isDeleted: boolean;
}

/**
 * The entities to which orders refer, by their keys: only those of the run's channel, existing ones before deleted
 * ones.
 */
export interface OrderFacts {
    readonly variants: ReadonlyMap<string, readonly VariantFact[]>;
    readonly customers: ReadonlyMap<string, readonly Named[]>;
    readonly methods: ReadonlyMap<string, readonly Named[]>;
    /** By coupon codes in small letters. */
    readonly promotions: ReadonlyMap<string, Id>;
    /** Names of countries by their codes. */
    readonly countries: ReadonlyMap<string, string>;
}

/** Reads what records of a batch speak of: a statement for each kind. */
export function* readOrderFacts(
    platform: VendurePlatform,
    orders: readonly RequestedOrder[],
): StatementProgram<OrderFacts> {
    const lines = orders.flatMap(order => order.lines ?? []);
    const discounts = orders.flatMap(order => [
        ...(order.discounts ?? []),
        ...[...(order.lines ?? []), ...(order.shippingLines ?? [])].flatMap(line => line.discounts),
    ]);
    const coupons = [...orders.flatMap(order => order.couponCodes ?? []), ...said(discounts, 'couponCode')];
    const addresses = orders.flatMap(({ shippingAddress, billingAddress }) => [
        ...(shippingAddress ? [shippingAddress] : []),
        ...(billingAddress ? [billingAddress] : []),
    ]);
    const reading = new Reading(platform);
    return {
        variants: yield* reading.variants(said(lines, 'sku')),
        customers: yield* reading.named(Customer, 'emailAddress', said(orders, 'customer')),
        methods: yield* reading.named(
            ShippingMethod,
            'code',
            said(
                orders.flatMap(order => order.shippingLines ?? []),
                'method',
            ),
        ),
        promotions: yield* reading.promotions(coupons.map(code => code.toLowerCase())),
        countries: yield* reading.countries(said(addresses, 'countryCode')),
    };
}

/**
 * Adds the variants and customers that earlier steps of a dry run have planned; orders that refer to them are not
 * written.
 */
export function withPlanned(facts: OrderFacts, orders: readonly RequestedOrder[], work: UnitOfWork): OrderFacts {
    const [variants, customers] = [new Map(facts.variants), new Map(facts.customers)];
    const planned = (of: EntityDescription, key: string): Id | undefined =>
        work
            .of(of)
            .seen(key)
            .some(({ id }) => id === undefined)
            ? `planned ${key}`
            : undefined;
    for (const { customer: mail, lines = [] } of orders) {
        const id = typeof mail === 'string' && !customers.has(mail) && planned(customer, mail);
        if (id) customers.set(mail, [{ id, isDeleted: false }]);
        for (const { sku } of lines) {
            const variantId = sku !== undefined && !variants.has(sku) && planned(variant, sku);
            if (variantId) variants.set(sku, [{ id: variantId, isDeleted: false, taxCategoryId: null, assetId: null }]);
        }
    }
    return { ...facts, variants, customers };
}

/** The texts that some things have in a field, each once. */
function said<F extends string>(
    things: ReadonlyArray<{ readonly [K in F]?: string | null | undefined }>,
    field: F,
): readonly string[] {
    return [...new Set(things.flatMap(thing => thing[field] ?? []))];
}

class Reading {
    constructor(private readonly platform: VendurePlatform) {}

    *variants(skus: readonly string[]): StatementProgram<ReadonlyMap<string, readonly VariantFact[]>> {
        const products = tableOf(this.platform.dataSource, Product);
        const p = (property: string): Sql => column('p', products.column(property).name);
        const found = yield* this.keyed<VariantFact>(ProductVariant, 'sku', {
            keys: skus,
            more: e => sql`, ${e('taxCategory')} AS ${name('taxCategoryId')},
                COALESCE(${e('featuredAsset')}, ${p('featuredAsset')}) AS ${name('assetId')}`,
            joins: e => sql` JOIN ${products.name} AS ${name('p')} ON ${p('id')} = ${e('product')}`,
        });
        return found;
    }

    named(
        entity: EntityTarget<VendureEntity>,
        key: string,
        keys: readonly string[],
    ): StatementProgram<ReadonlyMap<string, readonly Named[]>> {
        return this.keyed<Named>(entity, key, { keys, more: () => EMPTY, joins: () => EMPTY });
    }

    *promotions(coupons: readonly string[]): StatementProgram<ReadonlyMap<string, Id>> {
        const { dataSource, database } = this.platform;
        const found = new Map<string, Id>();
        if (coupons.length === 0) return found;
        const table = tableOf(dataSource, Promotion);
        const e = columnsAs('e', table);
        const rows = yield* select<{ id: Id; code: string }>(
            sql`SELECT ${e('id')} AS ${name('id')}, ${e('couponCode')} AS ${name('code')} FROM ${table.name} AS ${name('e')}
                ${this.inChannel(Promotion, e)}
                WHERE ${database.dialect.oneOf(sql`LOWER(${e('couponCode')})`, [...new Set(coupons)])}${ofLiving(table, 'e')} ORDER BY ${e('id')}`,
        );
        for (const { id, code } of rows) if (!found.has(code.toLowerCase())) found.set(code.toLowerCase(), id);
        return found;
    }

    *countries(codes: readonly string[]): StatementProgram<ReadonlyMap<string, string>> {
        if (codes.length === 0) return new Map();
        const { dataSource, database, ctx } = this.platform;
        const [regions, texts] = [tableOf(dataSource, Country), tableOf(dataSource, 'RegionTranslation')];
        const [e, t] = [columnsAs('e', regions), columnsAs('t', texts)];
        const rows = yield* select<{ code: string; name: string; language: string }>(
            sql`SELECT ${e('code')} AS ${name('code')}, ${t('name')} AS ${name('name')}, ${t('languageCode')} AS ${name('language')}
                FROM ${regions.name} AS ${name('e')} JOIN ${texts.name} AS ${name('t')} ON ${t('base')} = ${e('id')}
                WHERE ${database.dialect.oneOf(e('code'), codes)}${ofLiving(regions, 'e')} ORDER BY ${t('id')}`,
        );
        const names = new Map<string, string>();
        for (const row of rows)
            if (!names.has(row.code) || row.language === ctx.languageCode) names.set(row.code, row.name);
        return names;
    }

    /** Entities of the run's channel by one of their texts; softly deleted ones follow the others. */
    private *keyed<T extends Named>(
        entity: EntityTarget<VendureEntity>,
        key: string,
        { keys, more, joins }: { readonly keys: readonly string[]; more(e: At): Sql; joins(e: At): Sql },
    ): StatementProgram<ReadonlyMap<string, readonly T[]>> {
        const { dataSource, database } = this.platform;
        const table = tableOf(dataSource, entity);
        const e = columnsAs('e', table);
        const found = new Map<string, T[]>();
        for (const part of inChunks(keys, AT_ONCE) as Iterable<readonly string[]>) {
            const rows = yield* select<T & { readonly key: string; readonly deletedAt: unknown }>(
                sql`SELECT ${join([e('id')])} AS ${name('id')}, ${e(key)} AS ${name('key')}, ${e('deletedAt')} AS ${name('deletedAt')}${more(e)}
                    FROM ${table.name} AS ${name('e')} ${this.inChannel(entity, e)}${joins(e)}
                    WHERE ${database.dialect.oneOf(e(key), part)} ORDER BY ${e('id')}`,
            );
            for (const row of rows) {
                const isDeleted = row.deletedAt !== null;
                const others = found.get(row.key) ?? [];
                // Of the deleted the last one is the likeliest.
                found.set(row.key, isDeleted ? [...others, { ...row, isDeleted }] : [{ ...row, isDeleted }, ...others]);
            }
        }
        return found;
    }

    private inChannel(entity: EntityTarget<VendureEntity>, e: At): Sql {
        const channels = joinTableOf(this.platform.dataSource, entity, 'channels');
        const c = columnsAs('c', channels);
        return sql`JOIN ${channels.name} AS ${name('c')} ON ${c(channels.owner)} = ${e('id')} AND ${c(channels.member)} = ${this.platform.ctx.channelId}`;
    }
}

type At = (property: string) => Sql;

/** Columns of a table under an alias. */
export function columnsAs(alias: string, table: Table): At {
    return property => column(alias, table.column(property).name);
}
