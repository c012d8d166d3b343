import { Inject, Injectable } from '@nestjs/common';
import {
    Asset,
    Collection,
    CollectionTranslation,
    ConfigService,
    Customer,
    Facet,
    FacetValue,
    type LocaleString,
    Order,
    Permission,
    Product,
    ProductTranslation,
    ProductVariant,
    type RequestContext,
    TaxCategory,
    TaxRateService,
    TransactionalConnection,
    ZoneService,
} from '@vendure/core';
import { In, IsNull, type ObjectLiteral, type SelectQueryBuilder } from 'typeorm';
import type { ImportContext } from '../../core/import/import-context';
import type { ImportTarget } from '../../core/import/import-plan';
import type { ImportColumn } from '../../core/import/import-profile';
import type { ImportShop } from '../../core/import/import-suggestion';
import { readRunChannel } from '../../platform/lookup/run-channel';
import { FlowConnection } from '../entities/connection';
import { FlowImportMapping } from '../entities/import-mapping';
import { RunPlatform } from '../run-platform';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import type { FileProfile } from './import-profiles';

/** A field by which entities of the shop are found. */
const MAX_FACETS = 500;
const MAX_FACET_VALUES = 5_000;
const MAX_COLLECTIONS = 2_000;
const MAX_MAPPINGS = 2_000;
/** Columns whose values are searched in the shop; the first ones of a file, since keys are rarely at its end. */
const MAX_KEY_COLUMNS = 12;
/** Values of one statement. */
const CHUNK = 500;
/** With fewer entities, unknown values say nothing. */
const MIN_ENTITIES = 20;
const TEXT_LENGTH = 255;

const SCALARS: ReadonlySet<string> = new Set([
    'string',
    'localeString',
    'text',
    'localeText',
    'int',
    'float',
    'boolean',
    'datetime',
]);
const CUSTOMISED = ['Product', 'ProductVariant', 'Customer', 'Collection'] as const;

const CATALOGUE = [Permission.ReadCatalog, Permission.ReadProduct] as const;
/** Permissions to read the entities of a target, any one of which is enough: those of Vendure's own lists. */
export const READING: Readonly<Record<ImportTarget, readonly Permission[]>> = {
    PRODUCTS: CATALOGUE,
    PRICES: CATALOGUE,
    STOCK: CATALOGUE,
    CUSTOMERS: [Permission.ReadCustomer],
    COLLECTIONS: [Permission.ReadCatalog, Permission.ReadCollection],
    FACETS: [Permission.ReadCatalog, Permission.ReadFacet],
    ASSETS: [Permission.ReadCatalog, Permission.ReadAsset],
    ORDERS: [Permission.ReadOrder],
};

/** Reads what an import needs to know about the shop. */
@Injectable()
export class ImportShops {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly config: ConfigService,
        private readonly taxRates: TaxRateService,
        private readonly zones: ZoneService,
        private readonly platform: RunPlatform,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** For a file: which shares of its values exist in the shop are part of it. */
    async of(ctx: RequestContext, { profile, values }: FileProfile): Promise<ImportShop> {
        const counts = await this.counts(ctx);
        const [shop, known, learned] = await Promise.all([
            this.facts(ctx),
            this.known(ctx, { columns: profile.columns, values, counts }),
            this.learned(ctx),
        ]);
        const synonyms = this.setup.options.importSynonyms;
        return { ...shop, known, counts, learned, ...(Object.keys(synonyms).length > 0 && { synonyms }) };
    }

    /** What does not depend on a file. */
    async facts(ctx: RequestContext): Promise<Omit<ImportShop, 'known' | 'counts' | 'learned' | 'synonyms'>> {
        const { channel } = ctx;
        const [{ languages }, taxCategories, facets, collections] = await Promise.all([
            readRunChannel(this.platform.of(ctx)),
            this.taxCategories(ctx),
            this.facets(ctx),
            this.collections(ctx),
        ]);
        return {
            languages: [...new Set([channel.defaultLanguageCode as string, ...languages])],
            defaultLanguage: channel.defaultLanguageCode,
            currencies: [...new Set<string>([channel.defaultCurrencyCode, ...channel.availableCurrencyCodes])],
            defaultCurrency: channel.defaultCurrencyCode,
            pricesIncludeTax: channel.pricesIncludeTax,
            taxCategories,
            facets,
            collections,
            customFields: this.customFields(ctx),
        };
    }

    /** What compiling a plan needs. */
    async context(ctx: RequestContext): Promise<ImportContext> {
        const { channel } = ctx;
        const rows = await this.connection
            .getRepository(ctx, FlowConnection)
            .find({ where: { channelId: ctx.channelId }, select: { id: true, code: true, type: true } });
        const { moneyStrategy } = this.config.entityOptions;
        return {
            defaultLanguage: channel.defaultLanguageCode,
            defaultCurrency: channel.defaultCurrencyCode,
            moneyDecimals: moneyStrategy?.precision ?? 2,
            connections: Object.fromEntries(rows.map(({ code, type }) => [code, type])),
        };
    }

    /** Whether the caller may know which entities of a target the shop has. */
    mayRead(ctx: RequestContext, target: ImportTarget): boolean {
        return ctx.userHasPermissions([...READING[target]]);
    }

    /** Those of the keys that exist in the channel. */
    async existing(
        ctx: RequestContext,
        {
            target,
            field,
            keys,
        }: { readonly target: ImportTarget; readonly field: string; readonly keys: readonly string[] },
    ): Promise<ReadonlySet<string>> {
        const found = new Set<string>();
        for (let at = 0; at < keys.length; at += CHUNK) {
            // PostgreSQL rejects a text with a zero byte.
            const chunk = keys.slice(at, at + CHUNK).filter(key => key.length <= TEXT_LENGTH && !key.includes('\0'));
            for (const key of await this.keysOf(ctx, { target, field, keys: chunk })) found.add(key);
        }
        return found;
    }

    /** How many entities of each target the channel has, of those that the caller may read. */
    async counts(ctx: RequestContext): Promise<ImportShop['counts']> {
        const [variants, customers, collections, facets, assets, orders] = await Promise.all([
            this.inChannel(ctx, ProductVariant).andWhere({ deletedAt: IsNull() }).getCount(),
            this.inChannel(ctx, Customer).andWhere({ deletedAt: IsNull() }).getCount(),
            this.inChannel(ctx, Collection).andWhere({ isRoot: false }).getCount(),
            this.inChannel(ctx, Facet).getCount(),
            this.inChannel(ctx, Asset).getCount(),
            this.inChannel(ctx, Order).getCount(),
        ]);
        const counts: Readonly<Record<ImportTarget, number>> = {
            PRODUCTS: variants,
            PRICES: variants,
            STOCK: variants,
            CUSTOMERS: customers,
            COLLECTIONS: collections,
            FACETS: facets,
            ASSETS: assets,
            ORDERS: orders,
        };
        return Object.fromEntries(
            Object.entries(counts).filter(([target]) => this.mayRead(ctx, target as ImportTarget)),
        );
    }

    private inChannel<E extends ObjectLiteral>(ctx: RequestContext, entity: new () => E): SelectQueryBuilder<E> {
        return this.connection
            .getRepository(ctx, entity as never)
            .createQueryBuilder('one')
            .innerJoin('one.channels', 'channel', 'channel.id = :channelId', { channelId: ctx.channelId })
            .where('1 = 1') as never;
    }

    private async taxCategories(ctx: RequestContext): Promise<ImportShop['taxCategories']> {
        const categories = await this.connection.getRepository(ctx, TaxCategory).find({ order: { id: 'ASC' } });
        const zoneId = ctx.channel.defaultTaxZone?.id;
        const zone = zoneId === undefined ? undefined : await this.zones.findOne(ctx, zoneId);
        const all: Array<ImportShop['taxCategories'][number]> = [];
        for (const category of categories) {
            const rate = zone && (await this.taxRates.getApplicableTaxRate(ctx, zone, category));
            // The rate that Vendure uses for categories without one has no zone.
            const percent = rate?.zone === undefined ? null : rate.value;
            all.push({ name: category.name, percent, isDefault: category.isDefault });
        }
        return all;
    }

    private async facets(ctx: RequestContext): Promise<ImportShop['facets']> {
        const facets = await this.inChannel(ctx, Facet)
            .leftJoinAndSelect('one.translations', 'name')
            .orderBy('one.id', 'ASC')
            .take(MAX_FACETS)
            .getMany();
        if (facets.length === 0) return [];
        const values = await this.connection
            .getRepository(ctx, FacetValue)
            .createQueryBuilder('value')
            .leftJoinAndSelect('value.translations', 'name')
            .innerJoin('value.channels', 'channel', 'channel.id = :channelId', { channelId: ctx.channelId })
            .leftJoinAndSelect('value.facet', 'facet')
            .where({ facet: { id: In(facets.map(({ id }) => id)) } })
            .orderBy('value.id', 'ASC')
            .take(MAX_FACET_VALUES)
            .getMany();
        return facets.map(facet => ({
            name: nameIn(ctx, facet.translations),
            values: values.filter(value => value.facet.id === facet.id).map(value => nameIn(ctx, value.translations)),
        }));
    }

    private async collections(ctx: RequestContext): Promise<readonly string[]> {
        const rows = await this.inChannel(ctx, Collection)
            .leftJoinAndSelect('one.translations', 'name')
            .andWhere({ isRoot: false })
            .orderBy('one.id', 'ASC')
            .take(MAX_COLLECTIONS)
            .getMany();
        return rows.map(({ translations }) => nameIn(ctx, translations));
    }

    private customFields(ctx: RequestContext): ImportShop['customFields'] {
        return CUSTOMISED.flatMap(entity =>
            (this.config.customFields[entity] ?? []).flatMap(field => {
                if (
                    !SCALARS.has(field.type) ||
                    field.list === true ||
                    field.readonly === true ||
                    field.internal === true
                )
                    return [];
                const own = field.label?.find(({ languageCode }) => languageCode === ctx.languageCode);
                return [
                    {
                        entity,
                        name: field.name,
                        label: (own ?? field.label?.[0])?.value ?? field.name,
                        type: field.type,
                    },
                ];
            }),
        );
    }

    private async known(
        ctx: RequestContext,
        {
            columns,
            values,
            counts,
        }: Pick<FileProfile, 'values'> & {
            readonly columns: readonly ImportColumn[];
            readonly counts: ImportShop['counts'];
        },
    ): Promise<ImportShop['known']> {
        const searched = columns.flatMap(({ name, type, uniqueness }, index) => {
            const all = values[index] ?? [];
            const fields =
                type === 'EMAIL'
                    ? (['emailAddress'] as const)
                    : keyTypes.has(type) || (type === 'TEXT' && uniqueness > 0.5)
                      ? (['sku', 'slug'] as const)
                      : [];
            return all.length === 0 ? [] : fields.map(field => ({ column: name, field, values: all }));
        });
        const target = { sku: 'PRODUCTS', slug: 'PRODUCTS', emailAddress: 'CUSTOMERS' } as const;
        const shares: Array<ImportShop['known'][number]> = [];
        for (const { column, field, values: all } of searched.slice(0, 2 * MAX_KEY_COLUMNS)) {
            if ((counts[target[field]] ?? 0) < MIN_ENTITIES) continue;
            const found = await this.existing(ctx, { target: target[field], field, keys: all });
            shares.push({ column, field, share: all.filter(value => found.has(value)).length / all.length });
        }
        return shares;
    }

    private async learned(ctx: RequestContext): Promise<ImportShop['learned']> {
        const rows = await this.connection
            .getRepository(ctx, FlowImportMapping)
            .find({ where: { channelId: ctx.channelId }, order: { updatedAt: 'DESC' }, take: MAX_MAPPINGS });
        return Object.fromEntries(rows.map(({ header, field }) => [header, field]));
    }

    private async keysOf(
        ctx: RequestContext,
        {
            target,
            field,
            keys,
        }: { readonly target: ImportTarget; readonly field: string; readonly keys: readonly string[] },
    ): Promise<readonly string[]> {
        if (keys.length === 0) return [];
        const base = field.split('.')[0];
        if (target === 'CUSTOMERS')
            return base === 'emailAddress'
                ? this.columnOf(ctx, { entity: Customer, property: 'emailAddress', keys })
                : [];
        if (target === 'ORDERS')
            return base === 'code' ? this.columnOf(ctx, { entity: Order, property: 'code', keys }) : [];
        if (base === 'sku') return this.columnOf(ctx, { entity: ProductVariant, property: 'sku', keys });
        if (target === 'COLLECTIONS')
            return this.textOf(ctx, {
                entity: Collection,
                texts: CollectionTranslation,
                property: base === 'slug' ? 'slug' : 'name',
                keys,
            });
        if (target === 'PRODUCTS' || target === 'ASSETS')
            return this.textOf(ctx, {
                entity: Product,
                texts: ProductTranslation,
                property: base === 'name' ? 'name' : 'slug',
                keys,
            });
        if (target === 'FACETS') {
            const names = new Set((await this.facets(ctx)).flatMap(({ name, values }) => [name, ...values]));
            return keys.filter(key => names.has(key));
        }
        return [];
    }

    private async columnOf<E extends ObjectLiteral>(
        ctx: RequestContext,
        {
            entity,
            property,
            keys,
        }: { readonly entity: new () => E; readonly property: string; readonly keys: readonly string[] },
    ): Promise<readonly string[]> {
        const rows = await this.inChannel(ctx, entity)
            .select(`one.${property}`, 'value')
            .andWhere(`one.${property} IN (:...keys)`, { keys })
            .andWhere(entity === (Order as never) ? '1 = 1' : 'one.deletedAt IS NULL')
            .getRawMany<{ value: string }>();
        return rows.map(({ value }) => value);
    }

    private async textOf(
        ctx: RequestContext,
        {
            entity,
            texts,
            property,
            keys,
        }: {
            readonly entity: typeof Collection | typeof Product;
            readonly texts: typeof CollectionTranslation | typeof ProductTranslation;
            readonly property: 'name' | 'slug';
            readonly keys: readonly string[];
        },
    ): Promise<readonly string[]> {
        const query = this.inChannel<ObjectLiteral>(ctx, entity as never)
            .innerJoin(texts, 'text', 'text.base = one.id')
            .select(`text.${property}`, 'value')
            .andWhere(`text.${property} IN (:...keys)`, { keys });
        if (entity === Product) query.andWhere('one.deletedAt IS NULL');
        return (await query.getRawMany<{ value: string }>()).map(({ value }) => value);
    }
}

const keyTypes: ReadonlySet<string> = new Set(['CODE', 'BARCODE', 'INTEGER']);

function nameIn(
    ctx: RequestContext,
    translations: ReadonlyArray<{ readonly languageCode: string; readonly name: LocaleString | string }>,
): string {
    const own = translations.find(({ languageCode }) => languageCode === ctx.languageCode);
    return (own ?? translations[0])?.name ?? '';
}
