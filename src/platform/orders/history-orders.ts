import { ConfigService, normalizeEmailAddress, Order, Permission } from '@vendure/core';
import type { AdapterContext } from '../../core/adapter/context';
import type { TableSession } from '../../core/adapter/loader';
import { tableOf } from '../../database/table';
import { CustomFields } from '../entities/custom-fields';
import { resolveIssues, trimIn } from '../entities/record-issues';
import { oncePerBatch } from '../entities/once-per-batch';
import { overflowOf } from '../entities/overflow';
import { unitOfWork } from '../entities/unit-of-work';
import { deletingBy } from '../lookup/deleting';
import { vendureOf } from '../lookup/vendure';
import { readOrderFacts, withPlanned } from './order-facts';
import { type OrderArguments, orderNames, readOrder } from './order-record';
import { readOrderShop } from './order-shop';
import { MAX_ORDERS, OrderSet } from './order-state';
import { OrderPlan } from './plan-orders';
import { OrderTables } from './stored-orders';
import { writeOrders } from './write-orders';

/**
 * Orders of another system, written into the tables in the state that they had: no stock is moved, no mail is sent, and no event is published (ADR 21).
 */
export async function openHistoryOrders(
    config: OrderArguments & { readonly roundingTolerance: number },
    cx: AdapterContext,
): Promise<TableSession> {
    const platform = vendureOf(cx);
    const { ctx, injector, dataSource } = platform;
    const order = tableOf(dataSource, Order);
    // Lists of relations are in separate tables.
    const configs = injector
        .get(ConfigService)
        .customFields.Order.filter(({ type, list }) => type !== 'relation' || list !== true);
    const custom = new CustomFields(configs, {
        ctx,
        injector,
        isMySql: dataSource.options.type === 'mysql',
        base: order,
        translation: order,
    });
    const names = orderNames(config);
    const deleting = deletingBy(ctx, [Permission.DeleteOrder], config.allowDeletes);
    const tables = new OrderTables(platform, custom);
    const shop = await readOrderShop(platform);
    const overflow = overflowOf(cx, 'orders', MAX_ORDERS);
    const isLive = cx.mode === 'live';
    const read = oncePerBatch(({ data }) => readOrder(data, { names, deleting, custom, mail }));
    const rules = { shop, names, custom, strategy: config.strategy, tolerance: config.roundingTolerance };
    return {
        prepare: batch => resolveIssues(read(batch)),
        locks: batch => read(batch).flatMap(({ code }) => (code === undefined ? [] : [`order:${code}`])),
        *plan(batch) {
            const work = unitOfWork(platform, cx.mode);
            const set = work.part(OrderSet);
            const records = read(batch);
            const sound = records.filter(({ faults: issues }) => issues.isSound);
            const codes = [...new Set(sound.map(({ code }) => code!))].filter(code => set.mustRead(code));
            for (const state of yield* tables.read(codes)) set.addRead(state);
            const written = sound.filter(({ isDelete }) => !isDelete);
            const facts = yield* readOrderFacts(platform, written);
            const plan = new OrderPlan(rules, set, isLive ? facts : withPlanned(facts, written, work));
            const changes = records.map(requested => plan.change(requested));
            if (!isLive) {
                set.settle();
                overflow(set.isFull);
            }
            return {
                changes,
                *apply() {
                    yield* writeOrders(tables, set, [shop.channel.id, shop.channel.defaultId]);
                    return [];
                },
            };
        },
        trimmed: batch => trimIn(read(batch)),
    };
}

/** The form in which Vendure stores them. A far too long text is not an address, and normalising it would be slow. */
const mail = (text: string): string => (text.length > 1_000 ? text : normalizeEmailAddress(text));
