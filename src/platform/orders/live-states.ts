import type { Order, OrderService } from '@vendure/core';
import type { Columns } from '../entities/columns';
import { known, quoted } from '../entities/record-issues';
import { BETWEEN } from './live-modify';
import type { LiveRecord } from './live-record';
import type { RequestedOrderChange } from './live-session';

/**
 * Whether an order in one state has passed another one, so that it is in the desired state of its record, or further.
 */
export function hasReached(orders: OrderService, state: string, desired: string): boolean {
    const seen = new Set<string>();
    const open = [desired];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
        if (next === state) return true;
        if (seen.has(next) || BETWEEN.has(next)) continue;
        seen.add(next);
        open.push(...nextStates(orders, next));
    }
    return false;
}

/** The states that a transition leads to. */
export function nextStates(orders: OrderService, state: string): readonly string[] {
    return orders.getNextOrderStates({ state } as Order);
}

interface Foretelling {
    readonly orders: OrderService;
    readonly before: Columns;
    readonly stateField: string;
}

/** The expected state of an order, as far as its process determines it in advance; undefined if it does not change, or after an error. */
export function predictedState(
    { said, faults: issues }: Pick<RequestedOrderChange<LiveRecord>, 'said' | 'faults'>,
    { orders, before, stateField }: Foretelling,
): string | undefined {
    const state = before.get('state') as string;
    const { state: desired, payments } = said;
    const pays = payments !== undefined && before.get('isPlaced') !== true;
    const paid = pays ? 'PaymentSettled' : state;
    if (desired === undefined) return paid;
    const all = orders.getOrderProcessStates().map(({ name }) => name);
    if (!all.includes(desired)) {
        issues.add(stateField, `is ${quoted(desired)}; ${known(all)}`, desired);
        return undefined;
    }
    if (hasReached(orders, paid, desired)) return paid;
    const allowed = nextStates(orders, paid).filter(next => next !== 'Cancelled' && !BETWEEN.has(next));
    if (allowed.includes(desired)) return desired;
    const from = pays ? `is paid, and goes to ${allowed.join(', ')}` : `is in the state ${state}; ${known(allowed)}`;
    issues.add(stateField, `is ${quoted(desired)}; the order ${from}`, desired);
    return undefined;
}
