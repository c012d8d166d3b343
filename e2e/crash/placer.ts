import 'reflect-metadata';
import {
    bootstrapWorker,
    CurrencyCode,
    EventBus,
    mergeConfig,
    Order,
    OrderPlacedEvent,
    RequestContextService,
    TransactionalConnection,
} from '@vendure/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { keepCompiled } from '../config/code-cache.cjs';
import { sqlQueue } from '../config/sql-queue';
import { vendureConfig } from '../config/vendure-config';
import { type CrashOrder, crashPlugins, PLACED } from './crash-shop';

/** Milliseconds between two orders. */
const PACE_MS = 15;
/** In one of this number of orders, the request fails after the event. */
const FAILING = 5;

/** Places orders until it is killed. It acts as a server of the shop for events, and processes no queue. */
async function place(order: CrashOrder): Promise<void> {
    const { app } = await bootstrapWorker(
        mergeConfig(vendureConfig(order.connection), {
            plugins: [sqlQueue(), ...crashPlugins(order)],
        }),
    );
    const connection = app.get(TransactionalConnection);
    const bus = app.get(EventBus);
    const ctx = await app.get(RequestContextService).create({ apiType: 'admin' });
    const one = (number: number): Promise<void> =>
        connection.withTransaction(ctx, async within => {
            const placed = await connection.getRepository(within, Order).save(
                new Order({
                    code: `${PLACED}${process.pid}-${number}`,
                    state: 'PaymentSettled',
                    active: false,
                    couponCodes: [],
                    shippingAddress: {},
                    billingAddress: {},
                    currencyCode: CurrencyCode.USD,
                    subTotal: 0,
                    subTotalWithTax: 0,
                }),
            );
            await bus.publish(new OrderPlacedEvent('ArrangingPayment', 'PaymentSettled', within, placed));
            if (number % FAILING === 0) throw new Error('the request fails');
        });
    process.stdin.once('data', () => {
        process.stdin.destroy();
        process.stdout.write('working\n');
        void (async () => {
            for (let number = 1; ; number++) {
                await one(number).catch((error: Error) => {
                    if (error.message !== 'the request fails') throw error;
                });
                await sleep(PACE_MS);
            }
        })().catch(error => {
            console.error(error);
            process.exit(1);
        });
    });
    keepCompiled();
    process.stdout.write('ready\n');
}

place(JSON.parse(process.argv[2] ?? '{}') as CrashOrder).catch(error => {
    console.error(error);
    process.exit(1);
});
