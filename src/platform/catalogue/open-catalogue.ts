import { ConfigService } from '@vendure/core';
import type { AdapterContext } from '../../core/adapter/context';
import { readReference } from '../lookup/reference';
import { catalogueTables } from './tables';
import { vendureOf } from '../lookup/vendure';
import type { Table } from '../../database/table';
import { type PriceAnswers, priceSyncOf } from '../pricing/price-sync';
import { CustomFields } from '../entities/custom-fields';
import { type DryRun, dryRunOf } from './dry-run';
import { settleFaults } from '../entities/faults';
import { facetValue } from '../described/facet-value';
import { EntityStore } from '../entities/entity-store';
import type { CatalogueContext } from './read-entities';
import type { RecordRules } from './read-variant';

/** What a catalogue load of one run and step goes by. */
export interface OpenCatalogue {
    readonly catalogue: CatalogueContext;
    readonly rules: RecordRules;
    /** Undefined in a run that writes. */
    readonly dryRun: DryRun | undefined;
}

/** Reads what hardly changes and puts together what a catalogue load of one run and step goes by. */
export async function openCatalogue(
    cx: AdapterContext,
    { allowNegativePrices }: { readonly allowNegativePrices: boolean },
): Promise<OpenCatalogue> {
    const platform = vendureOf(cx);
    const { ctx, injector, dataSource, database } = platform;
    const reference = await readReference(cx);
    const tables = catalogueTables(dataSource);
    const { customFields } = injector.get(ConfigService);
    const place = { ctx, injector, isMySql: dataSource.options.type === 'mysql' };
    const productFields = new CustomFields(customFields.Product ?? [], {
        ...place,
        base: tables.product,
        translation: tables.productText,
    });
    const variantFields = new CustomFields(customFields.ProductVariant ?? [], {
        ...place,
        base: tables.variant,
        translation: tables.variantText,
    });
    const facetValues = new EntityStore(facetValue, platform);
    const priceSync = priceSyncOf(platform);
    return {
        catalogue: {
            async prepare(records, rehearse) {
                const answers: PriceAnswers = new Map();
                await settleFaults(records);
                // A dry run waits where it plans.
                if (priceSync.waits && cx.mode === 'live') await database.run(() => rehearse(answers));
                return answers;
            },
            tables,
            dialect: database.dialect,
            reference,
            facets: facetValues.refs.get('facet')!,
            facetValues,
            productFields,
            variantFields,
            priceSync,
        },
        dryRun: cx.mode === 'live' ? undefined : dryRunOf(platform),
        rules: {
            reference,
            productFields,
            variantFields,
            limits: {
                sku: tables.variant.limitOf('sku'),
                variantName: tables.variantText.limitOf('name'),
                name: tables.productText.limitOf('name'),
                slug: tables.productText.limitOf('slug'),
                description: tables.productText.limitOf('description'),
            },
            prices: { max: largest(tables.price, 'price'), allowsNegative: allowNegativePrices },
            maxStock: largest(tables.stockLevel, 'stockOnHand'),
        },
    };
}

/** The largest number that a column takes; SQLite takes any, but a catalogue should fit the other databases too. */
function largest(table: Table, property: string): number {
    return /^(int|integer)$/.test(table.typeOf(property)) ? 2_147_483_647 : Number.MAX_SAFE_INTEGER;
}
