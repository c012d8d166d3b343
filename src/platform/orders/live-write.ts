import {
    CustomerService,
    type ID,
    type Order,
    OrderService,
    type OrderState,
    type RequestContext,
} from '@vendure/core';
import type { CreateAddressInput, ModifyOrderInput } from '@vendure/common/lib/generated-types';
import { flowError } from '../../core/errors/flow-error';
import type { VendurePlatform } from '../context';
import type { Columns } from '../entities/columns';
import { Faults } from '../entities/faults';
import { isSameCoupon } from './live-coupon';
import { type AwaitedPayment, OrderModifier, type WayOfChange } from './live-modify';
import type { LiveRecord } from './live-record';
import { granted } from './live-session';
import type { NamedByOrder } from './live-shop';
import { ADDRESS_FIELDS } from './order-address';

/** What an order is to become, and what that takes. */
interface AskedOfWriter {
    readonly code: string;
    /** Undefined for a new one. */
    readonly id: ID | undefined;
    readonly said: LiveRecord;
    readonly before: Columns;
    readonly after: Columns;
    readonly named: NamedByOrder;
    readonly way: WayOfChange;
    /** What an order waits for, and gets with its record. */
    readonly awaited: AwaitedPayment | undefined;
}

interface Asked extends AskedOfWriter {
    readonly ctx: RequestContext;
    readonly id: ID;
}

/** Has OrderService do what a decision asks for, in the order in which a person would. */
export class LiveWriter {
    private readonly orders: OrderService;
    private readonly customers: CustomerService;
    private readonly modifier: OrderModifier;

    constructor(platform: VendurePlatform) {
        const { injector } = platform;
        this.modifier = new OrderModifier(platform);
        this.orders = injector.get(OrderService);
        this.customers = injector.get(CustomerService);
    }

    /** What an order waits for that was changed after it was placed. */
    awaited(ctx: RequestContext, id: ID): Promise<AwaitedPayment | undefined> {
        return this.modifier.awaited(ctx, id);
    }

    async write(ctx: RequestContext, asks: AskedOfWriter): Promise<void> {
        const id = asks.id ?? (await this.draft(ctx, asks.code));
        const asked: Asked = { ...asks, ctx, id };
        await this.setCustomer(asked);
        if (asks.way === 'MODIFY') await this.modify(asked);
        else await this.change(asked);
        await this.advance(asked);
        await this.checkMoney(asked);
    }

    /** A draft that has its code from the first: events that tell of it have it, too. */
    private async draft(ctx: RequestContext, code: string): Promise<ID> {
        interface Drafts {
            createDraft(ctx: RequestContext): Promise<Order>;
            createEmptyOrderEntity(ctx: RequestContext): Promise<Order>;
        }
        const usual = this.orders as unknown as Drafts;
        const drafts = Object.create(this.orders) as Drafts;
        drafts.createEmptyOrderEntity = async own => Object.assign(await usual.createEmptyOrderEntity(own), { code });
        const order = await drafts.createDraft(ctx);
        if (order.code !== code) throw flowError('BUG', { problem: 'a draft has another code than its record' });
        return order.id;
    }

    private async setCustomer({ ctx, id, code, named, before }: Asked): Promise<void> {
        if (named.customer === undefined) return;
        if (before.get('customer') !== null) {
            await this.orders.updateOrderCustomer(ctx, { customerId: named.customer, orderId: id });
            return;
        }
        const customer = await this.customers.findOne(ctx, named.customer);
        if (!customer) throw flowError('SERVICE_REFUSED', { problem: `the customer of ${code} is gone` });
        await this.orders.addCustomerToOrder(ctx, id, customer);
    }

    /** A draft or a cart, as it stands. */
    private async change(asked: Asked): Promise<void> {
        const { ctx, id, after, named, said } = asked;
        const { orders } = this;
        const isChanged = (field: string): boolean => after.changed.has(field);
        // Lines and shipping are changed in the state before alone.
        if (asked.before.get('state') === 'ArrangingPayment' && (isChanged('lines') || isChanged('shippingLines')))
            await this.go(asked, 'AddingItems');
        const methods = isChanged('lines') ? await this.changeLines(asked) : [];
        const { shippingAddress, billingAddress } = said;
        if (isChanged('shippingAddress'))
            await (shippingAddress
                ? orders.setShippingAddress(ctx, id, shippingAddress as CreateAddressInput)
                : orders.unsetShippingAddress(ctx, id));
        if (isChanged('billingAddress'))
            await (billingAddress
                ? orders.setBillingAddress(ctx, id, billingAddress as CreateAddressInput)
                : orders.unsetBillingAddress(ctx, id));
        const wanted = named.shippingMethod === undefined ? methods : [named.shippingMethod];
        if (wanted.length > 0) granted(await orders.setShippingMethod(ctx, id, [...wanted]));
        if (isChanged('couponCodes')) await this.changeCoupons(asked);
    }

    /** Answers the shipping methods that have to be chosen anew. */
    private async changeLines(asked: Asked): Promise<readonly ID[]> {
        const { ctx, id, named } = asked;
        const { adjusted, added, methods } = await this.linesOf(asked);
        const removed = adjusted.flatMap(({ orderLineId, quantity }) => (quantity === 0 ? [orderLineId] : []));
        const items = added.map(({ sku, quantity }) => ({ productVariantId: named.variants.get(sku)!, quantity }));
        const kept = adjusted.filter(({ quantity }) => quantity > 0);
        const answers = [
            items.length > 0 && (await this.orders.addItemsToOrder(ctx, id, items)),
            kept.length > 0 && (await this.orders.adjustOrderLines(ctx, id, kept)),
            removed.length > 0 && (await this.orders.removeItemsFromOrder(ctx, id, removed)),
        ];
        for (const answer of answers) {
            if (answer === false) continue;
            const errors = 'errorResults' in answer ? answer.errorResults : [answer];
            for (const error of errors) granted(error);
        }
        return methods;
    }

    /** What its lines need: the stored ones with another quantity, and new ones. */
    private async linesOf({ ctx, id, before, after }: Asked): Promise<{
        readonly adjusted: ReadonlyArray<{ readonly orderLineId: ID; readonly quantity: number }>;
        readonly added: ReadonlyArray<{ readonly sku: string; readonly quantity: number }>;
        readonly methods: readonly ID[];
    }> {
        const [had, has] = [quantitiesOf(before), quantitiesOf(after)];
        const { lines = [], shippingLines = [] } = (await this.orders.findOne(ctx, id)) ?? {};
        const added = [...has].flatMap(([sku, quantity]) => (had.has(sku) ? [] : [{ sku, quantity }]));
        return {
            added,
            // A new line is sent by none until one is chosen, and one that sends no line any more is dropped.
            methods:
                added.length > 0 && had.size > 0
                    ? shippingLines.flatMap(({ shippingMethodId }) => shippingMethodId ?? [])
                    : [],
            adjusted: lines.flatMap(({ id: orderLineId, productVariant: { sku }, quantity }) =>
                quantity > 0 && had.get(sku) !== (has.get(sku) ?? 0)
                    ? [{ orderLineId, quantity: has.get(sku) ?? 0 }]
                    : [],
            ),
        };
    }

    private async changeCoupons({ ctx, id, before, after }: Asked): Promise<void> {
        const [had, has] = [couponsOf(before), couponsOf(after)];
        const isIn = (list: readonly string[], code: string): boolean => list.some(one => isSameCoupon(one, code));
        for (const code of had) if (!isIn(has, code)) await this.orders.removeCouponCode(ctx, id, code);
        for (const code of has) if (!isIn(had, code)) granted(await this.orders.applyCouponCode(ctx, id, code));
    }

    /** What was placed, all of it at once. */
    private async modify(asked: Asked): Promise<void> {
        const { ctx, id, after, named, said } = asked;
        const { changed } = after;
        const input: Partial<ModifyOrderInput> = {};
        if (changed.has('lines')) {
            const { adjusted, added, methods } = await this.linesOf(asked);
            if (methods.length > 0) input.shippingMethodIds = [...methods];
            input.adjustOrderLines = [...adjusted];
            input.addItems = added.map(({ sku, quantity }) => ({
                productVariantId: named.variants.get(sku)!,
                quantity,
            }));
        }
        if (changed.has('shippingAddress')) input.updateShippingAddress = whole(said.shippingAddress);
        if (changed.has('billingAddress')) input.updateBillingAddress = whole(said.billingAddress);
        if (changed.has('couponCodes')) input.couponCodes = [...couponsOf(after)];
        if (named.shippingMethod !== undefined) input.shippingMethodIds = [named.shippingMethod];
        if (Object.keys(input).length === 0) return;
        const note = `Changed: ${Object.keys(input).join(', ')}`;
        await this.modifier.modify(ctx, { orderId: id, input, note, paymentMethod: said.payment?.method });
    }

    /** Takes it as far as its record says: to its payment, which takes it on by itself, and behind that. */
    private async advance(asked: Asked): Promise<void> {
        const { ctx, id, said, after, before } = asked;
        const wanted = after.get('state') as string;
        if (asked.awaited) {
            await this.modifier.pay(ctx, id, { method: said.payment!.method, former: asked.awaited.state });
            if (wanted !== asked.awaited.state) await this.go(asked, wanted);
            return;
        }
        const isPaid = after.changed.has('payments');
        const wasBefore = before.get('state') === 'ArrangingPayment';
        if (isPaid || wanted === 'ArrangingPayment' || (wasBefore && after.changed.has('lines')))
            await this.go(asked, 'ArrangingPayment');
        if (isPaid) {
            const { method, transactionId, metadata } = said.payment!;
            granted(await this.orders.addManualPaymentToOrder(ctx, { orderId: id, method, transactionId, metadata }));
        }
        if (after.changed.has('state')) await this.go(asked, wanted);
    }

    private async go({ ctx, id }: Asked, state: string): Promise<void> {
        const order = await this.orders.findOne(ctx, id, []);
        if (order?.state !== state) granted(await this.orders.transitionToState(ctx, id, state as OrderState));
    }

    /** What its record says was paid is what it costs, and nothing else. */
    private async checkMoney({ ctx, id, said: { payment } }: Asked): Promise<void> {
        const order = payment && (await this.orders.findOne(ctx, id, []));
        if (!payment || !order || order.totalWithTax === payment.amount) return;
        const faults = new Faults();
        const { path, amount } = payment;
        faults.add(`${path}.amount`, `is ${amount}; the order costs ${order.totalWithTax}`, amount);
        throw faults.error();
    }
}

const couponsOf = (order: Columns): readonly string[] => order.get('couponCodes') as readonly string[];

/** An address that leaves nothing of the former one: a modification joins the two. */
function whole(address: LiveRecord['shippingAddress']): CreateAddressInput {
    const fields = ADDRESS_FIELDS.filter(field => field !== 'country');
    return Object.fromEntries(fields.map(field => [field, address?.[field] ?? ''])) as unknown as CreateAddressInput;
}

/** How many of each SKU an order has. */
export function quantitiesOf(order: Columns): ReadonlyMap<string, number> {
    const lines = order.get('lines') as ReadonlyArray<{ readonly sku: string; readonly quantity: number }>;
    return new Map(lines.map(({ sku, quantity }) => [sku, quantity]));
}
