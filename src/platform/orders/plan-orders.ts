import type { Change } from '../../core/adapter/loader';
import { canonicalJson, type JsonObject, type JsonValue } from '../../core/value/json';
import { Diff } from '../entities/diff';
import { Faults, known, quoted } from '../entities/faults';
import { type Strategy, strategyProblem } from '../entities/load-arguments';
import { requireCustom } from '../entities/plan-custom';
import type { CustomFields } from '../entities/custom-fields';
import {
    addressOf,
    checkState,
    checkTotals,
    couponsOf,
    linesOf,
    onlyOne,
    type OrderPlace,
    type PricedOrder,
    shippingLinesOf,
    surchargesOf,
    withoutRounding,
    orderTotals,
    withRounding,
} from './make-order';
import type { OrderFacts } from './order-facts';
import type { AskedOrder, OrderField, OrderNames } from './order-record';
import type { OrderShop } from './order-shop';
import { type OrderHeader, type OrderSet, type OrderState, shownOf } from './order-state';
import { fulfillmentsOf, paymentsOf } from './settle-order';

export interface OrderPlanning {
    readonly shop: OrderShop;
    readonly names: OrderNames;
    readonly custom: CustomFields;
    readonly strategy: Strategy;
    /** Minor units. */
    readonly tolerance: number;
}

/** What an order was placed with, which is not changed any more. */
const PLACED = ['lines', 'surcharges', 'shippingLines', 'currencyCode', 'couponCodes'] as const;

/** Decides about the records of a batch, one after the other. */
export class OrderPlan {
    constructor(
        private readonly rules: OrderPlanning,
        private readonly set: OrderSet,
        private readonly facts: OrderFacts,
    ) {}

    /** What becomes of one record. */
    change(asked: AskedOrder): Change {
        const { shop, names, tolerance } = this.rules;
        const faults = new Faults(asked.faults);
        const place: OrderPlace = { shop, names, facts: this.facts, faults, tolerance };
        const change = asked.faults.isSound ? this.decide(asked, place) : undefined;
        if (change && place.faults.count === 0) return change;
        return { action: 'reject', key: asked.code, error: place.faults.error() };
    }

    private decide(asked: AskedOrder, place: OrderPlace): Change | undefined {
        const code = asked.code!;
        const { strategy, names, shop } = this.rules;
        const existing = this.set.find(code);
        const refuse = (problem: string): undefined => {
            place.faults.add(names.code, `is ${quoted(code)}; ${problem}`, code);
            return undefined;
        };
        if (existing && !existing.isInChannel)
            return refuse(`the order that has this code is not one of channel ${shop.channel.code}`);
        if (asked.isDelete) {
            if (!existing) return { action: 'unchanged', key: code };
            if (!existing.isOwn) return refuse(NOT_OWN);
            this.set.remove(existing);
            const { state, orderPlacedAt } = existing.header;
            return { action: 'delete', key: code, before: { code, state: state!, orderPlacedAt: orderPlacedAt! } };
        }
        const problem = strategyProblem(strategy, existing !== undefined);
        if (problem !== undefined) return refuse(`the order ${problem}`);
        const alike = shop.isMySql ? this.set.alike(code) : undefined;
        if (!existing && alike !== undefined) return refuse(`the database takes it for the same as ${quoted(alike)}`);
        return existing ? this.update(existing, asked, place) : this.create(asked, place);
    }

    private create(asked: AskedOrder, place: OrderPlace): Change | undefined {
        const { names, shop, custom } = this.rules;
        const { faults } = place;
        const code = asked.code!;
        if (asked.state === undefined)
            faults.add(names.state, `is missing; a new order needs one; ${known(shop.states.order)}`);
        if (!asked.orderPlacedAt) faults.add(names.orderPlacedAt, 'is missing; a new order needs one');
        if (!asked.lines?.length && !asked.surcharges?.length)
            faults.add(names.lines, 'is missing; an order has at least one line or surcharge');
        const said = this.headerOf(asked, place);
        const exact = this.pricedOf(asked, place);
        requireCustom(custom.base, asked.custom, { faults, path: names.customFields });
        if (faults.count > 0) return undefined;
        const payments = paymentsOf([], asked.payments, place);
        const fulfillments = fulfillmentsOf([], asked.fulfillments, { lines: exact.lines, place });
        const made = orderTotals(exact, place);
        if (!made) return undefined;
        const priced = withRounding(exact, (asked.totals.totalWithTax ?? made.totalWithTax) - made.totalWithTax, place);
        const totals = orderTotals(priced, place);
        if (!totals) return undefined;
        checkTotals(asked.totals, totals, place);
        if (faults.count > 0) return undefined;
        const couponCodes = couponsOf(asked);
        const { subTotal, subTotalWithTax, shipping, shippingWithTax } = totals;
        const state: OrderState = {
            id: undefined,
            code,
            isInChannel: true,
            isOwn: true,
            header: {
                customer: null,
                customerId: null,
                currencyCode: shop.currency,
                couponCodes,
                shippingAddress: {},
                billingAddress: {},
                ...said,
                subTotal,
                subTotalWithTax,
                shipping,
                shippingWithTax,
            },
            ...priced,
            payments,
            fulfillments,
            promotionIds: [...new Set(couponCodes.flatMap(one => this.facts.promotions.get(one.toLowerCase()) ?? []))],
            stored: undefined,
        };
        this.set.put(state);
        const diff = new Diff();
        diff.add('code', null, code);
        for (const [path, value] of Object.entries(shownOf(state))) if (!isNothing(value)) diff.add(path, null, value);
        return diff.change(code, true);
    }

    private update(before: OrderState, asked: AskedOrder, place: OrderPlace): Change | undefined {
        const { names } = this.rules;
        const { faults } = place;
        if (asked.orderPlacedAt === null) faults.add(names.orderPlacedAt, 'cannot be emptied');
        const said = this.headerOf(asked, place);
        const wanted = this.pricedOf(asked, place);
        if (faults.count > 0) return undefined;
        this.checkPlaced(before, { asked, wanted }, place);
        const { subTotal, subTotalWithTax, shipping, shippingWithTax } = before.header as Readonly<
            Record<'subTotal' | 'subTotalWithTax' | 'shipping' | 'shippingWithTax', number>
        >;
        const sums = { total: subTotal + shipping, totalWithTax: subTotalWithTax + shippingWithTax };
        checkTotals(asked.totals, { subTotal, subTotalWithTax, shipping, shippingWithTax, ...sums }, place);
        const next: OrderState = {
            ...before,
            header: { ...before.header, ...said },
            payments: paymentsOf(before.payments, asked.payments, place),
            fulfillments: fulfillmentsOf(before.fulfillments, asked.fulfillments, { lines: before.lines, place }),
        };
        if (faults.count > 0) return undefined;
        const diff = differenceOf(shownOf(before), shownOf(next));
        if (diff.size > 0 && !before.isOwn) {
            faults.add(names.code, `is ${quoted(before.code)}; ${NOT_OWN}`, before.code);
            return undefined;
        }
        if (diff.size > 0) this.set.put(next);
        return diff.change(before.code, false);
    }

    /** What a record says of the order's own row. */
    private headerOf(asked: AskedOrder, place: OrderPlace): OrderHeader {
        const { names, shop, custom } = this.rules;
        const { faults } = place;
        const { state, orderPlacedAt, currencyCode, customer, shippingAddress, billingAddress } = asked;
        checkState(state, 'order', { path: names.state, place });
        if (currencyCode !== undefined && !shop.currencies.has(currencyCode))
            faults.add(names.currencyCode, `is ${quoted(currencyCode)}; Vendure knows no such currency`, currencyCode);
        const found = typeof customer === 'string' ? onlyOne(living(this.facts.customers.get(customer))) : undefined;
        if (typeof customer === 'string' && !found)
            faults.add(
                names.customer,
                `is ${quoted(customer)}; no customer of channel ${shop.channel.code} has this e-mail address, or several have it`,
                customer,
            );
        return {
            ...(state !== undefined && { state }),
            ...(orderPlacedAt && { orderPlacedAt: shop.isMySql ? wholeSeconds(orderPlacedAt) : orderPlacedAt }),
            ...(currencyCode !== undefined && { currencyCode }),
            ...(customer !== undefined && { customer, customerId: found?.id ?? null }),
            ...(shippingAddress !== undefined && {
                shippingAddress: addressOf(shippingAddress, names.shippingAddress, place),
            }),
            ...(billingAddress !== undefined && {
                billingAddress: addressOf(billingAddress, names.billingAddress, place),
            }),
            ...Object.fromEntries(
                Object.entries(asked.custom ?? {}).map(([name, value]) => [custom.find(name)!.property, value]),
            ),
        };
    }

    private pricedOf(asked: AskedOrder, place: OrderPlace): PricedOrder {
        const { names } = this.rules;
        if (asked.discounts?.length && !asked.lines?.length)
            place.faults.add(names.discounts, 'needs lines over which it can be distributed');
        return {
            lines: linesOf(asked, place),
            surcharges: surchargesOf(asked, place),
            shippingLines: shippingLinesOf(asked, place),
        };
    }

    /** What an order was placed with stays as it is; a record may repeat it. */
    private checkPlaced(
        before: OrderState,
        { asked, wanted }: { readonly asked: AskedOrder; readonly wanted: PricedOrder },
        { faults, names }: OrderPlace,
    ): void {
        const shown = shownOf({ ...before, surcharges: withoutRounding(before.surcharges) });
        const { currencyCode = before.header['currencyCode']! } = asked;
        const header = { currencyCode, couponCodes: asked.couponCodes ?? before.header['couponCodes']! };
        const again = shownOf({ ...before, ...wanted, surcharges: withoutRounding(wanted.surcharges), header });
        for (const field of PLACED) {
            const isSaid = asked[field as 'lines'] !== undefined;
            if (isSaid && canonicalJson(again[field]) !== canonicalJson(shown[field]))
                faults.add(
                    names[field as OrderField],
                    'differs from the placed order and cannot be changed any more; delete the order and load it again',
                );
        }
    }
}

const NOT_OWN = 'this order was placed in the shop, or worked on there, and HISTORY changes only what it has brought';

const living = <T extends { readonly isDeleted: boolean }>(found: readonly T[] = []): readonly T[] =>
    found.filter(({ isDeleted }) => !isDeleted);

const wholeSeconds = (time: string): string => `${time.slice(0, 19)}.000Z`;

function isNothing(value: JsonValue | undefined): boolean {
    if (value === null || value === undefined) return true;
    return typeof value === 'object' && Object.keys(value).length === 0;
}

/** The fields that differ. */
function differenceOf(before: JsonObject, after: JsonObject): Diff {
    const diff = new Diff();
    for (const [path, value] of Object.entries(after))
        if (canonicalJson(before[path] ?? null) !== canonicalJson(value)) diff.add(path, before[path] ?? null, value);
    return diff;
}
