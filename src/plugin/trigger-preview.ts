import type { Outbound } from '../core/adapter/outbound';
import { flowError } from '../core/errors/flow-error';
import type { JsonObject } from '../core/value/json';

/** What a trigger would bring, as somebody sees it who looks first, and what is to be said of it, in sentences. */
export interface TriggerPreviewResult {
    readonly records: readonly JsonObject[];
    readonly remarks: readonly string[];
}

/** The ways to the network that whoever looks may use, of those of a connection that leads to these servers (entries of `allowedHosts`). */
export type ThroughDoor = (gateway: Outbound, servers: () => readonly string[]) => Outbound;

/** How somebody looks at what a trigger would bring. */
export interface LookOrder {
    /** So many records at most. */
    readonly limit: number;
    readonly through: ThroughDoor;
}

/** Does some work that somebody waits for. Its signal is aborted when that takes longer; throws STEP_TEST_TIMEOUT then, whatever the work throws. */
export async function withinTestTimeout<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(flowError('STEP_TEST_TIMEOUT', { ms })), ms);
    try {
        return await work(over.signal);
    } catch (thrown) {
        throw over.signal.aborted ? (over.signal.reason as Error) : thrown;
    } finally {
        clearTimeout(timer);
    }
}
