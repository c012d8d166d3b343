import type { StatementProgram } from '../../core/adapter/loader';
import { selectAhead, EMPTY, nothing, select, sql } from '../../database/statement';
import { type Id, deleteRows, insertByColumn, oldestFirst, postNumbered, updateByColumn } from '../../database/write';
import type { StockState, VariantState } from '../entity-descriptions/variant-state';
import { withoutMembers } from '../entities/read-members';
import type { ChannelFacts, ShopReference } from '../lookup/reference';
import type { CatalogueContext } from './catalogue';
import type { DesiredLevel } from './desired';
import { as, sqlNameOf, at } from './tables';

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
): StatementProgram<void> {
    yield* (yield* prefetchStock(catalogue, variants, reading))();
}

/** The same without waiting: they are read when the answer is called. */
export function* prefetchStock(
    { tables: { stockLevel }, dialect }: CatalogueContext,
    variants: Iterable<VariantState>,
    { forUpdate = false, locationIds }: StockReading = {},
): StatementProgram<() => StatementProgram<void>> {
    const owners = new Map(withoutMembers(variants, variant => !variant.stock).map(variant => [variant.id, variant]));
    if (owners.size === 0) return nothing;
    const s = (property: string) => at('s', stockLevel, property);
    const there = locationIds ? sql` AND ${dialect.oneOf(s('stockLocationId'), locationIds)}` : EMPTY;
    const rowsOf = yield* selectAhead<{ id: Id; variantId: Id; locationId: Id; onHand: number; allocated: number }>(
        sql`SELECT ${sqlNameOf(s('id'), 'id')}, ${sqlNameOf(s('productVariantId'), 'variantId')},
        ${sqlNameOf(s('stockLocationId'), 'locationId')}, ${sqlNameOf(s('stockOnHand'), 'onHand')}, ${sqlNameOf(s('stockAllocated'), 'allocated')}
        FROM ${as(stockLevel, 's')} WHERE ${dialect.oneOf(s('productVariantId'), [...owners.keys()])}${there}${forUpdate ? sql` ORDER BY ${s('id')}${dialect.forUpdate}` : EMPTY}`,
    );
    return function* () {
        const rows = yield* rowsOf();
        for (const owner of owners.values()) owner.stock = [];
        for (const { id, variantId, locationId, onHand, allocated } of oldestFirst(rows))
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

/** The plain number below which ProductVariantService rejects stock; `tracking` applies to a new variant. Without inventory tracking, it is 0. */
export function thresholdOf(
    reference: Pick<ShopReference, 'outOfStockThreshold' | 'tracksInventory'>,
    variant: VariantState | undefined,
    tracking = 'INHERIT',
): number {
    const tracked = variant?.columns.get('trackInventory') ?? tracking;
    if (tracked !== 'TRUE' && (tracked !== 'INHERIT' || !reference.tracksInventory)) return 0;
    const isOwn = variant?.columns.get('useGlobalOutOfStockThreshold') === false;
    return isOwn ? (variant.columns.get('outOfStockThreshold') as number) : reference.outOfStockThreshold;
}

export function levelAt({ stock }: VariantState, locationId: Id): StockState | undefined {
    return stock?.find(level => level.locationId === locationId && level.isRemoved !== true);
}

/** Sets the stock on hand at a location; returns the previous number, undefined if there was no level. */
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

/** Removes the level at a location; returns the previous number. */
export function takeLevel(variant: VariantState, locationId: Id): number | undefined {
    const level = levelAt(variant, locationId);
    if (!level) return undefined;
    level.isRemoved = true;
    level.adjustments.push(-level.onHand);
    return level.onHand;
}

/** Why a variant cannot do without the levels that a record takes away: stock that orders count on, or the last one. */
export function levelsProblem(variant: VariantState, requested: readonly DesiredLevel[]): string | undefined {
    if (requested.every(({ quantity }) => quantity !== null)) return undefined;
    const taken = requested.flatMap(({ quantity, locationId }) =>
        quantity === null ? (levelAt(variant, locationId) ?? []) : [],
    );
    const allocated = taken.find(level => level.allocated > 0);
    if (allocated) return `cannot be emptied: ${allocated.allocated} of it are allocated to orders`;
    const living = variant.stock!.filter(({ isRemoved }) => isRemoved !== true);
    const added = requested.filter(({ quantity, locationId }) => quantity !== null && !levelAt(variant, locationId));
    const isLast = taken.length > 0 && living.length + added.length === taken.length;
    return isLast ? 'cannot be emptied: the last stock level of a variant stays' : undefined;
}

/** A level of 0 at each location of a channel that has none yet (ProductVariantService.ensureStockLevelsForChannel). */
export function ensureStock(variant: VariantState, channel: ChannelFacts): void {
    for (const { id } of channel.locations) if (!levelAt(variant, id)) setLevel(variant, id, 0);
}

/** A level, and whose it is. */
interface LevelOf {
    readonly variantId: Id;
    readonly state: StockState;
}

/**
 * Writes stock levels and, for each adjustment, a movement (StockMovementService.adjustProductVariantStock). The returned script yields the
 * movements.
 */
export function* writeStock(
    catalogue: CatalogueContext,
    variants: readonly VariantState[],
    moved: readonly LevelOf[] = [],
): StatementProgram<() => StatementProgram<readonly Id[]>> {
    const {
        tables: { stockLevel, stockMovement },
        dialect,
    } = catalogue;
    const all: LevelOf[] = [...moved];
    for (const { id, stock = [] } of variants) for (const state of stock) all.push({ variantId: id!, state });
    const removed: Id[] = [];
    const fresh: LevelOf[] = [];
    const changed: StockState[] = [];
    for (const one of all) {
        const { id, isRemoved, onHand, stored } = one.state;
        if (isRemoved === true) {
            if (id !== undefined) removed.push(id);
        } else if (id === undefined) fresh.push(one);
        else if (onHand !== stored) changed.push(one.state);
    }
    const current = yield* lockLevels(
        catalogue,
        changed.flatMap(({ id, isLocked }) => (isLocked ? [] : [id!])),
    );
    yield* deleteRows({ table: stockLevel, dialect }, 'id', removed);
    yield* updateByColumn(
        { table: stockLevel, dialect },
        new Map<string, readonly unknown[]>([
            ['id', changed.map(({ id }) => id)],
            ['stockOnHand', changed.map(({ onHand }) => onHand)],
        ]),
    );
    yield* insertByColumn(
        { table: stockLevel, dialect },
        new Map<string, readonly unknown[]>([
            ['productVariantId', fresh.map(({ variantId }) => variantId)],
            ['stockLocationId', fresh.map(({ state }) => state.locationId)],
            ['stockOnHand', fresh.map(({ state }) => state.onHand)],
            ['stockAllocated', fresh.map(() => 0)],
        ]),
    );
    const [owners, locations, quantities]: [Id[], Id[], number[]] = [[], [], []];
    for (const { variantId, state } of all) {
        for (const quantity of movedBy(state, current)) {
            owners.push(variantId);
            locations.push(state.locationId);
            quantities.push(quantity);
        }
    }
    return yield* postNumbered(
        { table: stockMovement, dialect },
        new Map<string, readonly unknown[]>([
            ['type', owners.map(() => 'ADJUSTMENT')],
            ['discriminator', owners.map(() => 'StockAdjustment')],
            ['stockLocationId', locations],
            ['productVariant', owners],
            ['quantity', quantities],
        ]),
    );
}

/** The adjustments of a level; the first of them compensates for what others have changed since it was read. */
function movedBy({ id, stored, onHand, adjustments }: StockState, current: ReadonlyMap<Id, number>): readonly number[] {
    const drift = id === undefined || onHand === stored ? 0 : stored - (current.get(id) ?? stored);
    const [first = 0, ...others] = adjustments;
    return [first + drift, ...others].filter(quantity => quantity !== 0);
}

/** The current levels, locked until the commit: an order may have reduced them since they were read. */
function* lockLevels(
    { tables: { stockLevel }, dialect }: CatalogueContext,
    ids: readonly Id[],
): StatementProgram<ReadonlyMap<Id, number>> {
    if (ids.length === 0 || dialect.kind === 'sqlite') return new Map();
    const s = (property: string) => at('s', stockLevel, property);
    const rows = yield* select<{ id: Id; onHand: number }>(
        sql`SELECT ${sqlNameOf(s('id'), 'id')}, ${sqlNameOf(s('stockOnHand'), 'onHand')} FROM ${as(stockLevel, 's')}
        WHERE ${dialect.oneOf(s('id'), ids)} ORDER BY ${s('id')} FOR UPDATE`,
    );
    return new Map(rows.map(({ id, onHand }) => [id, onHand]));
}
