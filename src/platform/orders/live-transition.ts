import { ErrorCode } from '@vendure/common/lib/generated-types';
import {
    type FulfillmentState,
    I18nError,
    type ID,
    idsAreEqual,
    manualFulfillmentHandler,
    OrderService,
    type OrderState,
    type RequestContext,
} from '@vendure/core';
import type { VendurePlatform } from '../context';
import { Columns } from '../entities/columns';
import { Diff } from '../entities/diff';
import { known, quoted } from '../entities/record-issues';
import { rejectOtherOperations } from '../entities/operation';
import type { FieldReader } from '../entities/read-field';
import {
    type RequestedOrderChange,
    granted,
    orderNotFound,
    type OrderDecision,
    OrderServiceSession,
    readRelated,
} from './live-session';

interface TransitionOptions {
    readonly codeField: string;
    readonly stateField: string;
    readonly reasonField: string;
    readonly methodField: string;
    readonly trackingCodeField: string;
    readonly cancelShipping: boolean;
    readonly fulfill: boolean;
}

interface SaidState {
    readonly state: string | undefined;
    readonly reason: string | undefined;
    readonly method: string | undefined;
    readonly trackingCode: string | undefined;
}

const CANCELLED = 'Cancelled';
/** The states of an order that depend on its fulfilments, with the states of these. */
const FULFILLED: ReadonlyMap<string, readonly FulfillmentState[]> = new Map([
    ['Shipped', ['Shipped']],
    ['Delivered', ['Shipped', 'Delivered']],
]);

/** Takes orders to other states, by the shop's own order process. */
class OrderTransitions {
    private readonly orders: OrderService;
    /** Where each state leads to. */
    private readonly process: ReadonlyMap<string, readonly string[]>;

    constructor(
        private readonly options: TransitionOptions,
        platform: VendurePlatform,
    ) {
        this.orders = platform.injector.get(OrderService);
        this.process = new Map(this.orders.getOrderProcessStates().map(({ name, to }) => [name, to] as const));
    }

    read(reader: FieldReader): SaidState {
        const { stateField, reasonField, methodField, trackingCodeField, fulfill } = this.options;
        rejectOtherOperations(reader);
        const state = reader.unpadded(stateField);
        if (!reader.has(stateField)) reader.faults.add(stateField, 'is missing');
        if (state !== undefined && !this.process.has(state))
            reader.wrong(stateField, `is ${quoted(state)}; ${known(this.process.keys())}`);
        const reason = reader.text(reasonField);
        if (reason !== undefined && state !== undefined && state !== CANCELLED)
            reader.wrong(reasonField, `is allowed for a cancellation only, and ${stateField} is ${quoted(state)}`);
        const method = reader.key(methodField);
        const trackingCode = reader.key(trackingCodeField);
        for (const field of [methodField, trackingCodeField])
            if (reader.has(field) && state !== undefined && !(fulfill && FULFILLED.has(state)))
                reader.wrong(
                    field,
                    `is allowed for a shipment only, with the states ${[...FULFILLED.keys()].join(', ')} where fulfill is true`,
                );
        return { state, reason, method, trackingCode };
    }

    async decide(requested: RequestedOrderChange<SaidState>): Promise<OrderDecision | undefined> {
        const { order, faults: issues, code, said } = requested;
        const { stateField, codeField } = this.options;
        if (!order) return orderNotFound(requested, codeField);
        const state = said.state!;
        const before = order.values.get('state') as string;
        const after = new Columns({ ...order.values.values });
        const diff = new Diff();
        diff.set(after, 'state', { path: 'state', value: state });
        const change = diff.change(code, false);
        const next = this.process.get(before) ?? [];
        if (change.action !== 'unchanged' && !next.includes(state)) {
            const allowed = next.length === 0 ? 'it has no next state' : `allowed next: ${next.join(', ')}`;
            issues.add(stateField, `is ${quoted(state)}; the order is in the state ${before}, ${allowed}`, state);
            return undefined;
        }
        return { change, after, work: ctx => this.transition(ctx, order.id!, said) };
    }

    private async transition(ctx: RequestContext, orderId: ID, said: SaidState): Promise<void> {
        const { state, reason } = said;
        const through = FULFILLED.get(state!);
        if (this.options.fulfill && through) await this.fulfill(ctx, orderId, { ...said, through });
        if (state === CANCELLED && (await this.hasToBeCancelled(ctx, orderId))) {
            const { cancelShipping } = this.options;
            granted(await this.orders.cancelOrder(ctx, { orderId, cancelShipping, ...(reason && { reason }) }));
        }
        // Its fulfilments move it by themselves if the order process does that.
        if ((await this.orders.findOne(ctx, orderId, []))?.state !== state)
            granted(await this.orders.transitionToState(ctx, orderId, state as OrderState));
    }

    /** Creates a fulfilment for the remaining lines, and moves all fulfilments to the desired state. */
    private async fulfill(
        ctx: RequestContext,
        orderId: ID,
        { method, trackingCode, through }: SaidState & { readonly through: readonly FulfillmentState[] },
    ): Promise<void> {
        const order = await this.orders.findOne(ctx, orderId, ['lines', 'fulfillments', 'fulfillments.lines']);
        const standing = (order?.fulfillments ?? []).filter(({ state }) => state !== CANCELLED);
        const sent = standing.flatMap(({ lines }) => lines);
        const lines = (order?.lines ?? []).flatMap(({ id, quantity }) => {
            const those = sent.filter(({ orderLineId }) => idsAreEqual(orderLineId, id));
            const rest = quantity - those.reduce((sum, one) => sum + one.quantity, 0);
            return rest > 0 ? [{ orderLineId: id, quantity: rest }] : [];
        });
        if (lines.length > 0) {
            const handler = {
                code: manualFulfillmentHandler.code,
                arguments: [
                    { name: 'method', value: method ?? '' },
                    { name: 'trackingCode', value: trackingCode ?? '' },
                ],
            };
            standing.push(granted(await this.orders.createFulfillment(ctx, { lines, handler })));
        }
        for (const { id, state: now } of standing)
            for (const next of through.slice(through.indexOf(now) + 1)) {
                const taken = this.orders.transitionFulfillmentToState(ctx, id, next);
                granted(await taken.catch((error: unknown) => this.whyNot(ctx, { orderId, next, error })));
            }
    }

    /**
     * If a fulfilment may not move its order, Vendure throws only the name of the error; the order process knows the
     * reason.
     */
    private async whyNot(
        ctx: RequestContext,
        { orderId, next, error }: { readonly orderId: ID; readonly next: string; readonly error: unknown },
    ): Promise<never> {
        if (error instanceof I18nError && error.message === ErrorCode.ORDER_STATE_TRANSITION_ERROR)
            granted(await this.orders.transitionToState(ctx, orderId, next as OrderState));
        throw error;
    }

    /** Whether the stock of its lines must be returned first; an order that was never placed is simply discarded. */
    private async hasToBeCancelled(ctx: RequestContext, orderId: ID): Promise<boolean> {
        const order = await this.orders.findOne(ctx, orderId, ['lines']);
        return order !== undefined && !order.active && order.lines.some(({ quantity }) => quantity > 0);
    }
}

/** A load step of orders' states. */
export function openTransitions(
    options: TransitionOptions,
    { platform, overflow }: { readonly platform: VendurePlatform; overflow(isFull: boolean): void },
): OrderServiceSession<SaidState> {
    const transitions = new OrderTransitions(options, platform);
    return new OrderServiceSession<SaidState>({
        platform,
        overflow,
        codeField: options.codeField,
        read: readRelated(options.codeField, reader => transitions.read(reader)),
        decide: requested => transitions.decide(requested),
    });
}
