import type { Change } from '../../core/adapter/loader';
import { canonicalJson, type JsonObject, type JsonValue } from '../../core/value/json';
import { Diff } from '../entities/diff';
import { RecordIssues, known, quoted } from '../entities/record-issues';
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
    type OrderContext,
    type PricedOrder,
    shippingLinesOf,
    surchargesOf,
    withoutRounding,
    orderTotals,
    withRounding,
} from './make-order';
import type { OrderFacts } from './order-facts';
import type { RequestedOrder, OrderField, OrderNames } from './order-record';
import type { OrderShop } from './order-shop';
import { type OrderHeader, type OrderSet, type OrderState, shownOf } from './order-state';
import { fulfillmentsOf, paymentsToWrite } from './settle-order';

interface OrderPlanning {
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
    change(requested: RequestedOrder): Change {
        const { shop, names, tolerance } = this.rules;
        const issues = new RecordIssues(requested.faults);
        const context: OrderContext = { shop, names, facts: this.facts, faults: issues, tolerance };
        const change = requested.faults.isSound ? this.decide(requested, context) : undefined;
        if (change && context.faults.count === 0) return change;
        return { action: 'reject', key: requested.code, error: context.faults.error() };
    }

    private decide(requested: RequestedOrder, context: OrderContext): Change | undefined {
        const code = requested.code!;
        const { strategy, names, shop } = this.rules;
        const existing = this.set.find(code);
        const refuse = (problem: string): undefined => {
            context.faults.add(names.code, `is ${quoted(code)}; ${problem}`, code);
            return undefined;
        };
        if (existing && !existing.isInChannel)
            return refuse(`the order that has this code is not one of channel ${shop.channel.code}`);
        if (requested.isDelete) {
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
        return existing ? this.update(existing, requested, context) : this.create(requested, context);
    }

    private create(requested: RequestedOrder, context: OrderContext): Change | undefined {
        const { names, shop, custom } = this.rules;
        const { faults: issues } = context;
        const code = requested.code!;
        if (requested.state === undefined)
            issues.add(names.state, `is missing; a new order needs one; ${known(shop.states.order)}`);
        if (!requested.orderPlacedAt) issues.add(names.orderPlacedAt, 'is missing; a new order needs one');
        if (!requested.lines?.length && !requested.surcharges?.length)
            issues.add(names.lines, 'is missing; an order has at least one line or surcharge');
        const said = this.headerOf(requested, context);
        const exact = this.pricedOf(requested, context);
        requireCustom(custom.base, requested.custom, { faults: issues, path: names.customFields });
        if (issues.count > 0) return undefined;
        const payments = paymentsToWrite([], requested.payments, context);
        const fulfillments = fulfillmentsOf([], requested.fulfillments, { lines: exact.lines, place: context });
        const made = orderTotals(exact, context);
        if (!made) return undefined;
        const priced = withRounding(
            exact,
            (requested.totals.totalWithTax ?? made.totalWithTax) - made.totalWithTax,
            context,
        );
        const totals = orderTotals(priced, context);
        if (!totals) return undefined;
        checkTotals(requested.totals, totals, context);
        if (issues.count > 0) return undefined;
        const couponCodes = couponsOf(requested);
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

    private update(before: OrderState, requested: RequestedOrder, context: OrderContext): Change | undefined {
        const { names } = this.rules;
        const { faults: issues } = context;
        if (requested.orderPlacedAt === null) issues.add(names.orderPlacedAt, 'cannot be emptied');
        const said = this.headerOf(requested, context);
        const desired = this.pricedOf(requested, context);
        if (issues.count > 0) return undefined;
        this.checkPlaced(before, { asked: requested, wanted: desired }, context);
        const { subTotal, subTotalWithTax, shipping, shippingWithTax } = before.header as Readonly<
            Record<'subTotal' | 'subTotalWithTax' | 'shipping' | 'shippingWithTax', number>
        >;
        const sums = { total: subTotal + shipping, totalWithTax: subTotalWithTax + shippingWithTax };
        checkTotals(requested.totals, { subTotal, subTotalWithTax, shipping, shippingWithTax, ...sums }, context);
        const next: OrderState = {
            ...before,
            header: { ...before.header, ...said },
            payments: paymentsToWrite(before.payments, requested.payments, context),
            fulfillments: fulfillmentsOf(before.fulfillments, requested.fulfillments, {
                lines: before.lines,
                place: context,
            }),
        };
        if (issues.count > 0) return undefined;
        const diff = differenceOf(shownOf(before), shownOf(next));
        if (diff.size > 0 && !before.isOwn) {
            issues.add(names.code, `is ${quoted(before.code)}; ${NOT_OWN}`, before.code);
            return undefined;
        }
        if (diff.size > 0) this.set.put(next);
        return diff.change(before.code, false);
    }

    /** The values of the order's own row in a record. */
    private headerOf(requested: RequestedOrder, context: OrderContext): OrderHeader {
        const { names, shop, custom } = this.rules;
        const { faults: issues } = context;
        const { state, orderPlacedAt, currencyCode, customer, shippingAddress, billingAddress } = requested;
        checkState(state, 'order', { path: names.state, place: context });
        if (currencyCode !== undefined && !shop.currencies.has(currencyCode))
            issues.add(names.currencyCode, `is ${quoted(currencyCode)}; Vendure knows no such currency`, currencyCode);
        const found = typeof customer === 'string' ? onlyOne(living(this.facts.customers.get(customer))) : undefined;
        if (typeof customer === 'string' && !found)
            issues.add(
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
                shippingAddress: addressOf(shippingAddress, names.shippingAddress, context),
            }),
            ...(billingAddress !== undefined && {
                billingAddress: addressOf(billingAddress, names.billingAddress, context),
            }),
            ...Object.fromEntries(
                Object.entries(requested.custom ?? {}).map(([name, value]) => [custom.find(name)!.property, value]),
            ),
        };
    }

    private pricedOf(requested: RequestedOrder, context: OrderContext): PricedOrder {
        const { names } = this.rules;
        if (requested.discounts?.length && !requested.lines?.length)
            context.faults.add(names.discounts, 'needs lines over which it can be distributed');
        return {
            lines: linesOf(requested, context),
            surcharges: surchargesOf(requested, context),
            shippingLines: shippingLinesOf(requested, context),
        };
    }

    /** What an order was placed with stays as it is; a record may repeat it. */
    private checkPlaced(
        before: OrderState,
        { asked: requested, wanted: desired }: { readonly asked: RequestedOrder; readonly wanted: PricedOrder },
        { faults: issues, names }: OrderContext,
    ): void {
        const shown = shownOf({ ...before, surcharges: withoutRounding(before.surcharges) });
        const { currencyCode = before.header['currencyCode']! } = requested;
        const header = { currencyCode, couponCodes: requested.couponCodes ?? before.header['couponCodes']! };
        const again = shownOf({ ...before, ...desired, surcharges: withoutRounding(desired.surcharges), header });
        for (const field of PLACED) {
            const isSaid = requested[field as 'lines'] !== undefined;
            if (isSaid && canonicalJson(again[field]) !== canonicalJson(shown[field]))
                issues.add(
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
