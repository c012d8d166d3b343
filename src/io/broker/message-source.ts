/** A message as it has come from a broker. */
export interface ReceivedMessage {
    /** Identifies the message to its source until it is settled. */
    readonly handle: string;
    /** The id by which people find the message at the broker; undefined if it has none. */
    readonly id: string | undefined;
    /** The same whenever this message is delivered, and unique in its queue; undefined if it is unknown. */
    readonly identity: string | undefined;
    readonly body: Uint8Array;
    /** Those that are texts. */
    readonly headers: Readonly<Record<string, string>>;
}

/** The outcome for a rejected message: it is in the dead-letter queue, or was rejected and handled as the broker is configured, or was dropped. */
export type MessageOutcome = 'dead-lettered' | 'rejected' | 'dropped';

/** Which messages, and how many. */
export interface SourceSettings {
    readonly queueName: string;
    readonly batchSize: number;
    readonly maxWaitMs: number;
    readonly deadLetterQueue: string | undefined;
}

/**
 * A queue of a broker from which messages are read, by one caller at a time. Unsettled messages are delivered again once the source is closed or
 * lost. It connects on first use. It throws if the broker is unavailable or rejects a request, and then it can only be closed.
 */
export interface MessageSource {
    /**
     * Up to `batchSize` messages, in their order. Waits a while for the first one, and `maxWaitMs` for more after it; empty if none has arrived, or
     * when `stop` is aborted.
     */
    receive(stop: AbortSignal): Promise<readonly ReceivedMessage[]>;
    /** Marks them as finished, so that they are not delivered again. */
    acknowledge(messages: readonly ReceivedMessage[]): Promise<void>;
    /**
     * Sends a message to the dead letters with the reason. Without dead letters it is rejected and not returned to
     * the queue.
     */
    refuse(message: ReceivedMessage, reason: string): Promise<MessageOutcome>;
    /** A few of the messages that are next, which stay where they are. For a source that nothing is received from. */
    peek(count: number): Promise<readonly ReceivedMessage[]>;
    /** Returns unsettled messages to the queue. Never throws. */
    close(): Promise<void>;
}

/** The headers of a dead letter: why it is one, and where it came from. */
const REASON_HEADER = 'x-flow-reason';
const QUEUE_HEADER = 'x-flow-queue';
const LONGEST_REASON = 1_000;

/** The headers of a dead letter, each in one line that every broker accepts. */
export function deathOf(reason: string, { queueName }: SourceSettings): Readonly<Record<string, string>> {
    const line = reason.replace(/[^\x20-\x7E\u00A0-\uD7FF\uE000-\uFFFD]+/g, ' ').slice(0, LONGEST_REASON);
    return { [REASON_HEADER]: line, [QUEUE_HEADER]: queueName };
}
