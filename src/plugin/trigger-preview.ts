import type { Outbound } from '../core/adapter/outbound';
import { flowError } from '../core/errors/flow-error';
import type { LogText } from '../core/log/log-text';
import type { JsonObject } from '../core/value/json';

/** What a trigger would deliver, as a preview, with notes. */
export interface TriggerPreviewResult {
    readonly records: readonly JsonObject[];
    readonly remarks: readonly LogText[];
}

/**
 * Limits the network access of a preview: of a connection's gateways, only those that its user may use for these servers (entries of
 * `allowedHosts`).
 */
export type ThroughDoor = (gateway: Outbound, servers: () => readonly string[]) => Outbound;

/** How a preview is read. */
export interface LookOrder {
    /** The maximum number of records. */
    readonly limit: number;
    readonly through: ThroughDoor;
}

/**
 * Executes work for which a user waits. Its signal is aborted when the time is over. The function then throws STEP_TEST_TIMEOUT, whatever
 * the work throws.
 */
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
