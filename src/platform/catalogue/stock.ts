import type { Script } from '../../core/adapter/loader';
import { ask, EMPTY, nothing, select, sql } from '../../database/statement';
import { type Id, deleteRows, insertRows, postNumbered, updateRows } from '../../database/write';
import type { StockState, VariantState } from '../described/variant-state';
import { lacking } from '../entities/read-members';
import type { ChannelFacts } from '../lookup/reference';
import type { CatalogueContext } from './catalogue';
import type { DesiredLevel } from './desired';
import { as, asName, at } from './tables';

interface StockReading {
    /** Orders must not change them until the commit. */
    readonly forUpdate?: boolean;
    /** Levels at these locations alone. */
    readonly locationIds?: readonly Id[];
}

/** Reads the stock levels of variants, where they have not been read yet: one statement. */
export function* readStock(
    catalogue: CatalogueContext,
    variants: Iterable<VariantState>,
    reading: StockReading = {},
): Script<void> {
    yield* (yield* askStock(catalogue, variants, reading))();
}

/** The same without waiting: they are read when the answer is called. */
export function* askStock(
    { tables: { stockLevel }, dialect }: CatalogueContext,
    variants: Iterable<VariantState>,
    { forUpdate = false, locationIds }: StockReading = {},
): Script<() => Script<void>> {
    const owners = new Map(lacking(variants, variant => !variant.stock).map(variant => [variant.id, variant]));
    if (owners.size === 0) return nothing;
    const s = (property: string) => at('s', stockLevel, property);
    const there = locationIds ? sql` AND ${dialect.oneOf(s('stockLocationId'), locationIds)}` : EMPTY;
    const rowsOf = yield* ask<{ id: Id; variantId: Id; locationId: Id; onHand: number; allocated: number }>(
        sql`SELECT ${asName(s('id'), 'id')}, ${asName(s('productVariantId'), 'variantId')},
        ${asName(s('stockLocationId'), 'locationId')}, ${asName(s('stockOnHand'), 'onHand')}, ${asName(s('stockAllocated'), 'allocated')}
        FROM ${as(stockLevel, 's')} WHERE ${dialect.oneOf(s('productVariantId'), [...owners.keys()])}${there}
        ORDER BY ${s('id')}${forUpdate ? dialect.forUpdate : EMPTY}`,
    );
    return function* () {
        const rows = yield* rowsOf();
        for (const owner of owners.values()) owner.stock = [];
        for (const { id, variantId, locationId, onHand, allocated } of rows)
            owners.get(variantId)!.stock!.push({
                id,
                locationId,
                allocated,
                stored: onHand,
                onHand,
                isLocked: forUpdate,
                adjustments: [],
            });
    };
}

export function levelAt({ stock }: VariantState, locationId: Id): StockState | undefined {
    return stock?.find(level => level.locationId === locationId && level.isRemoved !== true);
}

/** Sets the stock on hand at a location; answers what it was, undefined where there was no level. */
export function setLevel(variant: VariantState, locationId: Id, onHand: number): number | undefined {
    const level = levelAt(variant, locationId);
    const was = level?.onHand;
    const change = onHand - (was ?? 0);
    const adjustments = change === 0 ? [] : [change];
    if (!level)
        variant.stock!.push({
            id: undefined,
            locationId,
            stored: 0,
            allocated: 0,
            onHand,
            isLocked: true,
            adjustments,
        });
    else {
        level.onHand = onHand;
        level.adjustments.push(...adjustments);
    }
    return was;
}

/** Takes the level at a location away; answers what was there. */
export function takeLevel(variant: VariantState, locationId: Id): number | undefined {
    const level = levelAt(variant, locationId);
    if (!level) return undefined;
    level.isRemoved = true;
    level.adjustments.push(-level.onHand);
    return level.onHand;
}

/** Why a variant cannot do without the levels that a record takes away: stock that orders count on, or the last one. */
export function levelsProblem(variant: VariantState, asked: readonly DesiredLevel[]): string | undefined {
    if (asked.every(({ quantity }) => quantity !== null)) return undefined;
    const taken = asked.flatMap(({ quantity, locationId }) =>
        quantity === null ? (levelAt(variant, locationId) ?? []) : [],
    );
    const allocated = taken.find(level => level.allocated > 0);
    if (allocated) return `cannot be emptied: ${allocated.allocated} of it are allocated to orders`;
    const living = variant.stock!.filter(({ isRemoved }) => isRemoved !== true);
    const added = asked.filter(({ quantity, locationId }) => quantity !== null && !levelAt(variant, locationId));
    const isLast = taken.length > 0 && living.length + added.length === taken.length;
    return isLast ? 'cannot be emptied: the last stock level of a variant stays' : undefined;
}

/** A level of 0 at each location of a channel that has none yet (ProductVariantService.ensureStockLevelsForChannel). */
export function ensureStock(variant: VariantState, channel: ChannelFacts): void {
    for (const { id } of channel.locations) if (!levelAt(variant, id)) setLevel(variant, id, 0);
}

/**
 * Writes stock levels and, for each adjustment, a movement (StockMovementService.adjustProductVariantStock). The answer tells the movements, when
 * it is asked.
 */
export function* writeStock(
    catalogue: CatalogueContext,
    variants: readonly VariantState[],
): Script<() => Script<readonly Id[]>> {
    const {
        tables: { stockLevel, stockMovement },
        dialect,
    } = catalogue;
    const all = variants.flatMap(({ id, stock = [] }) => stock.map(state => ({ variantId: id!, state })));
    const living = all.filter(({ state }) => state.isRemoved !== true);
    const fresh = living.filter(({ state }) => state.id === undefined);
    const changed = living.filter(({ state }) => state.id !== undefined && state.onHand !== state.stored);
    const current = yield* lockLevels(
        catalogue,
        changed.flatMap(({ state }) => (state.isLocked ? [] : [state.id!])),
    );
    yield* deleteRows(
        { table: stockLevel, dialect },
        'id',
        all.flatMap(({ state: { isRemoved, id } }) => (isRemoved === true ? (id ?? []) : [])),
    );
    yield* updateRows(
        { table: stockLevel, dialect },
        changed.map(({ state }) => ({ id: state.id, stockOnHand: state.onHand })),
    );
    yield* insertRows(
        { table: stockLevel, dialect },
        fresh.map(({ variantId, state }) => ({
            productVariantId: variantId,
            stockLocationId: state.locationId,
            stockOnHand: state.onHand,
            stockAllocated: 0,
        })),
    );
    const movements = all.flatMap(({ variantId, state }) =>
        movedBy(state, current).map(quantity => ({
            type: 'ADJUSTMENT',
            discriminator: 'StockAdjustment',
            stockLocationId: state.locationId,
            productVariant: variantId,
            quantity,
        })),
    );
    return yield* postNumbered({ table: stockMovement, dialect }, movements);
}

/** The adjustments of a level; the first of them makes up for what others have changed since it was read. */
function movedBy({ id, stored, onHand, adjustments }: StockState, current: ReadonlyMap<Id, number>): readonly number[] {
    const drift = id === undefined || onHand === stored ? 0 : stored - (current.get(id) ?? stored);
    const [first = 0, ...others] = adjustments;
    return [first + drift, ...others].filter(quantity => quantity !== 0);
}

/** Levels as they are now, held until the commit: an order may have taken from them since they were read. */
function* lockLevels(
    { tables: { stockLevel }, dialect }: CatalogueContext,
    ids: readonly Id[],
): Script<ReadonlyMap<Id, number>> {
    if (ids.length === 0 || dialect.kind === 'sqlite') return new Map();
    const s = (property: string) => at('s', stockLevel, property);
    const rows = yield* select<{ id: Id; onHand: number }>(
        sql`SELECT ${asName(s('id'), 'id')}, ${asName(s('stockOnHand'), 'onHand')} FROM ${as(stockLevel, 's')}
        WHERE ${dialect.oneOf(s('id'), ids)} ORDER BY ${s('id')} FOR UPDATE`,
    );
    return new Map(rows.map(({ id, onHand }) => [id, onHand]));
}
