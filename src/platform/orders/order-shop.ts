import { ConfigService, CurrencyCode, type OrderTaxCalculationStrategy } from '@vendure/core';
import type { VendurePlatform } from '../context';
import { type RunChannel, readRunChannel } from '../lookup/run-channel';

/** Data of a shop that hardly changes, as far as orders need it. */
export interface OrderShop {
    readonly channel: RunChannel;
    readonly currency: string;
    readonly pricesIncludeTax: boolean;
    readonly currencies: ReadonlySet<string>;
    /** The states of the shop's own processes. */
    readonly states: Readonly<Record<'order' | 'payment' | 'refund' | 'fulfillment', readonly string[]>>;
    readonly totals: OrderTaxCalculationStrategy;
    /** Its columns of dates have whole seconds, and it takes codes for the same that differ in case. */
    readonly isMySql: boolean;
}

/** An order in one of these states is a cart, or is about to be placed. */
const UNPLACED = new Set(['Created', 'Draft', 'AddingItems', 'ArrangingPayment']);

/** Reads a shop's settings for orders. */
export async function readOrderShop(platform: VendurePlatform): Promise<OrderShop> {
    const { injector, ctx, database } = platform;
    const { orderOptions, paymentOptions, shippingOptions, taxOptions } = injector.get(ConfigService);
    return {
        channel: await readRunChannel(platform),
        currency: ctx.channel.defaultCurrencyCode,
        pricesIncludeTax: ctx.channel.pricesIncludeTax,
        currencies: new Set(Object.values(CurrencyCode)),
        states: {
            order: statesOf(orderOptions.process).filter(state => !UNPLACED.has(state)),
            payment: statesOf([...(paymentOptions.customPaymentProcess ?? []), ...(paymentOptions.process ?? [])]),
            refund: statesOf(paymentOptions.refundProcess),
            fulfillment: statesOf([
                ...(shippingOptions.customFulfillmentProcess ?? []),
                ...(shippingOptions.process ?? []),
            ]),
        },
        totals: taxOptions.orderTaxCalculationStrategy,
        isMySql: database.dialect.kind === 'mysql',
    };
}

/** All states that some processes know together. */
function statesOf(processes: ReadonlyArray<{ readonly transitions?: object }> | undefined): readonly string[] {
    return [...new Set((processes ?? []).flatMap(({ transitions }) => Object.keys(transitions ?? {})))];
}
