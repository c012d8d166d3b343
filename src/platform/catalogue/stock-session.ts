import type { AdapterContext } from '../../core/adapter/context';
import type { Change, TableSession } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
import { recordInvalid } from '../../core/errors/record-invalid';
import type { JsonObject } from '../../core/value/json';
import { show } from '../../core/value/show';
import { variant as variants } from '../entity-descriptions/variant';
import type { VariantState } from '../entity-descriptions/variant-state';
import { type EffectPublishers, entitiesChanged } from '../effects/effect';
import { known } from '../entities/record-issues';
import { type Strategy, strategyProblem } from '../entities/load-arguments';
import type { DesiredLevel } from './desired';
import { idsOf } from '../entities/write-entities';
import { openCatalogue } from './open-catalogue';
import { stockIn } from './read-variant';
import { levelAt, levelsProblem, readStock, setLevel, takeLevel, thresholdOf, writeStock } from './stock';
import { catalogueSession } from './session';
import { changesOf, validSkus, variantRecords, variantsOf, type VariantRecord } from './variant-record';

/** The options of a stock load. */
interface StockOptions {
    readonly skuField: string;
    readonly stockField: string;
    /** Name of the location that a plain number is for. */
    readonly stockLocation?: string | undefined;
    readonly mode: 'SET' | 'ADD';
    readonly strategy: Strategy;
    readonly sideEffects: EffectPublishers;
}

interface StockRecord extends VariantRecord {
    readonly stock: readonly DesiredLevel[];
}

/** The column is a 32-bit integer in every database. */
const MAX_STOCK = 2_147_483_647;

/** Sets or adds stock of existing variants as StockMovementService.adjustProductVariantStock does, a batch at a time. */
export async function openStock(options: StockOptions, cx: AdapterContext): Promise<TableSession> {
    const { skuField, stockField, stockLocation, mode, strategy, sideEffects } = options;
    const open = await openCatalogue(cx, { isBare: true });
    const { catalogue, isDryRun } = open;
    const { reference } = catalogue;
    const { locations } = reference.channel;
    const plainLocation =
        stockLocation === undefined ? reference.defaultLocation : locations.find(({ name }) => name === stockLocation);
    if (!plainLocation) {
        throw flowError('STOCK_LOCATION_NOT_FOUND', {
            name: stockLocation ?? '',
            known: known(locations.map(({ name }) => name)),
        });
    }
    const records = variantRecords<Pick<StockRecord, 'stock'>>({
        skuField,
        what: 'a stock level',
        rest(reader) {
            if (!reader.has(stockField)) reader.faults.add(stockField, 'is missing');
            const before = reader.faults.count;
            const stock = stockIn(reader, { reference, maxStock: MAX_STOCK, plainLocation }, stockField);
            if (reader.has(stockField) && stock.length === 0 && reader.faults.count === before)
                reader.faults.add(stockField, 'names no location');
            return { stock };
        },
    });
    return catalogueSession<StockRecord>(open, {
        ...records,
        *planned(requested, work) {
            yield* catalogue.variants.readKeys(work, validSkus(requested));
            const desired = requested.flatMap(({ stock, faults: issues }) => (issues.count > 0 ? [] : stock));
            const takes = desired.some(({ quantity }) => quantity === null);
            yield* readStock(catalogue, variantsOf(work, requested), {
                // All levels are needed to know whether a level is the last one.
                ...(!isDryRun && !takes && { locationIds: [...new Set(desired.map(({ locationId }) => locationId))] }),
                forUpdate: !isDryRun,
            });
            return yield* changesOf(work, requested, {
                skuField,
                // eslint-disable-next-line require-yield -- a script without statements
                *change(record, state) {
                    return stocking(record, state);
                },
            });
        },
        *write(work) {
            const { changed } = work.of(variants);
            const ids = yield* (yield* writeStock(catalogue, changed))();
            const variantIds = idsOf(changed);
            return entitiesChanged({ entity: 'StockMovement', operation: 'CREATE', ids, sideEffects, variantIds });
        },
    });

    function stocking({ sku, stock }: StockRecord, state: VariantState): Change {
        const refuse = (problem: string): Change => ({
            action: 'reject',
            key: sku,
            error: recordInvalid(stockField, problem),
        });
        const steps = stock.map(({ locationId, location, quantity, isPlain }) => {
            const was = levelAt(state, locationId)?.onHand;
            const to = quantity !== null && mode === 'ADD' ? (was ?? 0) + quantity : quantity;
            return { locationId, location, isPlain, was: was ?? null, to };
        });
        for (const { was, to, location, isPlain } of steps) {
            const against = to === null ? undefined : strategyProblem(strategy, was !== null);
            if (against !== undefined) return refuse(`the stock level at ${show(location)} ${against}`);
            const problem = to === null ? undefined : problemWith(to, isPlain, state);
            if (problem !== undefined) return refuse(problem);
        }
        const kept = levelsProblem(state, stock);
        if (kept !== undefined) return refuse(kept);
        const changed = steps.filter(({ was, to }) => was !== to);
        const [first] = changed;
        if (!first) return { action: 'unchanged', key: sku };
        for (const { locationId, to } of changed)
            if (to === null) takeLevel(state, locationId);
            else setLevel(state, locationId, to);
        const shown = (of: (step: (typeof steps)[number]) => number | null): JsonObject => ({
            stock: first.isPlain ? of(first) : Object.fromEntries(changed.map(step => [step.location, of(step)])),
        });
        return { action: 'update', key: sku, before: shown(({ was }) => was), after: shown(({ to }) => to) };
    }

    /** ProductVariantService rejects a plain number below the threshold, and accepts any number for a named location. */
    function problemWith(stock: number, isPlain: boolean, state: VariantState): string | undefined {
        if (Math.abs(stock) > MAX_STOCK) return `would become ${stock}; the database takes at most ${MAX_STOCK}`;
        const threshold = thresholdOf(reference, state);
        if (!isPlain || stock === 0 || stock >= threshold) return undefined;
        return `would become ${stock}, below the variant's out-of-stock threshold of ${threshold}`;
    }
}
