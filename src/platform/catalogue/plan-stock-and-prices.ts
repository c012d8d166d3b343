import type { StatementProgram } from '../../core/adapter/loader';
import type { ChannelFacts } from '../lookup/reference';
import type { Id } from '../../database/write';
import type { VariantState } from '../entity-descriptions/variant-state';
import type { Diff } from '../entities/diff';
import type { DesiredVariant } from './desired';
import { type PriceKey, type PriceRules, priceOf, putPrice, takePrice } from './prices';
import { ensureStock, setLevel, takeLevel } from './stock';

interface Place {
    readonly desired: DesiredVariant;
    readonly diff: Diff;
    /** How differences name the variant's fields. */
    readonly prefix: string;
}

/**
 * The prices of the run's channel. A new variant has one in the channel's default currency, 0 if need be, and one in the
 * default channel (ProductVariantService.create).
 */
export function* setPrices(
    rules: PriceRules,
    variant: VariantState,
    { desired, diff, prefix }: Place,
): StatementProgram<void> {
    if (desired.prices.size === 0 && variant.id !== undefined) return;
    const { channel, defaultChannel } = rules.catalogue.reference;
    const own = desired.prices.get(channel.defaultCurrency) ?? undefined;
    const put = function* (path: string, order: PriceKey & { readonly price: number }): StatementProgram<void> {
        for (const { state, was } of yield* putPrice(rules, variant, order)) {
            const isIt = state.channelId === order.channelId && state.currency === order.currency;
            if (!isIt) diff.add(`${path}@${state.channelId}`, was ?? null, state.price);
            else if (state.channelId === channel.id) diff.add(path, was ?? null, state.price);
        }
    };
    // A variant that this very batch created has got them already.
    const gaps = ({ id, defaultCurrency }: ChannelFacts): boolean =>
        variant.id === undefined && !priceOf(variant, { channelId: id, currency: defaultCurrency });
    const lacksForDefault = defaultChannel.id !== channel.id && gaps(defaultChannel);
    if (own !== undefined || gaps(channel))
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
        const path = `${prefix}prices.${currency}`;
        const key = { channelId: channel.id, currency };
        if (price !== null) {
            yield* put(path, { ...key, price });
            continue;
        }
        const state = priceOf(variant, key);
        if (!state) continue;
        diff.add(path, state.price, null);
        for (const { state: other, was } of yield* takePrice(rules, variant, state))
            diff.add(`${path}@${other.channelId}`, was ?? null, other.price);
    }
}

export function setStock(variant: VariantState, { desired, diff, prefix }: Place): void {
    for (const { locationId, location, quantity, isPlain } of desired.stock) {
        const was = quantity === null ? takeLevel(variant, locationId) : setLevel(variant, locationId, quantity);
        const before = was ?? null;
        if (before !== quantity) diff.add(prefix + (isPlain ? 'stock' : `stock.${location}`), before, quantity);
    }
}

/** What ProductVariantService.assignProductVariantsToChannel does to one variant. */
export function* assignToChannel(
    rules: PriceRules,
    variant: VariantState,
    channel: ChannelFacts,
): StatementProgram<void> {
    const { reference } = rules.catalogue;
    variant.channels!.add(channel.id);
    const { channel: own } = reference;
    const known = priceOf(variant, { channelId: own.id, currency: own.defaultCurrency })?.price ?? 0;
    const price = reference.priceIn(channel, known, variant.columns.get('taxCategoryId') as Id);
    yield* putPrice(rules, variant, { channelId: channel.id, currency: channel.defaultCurrency, price });
    ensureStock(variant, channel);
}

/** What ProductVariantService.removeVariantsFromChannel does to one variant. */
export function removeFromChannel(variant: VariantState, channelId: Id): void {
    variant.channels!.delete(channelId);
    for (const price of variant.prices!) if (price.channelId === channelId) price.isRemoved = true;
}
