import {
    ConfigService,
    DefaultProductVariantPriceUpdateStrategy,
    ProductVariantPrice,
    type ProductVariantPriceUpdateStrategy,
    type RequestContext,
} from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
import type { VendurePlatform } from '../context';
import { waitFor } from '../../database/statement';
import type { Id } from '../../database/write';

/** One stored price of a variant, or one that is about to be. */
export interface PriceFacts {
    readonly id: Id | undefined;
    readonly channelId: Id;
    readonly currency: string;
    readonly price: number;
}

interface PriceMove {
    readonly id: Id;
    readonly price: number;
}

/** The results of the shop's asynchronous strategy, by question: for one batch. */
export type StrategyPrices = Map<string, readonly PriceMove[]>;

/** Which other prices follow when one is created or changed: the shop's ProductVariantPriceUpdateStrategy. */
export interface PriceSync {
    /** False where no other price ever follows, so that none need be read. */
    readonly readsAllPrices: boolean;
    /** True once the strategy has returned a promise: from then on it is called before the transaction. */
    readonly waits: boolean;
    /** `prices` are the variant's: the changed one with its new value among them, a created one not, as Vendure hands them over. */
    follow(request: PriceRequest, prices: StrategyPrices): StatementProgram<readonly PriceMove[]>;
}

/** What has become of a price. */
export type PriceEvent = 'created' | 'updated' | 'deleted';

interface PriceRequest {
    readonly kind: PriceEvent;
    readonly changed: PriceFacts;
    readonly prices: readonly PriceFacts[];
}

/** A price that has just got its value, and those that its variant has. */
interface PriceChange<P extends PriceFacts> {
    readonly kind: PriceEvent;
    readonly price: P;
    readonly prices: readonly P[];
    readonly answers: StrategyPrices;
}

/**
 * The prices that follow a change, with their new values. Prices that are not stored yet, which a strategy sees with ids in
 * Vendure, get ids for the time of the question.
 */
export function* derivedPrices<P extends PriceFacts>(
    sync: PriceSync,
    { kind, price, prices, answers }: PriceChange<P>,
): StatementProgram<ReadonlyArray<{ readonly price: P; readonly to: number }>> {
    if (!sync.readsAllPrices) return [];
    const requested = new Map<Id, P>();
    const facts = (one: P): PriceFacts => {
        const id = one.id ?? `new-${prices.indexOf(one)}`;
        requested.set(id, one);
        const { channelId, currency } = one;
        return { id, channelId, currency, price: one.price };
    };
    const changed = facts(price);
    const others = prices
        .filter(one => kind === 'updated' || one !== price)
        .map(one => (one === price ? changed : facts(one)));
    const seen = new Set<P>();
    const moves = yield* sync.follow({ kind, changed, prices: others }, answers);
    return moves.flatMap(move => {
        const moved = requested.get(move.id);
        if (!moved || seen.has(moved)) return [];
        seen.add(moved);
        return moved.price === move.price ? [] : [{ price: moved, to: move.price }];
    });
}

// eslint-disable-next-line require-yield -- a script without statements
function* nothing(): StatementProgram<readonly PriceMove[]> {
    return [];
}
const NOTHING_FOLLOWS: PriceSync = { readsAllPrices: false, waits: false, follow: nothing };

/** DefaultProductVariantPriceUpdateStrategy with syncPricesAcrossChannels. */
const SAME_CURRENCY_FOLLOWS: PriceSync = {
    readsAllPrices: true,
    waits: false,
    // eslint-disable-next-line require-yield -- a script without statements
    *follow({ kind, changed: { currency, price }, prices }) {
        if (kind !== 'updated') return [];
        return prices.flatMap(({ id, currency: other }) =>
            id !== undefined && other === currency ? [{ id, price }] : [],
        );
    },
};

/** Vendure's own strategy is implemented here. A custom strategy is called; if it returns promises, before the transaction (ADR 5). */
export function priceSyncOf({ ctx, injector }: VendurePlatform): PriceSync {
    const { productVariantPriceUpdateStrategy: strategy } = injector.get(ConfigService).catalogOptions;
    if (!(strategy instanceof DefaultProductVariantPriceUpdateStrategy)) return new OwnStrategy(strategy, ctx);
    // The option is private, and there is no other way to ask for it.
    const { options } = strategy as unknown as { readonly options: { readonly syncPricesAcrossChannels: boolean } };
    return options.syncPricesAcrossChannels ? SAME_CURRENCY_FOLLOWS : NOTHING_FOLLOWS;
}

class OwnStrategy implements PriceSync {
    readonly readsAllPrices = true;
    waits = false;

    constructor(
        private readonly strategy: ProductVariantPriceUpdateStrategy,
        private readonly ctx: RequestContext,
    ) {}

    *follow(request: PriceRequest, prices: StrategyPrices): StatementProgram<readonly PriceMove[]> {
        const key = this.waits ? JSON.stringify(request) : '';
        const known = prices.get(key);
        if (known) return known;
        const answer = this.ask(request);
        if (!(answer instanceof Promise)) return this.checked(answer);
        this.waits = true;
        const moves = this.checked(yield* waitFor(answer));
        prices.set(JSON.stringify(request), moves);
        return moves;
    }

    private ask({ kind, changed, prices }: PriceRequest): unknown {
        const entities = prices.map(toEntity);
        const entity = entities[prices.indexOf(changed)] ?? toEntity(changed);
        if (kind === 'created') return this.strategy.onPriceCreated(this.ctx, entity, entities);
        if (kind === 'updated') return this.strategy.onPriceUpdated(this.ctx, entity, entities);
        // Vendure hands over what it has removed, which has no id any more.
        return this.strategy.onPriceDeleted(this.ctx, toEntity({ ...changed, id: undefined }), entities);
    }

    private checked(answer: unknown): readonly PriceMove[] {
        if (Array.isArray(answer)) return answer as readonly PriceMove[];
        throw flowError('PRICE_STRATEGY_UNSUPPORTED', { strategy: this.strategy.constructor.name });
    }
}

function toEntity({ id, channelId, currency, price }: PriceFacts): ProductVariantPrice {
    return new ProductVariantPrice({
        ...(id === undefined ? {} : { id }),
        channelId,
        price,
        currencyCode: currency as ProductVariantPrice['currencyCode'],
    });
}
