import type { VendurePlatform } from '../context';
import { type UnitOfWork, unitOfWork } from '../entities/unit-of-work';
import { type Foreseen, foreseenBy } from '../variants/foreseen';
import type { VariantState } from './state';
import { World } from './world';

/**
 * What the catalogue loads of one dry run share. Nothing is written, so that what earlier batches and steps planned has to be
 * found here: products and variants in one world, and what loads of stock and prices foresee and need to know.
 */
export class DryRun {
    readonly world: World;

    constructor(
        language: string,
        work: UnitOfWork,
        private readonly foreseen: Foreseen,
    ) {
        this.world = new World(language, work);
    }

    /** Puts what other loads would have stored in the place of what was read. */
    hear(skus: Iterable<string>): void {
        for (const sku of new Set(skus)) {
            const variant = this.world.bySku.get(sku);
            for (const level of variant?.stock ?? [])
                level.onHand = this.foreseen.stock(sku, level.locationId) ?? level.onHand;
            if (variant?.prices) this.hearPrices(variant, variant.prices);
        }
    }

    private hearPrices({ sku }: VariantState, prices: NonNullable<VariantState['prices']>): void {
        for (const { channelId, currency, price } of this.foreseen.pricesOf(sku)) {
            const known = prices.find(state => state.channelId === channelId && state.currency === currency);
            if (!known) prices.push({ id: undefined, channelId, currency, price, isChanged: true });
            else if (known.isRemoved !== true) known.price = price;
        }
    }

    /** Tells of variants that would have been created or changed, and of all that would have been deleted since. */
    tell(variants: Iterable<VariantState>): void {
        const { foreseen, world } = this;
        for (const sku of world.deletedSkus) foreseen.delete(sku);
        world.deletedSkus.clear();
        for (const variant of variants) {
            const { sku } = variant;
            if (variant.isDeleted || (variant.id !== undefined && !variant.isTouched)) continue;
            if (variant.id === undefined) foreseen.create(sku);
            for (const price of variant.prices ?? [])
                if (price.isRemoved !== true) foreseen.setPrice(sku, price, price.price);
            for (const { locationId, onHand } of variant.stock ?? []) foreseen.setStock(sku, locationId, onHand);
        }
        world.forgetUnchanged();
    }
}

const ofRuns = new WeakMap<object, DryRun>();

/** The dry run that a step belongs to. A run has one RequestContext, and with it one language. */
export function dryRunOf(platform: VendurePlatform): DryRun {
    const { ctx } = platform;
    let dryRun = ofRuns.get(ctx);
    if (!dryRun) {
        dryRun = new DryRun(ctx.languageCode, unitOfWork(platform, 'dryRun'), foreseenBy(platform));
        ofRuns.set(ctx, dryRun);
    }
    return dryRun;
}
