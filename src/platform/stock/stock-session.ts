import { show } from '../../core/value/show';
import type { AdapterContext } from '../../core/adapter/context';
import type { Change, LoadPlan, TableSession, Script, Trimmed } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';
import type { Batch } from '../../core/data/record';
import { recordInvalid } from '../../core/errors/record-invalid';
import { type Faults, known, trimmedIn } from '../entities/faults';
import { oncePerBatch } from '../entities/once-per-batch';
import { type Strategy, strategyProblem } from '../entities/load-arguments';
import type { FieldReader } from '../entities/read-field';
import { type SideEffects, entitiesChanged } from '../effects/effect';
import { vendureOf } from '../lookup/vendure';
import type { Id } from '../../database/write';
import { type Foreseen, foreseenBy } from '../variants/foreseen';
import { readVariantRecord, skuLock } from '../variants/variant-record';
import { type FoundVariant, VariantFinder, foundProblem } from '../variants/variants-by-sku';
import { type Adjustment, type Level, StockLevels } from './stock-levels';

export interface StockLocationFacts {
    readonly id: Id;
    readonly name: string;
}

/** What a stock load was told. */
export interface StockOptions {
    readonly skuField: string;
    readonly stockField: string;
    readonly mode: 'SET' | 'ADD';
    readonly strategy: Strategy;
    readonly sideEffects: SideEffects;
    /** Those of the run's channel. */
    readonly locations: readonly StockLocationFacts[];
    /** Where a plain number goes. */
    readonly plainLocation: StockLocationFacts;
    readonly outOfStockThreshold: number;
}

/** The column is a 32-bit integer in every database. */
const MAX_STOCK = 2_147_483_647;

/** What one record asks for. */
interface Ask {
    readonly sku: string;
    readonly faults: Faults;
    readonly amounts: ReadonlyArray<{ readonly location: StockLocationFacts; readonly amount: number }>;
    /** Whether the record gave one number rather than one for each location. */
    readonly isPlain: boolean;
}

/** Sets or adds stock as StockMovementService.adjustProductVariantStock does, a batch at a time. */
export class StockSession implements TableSession {
    private readonly finder: VariantFinder;
    private readonly store: StockLevels;
    private readonly foreseen: Foreseen | undefined;
    private readonly asks = oncePerBatch(({ data }) => this.read(data));

    constructor(
        private readonly options: StockOptions,
        cx: AdapterContext,
    ) {
        const platform = vendureOf(cx);
        const {
            dataSource,
            database: { dialect },
            ctx,
        } = platform;
        this.foreseen = cx.mode === 'live' ? undefined : foreseenBy(platform);
        this.finder = new VariantFinder(dataSource, dialect, { channelId: ctx.channelId, foreseen: this.foreseen });
        this.store = new StockLevels(dataSource, dialect);
    }

    locks(batch: Batch): readonly string[] {
        return this.asks(batch).flatMap(({ sku }) => (sku === '' ? [] : [skuLock(sku)]));
    }

    trimmed(batch: Batch): Trimmed | undefined {
        return trimmedIn(this.asks(batch));
    }

    *plan(batch: Batch): Script<LoadPlan> {
        const asks = this.asks(batch);
        const good = asks.filter(({ faults }) => faults.count === 0);
        const variants = yield* this.finder.find(good.map(({ sku }) => sku));
        const locationIds = [...new Set(good.flatMap(({ amounts }) => amounts.map(({ location }) => location.id)))];
        const variantIds = [...variants.values()].map(({ id }) => id);
        const work = new StockWork(
            this.options,
            this.foreseen,
            yield* this.store.read(variantIds, locationIds, { forUpdate: !this.foreseen }),
        );
        const changes = asks.map(ask =>
            ask.faults.count > 0
                ? { action: 'reject' as const, key: ask.sku || undefined, error: ask.faults.error() }
                : work.take(ask, variants.get(ask.sku)),
        );
        work.remember();
        const {
            store,
            options: { sideEffects },
        } = this;
        return {
            changes,
            *apply() {
                const ids = yield* store.write(work.levels(), work.adjustments);
                return entitiesChanged({ entity: 'StockMovement', operation: 'CREATE', ids, sideEffects });
            },
        };
    }

    private read(data: JsonObject): Ask {
        const { skuField, stockField, plainLocation } = this.options;
        const { reader, faults, sku = '' } = readVariantRecord(data, skuField, 'a stock level');
        const value = data[stockField];
        if (value === undefined) faults.add(stockField, 'is missing');
        if (typeof value !== 'object' || value === null) {
            const amount = reader.whole(stockField, MAX_STOCK);
            return {
                sku,
                faults,
                amounts: amount === undefined ? [] : [{ location: plainLocation, amount }],
                isPlain: true,
            };
        }
        return { sku, faults, amounts: this.readLocations(reader, faults), isPlain: false };
    }

    private readLocations(reader: FieldReader, faults: Faults): Ask['amounts'] {
        const { stockField, locations } = this.options;
        const byName = reader.inside(stockField);
        const names = Object.keys(byName?.data ?? {});
        if (byName && names.length === 0) faults.add(stockField, 'names no location');
        return names.flatMap(locationName => {
            const location = locations.find(candidate => candidate.name === locationName);
            const amount = byName?.whole(locationName, MAX_STOCK);
            if (location) return amount === undefined ? [] : [{ location, amount }];
            faults.add(
                `${stockField}.${locationName}`,
                `is no stock location of the run's channel; ${known(locations.map(l => l.name))}`,
            );
            return [];
        });
    }
}

/** The levels of one batch while its records are gone through in order: a key that comes twice meets its first self. */
class StockWork {
    readonly adjustments: Adjustment[] = [];
    private readonly byKey = new Map<string, Level>();
    private readonly seen = new Set<Level>();
    private readonly touched: Array<{ readonly sku: string; readonly level: Level }> = [];

    constructor(
        private readonly options: StockOptions,
        private readonly foreseen: Foreseen | undefined,
        levels: readonly Level[],
    ) {
        for (const level of levels) this.byKey.set(`${level.variantId} ${level.locationId}`, level);
    }

    levels(): readonly Level[] {
        return [...this.byKey.values()];
    }

    remember(): void {
        for (const { sku, level } of this.touched) this.foreseen?.setStock(sku, level.locationId, level.current ?? 0);
    }

    take({ sku, amounts, isPlain }: Ask, found: FoundVariant | undefined): Change {
        const isForeseen = !found && this.foreseen?.isCreated(sku) === true;
        const problem = isForeseen ? undefined : foundProblem(found);
        if (problem !== undefined)
            return {
                action: 'reject',
                key: sku,
                error: recordInvalid(this.options.skuField, `is ${show(sku)}: ${problem}`),
            };
        const steps = amounts.map(({ location, amount }) => {
            const level = this.level(sku, found?.id ?? `new ${sku}`, location.id);
            const before = level.current ?? 0;
            return { location, level, before, after: this.options.mode === 'ADD' ? before + amount : amount };
        });
        for (const { after, level, location } of steps) {
            const against = strategyProblem(this.options.strategy, level.current !== undefined);
            const fault =
                against === undefined
                    ? this.problemWith(after, isPlain, found)
                    : `the stock level at ${show(location.name)} ${against}`;
            if (fault !== undefined)
                return { action: 'reject', key: sku, error: recordInvalid(this.options.stockField, fault) };
        }
        const changed = steps.filter(({ level, after }) => level.current !== after);
        if (changed.length === 0) return { action: 'unchanged', key: sku };
        const shown = (of: (step: (typeof steps)[number]) => number | null): JsonObject => ({
            stock: isPlain ? of(changed[0]!) : Object.fromEntries(changed.map(step => [step.location.name, of(step)])),
        });
        const before = shown(({ level }) => level.current ?? null);
        for (const { level, location, before: old, after } of changed) {
            level.current = after;
            if (after !== old)
                this.adjustments.push({ variantId: level.variantId, locationId: location.id, quantity: after - old });
            this.touched.push({ sku, level });
        }
        return { action: 'update', key: sku, before, after: shown(({ after }) => after) };
    }

    /** ProductVariantService refuses a plain number below the threshold, and takes any for a named location. */
    private problemWith(stock: number, isPlain: boolean, found: FoundVariant | undefined): string | undefined {
        if (Math.abs(stock) > MAX_STOCK) return `would become ${stock}; the database takes at most ${MAX_STOCK}`;
        const threshold = found?.outOfStockThreshold ?? this.options.outOfStockThreshold;
        if (!isPlain || stock === 0 || stock >= threshold) return undefined;
        return `would become ${stock}, below the variant's out-of-stock threshold of ${threshold}`;
    }

    private level(sku: string, variantId: Id, locationId: Id): Level {
        const key = `${variantId} ${locationId}`;
        const level = this.byKey.get(key) ?? {
            variantId,
            locationId,
            id: undefined,
            stored: undefined,
            current: undefined,
        };
        if (!this.seen.has(level)) {
            this.seen.add(level);
            this.byKey.set(key, level);
            level.current = this.foreseen?.stock(sku, locationId) ?? level.current;
        }
        return level;
    }
}
