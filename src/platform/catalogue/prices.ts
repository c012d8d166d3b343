import type { StatementProgram } from '../../core/adapter/loader';
import { selectAhead, EMPTY, nothing, sql } from '../../database/statement';
import { type Id, type Row, deleteRows, oldestFirst, postNumbered, updateByColumn } from '../../database/write';
import type { PriceState, VariantState } from '../entity-descriptions/variant-state';
import { withoutMembers } from '../entities/read-members';
import { type StrategyPrices, derivedPrices } from './price-sync';
import type { CatalogueContext } from './catalogue';
import { as, sqlNameOf, at } from './tables';

interface PriceReading {
    /** Only those of one channel. */
    readonly channelId?: Id | undefined;
    /** Locks the rows until the commit. */
    readonly forUpdate?: boolean;
}

/** Reads the prices of variants, where they have not been read yet: one statement. */
export function* readPrices(
    catalogue: CatalogueContext,
    variants: Iterable<VariantState>,
    reading: PriceReading = {},
): StatementProgram<void> {
    yield* (yield* prefetchPrices(catalogue, variants, reading))();
}

/** The same without waiting: they are read when the answer is called. */
export function* prefetchPrices(
    { tables: { price }, dialect }: CatalogueContext,
    variants: Iterable<VariantState>,
    { channelId, forUpdate = false }: PriceReading = {},
): StatementProgram<() => StatementProgram<void>> {
    const owners = new Map(withoutMembers(variants, variant => !variant.prices).map(variant => [variant.id, variant]));
    if (owners.size === 0) return nothing;
    const p = (property: string) => at('p', price, property);
    const ofChannel = channelId === undefined ? EMPTY : sql` AND ${p('channelId')} = ${channelId}`;
    const rowsOf = yield* selectAhead<
        Row & { readonly id: Id }
    >(sql`SELECT ${sqlNameOf(p('id'), 'id')}, ${sqlNameOf(p('variant'), 'variantId')},
        ${sqlNameOf(p('channelId'), 'channelId')}, ${sqlNameOf(p('currencyCode'), 'currency')}, ${sqlNameOf(p('price'), 'price')}
        FROM ${as(price, 'p')} WHERE ${dialect.oneOf(p('variant'), [...owners.keys()])}${ofChannel}${forUpdate ? sql` ORDER BY ${p('id')}${dialect.forUpdate}` : EMPTY}`);
    return function* () {
        const rows = yield* rowsOf();
        for (const owner of owners.values()) owner.prices = [];
        for (const row of oldestFirst(rows)) {
            const stored = Number(price.fromColumn('price', row['price']));
            owners.get(row['variantId'] as Id)!.prices!.push({
                id: row['id'] as Id,
                channelId: row['channelId'] as Id,
                currency: row['currency'] as string,
                stored,
                price: stored,
            });
        }
    };
}

/** Which of a variant's prices. */
export interface PriceKey {
    readonly channelId: Id;
    readonly currency: string;
}

export function priceOf({ prices }: VariantState, { channelId, currency }: PriceKey): PriceState | undefined {
    return prices?.find(
        price => price.channelId === channelId && price.currency === currency && price.isRemoved !== true,
    );
}

/** A price with a new value; `was` is undefined if there was no price. */
interface PriceMoved {
    readonly state: PriceState;
    readonly was: number | undefined;
}

export interface PriceRules {
    readonly catalogue: Pick<CatalogueContext, 'priceSync' | 'reference'>;
    readonly answers: StrategyPrices;
}

/** Sets a price like ProductVariantService.createOrUpdateProductVariantPrice; returns the changed prices, including those that follow it. */
export function* putPrice(
    rules: PriceRules,
    variant: VariantState,
    { channelId, currency, price }: PriceKey & { readonly price: number },
): StatementProgram<readonly PriceMoved[]> {
    const found = priceOf(variant, { channelId, currency });
    if (!found) {
        const state: PriceState = { id: undefined, channelId, currency, stored: undefined, price };
        variant.prices!.push(state);
        return [
            { state, was: undefined },
            ...(yield* moveFollowers(rules, variant, { kind: 'created', price: state })),
        ];
    }
    const was = found.price;
    found.price = price;
    const followers = yield* moveFollowers(rules, variant, { kind: 'updated', price: found });
    return was === price ? followers : [{ state: found, was }, ...followers];
}

/** Removes a price as ProductVariantService.deleteProductVariantPrice does; returns the prices that follow. */
export function* takePrice(
    rules: PriceRules,
    variant: VariantState,
    state: PriceState,
): StatementProgram<readonly PriceMoved[]> {
    state.isRemoved = true;
    return yield* moveFollowers(rules, variant, { kind: 'deleted', price: state });
}

function* moveFollowers(
    { catalogue: { priceSync }, answers }: PriceRules,
    variant: VariantState,
    { kind, price }: { readonly kind: 'created' | 'updated' | 'deleted'; readonly price: PriceState },
): StatementProgram<readonly PriceMoved[]> {
    if (!priceSync.readsAllPrices) return [];
    const prices = variant.prices!.filter(({ isRemoved }) => isRemoved !== true);
    const moves = yield* derivedPrices(priceSync, { kind, price, prices, answers });
    return moves.map(({ price: state, to }) => {
        const was = state.price;
        state.price = to;
        return { state, was };
    });
}

interface WrittenPrices {
    readonly created: readonly Id[];
    readonly updated: readonly Id[];
    readonly deleted: readonly Id[];
}

/** Whether something of a variant's prices has to be written. */
export function arePricesChanged({ prices = [] }: VariantState): boolean {
    return prices.some(({ isRemoved, id, price, stored }) =>
        isRemoved === true ? id !== undefined : price !== stored,
    );
}

/** A price, and whose it is. */
interface PriceOf {
    readonly variantId: Id;
    readonly state: PriceState;
}

/** Writes the prices of variants that differ from the stored ones, in three statements. The returned script yields the changed prices. */
export function* writePrices(
    { tables: { price: table }, dialect }: CatalogueContext,
    variants: readonly VariantState[],
    moved: readonly PriceOf[] = [],
): StatementProgram<() => StatementProgram<WrittenPrices>> {
    const deleted: Id[] = [];
    const changed: { readonly ids: Id[]; readonly prices: number[] } = { ids: [], prices: [] };
    const fresh: PriceOf[] = [];
    for (const one of allPrices(variants, moved)) {
        const { isRemoved, id, price, stored } = one.state;
        if (isRemoved === true) {
            if (id !== undefined) deleted.push(id);
        } else if (id === undefined) fresh.push(one);
        else if (price !== stored) {
            changed.ids.push(id);
            changed.prices.push(price);
        }
    }
    yield* deleteRows({ table, dialect }, 'id', deleted);
    yield* updateByColumn(
        { table, dialect },
        new Map<string, readonly unknown[]>([
            ['id', changed.ids],
            ['price', changed.prices],
        ]),
    );
    const ids = yield* postNumbered(
        { table, dialect },
        new Map<string, readonly unknown[]>([
            ['currencyCode', fresh.map(({ state }) => state.currency)],
            ['channelId', fresh.map(({ state }) => state.channelId)],
            ['price', fresh.map(({ state }) => state.price)],
            ['variant', fresh.map(({ variantId }) => variantId)],
        ]),
    );
    return function* () {
        return { created: yield* ids(), updated: changed.ids, deleted };
    };
}

function* allPrices(variants: readonly VariantState[], moved: readonly PriceOf[]): Iterable<PriceOf> {
    yield* moved;
    for (const { id, prices = [] } of variants) for (const state of prices) yield { variantId: id!, state };
}
