import {
    CustomerService,
    type ID,
    type Order,
    OrderService,
    type OrderState,
    PaymentService,
    type RequestContext,
} from '@vendure/core';
import type { CreateAddressInput, ModifyOrderInput } from '@vendure/common/lib/generated-types';
import { flowError } from '../../core/errors/flow-error';
import type { VendurePlatform } from '../context';
import type { Columns } from '../entities/columns';
import { RecordIssues } from '../entities/record-issues';
import { isSameCoupon } from './live-coupon';
import { furtherSurcharges, hasOtherLines, LiveLines } from './live-lines';
import { type AwaitedPayment, OrderModifier, type OrderChangeMode } from './live-modify';
import type { LivePayment, LiveRecord } from './live-record';
import { granted } from './live-session';
import type { NamedByOrder } from './live-shop';
import type { LiveCustom } from './live-store';
import { checkPaid, without } from './live-surcharges';
import { ADDRESS_FIELDS } from './order-address';
import type { OrderNames } from './order-record';

/** The desired order, and the calls for that. */
interface AskedOfWriter {
    readonly code: string;
    /** Undefined for a new one. */
    readonly id: ID | undefined;
    readonly said: LiveRecord;
    readonly before: Columns;
    readonly after: Columns;
    readonly named: NamedByOrder;
    readonly way: OrderChangeMode;
    /** What an order waits for, and gets with its record. */
    readonly awaited: AwaitedPayment | undefined;
    /** What its fields are called. */
    readonly paths: Pick<OrderNames, 'payments' | 'shippingLines'>;
}

interface Asked extends AskedOfWriter {
    readonly ctx: RequestContext;
    readonly id: ID;
}

/** Executes a decision through OrderService, in the order in which a user would. */
export class LiveWriter {
    private readonly orders: OrderService;
    private readonly customers: CustomerService;
    private readonly modifier: OrderModifier;
    private readonly payments: PaymentService;
    private readonly lines: LiveLines;

    constructor(
        platform: VendurePlatform,
        private readonly custom: LiveCustom,
    ) {
        const { injector } = platform;
        this.payments = injector.get(PaymentService);
        this.lines = new LiveLines(platform, custom.line);
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
        const requested: Asked = { ...asks, ctx, id };
        await this.setCustomer(requested);
        await this.setCustom(requested);
        if (asks.way === 'MODIFY') await this.modify(requested);
        else await this.change(requested);
        await this.advance(requested);
        await this.checkMoney(requested);
        await this.checkShipping(requested);
    }

    /** A draft that has its code from the start, so that its events have it, too. */
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
        if (!customer) throw flowError('SERVICE_REFUSED', { problem: `the customer of ${code} was deleted` });
        await this.orders.addCustomerToOrder(ctx, id, customer);
    }

    /** As the Admin API does it, in whatever state an order is. */
    private async setCustom({ ctx, id, after }: Asked): Promise<void> {
        const { order } = this.custom;
        const changed = order.configs.filter(({ name }) => after.changed.has(`customFields.${name}`));
        if (changed.length === 0) return;
        const values = changed.map(({ name }) => [name, after.get(`customFields.${name}`)] as const);
        await this.orders.updateCustomFields(ctx, id, order.inputOf(Object.fromEntries(values)));
    }

    /** Changes a draft or a cart directly. */
    private async change(requested: Asked): Promise<void> {
        const { ctx, id, after, named, said } = requested;
        const { orders } = this;
        const isChanged = (field: string): boolean => after.changed.has(field);
        // Lines and shipping are changed in the state before alone.
        if (
            requested.before.get('state') === 'ArrangingPayment' &&
            (hasOtherLines(after) || isChanged('shippingLines'))
        )
            await this.go(requested, 'AddingItems');
        const methods = hasOtherLines(after) ? await this.lines.change(requested) : [];
        if (isChanged('surcharges')) await this.lines.changeSurcharges(requested);
        const { shippingAddress, billingAddress } = said;
        if (isChanged('shippingAddress'))
            await (shippingAddress
                ? orders.setShippingAddress(ctx, id, shippingAddress as CreateAddressInput)
                : orders.unsetShippingAddress(ctx, id));
        if (isChanged('billingAddress'))
            await (billingAddress
                ? orders.setBillingAddress(ctx, id, billingAddress as CreateAddressInput)
                : orders.unsetBillingAddress(ctx, id));
        const desired = named.shippingMethods ?? methods;
        if (desired.length > 0) granted(await orders.setShippingMethod(ctx, id, [...desired]));
        if (isChanged('couponCodes')) await this.changeCoupons(requested);
    }

    private async changeCoupons({ ctx, id, before, after }: Asked): Promise<void> {
        const [had, has] = [couponsOf(before), couponsOf(after)];
        const isIn = (list: readonly string[], code: string): boolean => list.some(one => isSameCoupon(one, code));
        for (const code of had) if (!isIn(has, code)) await this.orders.removeCouponCode(ctx, id, code);
        for (const code of has) if (!isIn(had, code)) granted(await this.orders.applyCouponCode(ctx, id, code));
    }

    /** Changes a placed order in a single modification. */
    private async modify(requested: Asked): Promise<void> {
        const { ctx, id, after, named, said } = requested;
        const { changed } = after;
        const input: Partial<ModifyOrderInput> = {};
        if (hasOtherLines(after)) {
            const { adjusted, added, methods } = await this.lines.of(requested);
            if (methods.length > 0) input.shippingMethodIds = [...methods];
            input.adjustOrderLines = [...adjusted];
            input.addItems = added.map(({ sku, ...line }) => ({
                productVariantId: named.variants.get(sku)!,
                ...line,
            }));
        }
        if (changed.has('surcharges')) input.surcharges = furtherSurcharges(requested);
        if (changed.has('shippingAddress')) input.updateShippingAddress = whole(said.shippingAddress);
        if (changed.has('billingAddress')) input.updateBillingAddress = whole(said.billingAddress);
        if (changed.has('couponCodes')) input.couponCodes = [...couponsOf(after)];
        if (named.shippingMethods) input.shippingMethodIds = [...named.shippingMethods];
        if (Object.keys(input).length === 0) return;
        const note = `Changed: ${Object.keys(input).join(', ')}`;
        await this.modifier.modify(ctx, { orderId: id, input, note, paymentMethod: said.payments?.at(-1)?.method });
    }

    /** Advances the order to the state of its record: to its payment, which advances it by itself, and beyond. */
    private async advance(requested: Asked): Promise<void> {
        const { ctx, id, said, after, before } = requested;
        const desired = after.get('state') as string;
        if (requested.awaited) {
            await this.modifier.pay(ctx, id, {
                method: said.payments!.at(-1)!.method,
                former: requested.awaited.state,
            });
            if (desired !== requested.awaited.state) await this.go(requested, desired);
            return;
        }
        const isPaid = after.changed.has('payments');
        const wasBefore = before.get('state') === 'ArrangingPayment';
        if (isPaid || desired === 'ArrangingPayment' || (wasBefore && hasOtherLines(after)))
            await this.go(requested, 'ArrangingPayment');
        if (isPaid) await this.pay(requested, said.payments!);
        if (after.changed.has('state')) await this.go(requested, desired);
    }

    /** Adds each payment separately: the last one covers the rest, as OrderService calculates it. */
    private async pay(requested: Asked, payments: readonly LivePayment[]): Promise<void> {
        const { ctx, id } = requested;
        await this.checkMoney(requested);
        for (const [i, { method, amount, transactionId, metadata }] of payments.entries()) {
            const input = { orderId: id, method, transactionId, metadata };
            if (i === payments.length - 1) granted(await this.orders.addManualPaymentToOrder(ctx, input));
            else {
                const order = await this.orders.findOne(ctx, id);
                if (order) await this.payments.createManualPayment(ctx, order, amount, input);
            }
        }
    }

    private async go({ ctx, id }: Asked, state: string): Promise<void> {
        const order = await this.orders.findOne(ctx, id, []);
        if (order?.state !== state) granted(await this.orders.transitionToState(ctx, id, state as OrderState));
    }

    /** Checks that the payments of its record equal the total. */
    private async checkMoney({ ctx, id, said: { payments }, paths }: Asked): Promise<void> {
        const order = payments && (await this.orders.findOne(ctx, id, []));
        if (!payments || !order) return;
        const issues = new RecordIssues();
        checkPaid(payments, order.totalWithTax, { faults: issues, path: paths.payments });
        if (issues.count > 0) throw issues.error();
    }

    /**
     * The shop's ShippingLineAssignmentStrategy decides which lines a method ships; Vendure drops a method without
     * lines.
     */
    private async checkShipping({ ctx, id, named, paths }: Asked): Promise<void> {
        if (!named.shippingMethods) return;
        const { shippingLines = [] } = (await this.orders.findOne(ctx, id, ['shippingLines.shippingMethod'])) ?? {};
        const [left] = without(
            named.shippingMethods.map(String),
            shippingLines.map(line => String(line.shippingMethodId)),
        );
        if (left === undefined && shippingLines.length === named.shippingMethods.length) return;
        const codes = shippingLines.map(line => line.shippingMethod.code).join(', ');
        const issues = new RecordIssues();
        issues.add(
            paths.shippingLines,
            `has ${named.shippingMethods.length} entries; the shop's ShippingLineAssignmentStrategy sends all by ${codes === '' ? 'none' : codes}`,
        );
        throw issues.error();
    }
}

const couponsOf = (order: Columns): readonly string[] => order.get('couponCodes') as readonly string[];

/** An address that replaces the former one completely: a modification merges the two. */
function whole(address: LiveRecord['shippingAddress']): CreateAddressInput {
    const fields = ADDRESS_FIELDS.filter(field => field !== 'country');
    return Object.fromEntries(fields.map(field => [field, address?.[field] ?? ''])) as unknown as CreateAddressInput;
}
