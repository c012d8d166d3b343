import { isGraphQlErrorResult, OrderService, Permission, PromotionService, type RequestContext } from '@vendure/core';
import type { VendurePlatform } from '../context';
import { Columns } from '../entities/columns';
import { Diff } from '../entities/diff';
import { quoted } from '../entities/faults';
import { readsDelete } from '../entities/operation';
import type { FieldReader } from '../entities/read-field';
import { deletingBy } from '../lookup/deleting';
import { OrderModifier, wayOfChange } from './live-modify';
import { type AskedOfOrder, granted, noSuchOrder, type OrderDecision, OrdersServed, readBeside } from './live-session';

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
    { ctx, order }: Pick<AskedOfOrder<unknown>, 'ctx' | 'order'>,
    couponCode: string,
): Promise<{ readonly couponCode: string } | { readonly problem: string }> {
    const found = await promotions.validateCouponCode(ctx, couponCode, order?.customerId);
    if (!isGraphQlErrorResult(found)) return { couponCode: found.couponCode };
    return { problem: REFUSALS[found.message] ?? found.message };
}

/** Gives coupon codes to orders, and takes them away. */
export class OrderCoupons {
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

    async decide(asked: AskedOfOrder<SaidCoupon>): Promise<OrderDecision | undefined> {
        const { order, code, said } = asked;
        if (!order) return noSuchOrder(asked, this.options.codeField);
        const codes = order.values.get('couponCodes') as readonly string[];
        const wanted = await this.wanted(asked, codes);
        if (!wanted) return undefined;
        const after = new Columns({ ...order.values.values });
        const diff = new Diff();
        diff.set(after, 'couponCodes', { path: 'couponCodes', value: wanted });
        const change = diff.change(code, false);
        // The new total is unknown until the shop has priced the order; a dry run continues with null.
        if (change.action !== 'unchanged') after.set('totalWithTax', null);
        const way = wayOfChange(order.values, this.orders);
        if (change.action !== 'unchanged' && way === 'NONE') {
            const state = order.values.get('state') as string;
            const problem = `is ${quoted(code)}; the order is in the state ${state}, in which nothing of it can be changed`;
            asked.faults.add(this.options.codeField, problem, code);
        }
        return {
            change,
            after,
            work: async ctx => {
                if (way === 'OPEN') return this.change(ctx, order.id!, said);
                const { paymentMethod } = this.options;
                const note = `${said.isDelete ? 'Coupon code removed' : 'Coupon code applied'}: ${said.couponCode}`;
                const input = { couponCodes: [...wanted] };
                return this.modifier.modify(ctx, { orderId: order.id!, input, note, paymentMethod });
            },
        };
    }

    /** The resulting coupon codes of the order; undefined after an error. */
    private async wanted(
        asked: AskedOfOrder<SaidCoupon>,
        codes: readonly string[],
    ): Promise<readonly string[] | undefined> {
        const couponCode = asked.said.couponCode!;
        if (asked.said.isDelete) return codes.filter(one => !isSameCoupon(one, couponCode));
        if (codes.some(one => isSameCoupon(one, couponCode))) return codes;
        const found = await couponOf(this.promotions, asked, couponCode);
        if ('couponCode' in found) return [...codes, found.couponCode];
        asked.faults.add(this.options.couponCodeField, `is ${quoted(couponCode)}; ${found.problem}`, couponCode);
        return undefined;
    }

    private async change(
        ctx: RequestContext,
        orderId: NonNullable<NonNullable<AskedOfOrder<SaidCoupon>['order']>['id']>,
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
): OrdersServed<SaidCoupon> {
    const coupons = new OrderCoupons(options, platform);
    return new OrdersServed<SaidCoupon>({
        platform,
        overflow,
        codeField: options.codeField,
        read: readBeside(options.codeField, reader => coupons.read(reader)),
        decide: asked => coupons.decide(asked),
    });
}
