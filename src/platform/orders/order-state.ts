import type { JsonObject, JsonValue } from '../../core/value/json';
import type { Id } from '../../database/write';
import type { WorkPart } from '../entities/unit-of-work';
import type { TaxLine } from './order-parts';

/** The maximum number of orders that a dry run remembers; one takes some KB. */
export const MAX_ORDERS = 20_000;

/** What Vendure keeps of a discount: in the basis of the price that it belongs to. */
export interface Adjustment {
    readonly amount: number;
    readonly adjustmentSource: string;
    readonly description: string;
    readonly type: 'PROMOTION' | 'DISTRIBUTED_ORDER_PROMOTION';
    readonly data?: JsonObject;
}

interface Priced {
    readonly listPrice: number;
    readonly listPriceIncludesTax: boolean;
    readonly taxLines: readonly TaxLine[];
}

export interface LineState extends Priced {
    readonly id: Id | undefined;
    readonly variantId: Id;
    readonly sku: string;
    readonly taxCategoryId: Id | null;
    readonly assetId: Id | null;
    readonly quantity: number;
    readonly orderPlacedQuantity: number;
    readonly adjustments: readonly Adjustment[];
}

export interface SurchargeState extends Priced {
    readonly description: string;
    readonly sku: string;
}

export interface ShippingLineState extends Priced {
    readonly methodId: Id;
    /** Code of the shipping method. */
    readonly method: string;
    readonly adjustments: readonly Adjustment[];
}

export interface RefundState {
    readonly id: Id | undefined;
    readonly total: number;
    readonly state: string;
    readonly reason: string | null;
    readonly transactionId: string | null;
}

export interface PaymentState {
    readonly id: Id | undefined;
    readonly method: string;
    readonly amount: number;
    readonly state: string;
    readonly transactionId: string | null;
    readonly errorMessage: string | null;
    readonly metadata: JsonObject;
    readonly refunds: readonly RefundState[];
}

export interface FulfillmentState {
    readonly id: Id | undefined;
    readonly method: string;
    readonly state: string;
    readonly trackingCode: string;
    readonly lines: ReadonlyArray<{ readonly sku: string; readonly quantity: number }>;
}

/** Columns of an order by property, including custom fields; `customer` is the e-mail address, in addition to the `customerId`. */
export type OrderHeader = Readonly<Record<string, JsonValue>>;

/** An order as it is stored, or as records have it become. Never changed: another one takes its place. */
export interface OrderState {
    readonly id: Id | undefined;
    readonly code: string;
    readonly isInChannel: boolean;
    /** Whether the load has created it, and no user has processed it in the shop. */
    readonly isOwn: boolean;
    readonly header: OrderHeader;
    readonly lines: readonly LineState[];
    readonly surcharges: readonly SurchargeState[];
    readonly shippingLines: readonly ShippingLineState[];
    readonly payments: readonly PaymentState[];
    readonly fulfillments: readonly FulfillmentState[];
    /** Of a new order. */
    readonly promotionIds: readonly Id[];
    /** The order as it was read; undefined for a new one. */
    readonly stored: OrderState | undefined;
}

/** The orders that a batch, or a dry run, works on. */
export class OrderSet implements WorkPart {
    private readonly byCode = new Map<string, OrderState>();
    private readonly planned = new Map<string, OrderState | undefined>();
    private readonly gone: OrderState[] = [];
    /** Codes by the form that a database may compare as equal. */
    private readonly byFold = new Map<string, string>();
    /** Whether a dry run has had to forget something that it planned. */
    isFull = false;

    find(code: string): OrderState | undefined {
        return this.byCode.get(code);
    }

    /** Whether nothing is planned for an order, so that it must be read from the tables. */
    mustRead(code: string): boolean {
        return !this.planned.has(code);
    }

    /** Another order's code that MariaDB and MySQL take for this one. */
    alike(code: string): string | undefined {
        const other = this.byFold.get(folded(code));
        return other === code || other === undefined || !this.byCode.has(other) ? undefined : other;
    }

    addRead(state: OrderState): void {
        this.byCode.set(state.code, state);
        this.byFold.set(folded(state.code), state.code);
    }

    put(state: OrderState): void {
        this.addRead(state);
        this.planned.set(state.code, state);
    }

    remove(state: OrderState): void {
        this.byCode.delete(state.code);
        this.planned.set(state.code, undefined);
        if (state.stored) this.gone.push(state.stored);
    }

    get created(): readonly OrderState[] {
        return this.living.filter(({ stored }) => !stored);
    }
    get changed(): readonly OrderState[] {
        return this.living.filter(({ stored }) => stored);
    }
    get deleted(): readonly OrderState[] {
        return this.gone;
    }

    settle(): void {
        for (const code of this.byCode.keys()) if (!this.planned.has(code)) this.byCode.delete(code);
        for (const code of this.planned.keys()) {
            if (this.planned.size <= MAX_ORDERS) break;
            this.planned.delete(code);
            this.byCode.delete(code);
            this.isFull = true;
        }
    }

    private get living(): readonly OrderState[] {
        return [...this.planned.values()].filter(state => state !== undefined);
    }
}

/** A code without what a database may not mind: case, accents, blanks at the end. */
const folded = (code: string): string => code.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trimEnd();

/** The values of an order in reports and differences: path and value. */
export function shownOf(state: OrderState): JsonObject {
    const { header, lines, surcharges, shippingLines, payments, fulfillments } = state;
    const { customerId: _id, ...shown } = header;
    return {
        ...shown,
        lines: lines.map(shownLine),
        surcharges: surcharges.map(({ description, sku, ...price }) => ({ description, sku, ...shownPrice(price) })),
        shippingLines: shippingLines.map(({ method, adjustments, ...price }) => ({
            method,
            ...shownPrice(price),
            discounts: adjustments.map(shownDiscount),
        })),
        payments: payments.map(({ id: _paymentId, refunds, ...payment }) => ({
            ...payment,
            refunds: refunds.map(({ id: _refundId, ...refund }) => refund),
        })),
        fulfillments: fulfillments.map(({ id: _fulfillmentId, ...fulfillment }) => fulfillment),
    };
}

function shownLine({ sku, quantity, orderPlacedQuantity, adjustments, ...price }: LineState): JsonObject {
    return { sku, quantity, orderPlacedQuantity, ...shownPrice(price), discounts: adjustments.map(shownDiscount) };
}

/** Which promotion it came from depends on those that there are today. */
const shownDiscount = ({ amount, description }: Adjustment): JsonObject => ({ amount, description });

const shownPrice = ({ listPrice, listPriceIncludesTax, taxLines }: Priced): JsonObject => ({
    price: listPrice,
    priceIncludesTax: listPriceIncludesTax,
    taxLines: taxLines.map(({ description, taxRate }) => ({ description, taxRate })),
});
