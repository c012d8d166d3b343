import { show } from '../../core/value/show';
import type { AdapterContext } from '../../core/adapter/context';
import type { Change, LoadPlan, TableSession, Script, Trimmed } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';
import type { Batch } from '../../core/data/record';
import { recordInvalid } from '../../core/errors/record-invalid';
import { type Faults, known, trimmedIn } from '../entities/faults';
import { oncePerBatch } from '../entities/once-per-batch';
import { type Strategy, strategyProblem } from '../entities/load-arguments';
import type { FieldReader, PriceRange } from '../entities/read-field';
import { type SideEffects, entitiesChanged } from '../effects/effect';
import type { ChannelFacts } from '../lookup/reference';
import { vendureOf } from '../lookup/vendure';
import type { Database } from '../../database/database';
import type { Id } from '../../database/write';
import { type Foreseen, foreseenBy } from '../variants/foreseen';
import { readVariantRecord, skuLock } from '../variants/variant-record';
import { type FoundVariant, VariantFinder, foundProblem } from '../variants/variants-by-sku';
import { type Price, PriceStore } from './price-store';
import { type PriceAnswers, type PriceSync, pricesThatFollow, priceSyncOf } from './price-sync';

/** What a price load was told. */
export interface PriceOptions {
    readonly skuField: string;
    readonly priceField: string;
    readonly pricesField: string;
    readonly allowNegativePrices: boolean;
    readonly strategy: Strategy;
    readonly sideEffects: SideEffects;
    readonly channel: ChannelFacts;
}

/** What one record asks for. */
interface Ask {
    readonly sku: string;
    readonly faults: Faults;
    readonly amounts: ReadonlyArray<{ readonly field: string; readonly currency: string; readonly amount: number }>;
}

/** Sets prices as ProductVariantService.createOrUpdateProductVariantPrice does, a batch at a time. */
export class PriceSession implements TableSession {
    private readonly finder: VariantFinder;
    private readonly store: PriceStore;
    private readonly sync: PriceSync;
    private readonly foreseen: Foreseen | undefined;
    private readonly range: PriceRange;
    private readonly database: Database;
    private readonly asks = oncePerBatch(({ data }) => this.read(data));

    constructor(
        private readonly options: PriceOptions,
        cx: AdapterContext,
    ) {
        const platform = vendureOf(cx);
        const { dataSource, database } = platform;
        const { dialect } = database;
        this.database = database;
        this.foreseen = cx.mode === 'live' ? undefined : foreseenBy(platform);
        this.finder = new VariantFinder(dataSource, dialect, {
            channelId: options.channel.id,
            foreseen: this.foreseen,
        });
        this.store = new PriceStore(dataSource, dialect);
        this.sync = priceSyncOf(platform);
        this.range = { max: this.store.max, allowsNegative: options.allowNegativePrices };
    }

    locks(batch: Batch): readonly string[] {
        return this.asks(batch).flatMap(({ sku }) => (sku === '' ? [] : [skuLock(sku)]));
    }

    trimmed(batch: Batch): Trimmed | undefined {
        return trimmedIn(this.asks(batch));
    }

    async prepare(batch: Batch): Promise<PriceAnswers> {
        const answers: PriceAnswers = new Map();
        if (this.sync.waits && !this.foreseen) await this.database.run(() => this.plan(batch, answers));
        return answers;
    }

    *plan(batch: Batch, answers: PriceAnswers): Script<LoadPlan> {
        const {
            store,
            options: { channel, sideEffects, skuField, strategy },
            sync,
            foreseen,
        } = this;
        const asks = this.asks(batch);
        const variants = yield* this.finder.find(asks.filter(({ faults }) => faults.count === 0).map(({ sku }) => sku));
        const prices = yield* store.read(
            [...variants.values()].map(({ id }) => id),
            {
                channelId: sync.readsAllPrices ? undefined : channel.id,
                forUpdate: !foreseen,
            },
        );
        const work = new PriceWork({ channel, sync, foreseen, skuField, strategy, answers }, prices);
        const changes: Change[] = [];
        for (const ask of asks) {
            changes.push(
                ask.faults.count > 0
                    ? { action: 'reject', key: ask.sku || undefined, error: ask.faults.error() }
                    : yield* work.take(ask, variants.get(ask.sku)),
            );
        }
        work.remember();
        return {
            changes,
            *apply() {
                const changed = work.changed();
                const { created, updated } = yield* store.write(changed);
                const variantIds = [...new Set(changed.map(({ variantId }) => variantId))];
                return [
                    ...entitiesChanged({
                        entity: 'ProductVariantPrice',
                        operation: 'CREATE',
                        ids: created,
                        sideEffects,
                    }),
                    ...entitiesChanged({
                        entity: 'ProductVariantPrice',
                        operation: 'UPDATE',
                        ids: updated,
                        sideEffects,
                    }),
                    // The Admin API changes a price by updating its variant, and says so; search follows the variant's event.
                    ...entitiesChanged({ entity: 'ProductVariant', operation: 'UPDATE', ids: variantIds, sideEffects }),
                ];
            },
        };
    }

    private read(data: JsonObject): Ask {
        const { skuField, priceField, pricesField, channel } = this.options;
        const { reader, faults, sku = '' } = readVariantRecord(data, skuField, 'a price');
        if (!reader.has(priceField) && !reader.has(pricesField))
            faults.add(priceField, `is missing, and so is "${pricesField}"`);
        const price = reader.money(priceField, this.range);
        const amounts =
            price === undefined ? [] : [{ field: priceField, currency: channel.defaultCurrency, amount: price }];
        const byCurrency = reader.inside(pricesField);
        return {
            sku,
            faults,
            amounts: byCurrency ? [...amounts, ...this.readCurrencies(byCurrency, faults)] : amounts,
        };
    }

    private readCurrencies(reader: FieldReader, faults: Faults): Ask['amounts'] {
        const { pricesField, channel } = this.options;
        return Object.keys(reader.data).flatMap(currency => {
            const amount = reader.money(currency, this.range);
            if (channel.currencies.includes(currency))
                return amount === undefined ? [] : [{ field: `${pricesField}.${currency}`, currency, amount }];
            faults.add(
                `${pricesField}.${currency}`,
                `is no currency of the channel "${channel.code}"; ${known(channel.currencies)}`,
            );
            return [];
        });
    }
}

interface PriceEnv {
    readonly channel: ChannelFacts;
    readonly sync: PriceSync;
    readonly answers: PriceAnswers;
    readonly foreseen: Foreseen | undefined;
    readonly skuField: string;
    readonly strategy: Strategy;
}

/** The prices of one batch while its records are gone through in order: a key that comes twice meets its first self. */
class PriceWork {
    private readonly byVariant = new Map<Id, Price[]>();
    private readonly seen = new Set<string>();
    private readonly touched: Array<{ readonly sku: string; readonly price: Price }> = [];

    constructor(
        private readonly env: PriceEnv,
        prices: readonly Price[],
    ) {
        for (const price of prices) this.pricesOf(price.variantId).push(price);
    }

    changed(): readonly Price[] {
        return [...this.byVariant.values()].flat().filter(({ price, stored }) => price !== stored);
    }

    remember(): void {
        for (const { sku, price } of this.touched) this.env.foreseen?.setPrice(sku, price, price.price);
    }

    *take({ sku, amounts }: Ask, found: FoundVariant | undefined): Script<Change> {
        const { foreseen, skuField } = this.env;
        const isForeseen = !found && foreseen?.isCreated(sku) === true;
        const problem = isForeseen ? undefined : foundProblem(found);
        if (problem !== undefined)
            return { action: 'reject', key: sku, error: recordInvalid(skuField, `is ${show(sku)}: ${problem}`) };
        const prices = this.pricesOf(found?.id ?? `new ${sku}`);
        this.foresee(sku, found, prices);
        for (const { field, currency } of amounts) {
            const exists = prices.some(price => this.isOwn(price, currency));
            const against = strategyProblem(this.env.strategy, exists);
            if (against !== undefined)
                return {
                    action: 'reject',
                    key: sku,
                    error: recordInvalid(field, `the price in ${currency} ${against}`),
                };
        }
        const before: Record<string, number | null> = {};
        const after: Record<string, number> = {};
        for (const { currency, amount } of amounts) {
            for (const moved of yield* this.set(found?.id ?? `new ${sku}`, currency, amount)) {
                const label = this.label(moved.price);
                if (!(label in before)) before[label] = moved.was ?? null;
                after[label] = moved.price.price;
                this.touched.push({ sku, price: moved.price });
            }
        }
        for (const label of Object.keys(after)) {
            if (before[label] !== after[label])
                return { action: 'update', key: sku, before: { prices: before }, after: { prices: after } };
        }
        return { action: 'unchanged', key: sku };
    }

    /** One price as createOrUpdateProductVariantPrice sets it; answers what moved. */
    private *set(
        variantId: Id,
        currency: string,
        amount: number,
    ): Script<ReadonlyArray<{ readonly price: Price; readonly was: number | undefined }>> {
        const { channel, sync, answers } = this.env;
        const prices = this.pricesOf(variantId);
        let target = prices.find(price => this.isOwn(price, currency));
        const moved: Array<{ price: Price; was: number | undefined }> = [];
        const kind = target ? 'updated' : 'created';
        if (!target) {
            target = { variantId, channelId: channel.id, currency, id: undefined, stored: undefined, price: amount };
            prices.push(target);
            moved.push({ price: target, was: undefined });
        } else if (target.price !== amount) {
            moved.push({ price: target, was: target.price });
            target.price = amount;
        }
        for (const { price: other, to } of yield* pricesThatFollow(sync, { kind, price: target, prices, answers })) {
            moved.push({ price: other, was: other.price });
            other.price = to;
        }
        return moved;
    }

    private isOwn({ channelId, currency }: Price, wanted: string): boolean {
        return channelId === this.env.channel.id && currency === wanted;
    }

    private label({ channelId, currency }: Price): string {
        return channelId === this.env.channel.id ? currency : `${currency} (channel ${channelId})`;
    }

    private pricesOf(variantId: Id): Price[] {
        let prices = this.byVariant.get(variantId);
        if (!prices) this.byVariant.set(variantId, (prices = []));
        return prices;
    }

    /** Puts what earlier loads of a dry run would have stored in the place of what is. */
    private foresee(sku: string, found: FoundVariant | undefined, prices: Price[]): void {
        const { foreseen } = this.env;
        if (!foreseen || this.seen.has(sku)) return;
        this.seen.add(sku);
        for (const price of prices) price.price = foreseen.price(sku, price) ?? price.price;
        for (const price of foreseen.pricesOf(sku)) {
            if (prices.some(({ channelId, currency }) => channelId === price.channelId && currency === price.currency))
                continue;
            prices.push({ ...price, variantId: found?.id ?? `new ${sku}`, id: undefined, stored: undefined });
        }
    }
}
