import { normalizeEmailAddress, Permission } from '@vendure/core';
import type { AdapterContext } from '../../core/adapter/context';
import type { ServiceSession } from '../../core/adapter/loader';
import { overflowOf } from '../entities/overflow';
import { deletingBy } from '../lookup/deleting';
import { vendureOf } from '../lookup/vendure';
import { readLive } from './live-record';
import { OrderServiceSession } from './live-session';
import { liveCustomOf } from './live-store';
import { LiveOrders } from './live-upsert';
import { type OrderArguments, orderNames, type OrderReading } from './order-record';

/** A load of orders in the mode LIVE: by OrderService, with all that a real order does. */
export async function openLiveOrders(config: OrderArguments, cx: AdapterContext): Promise<ServiceSession> {
    const platform = vendureOf(cx);
    const { ctx } = platform;
    const names = orderNames(config);
    const custom = liveCustomOf(platform);
    const reading: OrderReading = {
        names,
        deleting: deletingBy(ctx, [Permission.DeleteOrder], config.allowDeletes),
        custom: custom.order.fields,
        lineCustom: custom.line.fields,
        mail: normalizeEmailAddress,
    };
    const orders = new LiveOrders({ names, strategy: config.strategy, custom }, platform);
    return new OrderServiceSession({
        platform,
        codeField: names.code,
        overflow: overflowOf(cx, 'orders'),
        read: data => readLive(data, reading),
        decide: requested => orders.decide(requested),
    });
}
