import {
    ConfigService,
    DefaultProductVariantPriceUpdateStrategy,
    type ProductVariantPrice,
    type ProductVariantPriceUpdateStrategy,
} from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import type { Request } from '../../database/statement';
import type { VendurePlatform } from '../context';
import { derivedPrices, type PriceEvent, type PriceFacts, type PriceSync, priceSyncOf } from './price-sync';

function syncOf(strategy: ProductVariantPriceUpdateStrategy): PriceSync {
    const config = { catalogOptions: { productVariantPriceUpdateStrategy: strategy } };
    const injector = { get: (token: unknown) => (token === ConfigService ? config : undefined) };
    return priceSyncOf({ ctx: {}, injector } as unknown as VendurePlatform);
}

/** Runs a script that waits for promises but sends no statements; returns its result, and for how many it has waited. */
async function run<T>(script: StatementProgram<T>): Promise<{ readonly value: T; readonly waits: number }> {
    let waits = 0;
    let step = script.next();
    for (; step.done !== true; waits++) {
        const request = step.value as Request;
        if (request.type !== 'wait') throw new Error(`It sends ${request.type}.`);
        step = script.next((await request.what) as never);
    }
    return { value: step.value, waits };
}

const HOME: PriceFacts = { id: 1, channelId: 1, currency: 'USD', price: 2_000 };
const ABROAD: PriceFacts = { id: 2, channelId: 2, currency: 'USD', price: 900 };
const EUROS: PriceFacts = { id: 3, channelId: 2, currency: 'EUR', price: 800 };
const ALL = [HOME, ABROAD, EUROS];

async function followed(
    sync: PriceSync,
    kind: PriceEvent,
    { price = HOME, prices = ALL }: { readonly price?: PriceFacts; readonly prices?: readonly PriceFacts[] } = {},
) {
    const { value } = await run(derivedPrices(sync, { kind, price, prices, answers: new Map() }));
    return value.map(move => [move.price, move.to]);
}

const shown = ({ id, price, currencyCode }: ProductVariantPrice): string => `${id ?? 'none'} ${currencyCode} ${price}`;

describe("the prices that follow another one by Vendure's own strategy", () => {
    it('are not read if prices of channels are separate', async () => {
        const sync = syncOf(new DefaultProductVariantPriceUpdateStrategy({ syncPricesAcrossChannels: false }));
        expect([sync.readsAllPrices, await followed(sync, 'updated')]).toEqual([false, []]);
    });

    it('are those in its currency that differ, if prices of channels are the same', async () => {
        const sync = syncOf(new DefaultProductVariantPriceUpdateStrategy({ syncPricesAcrossChannels: true }));
        expect(await followed(sync, 'updated')).toEqual([[ABROAD, 2_000]]);
        expect(await followed(sync, 'updated', { prices: [HOME, { ...ABROAD, price: 2_000 }] })).toEqual([]);
        expect([await followed(sync, 'created'), await followed(sync, 'deleted')]).toEqual([[], []]);
    });
});

describe("the prices that follow another one by a shop's own strategy", () => {
    /** Halves the others, and notes what it is called with. */
    function halving(calls: string[], answered: <T>(answer: T) => T | Promise<T> = answer => answer) {
        const called = (kind: string) => (_: unknown, changed: ProductVariantPrice, prices: ProductVariantPrice[]) => {
            calls.push(`${kind} ${shown(changed)} of ${prices.map(shown).join(', ')}`);
            const others = prices.filter(({ id }) => id !== changed.id);
            return answered(others.map(({ id }) => ({ id, price: changed.price / 2 })));
        };
        return {
            onPriceCreated: called('created'),
            onPriceUpdated: called('updated'),
            onPriceDeleted: called('deleted'),
        } as ProductVariantPriceUpdateStrategy;
    }

    it('are requested as by Vendure: a created price is not among the others, a deleted one has no id', async () => {
        const calls: string[] = [];
        const sync = syncOf(halving(calls));
        for (const kind of ['created', 'updated', 'deleted'] as const)
            expect(await followed(sync, kind)).toEqual([
                [ABROAD, 1_000],
                [EUROS, 1_000],
            ]);
        const others = '2 USD 900, 3 EUR 800';
        expect(calls).toEqual([
            `created 1 USD 2000 of ${others}`,
            `updated 1 USD 2000 of 1 USD 2000, ${others}`,
            `deleted none USD 2000 of ${others}`,
        ]);
    });

    it('may be planned and not stored yet', async () => {
        const planned = { ...ABROAD, id: undefined };
        const moves = await followed(syncOf(halving([])), 'updated', { prices: [HOME, planned] });
        expect(moves).toEqual([[planned, 1_000]]);
    });

    it('count once, only if they are of the variant, and only if they differ', async () => {
        const moves = [
            { id: 2, price: 5 },
            { id: 2, price: 6 },
            { id: 99, price: 7 },
            { id: 3, price: EUROS.price },
        ];
        const always = () => moves;
        const sync = syncOf({ onPriceCreated: always, onPriceUpdated: always, onPriceDeleted: always });
        expect(await followed(sync, 'updated')).toEqual([[ABROAD, 5]]);
    });

    it('are awaited once for the same question', async () => {
        const calls: string[] = [];
        const sync = syncOf(halving(calls, async answer => answer));
        const answers = new Map();
        const request = { kind: 'updated' as const, price: HOME, prices: ALL, answers };
        const [first, again, other] = [
            await run(derivedPrices(sync, request)),
            await run(derivedPrices(sync, request)),
            await run(derivedPrices(sync, { ...request, price: EUROS })),
        ];
        expect([first.waits, again.waits, other.waits, calls.length]).toEqual([1, 0, 1, 2]);
        expect(again.value).toEqual(first.value);
        expect(sync.waits).toBe(true);
    });

    it.each([
        ['at once', () => 7],
        ['after a while', () => Promise.resolve(undefined)],
    ])('are rejected if it returns something other than a list %s', async (_, odd) => {
        class Mute implements ProductVariantPriceUpdateStrategy {
            onPriceCreated = odd as never;
            onPriceUpdated = odd as never;
            onPriceDeleted = odd as never;
        }
        await expect(followed(syncOf(new Mute()), 'updated')).rejects.toMatchObject({
            code: 'PRICE_STRATEGY_UNSUPPORTED',
            message: expect.stringContaining('Mute') as string,
        });
    });
});
