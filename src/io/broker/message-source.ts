/** A message as it has come from a broker. */
export interface ReceivedMessage {
    /** What its source knows it by until it is settled. */
    readonly handle: string;
    /** What people find it by at the broker; undefined where it has no id. */
    readonly id: string | undefined;
    /** The same whenever this message comes again, and of no other message of its queue; undefined where it cannot be told. */
    readonly identity: string | undefined;
    readonly body: Uint8Array;
    /** Those that are texts. */
    readonly headers: Readonly<Record<string, string>>;
}

/**
 * What has become of a message that was refused: it lies in the queue of dead letters, or was rejected, whereupon the broker does what it was told to do
 * with such messages, or it is gone.
 */
export type MessageFate = 'dead-lettered' | 'rejected' | 'dropped';

/** Which messages, and how many. */
export interface SourceSettings {
    readonly queueName: string;
    readonly batchSize: number;
    readonly maxWaitMs: number;
    readonly deadLetterQueue: string | undefined;
}

/**
 * A queue of a broker that messages are taken from. One caller at a time. What was received and not settled comes again once the source is closed or lost. Connects when it
 * is first needed; what it throws is that the broker is away or refuses something, and it is of no use any more then but to be closed.
 */
export interface MessageSource {
    /**
     * Up to `batchSize` messages, in their order. Waits a while for the first one, and `maxWaitMs` for others behind it; empty where none has come, or
     * when it is told to stop.
     */
    receive(stop: AbortSignal): Promise<readonly ReceivedMessage[]>;
    /** They are done with, and never come again. */
    acknowledge(messages: readonly ReceivedMessage[]): Promise<void>;
    /** Has a message go to the dead letters with the reason; where there are none, it is rejected and not given back to the queue. */
    refuse(message: ReceivedMessage, reason: string): Promise<MessageFate>;
    /** A few of the messages that are next, which stay where they are. For a source that nothing is received from. */
    peek(count: number): Promise<readonly ReceivedMessage[]>;
    /** Gives back what is not settled. Throws nothing. */
    close(): Promise<void>;
}

/** The headers of a dead letter: why it is one, and where it came from. */
export const REASON_HEADER = 'x-flow-reason';
export const QUEUE_HEADER = 'x-flow-queue';
const LONGEST_REASON = 1_000;

/** What a dead letter says of itself, in one line that every broker takes. */
export function deathOf(reason: string, { queueName }: SourceSettings): Readonly<Record<string, string>> {
    const line = reason.replace(/[^\x20-\x7E\u00A0-\uD7FF\uE000-\uFFFD]+/g, ' ').slice(0, LONGEST_REASON);
    return { [REASON_HEADER]: line, [QUEUE_HEADER]: queueName };
}
