import { known } from '../entities/record-issues';
import { checkState, type OrderContext } from './make-order';
import type { RequestedFulfillment, RequestedPayment, RequestedRefund } from './order-parts';
import type { FulfillmentState, LineState, OrderState, PaymentState, RefundState } from './order-state';

/**
 * The payments of an order according to its record: existing ones are matched by their transaction, or by method and
 * amount, and may change their state; others are added. None is removed.
 */
export function paymentsToWrite(
    stored: readonly PaymentState[],
    requested: readonly RequestedPayment[] | undefined,
    context: OrderContext,
): readonly PaymentState[] {
    const { made, find } = matching(stored);
    for (const payment of requested ?? []) {
        const { path, transactionId, state, metadata, errorMessage, refunds } = payment;
        const [method, amount] = [payment.method!, payment.amount!];
        checkState(state, 'payment', { path: `${path}.state`, place: context });
        const at = find(
            one => transactionId !== undefined && one.transactionId === transactionId,
            one =>
                one.method === method &&
                one.amount === amount &&
                (transactionId === undefined || one.transactionId === null),
        );
        const before = at === undefined ? undefined : made[at]!;
        if (before && (before.method !== method || before.amount !== amount))
            context.faults.add(
                path,
                'says another method or amount of a payment that the order has with the same transactionId',
            );
        const next: PaymentState = {
            id: before?.id,
            method,
            amount,
            state: state ?? before?.state ?? 'Settled',
            transactionId: transactionId ?? before?.transactionId ?? null,
            errorMessage: errorMessage ?? before?.errorMessage ?? null,
            metadata: metadata ?? before?.metadata ?? {},
            refunds: refundsOf(before?.refunds ?? [], refunds, context),
        };
        const refunded = next.refunds.reduce((sum, { total, state: of }) => sum + (of === 'Failed' ? 0 : total), 0);
        if (refunded > amount)
            context.faults.add(`${path}.refunds`, `make ${refunded}, more than the payment's ${amount}`);
        if (at === undefined) made.push(next);
        else made[at] = next;
    }
    return made;
}

function refundsOf(
    stored: readonly RefundState[],
    requested: readonly RequestedRefund[],
    context: OrderContext,
): readonly RefundState[] {
    const { made, find } = matching(stored);
    for (const { path, total, state, reason, transactionId } of requested) {
        checkState(state, 'refund', { path: `${path}.state`, place: context });
        const at = find(
            one => transactionId !== undefined && one.transactionId === transactionId && one.total === total,
            one => one.total === total && (transactionId === undefined || one.transactionId === null),
        );
        const before = at === undefined ? undefined : made[at]!;
        const next: RefundState = {
            id: before?.id,
            total: total!,
            state: state ?? before?.state ?? 'Settled',
            reason: reason ?? before?.reason ?? null,
            transactionId: transactionId ?? before?.transactionId ?? null,
        };
        if (at === undefined) made.push(next);
        else made[at] = next;
    }
    return made;
}

/**
 * The fulfilments of an order according to its record: those with the same pieces may change their state, others are
 * added.
 */
export function fulfillmentsOf(
    stored: readonly FulfillmentState[],
    requested: readonly RequestedFulfillment[] | undefined,
    { lines, place }: { readonly lines: readonly LineState[]; readonly place: OrderContext },
): readonly FulfillmentState[] {
    const { made, find } = matching(stored);
    const ordered = piecesOf(lines.map(({ sku, orderPlacedQuantity: quantity }) => ({ sku, quantity })));
    const kept = piecesOf(lines.filter(({ quantity }) => quantity > 0));
    // Cancelled items were not sent; for an order that is cancelled as a whole, this is unknown.
    const all = kept.size > 0 ? kept : ordered;
    for (const { path, method, state, trackingCode, ...rest } of requested ?? []) {
        checkState(state, 'fulfillment', { path: `${path}.state`, place });
        for (const [i, { sku, quantity }] of (rest.lines ?? []).entries()) {
            const at = `${path}.lines.${i}`;
            if (!ordered.has(sku))
                place.faults.add(`${at}.sku`, `is ${JSON.stringify(sku)}; ${known(ordered.keys())}`, sku);
            else if (quantity === 0) place.faults.add(`${at}.quantity`, 'is 0; allowed: 1 or more', 0);
        }
        const pieces = listOf(rest.lines ? piecesOf(rest.lines) : all);
        const at = find(one => samePieces(one.lines, pieces));
        const before = at === undefined ? undefined : made[at]!;
        const next: FulfillmentState = {
            id: before?.id,
            method: method!,
            state: state ?? before?.state ?? 'Delivered',
            trackingCode: trackingCode ?? before?.trackingCode ?? '',
            lines: before?.lines ?? pieces,
        };
        if (at === undefined) made.push(next);
        else made[at] = next;
    }
    if (requested !== undefined) checkPieces(made, ordered, place);
    return made;
}

/** A line of an order by its index, and its quantity in a fulfilment. */
interface Share {
    readonly at: number;
    readonly quantity: number;
}

/**
 * The lines of each fulfilment of an order. Several lines may have one SKU: the pieces of one fulfilment are not in
 * the next one, unless it was cancelled.
 */
export function fulfillmentQuantities({
    lines,
    fulfillments,
}: Pick<OrderState, 'lines' | 'fulfillments'>): ReadonlyMap<FulfillmentState, readonly Share[]> {
    const places = new Map<string, number[]>();
    for (const [at, { sku }] of lines.entries()) places.set(sku, [...(places.get(sku) ?? []), at]);
    const ordered = lines.map(({ orderPlacedQuantity }) => orderPlacedQuantity);
    const left = [...ordered];
    return new Map(
        fulfillments.map(fulfillment => {
            const of = fulfillment.state === 'Cancelled' ? [...ordered] : left;
            return [
                fulfillment,
                fulfillment.lines.flatMap(({ sku, quantity }) => taken(of, places.get(sku)!, quantity)),
            ];
        }),
    );
}

/** Takes this quantity from the rest at some indexes. */
function taken(left: number[], places: readonly number[], quantity: number): readonly Share[] {
    let open = quantity;
    return places.flatMap(at => {
        const share = Math.min(open, left[at]!);
        open -= share;
        left[at]! -= share;
        return share > 0 ? [{ at, quantity: share }] : [];
    });
}

/** More than was ordered cannot have been sent. */
function checkPieces(
    made: readonly FulfillmentState[],
    ordered: Pieces,
    { faults: issues, names }: OrderContext,
): void {
    const sent = piecesOf(made.filter(({ state }) => state !== 'Cancelled').flatMap(({ lines }) => lines));
    for (const [sku, quantity] of sent)
        if (quantity > (ordered.get(sku) ?? 0))
            issues.add(
                names.fulfillments,
                `hold ${quantity} of ${JSON.stringify(sku)}, and ${ordered.get(sku) ?? 0} were ordered`,
            );
}

type Pieces = ReadonlyMap<string, number>;
type Piece = FulfillmentState['lines'][number];

function piecesOf(lines: readonly Piece[]): Pieces {
    const pieces = new Map<string, number>();
    for (const { sku, quantity } of lines) pieces.set(sku, (pieces.get(sku) ?? 0) + quantity);
    return pieces;
}

const listOf = (pieces: Pieces): readonly Piece[] => [...pieces].map(([sku, quantity]) => ({ sku, quantity }));

function samePieces(one: readonly Piece[], other: readonly Piece[]): boolean {
    const [a, b] = [piecesOf(one), piecesOf(other)];
    return a.size === b.size && [...a].every(([sku, quantity]) => b.get(sku) === quantity);
}

/** Finds each stored one at most once, by the first test that one of them passes. */
function matching<T>(stored: readonly T[]) {
    const taken = new Set<number>();
    return {
        made: [...stored],
        find(...tests: ReadonlyArray<(one: T) => boolean>): number | undefined {
            for (const test of tests) {
                const at = stored.findIndex((one, i) => !taken.has(i) && test(one));
                if (at < 0) continue;
                taken.add(at);
                return at;
            }
            return undefined;
        },
    };
}
