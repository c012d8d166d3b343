import { isGraphQlErrorResult, OrderService, Permission, PromotionService, type RequestContext } from '@vendure/core';
import type { VendurePlatform } from '../context';
import { Columns } from '../entities/columns';
import { Diff } from '../entities/diff';
import { quoted } from '../entities/record-issues';
import { readsDelete } from '../entities/operation';
import type { FieldReader } from '../entities/read-field';
import { deletingBy } from '../lookup/deleting';
import { OrderModifier, orderChangeModeOf } from './live-modify';
import {
    type RequestedOrderChange,
    granted,
    orderNotFound,
    type OrderDecision,
    OrderServiceSession,
    readRelated,
} from './live-session';

interface CouponOptions {
    readonly codeField: string;
    readonly couponCodeField: string;
    readonly paymentMethod?: string | undefined;
}

interface SaidCoupon {
    readonly couponCode: string | undefined;
    readonly isDelete: boolean;
}

/** Why no promotion takes a coupon code, by the error that Vendure has for it. */
const REFUSALS: Readonly<Record<string, string>> = {
    COUPON_CODE_INVALID_ERROR: 'no promotion of the channel that is enabled has this coupon code',
    COUPON_CODE_EXPIRED_ERROR: 'the promotion with this coupon code has ended',
    COUPON_CODE_LIMIT_ERROR: 'the promotion with this coupon code has been used as often as it may be',
};

/** Whether two coupon codes are one, as Vendure has it. */
export const isSameCoupon = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** The code as its promotion has it, or what speaks against it for a customer. Reads only. */
export async function couponOf(
    promotions: PromotionService,
    { ctx, order }: Pick<RequestedOrderChange<unknown>, 'ctx' | 'order'>,
    couponCode: string,
): Promise<{ readonly couponCode: string } | { readonly problem: string }> {
    const found = await promotions.validateCouponCode(ctx, couponCode, order?.customerId);
    if (!isGraphQlErrorResult(found)) return { couponCode: found.couponCode };
    return { problem: REFUSALS[found.message] ?? found.message };
}

/** Adds coupon codes to orders, and removes them. */
class OrderCoupons {
    private readonly orders: OrderService;
    private readonly promotions: PromotionService;
    private readonly modifier: OrderModifier;

    constructor(
        private readonly options: CouponOptions,
        private readonly platform: VendurePlatform,
    ) {
        this.orders = platform.injector.get(OrderService);
        this.promotions = platform.injector.get(PromotionService);
        this.modifier = new OrderModifier(platform);
    }

    read(reader: FieldReader): SaidCoupon {
        const { couponCodeField } = this.options;
        const isDelete = readsDelete(reader, deletingBy(this.platform.ctx, [Permission.UpdateOrder]));
        if (!reader.has(couponCodeField)) reader.faults.add(couponCodeField, 'is missing');
        return { couponCode: reader.key(couponCodeField), isDelete };
    }

    async decide(requested: RequestedOrderChange<SaidCoupon>): Promise<OrderDecision | undefined> {
        const { order, code, said } = requested;
        if (!order) return orderNotFound(requested, this.options.codeField);
        const codes = order.values.get('couponCodes') as readonly string[];
        const desired = await this.desired(requested, codes);
        if (!desired) return undefined;
        const after = new Columns({ ...order.values.values });
        const diff = new Diff();
        diff.set(after, 'couponCodes', { path: 'couponCodes', value: desired });
        const change = diff.change(code, false);
        // The new total is unknown until the shop has priced the order; a dry run continues with null.
        if (change.action !== 'unchanged') after.set('totalWithTax', null);
        const way = orderChangeModeOf(order.values, this.orders);
        if (change.action !== 'unchanged' && way === 'NONE') {
            const state = order.values.get('state') as string;
            const problem = `is ${quoted(code)}; the order is in the state ${state}, in which nothing of it can be changed`;
            requested.faults.add(this.options.codeField, problem, code);
        }
        return {
            change,
            after,
            work: async ctx => {
                if (way === 'OPEN') return this.change(ctx, order.id!, said);
                const { paymentMethod } = this.options;
                const note = `${said.isDelete ? 'Coupon code removed' : 'Coupon code applied'}: ${said.couponCode}`;
                const input = { couponCodes: [...desired] };
                return this.modifier.modify(ctx, { orderId: order.id!, input, note, paymentMethod });
            },
        };
    }

    /** The resulting coupon codes of the order; undefined after an error. */
    private async desired(
        requested: RequestedOrderChange<SaidCoupon>,
        codes: readonly string[],
    ): Promise<readonly string[] | undefined> {
        const couponCode = requested.said.couponCode!;
        if (requested.said.isDelete) return codes.filter(one => !isSameCoupon(one, couponCode));
        if (codes.some(one => isSameCoupon(one, couponCode))) return codes;
        const found = await couponOf(this.promotions, requested, couponCode);
        if ('couponCode' in found) return [...codes, found.couponCode];
        requested.faults.add(this.options.couponCodeField, `is ${quoted(couponCode)}; ${found.problem}`, couponCode);
        return undefined;
    }

    private async change(
        ctx: RequestContext,
        orderId: NonNullable<NonNullable<RequestedOrderChange<SaidCoupon>['order']>['id']>,
        { couponCode, isDelete }: SaidCoupon,
    ): Promise<void> {
        if (isDelete) await this.orders.removeCouponCode(ctx, orderId, couponCode!);
        else granted(await this.orders.applyCouponCode(ctx, orderId, couponCode!));
    }
}

/** A load step of orders' coupon codes. */
export function openCoupons(
    options: CouponOptions,
    { platform, overflow }: { readonly platform: VendurePlatform; overflow(isFull: boolean): void },
): OrderServiceSession<SaidCoupon> {
    const coupons = new OrderCoupons(options, platform);
    return new OrderServiceSession<SaidCoupon>({
        platform,
        overflow,
        codeField: options.codeField,
        read: readRelated(options.codeField, reader => coupons.read(reader)),
        decide: requested => coupons.decide(requested),
    });
}
