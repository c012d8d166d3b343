import type { AdapterContext } from '../../core/adapter/context';
import type { StatementProgram } from '../../core/adapter/loader';
import type { Table } from '../../database/table';
import { product } from '../entity-descriptions/product';
import { variant } from '../entity-descriptions/variant';
import { EntityStore } from '../entities/entity-store';
import type { Strategy } from '../entities/load-arguments';
import type { EffectPublishers } from '../effects/effect';
import { overflowOf } from '../entities/overflow';
import { type UnitOfWork, unitOfWork } from '../entities/unit-of-work';
import { EntityAssetSets } from '../entity-assets/entity-asset-sets';
import type { EntityAssetOptions } from '../entity-assets/read-assets';
import { readReference } from '../lookup/reference';
import { vendureOf } from '../lookup/vendure';
import { type StrategyPrices, priceSyncOf } from './price-sync';
import type { MissingPrice } from './load-config';
import type { CatalogueContext } from './catalogue';
import type { RecordRules } from './read-variant';
import { catalogueTables } from './tables';

/** What a catalogue load of one run and step uses. */
export interface OpenCatalogue {
    readonly catalogue: CatalogueContext;
    readonly rules: RecordRules;
    readonly isDryRun: boolean;
    /**
     * What has to be awaited before a transaction: the promises of a price strategy, which a rehearsal of the plan
     * collects.
     */
    prepare(rehearse: (work: UnitOfWork, prices: StrategyPrices) => StatementProgram<unknown>): Promise<StrategyPrices>;
    /** What the next batch is planned in. */
    work(): UnitOfWork;
    /** Ends a batch of a dry run. */
    settle(work: UnitOfWork): void;
}

interface Opening {
    readonly allowNegativePrices?: boolean;
    /** For loads that create variants. */
    readonly missingPrice?: MissingPrice;
    /** False: records with the operation DELETE are rejected. */
    readonly allowDeletes?: boolean;
    /** Texts and custom fields of variants are of no interest. In a dry run other steps may find the same variants, and need them. */
    readonly isBare?: boolean;
    /** For loads that give assets to products and variants. */
    readonly gallery?: EntityAssetOptions & { readonly strategy: Strategy; readonly sideEffects: EffectPublishers };
}

/** Reads data that hardly changes, and assembles what a catalogue load of one run and step uses. */
export async function openCatalogue(
    cx: AdapterContext,
    { allowNegativePrices = false, allowDeletes = true, missingPrice = 'REJECT', isBare = false, gallery }: Opening,
): Promise<OpenCatalogue> {
    const platform = vendureOf(cx);
    const { dataSource, database } = platform;
    const isDryRun = cx.mode !== 'live';
    const shop = await readReference(cx);
    const reference = { ...shop, deleting: { ...shop.deleting, allowDeletes } };
    const tables = catalogueTables(dataSource);
    const products = new EntityStore(product, platform);
    const variants = new EntityStore(variant, platform, { isBare: isBare && !isDryRun });
    const priceSync = priceSyncOf(platform);
    const overflow = overflowOf(cx, product.called[1], product.mostPlanned);
    return {
        isDryRun,
        catalogue: {
            ...{ tables, dialect: database.dialect, reference, products, variants, priceSync },
            galleries:
                gallery &&
                new EntityAssetSets(cx, gallery, {
                    ...gallery,
                    channel: {
                        ...reference.channel,
                        defaultId: reference.defaultChannel.id,
                        language: reference.language,
                    },
                }),
        },
        work: () => unitOfWork(platform, cx.mode),
        settle(work) {
            if (isDryRun) overflow(work.settle());
        },
        async prepare(rehearse) {
            const prices: StrategyPrices = new Map();
            // A dry run waits where it plans.
            if (priceSync.waits && !isDryRun) await database.run(() => rehearse(unitOfWork(platform, 'live'), prices));
            return prices;
        },
        rules: {
            reference,
            pictures: gallery,
            product: products.textFields,
            variant: variants.textFields,
            skuLimit: variants.table.limitOf('sku'),
            prices: {
                max: largest(tables.price, 'price'),
                allowsNegative: allowNegativePrices,
                mayBeEmpty: missingPrice !== 'REJECT',
            },
            maxStock: largest(tables.stockLevel, 'stockOnHand'),
        },
    };
}

/**
 * The largest number that fits into a column; SQLite accepts any, but a catalogue should fit the other databases too.
 */
function largest(table: Table, property: string): number {
    return /^(int|integer)$/.test(table.typeOf(property)) ? 2_147_483_647 : Number.MAX_SAFE_INTEGER;
}
