import type { AdapterContext } from '../../core/adapter/context';
import type { Change, StatementProgram, TableSession } from '../../core/adapter/loader';
import { recordInvalid } from '../../core/errors/record-invalid';
import { variant as variants } from '../entity-descriptions/variant';
import type { VariantState } from '../entity-descriptions/variant-state';
import { type EffectPublishers, entitiesChanged } from '../effects/effect';
import { type Strategy, strategyProblem } from '../entities/load-arguments';
import type { UnitOfWork } from '../entities/unit-of-work';
import { idsOf } from '../entities/write-entities';
import { openCatalogue } from './open-catalogue';
import { arePricesChanged, priceOf, type PriceRules, putPrice, readPrices, takePrice, writePrices } from './prices';
import { pricesIn } from './read-variant';
import { type CatalogueReady, catalogueSession } from './session';
import { changesOf, validSkus, variantRecords, variantsOf, type VariantRecord } from './variant-record';

/** The options of a price load. */
interface PriceOptions {
    readonly skuField: string;
    readonly priceField: string;
    readonly pricesField: string;
    readonly allowNegativePrices: boolean;
    readonly strategy: Strategy;
    readonly sideEffects: EffectPublishers;
}

/** The values that a record sets: an amount for each currency; null removes the price. */
interface PriceRecord extends VariantRecord {
    readonly prices: ReadonlyMap<string, number | null>;
}

/** Sets prices of existing variants as ProductVariantService.createOrUpdateProductVariantPrice does, a batch at a time. */
export async function openPrices(options: PriceOptions, cx: AdapterContext): Promise<TableSession> {
    const { skuField, priceField, pricesField, strategy, sideEffects } = options;
    const open = await openCatalogue(cx, { allowNegativePrices: options.allowNegativePrices, isBare: true });
    const { catalogue, rules, isDryRun } = open;
    const { channel } = catalogue.reference;
    const records = variantRecords<Pick<PriceRecord, 'prices'>>({
        skuField,
        what: 'a price',
        rest(reader) {
            if (!reader.has(priceField) && !reader.has(pricesField))
                reader.faults.add(priceField, `is missing, and so is "${pricesField}"`);
            return { prices: pricesIn(reader, rules, { price: priceField, prices: pricesField }) };
        },
    });
    return catalogueSession<PriceRecord>(open, { ...records, planned, write });

    function* planned(
        requested: readonly PriceRecord[],
        work: UnitOfWork,
        { answers }: CatalogueReady,
    ): StatementProgram<readonly Change[]> {
        yield* catalogue.variants.readKeys(work, validSkus(requested));
        const readsAll = catalogue.priceSync.readsAllPrices || isDryRun;
        yield* readPrices(catalogue, variantsOf(work, requested), {
            channelId: readsAll ? undefined : channel.id,
            forUpdate: !isDryRun,
        });
        return yield* changesOf(work, requested, {
            skuField,
            change: (record, state) => pricing(record, state, { catalogue, answers }),
        });
    }

    function* pricing(
        { sku, prices }: PriceRecord,
        state: VariantState,
        priceRules: PriceRules,
    ): StatementProgram<Change> {
        const own = (currency: string) => priceOf(state, { channelId: channel.id, currency });
        for (const currency of prices.keys()) {
            const against = strategyProblem(strategy, own(currency) !== undefined);
            if (against === undefined) continue;
            const error = recordInvalid(fieldOf(currency), `the price in ${currency} ${against}`);
            return { action: 'reject', key: sku, error };
        }
        const before: Record<string, number | null> = {};
        const after: Record<string, number | null> = {};
        const moved = (label: string, was: number | undefined, now: number | null): void => {
            if (!(label in before)) before[label] = was ?? null;
            after[label] = now;
        };
        for (const [currency, price] of prices) {
            const taken = price === null ? own(currency) : undefined;
            if (price === null && !taken) continue;
            if (taken) moved(currency, taken.price, null);
            const moves =
                price === null
                    ? yield* takePrice(priceRules, state, taken!)
                    : yield* putPrice(priceRules, state, { channelId: channel.id, currency, price });
            for (const { state: other, was } of moves) {
                const isOwn = other.channelId === channel.id;
                moved(isOwn ? other.currency : `${other.currency} (channel ${other.channelId})`, was, other.price);
            }
        }
        return Object.keys(after).some(label => before[label] !== after[label])
            ? { action: 'update', key: sku, before: { prices: before }, after: { prices: after } }
            : { action: 'unchanged', key: sku };
    }

    /** The path of a currency's price in a record. */
    function fieldOf(currency: string): string {
        return currency === channel.defaultCurrency ? priceField : `${pricesField}.${currency}`;
    }

    function* write(work: UnitOfWork) {
        const changed = work.of(variants).changed.filter(arePricesChanged);
        const { created, updated, deleted } = yield* (yield* writePrices(catalogue, changed))();
        return [
            ...entitiesChanged({ entity: 'ProductVariantPrice', operation: 'CREATE', ids: created, sideEffects }),
            ...entitiesChanged({ entity: 'ProductVariantPrice', operation: 'UPDATE', ids: updated, sideEffects }),
            ...entitiesChanged({ entity: 'ProductVariantPrice', operation: 'DELETE', ids: deleted, sideEffects }),
            // The Admin API changes a price by updating its variant, and says so; search follows the variant's event.
            ...entitiesChanged({ entity: 'ProductVariant', operation: 'UPDATE', ids: idsOf(changed), sideEffects }),
        ];
    }
}
