import { Product, ProductTranslation, ProductVariant } from '@vendure/core';
import type { AdapterContext } from '../../core/adapter/context';
import type { StatementProgram } from '../../core/adapter/loader';
import { type ListPage, type MissingAction, type MissingRule, textKey } from '../../core/adapter/missing';
import type { JsonObject } from '../../core/value/json';
import { select, type Sql, sql } from '../../database/statement';
import { joinTableOf, ofLiving, tableOf } from '../../database/table';
import type { VendurePlatform } from '../context';
import { product } from '../entity-descriptions/product';
import { variant } from '../entity-descriptions/variant';
import {
    byKey,
    keyOfRecord,
    keysInShop,
    languageOf,
    listEntities,
    type ListedEntity,
    missingRecord,
    missingRecordOf,
    storedKeys,
    missingKeyOf,
} from '../entities/missing';
import { readReference } from '../lookup/reference';
import { vendureOf } from '../lookup/vendure';
import { fieldNames } from './load-config';
import { as, sqlNameOf, at } from './tables';

type Config = Readonly<Record<string, unknown>>;

const told = { DISABLE: { enabled: false } };
const open = {
    DISABLE: { field: 'enabled', operator: 'eq', value: true },
    ZERO_STOCK: { field: 'stock', operator: 'ne', value: 0 },
} as const satisfies ListedEntity['open'];

/** Nothing at any location of the run's channel. */
async function zeroStock(cx: AdapterContext): Promise<JsonObject> {
    const { channel } = await readReference(cx);
    return Object.fromEntries(channel.locations.map(({ name }) => [name, 0]));
}

/** What becomes of variants that are missing. */
export const missingVariants: MissingRule<Config> = {
    keyOf: (config, data) => keyOfRecord(variant, config, { data }),
    async records(config, action, cx) {
        const record = action === 'ZERO_STOCK' ? { stock: await zeroStock(cx) } : missingKeyOf(told, action);
        return keys => keys.map(key => missingRecord(config, record, { field: 'sku', key }));
    },
    listed: (config, action, cx) =>
        listEntities({ config, action, listed: { entity: 'PRODUCT_VARIANT', open } }, byKey(variant), cx),
};

/** What becomes of products that are missing; of their stock, that of all their variants. */
export const missingProducts: MissingRule<Config> = {
    keyOf: (config, data, cx) =>
        isBySku(config) ? firstSku(config, data) : keyOfRecord(product, config, { data, language: languageOf(cx) }),
    async records(config, action, cx) {
        const field = isBySku(config) ? 'sku' : 'slug';
        if (action !== 'ZERO_STOCK') {
            const record = missingKeyOf(told, action);
            return async keys => {
                if (isBySku(config)) return keys.map(key => missingRecord(config, record, { field, key }));
                const keyOf = await storedKeys(product, cx, keys);
                return keys.map(key => missingRecordOf(product, config, { told: record, text: keyOf(key) }));
            };
        }
        const stock = await zeroStock(cx);
        const platform = vendureOf(cx);
        return async keys => {
            // Products that are known by name are found by their slug.
            const slugOf = field === 'slug' ? await storedKeys(product, cx, keys) : (key: string): string => key;
            const skus = await platform.database.run(() => skusOf(keys.map(slugOf), field, platform));
            return keys.map(key => {
                const variants = (skus.get(slugOf(key)) ?? []).map(sku =>
                    missingRecord(config, { stock }, { field: 'sku', key: sku }),
                );
                return isBySku(config)
                    ? { [fieldNames(config).variants]: variants }
                    : missingRecordOf(product, config, {
                          told: variants.length > 0 ? { variants } : {},
                          text: slugOf(key),
                      });
            });
        };
    },
    /** The record of a product may name another one of its variants first the next time. */
    found: (config, cx) => async keys => {
        if (!isBySku(config)) return keysInShop(product, cx)(keys);
        const platform = vendureOf(cx);
        return platform.database.run(() => skusOf(keys, 'sku', platform));
    },
    listed: listProducts,
};

function listProducts(config: Config, action: MissingAction, cx: AdapterContext): ListPage {
    const bySku = {
        fields: [],
        relations: ['variants'],
        keysOf: ({ variants }: JsonObject) =>
            (variants as readonly JsonObject[]).flatMap(({ sku }) => textKey(sku) ?? []),
    };
    const listed = { entity: 'PRODUCT', open } as const;
    return listEntities({ config, action, listed }, isBySku(config) ? bySku : byKey(product), cx);
}

const isBySku = (config: Config): boolean => config['matchBy'] === 'sku';

/** The SKU that a product is matched by. */
function firstSku(config: Config, data: JsonObject): string | undefined {
    const names = fieldNames(config);
    const { [names.variants]: variants } = data;
    const [first] = Array.isArray(variants) ? (variants as readonly JsonObject[]) : [data];
    return textKey(first?.[names.sku]);
}

/** The SKUs of all variants of products, by the products' keys: that which is the key first. */
function* skusOf(
    keys: readonly string[],
    field: 'sku' | 'slug',
    { dataSource, database, ctx }: VendurePlatform,
): StatementProgram<ReadonlyMap<string, readonly string[]>> {
    const [texts, variants] = [tableOf(dataSource, ProductTranslation), tableOf(dataSource, ProductVariant)];
    const products = tableOf(dataSource, Product);
    const channels = joinTableOf(dataSource, ProductVariant, 'channels');
    const { languageCode, channelId } = ctx;
    const found: Sql =
        field === 'sku'
            ? sql`${as(variants, 'k')} JOIN ${as(variants, 'v')} ON ${at('v', variants, 'productId')} = ${at('k', variants, 'productId')}`
            : sql`${as(texts, 'k')} JOIN ${as(products, 'p')} ON ${at('p', products, 'id')} = ${at('k', texts, 'base')}
                JOIN ${as(variants, 'v')} ON ${at('v', variants, 'productId')} = ${at('p', products, 'id')}`;
    const table = field === 'sku' ? variants : texts;
    const living =
        field === 'sku'
            ? ofLiving(variants, 'k')
            : sql`${ofLiving(products, 'p')} AND ${at('k', texts, 'languageCode')} = ${languageCode}`;
    const rows = yield* select<{ key: string; sku: string }>(
        sql`SELECT ${sqlNameOf(at('k', table, field), 'key')}, ${sqlNameOf(at('v', variants, 'sku'), 'sku')} FROM ${found}
            JOIN ${as(channels, 'c')} ON ${at('c', channels, channels.owner)} = ${at('v', variants, 'id')}
                AND ${at('c', channels, channels.member)} = ${channelId}
            WHERE ${database.dialect.oneOf(at('k', table, field), keys)}${living}${ofLiving(variants, 'v')}
            ORDER BY ${at('v', variants, 'id')}`,
    );
    const skus = new Map<string, string[]>();
    for (const { key, sku } of rows) {
        const of = skus.get(key) ?? [];
        if (sku === key) of.unshift(sku);
        else of.push(sku);
        skus.set(key, of);
    }
    return skus;
}
