import { HistoryEntryType, type ModifyOrderInput, SortOrder } from '@vendure/common/lib/generated-types';
import {
    HistoryService,
    type ID,
    type Order,
    OrderService,
    type OrderState,
    type Payment,
    type Refund,
    type RequestContext,
    TransactionalConnection,
} from '@vendure/core';
import { OrderModification } from '@vendure/core/dist/entity/order-modification/order-modification.entity';
import { flowError } from '../../core/errors/flow-error';
import type { VendurePlatform } from '../context';
import type { Columns } from '../entities/columns';
import { granted } from './live-session';

/** How an order may be changed in the state in which it is. */
export type OrderChangeMode = 'OPEN' | 'MODIFY' | 'NONE';

/** The changes of a placed order, and how the payment is handled. */
interface Modification {
    readonly input: Omit<ModifyOrderInput, 'orderId' | 'dryRun' | 'note'>;
    readonly note: string;
    /** Method of the manual payment of what it costs more; without one it waits for that payment. */
    readonly paymentMethod: string | undefined;
}

/**
 * A cart or draft is changed directly. A placed order is changed only with the state `Modifying` and `modifyOrder`, because services that check no
 * state would change its total without a refund or a payment.
 */
export function orderChangeModeOf(order: Columns, orders: OrderService): OrderChangeMode {
    const state = order.get('state') as string;
    if (state === 'Modifying') return 'MODIFY';
    if (order.get('active') === true || state === 'Draft') return 'OPEN';
    const next = orders.getNextOrderStates({ state } as Order) as readonly string[];
    return next.includes('Modifying') ? 'MODIFY' : 'NONE';
}

/** The state of an order that waits for an additional payment after a change. */
export const AWAITS_PAYMENT = 'ArrangingAdditionalPayment';
/** States that an order is in while it is changed, from which it goes back. */
export const BETWEEN: ReadonlySet<string> = new Set(['Modifying', AWAITS_PAYMENT]);

/** The missing payment of an order, and the state to which it returns afterwards. */
export interface AwaitedPayment {
    readonly amount: number;
    readonly state: string;
}

/** Replaces the payment id of a refund, and matches no payment. */
const NO_PAYMENT = '0';

/** Modifies placed orders, and does about the money what a person would do by hand. */
export class OrderModifier {
    private readonly orders: OrderService;
    private readonly history: HistoryService;
    private readonly connection: TransactionalConnection;

    constructor({ injector }: VendurePlatform) {
        this.orders = injector.get(OrderService);
        this.history = injector.get(HistoryService);
        this.connection = injector.get(TransactionalConnection);
    }

    /** Moves a placed order to `Modifying`, changes it there, and moves it back. */
    async modify(
        ctx: RequestContext,
        { orderId, input, note, paymentMethod }: Modification & { readonly orderId: ID },
    ): Promise<void> {
        const { orders } = this;
        const former = await this.stateOf(ctx, orderId);
        if (former !== 'Modifying') await this.go(ctx, orderId, 'Modifying');
        // Vendure requires a payment before it knows whether there is anything to refund, and calculates lines with
        // their current price.
        const refund = { paymentId: NO_PAYMENT, reason: note };
        granted(await orders.modifyOrder(ctx, { ...input, refund, orderId, note, dryRun: false }));
        for (const modification of await this.unsettled(ctx, orderId))
            if (modification.priceChange < 0) await this.refund(ctx, { orderId, modification, reason: note });
        if (former === 'Modifying') return;
        if ((await this.unsettled(ctx, orderId)).length > 0) {
            await this.go(ctx, orderId, AWAITS_PAYMENT);
            if (paymentMethod === undefined) return;
            return this.pay(ctx, orderId, { method: paymentMethod, former });
        }
        if ((await this.stateOf(ctx, orderId)) !== former) await this.go(ctx, orderId, former);
    }

    /** Pays the missing amount of an order, and moves it back to the state before its change. */
    async pay(
        ctx: RequestContext,
        orderId: ID,
        { method, former }: { readonly method: string; readonly former: string },
    ): Promise<void> {
        const payment = { method, transactionId: '', metadata: {} };
        granted(await this.orders.addManualPaymentToOrder(ctx, { ...payment, orderId }));
        // The payment moves the order by itself if the order process does that.
        if ((await this.stateOf(ctx, orderId)) !== former) await this.go(ctx, orderId, former);
    }

    /** The missing payment of an order in `ArrangingAdditionalPayment`; undefined if nothing is missing. */
    async awaited(ctx: RequestContext, orderId: ID): Promise<AwaitedPayment | undefined> {
        const order = await this.orders.findOne(ctx, orderId, []);
        const payments = await this.orders.getOrderPayments(ctx, orderId);
        const amount = (order?.totalWithTax ?? 0) - covered(payments);
        if (amount <= 0) return undefined;
        const { items } = await this.history.getHistoryForOrder(ctx, orderId, false, {
            filter: { type: { eq: HistoryEntryType.ORDER_STATE_TRANSITION } },
            sort: { createdAt: SortOrder.DESC },
        });
        const left = items.map(({ data }) => data as { readonly from: string; readonly to: string });
        const before = left.find(({ from, to }) => BETWEEN.has(to) && !BETWEEN.has(from));
        return { amount, state: before?.from ?? 'PaymentSettled' };
    }

    /** Refunds the amount by which a modification has made an order cheaper, from the largest payment first. */
    private async refund(
        ctx: RequestContext,
        { orderId, modification, reason }: { orderId: ID; modification: OrderModification; reason: string },
    ): Promise<void> {
        let open = -modification.priceChange;
        const payments = await this.orders.getOrderPayments(ctx, orderId);
        const settled = payments.filter(({ state }) => state === 'Settled').toSorted((a, b) => b.amount - a.amount);
        for (const { id: paymentId, amount, refunds } of settled) {
            const part = Math.min(open, amount - givenBack(refunds));
            if (part <= 0) continue;
            const nothing = { lines: [], shipping: 0, adjustment: 0 };
            const refund = granted(await this.orders.refundOrder(ctx, { ...nothing, paymentId, amount: part, reason }));
            modification.refund ??= refund;
            open -= part;
        }
        if (open > 0)
            throw flowError('SERVICE_REFUSED', { problem: `${open} would have to be refunded, but was never paid` });
        await this.connection.getRepository(ctx, OrderModification).save(modification, { reload: false });
    }

    private async unsettled(ctx: RequestContext, orderId: ID): Promise<readonly OrderModification[]> {
        const modifications = await this.orders.getOrderModifications(ctx, orderId);
        return modifications.filter(({ isSettled }) => !isSettled);
    }

    private async go(ctx: RequestContext, orderId: ID, state: string): Promise<void> {
        granted(await this.orders.transitionToState(ctx, orderId, state as OrderState));
    }

    private async stateOf(ctx: RequestContext, orderId: ID): Promise<string> {
        const order = await this.orders.findOne(ctx, orderId, []);
        if (!order) throw flowError('SERVICE_REFUSED', { problem: 'its order was deleted' });
        return order.state;
    }
}

/** The remaining amount of the valid payments. */
function covered(payments: readonly Payment[]): number {
    const standing = payments.filter(({ state }) => state === 'Settled' || state === 'Authorized');
    return standing.reduce((sum, { amount, refunds }) => sum + amount - givenBack(refunds), 0);
}

function givenBack(refunds: readonly Refund[]): number {
    return refunds.reduce((sum, { state, total }) => (state === 'Failed' ? sum : sum + total), 0);
}
