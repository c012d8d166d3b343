import type { Batch } from '../data/record';
import { asFlowError } from '../errors/flow-error';
import type { Outcome } from './loader';

/** Records that go to another system together, and their delivery ids. */
export interface DeliveryPart {
    readonly batch: Batch;
    readonly ids: readonly string[];
}

/**
 * Delivers parts one after another and returns the outcomes of all, in their order. If a part fails, the outcomes of earlier parts stay valid, and
 * the failed part and all later ones have its error. The same applies if a target has not decided about a record of a part: later records may be
 * newer than that record, which is delivered again.
 */
export async function deliveredSequentially<P extends DeliveryPart>(
    parts: readonly P[],
    deliver: (part: P) => Promise<readonly Outcome[]>,
): Promise<readonly Outcome[]> {
    const count = parts.reduce((sum, { batch }) => sum + batch.length, 0);
    const outcomes: Outcome[] = [];
    for (const part of parts) {
        try {
            const told = await deliver(part);
            outcomes.push(...told);
            const waiting = told.find(isUnreported);
            if (waiting) return Array.from({ length: count }, (_, i) => outcomes[i] ?? waiting);
        } catch (thrown) {
            const error = asFlowError(thrown);
            if (outcomes.length === 0 || error.treat === 'record') throw thrown;
            return Array.from({ length: count }, (_, i) => outcomes[i] ?? { ok: false, error });
        }
    }
    return outcomes;
}

/** Whether a target has not decided about a record, so that the record is delivered again. */
export function isUnreported(outcome: Outcome): boolean {
    return !outcome.ok && outcome.error.treat !== 'record';
}
