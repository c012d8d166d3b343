import type { Outcome } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';

/** A message as every broker gets it. */
export interface QueueMessage {
    /** The id by which receivers identify the message. */
    readonly id: string;
    /** The same for every repetition of the message in this run, and unique to it. */
    readonly deliveryId: string;
    /** Messages of one group keep their order where the broker has groups. Of any letters and length. */
    readonly group: string | undefined;
    readonly headers: Readonly<Record<string, string>>;
    readonly payload: string;
}

/** A queue of a broker; one outcome for each message, in their order. Throws for what is about no message. */
export interface MessageQueue {
    publish(messages: readonly QueueMessage[]): Promise<readonly Outcome[]>;
}

/** The header with the operation for the records of a message: UPSERT or DELETE. */
export const OPERATION_HEADER = 'x-flow-operation';

/** The outcome if a broker has not confirmed a message, or is unavailable: the message is sent again. */
export function unacknowledged(host: string, problem: string, cause?: unknown): Outcome {
    return { ok: false, error: flowError('REMOTE_BUSY', { host, problem, attempts: 1 }, { cause }) };
}
