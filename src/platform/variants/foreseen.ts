import type { VendurePlatform } from '../context';
import type { Id } from '../../database/write';

/**
 * What the loads of a dry run would have written about variants so far, for those that look them up later: a key that comes
 * twice, and a load that depends on another (architecture 10a, "Dry run of dependent loads"). One for each run.
 */
export class Foreseen {
    private readonly fates = new Map<string, 'created' | 'deleted'>();
    private readonly stocks = new Map<string, Map<Id, number>>();
    private readonly prices = new Map<string, ForeseenPrice[]>();

    /** A variant that a load would have created. */
    create(sku: string): void {
        this.fates.set(sku, 'created');
    }

    /** A variant that a load would have deleted. */
    delete(sku: string): void {
        this.fates.set(sku, 'deleted');
        this.stocks.delete(sku);
        this.prices.delete(sku);
    }

    isCreated(sku: string): boolean {
        return this.fates.get(sku) === 'created';
    }

    /** True when what the database has under this SKU would not be there any more. */
    replaces(sku: string): boolean {
        return this.fates.has(sku);
    }

    setStock(sku: string, locationId: Id, stock: number): void {
        const levels = this.stocks.get(sku);
        if (levels) levels.set(locationId, stock);
        else this.stocks.set(sku, new Map([[locationId, stock]]));
    }

    stock(sku: string, locationId: Id): number | undefined {
        return this.stocks.get(sku)?.get(locationId);
    }

    setPrice(sku: string, { channelId, currency }: PriceKey, price: number): void {
        const known = this.priceOf(sku, { channelId, currency });
        if (known) known.price = price;
        else this.prices.set(sku, [...(this.prices.get(sku) ?? []), { channelId, currency, price }]);
    }

    price(sku: string, key: PriceKey): number | undefined {
        return this.priceOf(sku, key)?.price;
    }

    /** All prices of a variant that loads would have set. */
    pricesOf(sku: string): readonly Readonly<ForeseenPrice>[] {
        return this.prices.get(sku) ?? [];
    }

    private priceOf(sku: string, { channelId, currency }: PriceKey): ForeseenPrice | undefined {
        return this.prices.get(sku)?.find(price => price.channelId === channelId && price.currency === currency);
    }
}

/** Which of a variant's prices. */
export interface PriceKey {
    readonly channelId: Id;
    readonly currency: string;
}

interface ForeseenPrice extends PriceKey {
    price: number;
}

const ofRuns = new WeakMap<object, Foreseen>();

/** What a run has foreseen so far. A run has one RequestContext. */
export function foreseenBy({ ctx }: VendurePlatform): Foreseen {
    let foreseen = ofRuns.get(ctx);
    if (!foreseen) {
        foreseen = new Foreseen();
        ofRuns.set(ctx, foreseen);
    }
    return foreseen;
}
