import { isUnreported } from './delivery-part';
import type { Outcome } from './loader';
import { asFlowError, type FlowError } from '../errors/flow-error';

/** A target's result for a list: an outcome for each element, or the reason why it rejected the whole list. */
export type ListOutcome = readonly Outcome[] | FlowError;

/** Delivers a list. A list that is rejected as a whole is delivered in halves, until the failing elements are found. */
export async function inHalves<T>(
    list: readonly T[],
    send: (part: readonly T[]) => Promise<ListOutcome>,
): Promise<readonly Outcome[]> {
    const told = await send(list);
    if (isOfEach(told)) return told;
    if (list.length === 1) return [{ ok: false, error: told }];
    const half = Math.ceil(list.length / 2);
    const first = await inHalves(list.slice(0, half), send);
    const rest = list.slice(half);
    const waiting = first.find(isUnreported);
    if (waiting) return [...first, ...rest.map(() => waiting)];
    try {
        return [...first, ...(await inHalves(rest, send))];
    } catch (thrown) {
        const error = asFlowError(thrown);
        // What is known of the first half stays known.
        return [...first, ...rest.map((): Outcome => ({ ok: false, error }))];
    }
}

function isOfEach(outcome: ListOutcome): outcome is readonly Outcome[] {
    return Array.isArray(outcome);
}
