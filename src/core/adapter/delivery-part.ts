import type { Batch } from '../data/record';
import { asFlowError } from '../errors/flow-error';
import type { Outcome } from './loader';

/** Records that go to another system together, and their delivery ids. */
export interface DeliveryPart {
    readonly batch: Batch;
    readonly ids: readonly string[];
}

/**
 * Delivers parts one after another; answers the outcomes of all, in their order. Where a part fails, what is known of those before it stays
 * known, and it and those behind it have its error.
 */
export async function deliveredInTurn<P extends DeliveryPart>(
    parts: readonly P[],
    deliver: (part: P) => Promise<readonly Outcome[]>,
): Promise<readonly Outcome[]> {
    const count = parts.reduce((sum, { batch }) => sum + batch.length, 0);
    const outcomes: Outcome[] = [];
    for (const part of parts) {
        try {
            outcomes.push(...(await deliver(part)));
        } catch (thrown) {
            const error = asFlowError(thrown);
            if (outcomes.length === 0 || error.treat === 'record') throw thrown;
            return Array.from({ length: count }, (_, i) => outcomes[i] ?? { ok: false, error });
        }
    }
    return outcomes;
}
