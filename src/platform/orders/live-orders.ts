import { ConfigService, normalizeEmailAddress, Order, Permission } from '@vendure/core';
import type { AdapterContext } from '../../core/adapter/context';
import type { ServiceSession } from '../../core/adapter/loader';
import { tableOf } from '../../database/table';
import { CustomFields } from '../entities/custom-fields';
import { overflowOf } from '../entities/overflow';
import { deletingBy } from '../lookup/deleting';
import { vendureOf } from '../lookup/vendure';
import { readLive } from './live-record';
import { OrdersServed } from './live-session';
import { LiveOrders } from './live-upsert';
import { type OrderArguments, orderNames, type OrderReading } from './order-record';

/** A load of orders in the mode LIVE: by OrderService, with all that a real order does (spec 4, "load adapters"). */
export async function openLiveOrders(config: OrderArguments, cx: AdapterContext): Promise<ServiceSession> {
    const platform = vendureOf(cx);
    const { ctx, injector, dataSource } = platform;
    const names = orderNames(config);
    const table = tableOf(dataSource, Order);
    const reading: OrderReading = {
        names,
        deleting: deletingBy(ctx, [Permission.DeleteOrder]),
        custom: new CustomFields(injector.get(ConfigService).customFields.Order, {
            ctx,
            injector,
            isMySql: dataSource.options.type === 'mysql',
            base: table,
            translation: table,
        }),
        mail: normalizeEmailAddress,
    };
    const orders = new LiveOrders({ names, strategy: config.strategy }, platform);
    return new OrdersServed({
        platform,
        codeField: names.code,
        overflow: overflowOf(cx, 'orders'),
        read: data => readLive(data, reading),
        decide: asked => orders.decide(asked),
    });
}
