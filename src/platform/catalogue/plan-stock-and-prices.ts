import type { Script } from '../../core/adapter/loader';
import type { ChannelFacts } from '../lookup/reference';
import type { DesiredVariant } from './desired';
import type { Diff } from '../entities/diff';
import type { CatalogueContext } from './read-entities';
import type { PriceState, VariantState } from './state';
import { type PriceAnswers, pricesThatFollow } from '../pricing/price-sync';
import type { Id } from '../../database/write';

interface PriceRules {
    readonly catalogue: CatalogueContext;
    readonly answers: PriceAnswers;
}

interface Place {
    readonly desired: DesiredVariant;
    readonly diff: Diff;
    /** How differences name the variant's fields. */
    readonly prefix: string;
}

function priceOf(variant: VariantState, channelId: Id, currency: string): PriceState | undefined {
    return variant.prices?.find(
        price => price.channelId === channelId && price.currency === currency && price.isRemoved !== true,
    );
}

interface PricePut {
    readonly channelId: Id;
    readonly currency: string;
    readonly price: number;
}

/** Sets a price as ProductVariantService.createOrUpdateProductVariantPrice does; answers the prices that followed it, as they were. */
function* putPrice(
    { catalogue: { priceSync }, answers }: PriceRules,
    variant: VariantState,
    { channelId, currency, price }: PricePut,
): Script<ReadonlyArray<{ readonly state: PriceState; readonly was: number }>> {
    let state = priceOf(variant, channelId, currency);
    const kind = state ? 'updated' : 'created';
    if (!state) variant.prices!.push((state = { id: undefined, channelId, currency, price, isChanged: true }));
    else if (state.price !== price) Object.assign(state, { price, isChanged: true });
    if (!priceSync.readsAllPrices) return [];
    const prices = variant.prices!.filter(({ isRemoved }) => isRemoved !== true);
    const moves = yield* pricesThatFollow(priceSync, { kind, price: state, prices, answers });
    return moves.map(({ price: other, to }) => {
        const was = other.price;
        Object.assign(other, { price: to, isChanged: true });
        return { state: other, was };
    });
}

/**
 * The prices of the run's channel. A new variant has one in the channel's default currency, 0 if need be, and one in the
 * default channel (ProductVariantService.create).
 */
export function* setPrices(rules: PriceRules, variant: VariantState, { desired, diff, prefix }: Place): Script<void> {
    const { channel, defaultChannel } = rules.catalogue.reference;
    const own = desired.prices.get(channel.defaultCurrency) ?? undefined;
    const put = function* (path: string, order: PricePut): Script<void> {
        const before = priceOf(variant, order.channelId, order.currency)?.price;
        if (before !== order.price && order.channelId === channel.id) diff.add(path, before ?? null, order.price);
        for (const { state, was } of yield* putPrice(rules, variant, order))
            diff.add(`${path}@${state.channelId}`, was, state.price);
    };
    // A variant that this very batch created has got them already.
    const lacks = ({ id, defaultCurrency }: ChannelFacts): boolean =>
        variant.id === undefined && !priceOf(variant, id, defaultCurrency);
    const lacksForDefault = defaultChannel.id !== channel.id && lacks(defaultChannel);
    if (own === undefined && lacks(channel)) {
        const what = `New variants without a price in ${channel.defaultCurrency} cost 0`;
        diff.note ??= { code: 'VARIANTS_WITHOUT_PRICE', what, example: variant.sku };
    }
    if (own !== undefined || lacks(channel))
        yield* put(`${prefix}price`, { channelId: channel.id, currency: channel.defaultCurrency, price: own ?? 0 });
    if (lacksForDefault) {
        yield* put(`${prefix}price`, {
            channelId: defaultChannel.id,
            currency: defaultChannel.defaultCurrency,
            price: own ?? 0,
        });
    }
    for (const [currency, price] of desired.prices) {
        if (currency === channel.defaultCurrency) continue;
        if (price === null) yield* takePrice(rules, variant, { currency, diff, prefix });
        else yield* put(`${prefix}prices.${currency}`, { channelId: channel.id, currency, price });
    }
}

/** Takes a price away as ProductVariantService.deleteProductVariantPrice does. */
function* takePrice(
    { catalogue: { priceSync, reference }, answers }: PriceRules,
    variant: VariantState,
    { currency, diff, prefix }: Pick<Place, 'diff' | 'prefix'> & { readonly currency: string },
): Script<void> {
    const state = priceOf(variant, reference.channel.id, currency);
    if (!state) return;
    state.isRemoved = true;
    diff.add(`${prefix}prices.${currency}`, state.price, null);
    const prices = variant.prices!.filter(({ isRemoved }) => isRemoved !== true);
    for (const { price: other, to } of yield* pricesThatFollow(priceSync, {
        kind: 'deleted',
        price: state,
        prices,
        answers,
    })) {
        diff.add(`${prefix}prices.${currency}@${other.channelId}`, other.price, to);
        Object.assign(other, { price: to, isChanged: true });
    }
}

export function setStock(variant: VariantState, { desired, diff, prefix }: Place): void {
    for (const { locationId, location, quantity, isPlain } of desired.stock) {
        const level = variant.stock!.find(state => state.locationId === locationId);
        const path = prefix + (isPlain ? 'stock' : `stock.${location}`);
        if (level?.onHand !== quantity) diff.add(path, level?.onHand ?? null, quantity);
        if (level) level.onHand = quantity;
        else variant.stock!.push({ id: undefined, locationId, stored: 0, onHand: quantity });
    }
}

/** A level of 0 at each location of a channel that has none yet (ProductVariantService.ensureStockLevelsForChannel). */
export function ensureStock(variant: VariantState, channel: ChannelFacts): void {
    for (const { id } of channel.locations) {
        if (!variant.stock!.some(level => level.locationId === id))
            variant.stock!.push({ id: undefined, locationId: id, stored: 0, onHand: 0 });
    }
}

/** What ProductVariantService.assignProductVariantsToChannel does to one variant. */
export function* assignToChannel(rules: PriceRules, variant: VariantState, channel: ChannelFacts): Script<void> {
    const { reference } = rules.catalogue;
    variant.channels!.now.add(channel.id);
    const own = priceOf(variant, reference.channel.id, reference.channel.defaultCurrency)?.price ?? 0;
    const price = reference.priceIn(channel, own, variant.columns.get('taxCategoryId') as Id);
    yield* putPrice(rules, variant, { channelId: channel.id, currency: channel.defaultCurrency, price });
    ensureStock(variant, channel);
}

/** What ProductVariantService.removeVariantsFromChannel does to one variant. */
export function removeFromChannel(variant: VariantState, channelId: Id): void {
    variant.channels!.now.delete(channelId);
    for (const price of variant.prices!) if (price.channelId === channelId) price.isRemoved = true;
}
