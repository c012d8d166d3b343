import {
    ConfigService,
    DefaultProductVariantPriceUpdateStrategy,
    ProductVariantPrice,
    type UpdatedProductVariantPrice,
} from '@vendure/core';
import { flowError } from '../../core/errors/flow-error';
import type { VendurePlatform } from '../context';
import type { Id } from '../sql/write';

/** One stored price of a variant, or one that is about to be. */
export interface PriceFacts {
    readonly id: Id | undefined;
    readonly channelId: Id;
    readonly currency: string;
    readonly price: number;
}

export interface PriceMove {
    readonly id: Id;
    readonly price: number;
}

/** Which other prices follow when one is created or changed: the shop's ProductVariantPriceUpdateStrategy. */
export interface PriceSync {
    /** False where no other price ever follows, so that none need be read. */
    readonly readsAllPrices: boolean;
    /** `prices` are the variant's: the changed one with its new value among them, a created one not, as Vendure hands them over. */
    follow(kind: 'created' | 'updated', changed: PriceFacts, prices: readonly PriceFacts[]): readonly PriceMove[];
}

/** A price that has just got its value, and those that its variant has. */
export interface PriceChange<P extends PriceFacts> {
    readonly kind: 'created' | 'updated';
    readonly price: P;
    readonly prices: readonly P[];
}

/**
 * The prices that follow a change, with their new values. Prices that are not stored yet, which a strategy sees with ids in
 * Vendure, get ids for the time of the question.
 */
export function pricesThatFollow<P extends PriceFacts>(
    sync: PriceSync,
    { kind, price, prices }: PriceChange<P>,
): ReadonlyArray<{ readonly price: P; readonly to: number }> {
    if (!sync.readsAllPrices) return [];
    const asked = new Map<Id, P>();
    const facts = (one: P): PriceFacts => {
        const id = one.id ?? `new-${prices.indexOf(one)}`;
        asked.set(id, one);
        const { channelId, currency } = one;
        return { id, channelId, currency, price: one.price };
    };
    const changed = facts(price);
    const others = prices
        .filter(one => kind === 'updated' || one !== price)
        .map(one => (one === price ? changed : facts(one)));
    const seen = new Set<P>();
    return sync.follow(kind, changed, others).flatMap(move => {
        const moved = asked.get(move.id);
        if (!moved || seen.has(moved)) return [];
        seen.add(moved);
        return moved.price === move.price ? [] : [{ price: moved, to: move.price }];
    });
}

const NOTHING_FOLLOWS: PriceSync = { readsAllPrices: false, follow: () => [] };

/**
 * Vendure's own strategy is worked out here; a shop's own is asked. It must answer at once: what a load decides, it decides
 * without letting go of the transaction (ADR 10), so a strategy that answers a promise is a configuration error.
 */
export function priceSyncOf(platform: VendurePlatform): PriceSync {
    const { productVariantPriceUpdateStrategy: strategy } = platform.injector.get(ConfigService).catalogOptions;
    if (strategy instanceof DefaultProductVariantPriceUpdateStrategy) {
        // The option is private, and there is no other way to ask for it.
        const { options } = strategy as unknown as { readonly options: { readonly syncPricesAcrossChannels: boolean } };
        return options.syncPricesAcrossChannels ? SAME_CURRENCY_FOLLOWS : NOTHING_FOLLOWS;
    }
    const refuse = () => flowError('PRICE_STRATEGY_UNSUPPORTED', { strategy: strategy.constructor.name });
    if ([strategy.onPriceCreated, strategy.onPriceUpdated].some(method => method.constructor.name === 'AsyncFunction'))
        throw refuse();
    return {
        readsAllPrices: true,
        follow(kind, changed, prices) {
            const entities = prices.map(toEntity);
            const entity = entities[prices.indexOf(changed)] ?? toEntity(changed);
            const answer: UpdatedProductVariantPrice[] | Promise<unknown> =
                kind === 'created'
                    ? strategy.onPriceCreated(platform.ctx, entity, entities)
                    : strategy.onPriceUpdated(platform.ctx, entity, entities);
            if (!Array.isArray(answer)) throw refuse();
            return answer;
        },
    };
}

/** DefaultProductVariantPriceUpdateStrategy with syncPricesAcrossChannels. */
const SAME_CURRENCY_FOLLOWS: PriceSync = {
    readsAllPrices: true,
    follow: (kind, { currency, price }, prices) =>
        kind === 'created'
            ? []
            : prices.flatMap(other =>
                  other.id !== undefined && other.currency === currency ? [{ id: other.id, price }] : [],
              ),
};

function toEntity({ id, channelId, currency, price }: PriceFacts): ProductVariantPrice {
    return new ProductVariantPrice({
        ...(id === undefined ? {} : { id }),
        channelId,
        price,
        currencyCode: currency as ProductVariantPrice['currencyCode'],
    });
}
