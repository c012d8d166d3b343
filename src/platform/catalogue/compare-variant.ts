import type { Change } from '../../core/adapter/loader';
import type { JsonValue } from '../../core/value/json';
import type { Id } from '../../database/write';
import type { PriceState, StockState } from '../entity-descriptions/variant-state';
import type { WorkPart } from '../entities/unit-of-work';
import type { DesiredLevel, DesiredVariant } from './desired';
import type { PlanRules } from './plan-rules';
import type { StoredVariantSummary, StoredVariant } from './stored-rows';

/** A row to compare with a record of a variant, and the location of its stock level. */
export interface ComparedRow<R extends StoredVariantSummary = StoredVariant> {
    readonly row: R;
    readonly locationId: Id | undefined;
}

/** What a record would change of a variant: its price in the channel's currency, its level at the location of the row. */
export interface Moves {
    readonly price: number | undefined;
    readonly level: (DesiredLevel & { readonly quantity: number }) | undefined;
}

/** A missing value means no change. */
export const isEither = <T>(said: T | undefined, stored: T | null | undefined): boolean =>
    said === undefined || said === stored;

/** The changes of a variant by a plain record; undefined if its row is not sufficient to decide. */
export function movesOf(
    { catalogue: { reference } }: PlanRules,
    { enabled, trackInventory, taxCategory, prices, stock }: DesiredVariant,
    { row, locationId }: ComparedRow<StoredVariantSummary>,
): Moves | undefined {
    if (!isEither(enabled, row.enabled)) return undefined;
    if (!isEither(trackInventory, row.trackInventory)) return undefined;
    if (!isEither(taxCategory?.id, row.taxCategoryId)) return undefined;
    const said = prices.get(reference.channel.defaultCurrency) ?? undefined;
    const price = isEither(said, row.price) ? undefined : said;
    const [level] = stock;
    if (!level) return { price, level: undefined };
    const { quantity } = level;
    if (level.locationId !== locationId || quantity === null) return undefined;
    // Below the threshold a number may be rejected, even if it is already stored.
    const mayStand = quantity === 0 || (!row.hasOwnThreshold && quantity >= Math.max(0, reference.outOfStockThreshold));
    if (!mayStand) return undefined;
    return { price, level: quantity === row.stock ? undefined : { ...level, quantity } };
}

/** Whether there is no change. */
export const movesNothing = ({ price, level }: Moves): boolean => price === undefined && level === undefined;

/**
 * Variants of which a batch changes only a stored price or a stored level, which is most of a nightly file of prices
 * and stock. They are written from the rows that their records were compared with (ADR 9). Dry runs have none.
 */
export class MovedVariants implements WorkPart {
    readonly ids: Id[] = [];
    readonly prices: Array<{ readonly variantId: Id; readonly state: PriceState }> = [];
    readonly levels: Array<{ readonly variantId: Id; readonly state: StockState }> = [];

    settle(): void {
        for (const list of [this.ids, this.prices, this.levels]) list.length = 0;
    }
}

/** Plans what a record moves, where price and level have rows already; undefined where they have not. */
export function planMoves(
    { catalogue: { reference }, work, missingPrice }: PlanRules,
    sku: string,
    { row, price, level }: Moves & { readonly row: StoredVariant },
): Change | undefined {
    const { id: variantId, priceId, levelId } = row;
    if ((price !== undefined && priceId === null) || (level && levelId === null)) return undefined;
    // The first price may enable the variant.
    if (missingPrice === 'DISABLE' && price !== undefined && row.price === 0) return undefined;
    const moved = work.part(MovedVariants);
    const before: Record<string, JsonValue> = {};
    const after: Record<string, JsonValue> = {};
    moved.ids.push(variantId);
    if (price !== undefined) {
        const { id: channelId, defaultCurrency: currency } = reference.channel;
        const stored = row.price!;
        [before['price'], after['price']] = [stored, price];
        moved.prices.push({ variantId, state: { id: priceId!, channelId, currency, stored, price } });
    }
    if (level) {
        const { quantity, locationId, location, isPlain } = level;
        const stored = row.stock!;
        const path = isPlain ? 'stock' : `stock.${location}`;
        [before[path], after[path]] = [stored, quantity];
        const allocated = row.allocated!;
        const adjustments = [quantity - stored];
        const state = { id: levelId!, locationId, allocated, stored, onHand: quantity, isLocked: false, adjustments };
        moved.levels.push({ variantId, state });
    }
    return { action: 'update', key: sku, before, after };
}
