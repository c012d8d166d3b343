import { OrderService, PromotionService, type RequestContext } from '@vendure/core';
import type { Change } from '../../core/adapter/loader';
import { canonicalJson, type JsonObject, type JsonValue } from '../../core/value/json';
import type { VendurePlatform } from '../context';
import { Columns } from '../entities/columns';
import { Diff } from '../entities/diff';
import { known, quoted } from '../entities/record-issues';
import { type Strategy, strategyProblem } from '../entities/load-arguments';
import { setCustom } from '../entities/plan-custom';
import { couponOf, isSameCoupon } from './live-coupon';
import { requestedLines, quantitiesOf } from './live-lines';
import { AWAITS_PAYMENT, type AwaitedPayment, orderChangeModeOf, type OrderChangeMode } from './live-modify';
import type { LiveRecord } from './live-record';
import { type RequestedOrderChange, inCurrency, type OrderDecision } from './live-session';
import { type NamedByOrder, LiveShop } from './live-shop';
import { predictedState } from './live-states';
import { type LiveCustom, lineField } from './live-store';
import { checkPaid, checkPlacedSurcharges, requestedSurcharges } from './live-surcharges';
import { LiveWriter } from './live-write';
import type { OrderNames } from './order-record';

type Asked = RequestedOrderChange<LiveRecord>;

/** A new order without the values of its record. */
const EMPTY: JsonObject = {
    state: 'Draft',
    active: false,
    isPlaced: false,
    couponCodes: [],
    customer: null,
    lines: [],
    split: [],
    shippingAddress: null,
    billingAddress: null,
    shippingLines: [],
    surcharges: [],
    payments: [],
};

/** Decides what to do so that an order matches its record (ADR 21). */
export class LiveOrders {
    private readonly orders: OrderService;
    private readonly promotions: PromotionService;
    private readonly shop: LiveShop;
    private readonly writer: LiveWriter;

    constructor(
        private readonly rules: {
            readonly names: OrderNames;
            readonly strategy: Strategy;
            readonly custom: LiveCustom;
        },
        platform: VendurePlatform,
    ) {
        this.orders = platform.injector.get(OrderService);
        this.promotions = platform.injector.get(PromotionService);
        this.shop = new LiveShop(platform);
        this.writer = new LiveWriter(platform, rules.custom);
    }

    async decide(requested: Asked): Promise<OrderDecision | undefined> {
        const { order, code, said, faults: issues } = requested;
        if (said.isDelete) return this.remove(requested);
        const { strategy, names } = this.rules;
        const problem = strategyProblem(strategy, order !== undefined);
        if (problem !== undefined) issues.add(names.code, `is ${quoted(code)}; it ${problem}`, code);
        const ctx = this.inItsCurrency(requested);
        if (issues.count > 0) return undefined;
        const way = order ? orderChangeModeOf(order.values, this.orders) : 'OPEN';
        const before = order?.values ?? new Columns({ ...EMPTY, code, currencyCode: ctx.currencyCode });
        const after = new Columns({ ...before.values });
        const diff = new Diff();
        const set = (field: string, value: JsonValue | undefined): void => {
            if (value !== undefined) diff.set(after, field, { path: field, value });
        };
        const { customer, shippingAddress, billingAddress, shippingMethods, payments } = said;
        set('customer', customer);
        set('lines', said.lines && requestedLines(before, said.lines, strategy));
        this.setLineFields(said, diff, after);
        const had = before.get('surcharges') as readonly JsonObject[];
        set('surcharges', said.surcharges && requestedSurcharges(said.surcharges, had, { strategy, ctx }));
        set('shippingAddress', shippingAddress as JsonObject | null | undefined);
        set('billingAddress', billingAddress as JsonObject | null | undefined);
        set(
            'shippingLines',
            shippingMethods?.map(method => ({ method })),
        );
        set('couponCodes', await this.couponsWanted({ ...requested, ctx }, before));
        const isPaid = before.get('isPlaced') === true;
        if (payments && !isPaid)
            set(
                'payments',
                payments.map(({ method, amount }) => ({ method, amount })),
            );
        this.checkMoney(requested, { before, isChanged: diff.size > 0 });
        if (diff.size > 0) this.checkWay(requested, { way, after });
        const awaited = diff.size > 0 ? undefined : await this.awaited({ ...requested, ctx }, before);
        if (awaited)
            set('payments', [...paymentsOf(before), { method: payments!.at(-1)!.method, amount: awaited.amount }]);
        // As in the Admin API, they may be set in every state.
        setCustom(diff, after, {
            fields: this.rules.custom.order.fields,
            values: said.custom,
            path: names.customFields,
            isMerge: strategy === 'MERGE',
        });
        const from = awaited ? new Columns({ ...before.values, state: awaited.state }) : before;
        set('state', predictedState(requested, { orders: this.orders, before: from, stateField: names.state }));
        const named = await this.named({ ...requested, ctx }, { before, after });
        if (!order && said.lines?.length === 0) issues.add(names.lines, 'has no line; a new order needs one', []);
        if (!order && said.lines === undefined) issues.add(names.lines, 'is missing; a new order needs one');
        if (issues.count > 0) return undefined;
        if (!order && said.currencyCode !== undefined) diff.add('currencyCode', null, said.currencyCode);
        const change = diff.change(code, !order);
        // The new total is unknown until the shop has priced the order; a dry run continues with null.
        if (change.action !== 'unchanged') after.set('totalWithTax', null);
        const isPlaced = isPaid || payments !== undefined;
        after.set('isPlaced', isPlaced);
        after.set('active', !isPlaced && (before.get('active') === true || after.get('state') === 'ArrangingPayment'));
        const asks = { code, id: order?.id, said, before, after, named, way, awaited, paths: names };
        return { change, after, work: own => this.writer.write(inCurrency(own, ctx.currencyCode), asks) };
    }

    private remove({ order, code, faults: issues }: Asked): OrderDecision | undefined {
        const gone = { after: undefined, work: async () => undefined };
        if (!order) return { change: { action: 'unchanged', key: code }, ...gone };
        const { state, isPlaced, payments } = order.values.values;
        if (isPlaced === true || (payments as readonly unknown[]).length > 0) {
            const problem = `is "DELETE", but the order was placed; orderTransition takes it to the state Cancelled`;
            issues.add('__operation', problem, 'DELETE');
            return undefined;
        }
        const change: Change = { action: 'delete', key: code, before: { state: state! } };
        return { ...gone, change, work: own => this.orders.deleteOrder(own, order.id!) };
    }

    /** A context in the currency of the order, or of the record of a new one. */
    private inItsCurrency({ ctx, order, said, faults: issues }: Asked): RequestContext {
        const { currencyCode } = said;
        const field = this.rules.names.currencyCode;
        if (currencyCode === undefined || (order && currencyCode === ctx.currencyCode)) return ctx;
        const { availableCurrencyCodes } = ctx.channel;
        const refuse = (problem: string): void =>
            issues.add(field, `is ${quoted(currencyCode)}; ${problem}`, currencyCode);
        if (order) refuse(`the order is in ${ctx.currencyCode}`);
        else if (!(availableCurrencyCodes as readonly string[]).includes(currencyCode))
            refuse(known(availableCurrencyCodes));
        return inCurrency(ctx, currencyCode);
    }

    private async couponsWanted(requested: Asked, before: Columns): Promise<readonly string[] | undefined> {
        const { said, faults: issues } = requested;
        if (said.couponCodes === undefined) return undefined;
        const has = before.get('couponCodes') as readonly string[];
        const isIn = (list: readonly string[], code: string): boolean => list.some(one => isSameCoupon(one, code));
        const kept = this.rules.strategy === 'MERGE' ? has : has.filter(one => isIn(said.couponCodes!, one));
        const added: string[] = [];
        for (const [i, couponCode] of said.couponCodes.entries()) {
            if (isIn([...kept, ...added], couponCode)) continue;
            const found = await couponOf(this.promotions, requested, couponCode);
            const path = `${this.rules.names.couponCodes}.${i}`;
            if ('problem' in found) issues.add(path, `is ${quoted(couponCode)}; ${found.problem}`, couponCode);
            else added.push(found.couponCode);
        }
        return [...kept, ...added];
    }

    /** The missing payment of an order that a payment of its record provides. */
    private async awaited({ ctx, order, said }: Asked, before: Columns): Promise<AwaitedPayment | undefined> {
        const isWaiting = before.get('isPlaced') === true && before.get('state') === AWAITS_PAYMENT;
        if (!said.payments?.length || !isWaiting || order?.id === undefined) return undefined;
        return this.writer.awaited(ctx, order.id);
    }

    /** Checks that the payments equal the total of the order, which is known before it is changed again. */
    private checkMoney(
        { said, faults: issues, order }: Asked,
        { before, isChanged }: { readonly before: Columns; readonly isChanged: boolean },
    ): void {
        const total = before.get('totalWithTax');
        if (!said.payments || !order || isChanged || total === null) return;
        checkPaid(said.payments, total as number, { faults: issues, path: this.rules.names.payments });
    }

    private checkWay(requested: Asked, { way, after }: { way: OrderChangeMode; after: Columns }): void {
        const { code, faults: issues, order } = requested;
        const { names } = this.rules;
        const state = order?.values.get('state') as string;
        if (way === 'NONE') {
            const problem = `is ${quoted(code)}; the order is in the state ${state}, in which nothing of it can be changed`;
            issues.add(names.code, problem, code);
        }
        for (const field of ['shippingAddress', 'billingAddress'] as const)
            if (way === 'MODIFY' && after.changed.has(field) && after.get(field) === null)
                issues.add(names[field], 'cannot be emptied; the order was placed', null);
        if (order && after.changed.has('customer') && after.get('customer') === null)
            issues.add(names.customer, 'cannot be emptied; the order has a customer', null);
        if (way === 'MODIFY') this.checkModified(requested, after);
        const split = after.get('split') as readonly string[];
        const ofSplit = split.find(sku => after.changed.has(lineField(sku)));
        if (ofSplit !== undefined)
            issues.add(names.lines, `has custom fields of ${quoted(ofSplit)}, of which the order has several lines`);
        if (!after.changed.has('lines') || !order) return;
        const quantities = quantitiesOf(after);
        const stood = quantitiesOf(order.values);
        for (const sku of split)
            if (quantities.get(sku) !== stood.get(sku))
                issues.add(names.lines, `has another quantity of ${quoted(sku)}, of which the order has several lines`);
    }

    /** What Vendure cannot do to an order that was placed. */
    private checkModified({ faults: issues, said, order }: Asked, after: Columns): void {
        const { names, custom } = this.rules;
        const [was, is] = [order!.values, after].map(one => one.get('surcharges') as readonly JsonObject[]);
        if (after.changed.has('surcharges'))
            checkPlacedSurcharges({ before: was!, after: is! }, said.surcharges ?? [], {
                faults: issues,
                path: names.surcharges,
            });
        const stood = quantitiesOf(order!.values);
        for (const { path, sku, custom: values = {} } of said.lines ?? []) {
            const had = order!.values.get(lineField(sku)) as JsonObject | null;
            for (const name of stood.has(sku) ? custom.line.relations : [])
                if (values[name] !== undefined && canonicalJson(values[name]) !== canonicalJson(had?.[name] ?? null))
                    issues.add(
                        `${path}.customFields.${name}`,
                        'is another entity; Vendure changes none on a line of an order that was placed',
                        values[name],
                    );
        }
    }

    /** The custom fields of lines, each line's on its own. */
    private setLineFields({ lines = [] }: LiveRecord, diff: Diff, after: Columns): void {
        const isMerge = this.rules.strategy === 'MERGE';
        for (const { sku, custom: values } of lines) {
            if (values === undefined) continue;
            const property = lineField(sku);
            const before = (after.get(property) ?? {}) as JsonObject;
            const inner = new Columns(
                Object.fromEntries(Object.entries(before).map(([name, value]) => [`customFields.${name}`, value])),
            );
            const { fields } = this.rules.custom.line;
            const own = new Diff();
            setCustom(own, inner, { fields, values, path: '', isMerge });
            const now = Object.fromEntries(
                [...inner.changed].map(name => [name.slice('customFields.'.length), inner.get(name)]),
            );
            if (own.size > 0)
                diff.set(after, property, { path: `lines.${sku}.customFields`, value: { ...before, ...now } });
        }
    }

    private async checkRelations(requested: Asked, changed: ReadonlySet<string>): Promise<void> {
        const { said } = requested;
        const { names, custom } = this.rules;
        const own = Object.entries(said.custom ?? {}).filter(([name]) => changed.has(`customFields.${name}`));
        const values = Object.fromEntries(own);
        await this.shop.checkRelations(requested, { custom: custom.order, values, path: names.customFields });
        for (const { path, sku, custom: ofLine } of said.lines ?? [])
            if (ofLine && changed.has(lineField(sku)))
                await this.shop.checkRelations(requested, {
                    ...{ custom: custom.line, values: ofLine, path: `${path}.customFields` },
                });
    }

    private async named(
        requested: Asked,
        { before, after }: { readonly before: Columns; readonly after: Columns },
    ): Promise<NamedByOrder> {
        const { said } = requested;
        const { names } = this.rules;
        const { changed } = after;
        for (const field of ['shippingAddress', 'billingAddress'] as const) {
            const countryCode = said[field]?.countryCode;
            if (changed.has(field) && countryCode !== undefined)
                await this.shop.checkCountry(requested, `${names[field]}.countryCode`, countryCode);
        }
        const { customer, shippingMethods, lines } = said;
        await this.checkRelations(requested, changed);
        return {
            variants: changed.has('lines')
                ? await this.shop.variantsOf(requested, lines!, {
                      before: quantitiesOf(before),
                      isPlaced: before.get('isPlaced') === true,
                  })
                : new Map(),
            customer:
                changed.has('customer') && typeof customer === 'string'
                    ? await this.shop.customer(requested, names.customer, customer)
                    : undefined,
            shippingMethods: changed.has('shippingLines')
                ? await this.shop.shippingMethods(requested, names.shippingLines, shippingMethods!)
                : undefined,
        };
    }
}

const paymentsOf = (order: Columns): readonly JsonObject[] => order.get('payments') as readonly JsonObject[];
