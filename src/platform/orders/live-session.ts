import { Channel, I18nError, I18nService, isGraphQlErrorResult, type RequestContext } from '@vendure/core';
import type { Change, ServiceSession } from '../../core/adapter/loader';
import type { FlowRecord } from '../../core/data/record';
import { flowError } from '../../core/errors/flow-error';
import type { JsonObject } from '../../core/value/json';
import { withDatabaseErrors } from '../../database/database-errors';
import type { VendurePlatform } from '../context';
import { type Columns } from '../entities/columns';
import { RecordIssues, quoted, trimIn } from '../entities/record-issues';
import { oncePerBatch } from '../entities/once-per-batch';
import { FieldReader } from '../entities/read-field';
import { PlannedState } from '../services/planned-state';
import { type ShopTranslations, readShopTranslations } from '../services/shop-translations';
import { LiveOrderStore, type LiveOrder } from './live-store';

/** The values that a record sets for its order, after all errors in its values were reported. */
export interface RequestedOrderChange<R> {
    readonly ctx: RequestContext;
    readonly code: string;
    readonly said: R;
    /** None where no order has the code. */
    readonly order: LiveOrder | undefined;
    readonly faults: RecordIssues;
}

/** What to do with an order: the change, the resulting order, and the calls for that. */
export interface OrderDecision {
    readonly change: Change;
    /** Undefined for one that is no more. */
    readonly after: Columns | undefined;
    work(ctx: RequestContext): Promise<void>;
}

interface OrderRules<R> {
    readonly platform: VendurePlatform;
    /** Name of the field that has the order's code. */
    readonly codeField: string;
    read(data: JsonObject): ReadOrder<R>;
    /** Decides what to do; the record is rejected if the result is undefined, or if errors were added. Reads only. */
    decide(requested: RequestedOrderChange<R>): Promise<OrderDecision | undefined>;
    overflow(isFull: boolean): void;
}

/** A record of an order: its code and its other values. */
interface ReadOrder<R> {
    readonly faults: RecordIssues;
    readonly code: string | undefined;
    readonly said: R;
}

/** Reads a record that speaks of an order by its code. */
export function readRelated<R>(
    codeField: string,
    rest: (reader: FieldReader) => R,
): (data: JsonObject) => ReadOrder<R> {
    return data => {
        const reader = new FieldReader(data, new RecordIssues());
        const said = rest(reader);
        const code = reader.key(codeField);
        if (!reader.has(codeField)) reader.wrong(codeField, 'is missing; orders are found by it');
        return { faults: reader.faults, code, said };
    };
}

/** One of a kind: what dry runs plan of orders, whichever loader does. */
const ORDERS = {};

/** StockLevelService reads what is allocated, adds to it and writes that: side by side, one of two orders would be forgotten. */
const STOCK = ['allocation:all'];

/** Loads one record after another through OrderService: for live orders, not for the history of another system (docs/adr/0021-orders.md). */
export class OrderServiceSession<R> implements ServiceSession {
    private readonly store: LiveOrderStore;
    private readonly read: (batch: readonly FlowRecord[]) => ReadonlyArray<ReadOrder<R>>;

    constructor(private readonly rules: OrderRules<R>) {
        this.store = new LiveOrderStore(rules.platform);
        this.read = oncePerBatch(({ data }) => rules.read(data));
    }

    locks(record: FlowRecord): readonly string[] {
        const [{ code }] = this.read([record]) as readonly [ReadOrder<R>];
        return code === undefined ? [] : [`order:${code}`, ...STOCK];
    }

    trimmed(batch: readonly FlowRecord[]): ReturnType<typeof trimIn> {
        return trimIn(this.read(batch));
    }

    async dryRun(record: FlowRecord): Promise<Change> {
        const { ctx } = this.rules.platform;
        const planned = PlannedState.of(ctx, ORDERS);
        const { change, after, order } = await withDatabaseErrors(() => this.decide(ctx, record, planned));
        if (change.action !== 'unchanged')
            this.rules.overflow(planned.put(change.key!, { id: order?.id, ...(after && { values: after }) }));
        return change;
    }

    async loadOne(own: unknown, record: FlowRecord): Promise<Change> {
        const { change, order, work } = await this.decide(own as RequestContext, record);
        if (change.action === 'unchanged') return change;
        try {
            await work(inCurrencyOf(order, own as RequestContext));
        } catch (thrown) {
            throw refusedBy(thrown, readShopTranslations(this.rules.platform.injector.get(I18nService)));
        }
        return change;
    }

    private async decide(
        ctx: RequestContext,
        record: FlowRecord,
        plannedState?: PlannedState,
    ): Promise<OrderDecision & { readonly order: LiveOrder | undefined }> {
        const [read] = this.read([record]) as readonly [ReadOrder<R>];
        await read.faults.settle();
        const issues = new RecordIssues(read.faults);
        if (!issues.isSound) throw issues.error();
        const code = read.code!;
        const stored = await this.store.find(ctx, code);
        if (stored?.isElsewhere)
            issues.add(this.rules.codeField, `is ${quoted(code)}; this order belongs to other channels`, code);
        const plan = plannedState?.get(code);
        const order = plan ? plan[0] && { ...plan[0], customerId: stored?.order.customerId } : stored?.order;
        const requested = { ctx: inCurrencyOf(order, ctx), code, said: read.said, order, faults: issues };
        const decided = issues.count > 0 ? undefined : await this.rules.decide(requested);
        if (!decided || issues.count > 0) throw issues.error();
        return { ...decided, order };
    }
}

/** Says that no order has the code that a record speaks of. */
export function orderNotFound<R>({ faults: issues, code }: RequestedOrderChange<R>, codeField: string): undefined {
    issues.add(codeField, `is ${quoted(code)}; no order of the channel has this code`, code);
    return undefined;
}

function inCurrencyOf(order: LiveOrder | undefined, ctx: RequestContext): RequestContext {
    return order ? inCurrency(ctx, order.values.get('currencyCode') as string) : ctx;
}

/**
 * A context with the currency of an order: with another currency, OrderService would price all of its lines again. A copied context takes the
 * currency only from its channel.
 */
export function inCurrency(ctx: RequestContext, currencyCode: string): RequestContext {
    if (currencyCode === ctx.currencyCode) return ctx;
    const defaultCurrencyCode = currencyCode as Channel['defaultCurrencyCode'];
    return ctx.copy(new Channel({ ...ctx.channel, defaultCurrencyCode, defaultLanguageCode: ctx.languageCode }));
}

/** The result of a service. An error result rolls back the record, including its earlier writes. */
export function granted<T extends object>(answer: T): Exclude<T, { readonly errorCode: unknown }> {
    if (isGraphQlErrorResult(answer)) throw new Refusal(answer as unknown as ErrorAnswer);
    return answer as Exclude<T, { readonly errorCode: unknown }>;
}

/** An error result: a key, and the values of its message. */
interface ErrorAnswer {
    readonly message: string;
    readonly fromState?: string;
    readonly toState?: string;
    readonly transitionError?: string;
    readonly paymentErrorMessage?: string;
}

class Refusal extends Error {
    constructor(readonly answer: ErrorAnswer) {
        super(answer.message);
    }
}

/** An error or error result of a service as the record's error, with the service's message. */
function refusedBy(thrown: unknown, translations: ShopTranslations): unknown {
    if (thrown instanceof I18nError)
        return flowError(
            'SERVICE_REFUSED',
            { problem: translations(thrown.message, thrown.variables) },
            { cause: thrown },
        );
    if (!(thrown instanceof Refusal)) return thrown;
    const { message, transitionError, paymentErrorMessage, ...about } = thrown.answer;
    // The message of the order process contains the error result's message, and the reason.
    const problem = translations(transitionError ?? `errorResult.${message}`, about);
    const told = paymentErrorMessage ? `${problem}: ${paymentErrorMessage}` : problem;
    return flowError('SERVICE_REFUSED', { problem: told }, { cause: thrown });
}
