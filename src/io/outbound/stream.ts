import type { Readable } from 'node:stream';
import type { OutboundStream } from '../../core/adapter/outbound';
import { flowError } from '../../core/errors/flow-error';
import { decodedBody, type Incoming, bodyPieces } from './body';
import type { Pass } from './breaker';
import type { Deadline } from './deadline';
import { failureOf, timedOut, type TryFacts } from './faults';
import type { Headers } from './headers';
import type { OpenHandles } from './held';

/** The try that an answer belongs to. */
export interface StreamTry {
    readonly facts: TryFacts;
    /** Ends when the body does. */
    readonly deadline: Deadline;
    /** The caller's own. */
    readonly stop: AbortSignal;
    readonly pass: Pass;
    readonly held: OpenHandles;
}

/**
 * An answer whose body is handed on as it comes: the server is read from only while somebody takes what it sends. It is closed when it was
 * read, left, broken off, or is too late, and at the latest when its run has ended.
 */
export class StreamedAnswer implements OutboundStream {
    readonly headers: Headers;
    private readonly decoded: Readable;
    private isTaken = false;
    private isClosed = false;

    /** Throws OUTBOUND_TOO_LARGE and REMOTE_MALFORMED. */
    constructor(
        readonly status: number,
        private readonly incoming: Incoming,
        private readonly of: StreamTry,
    ) {
        this.headers = incoming.headers;
        this.decoded = decodedBody(incoming);
        const release = of.held.add(() => this.close());
        // What goes wrong while nobody reads is told to whoever reads later; without a listener it would end the process.
        this.decoded
            .on('error', () => undefined)
            .once('close', () => {
                of.deadline.end();
                release();
            });
    }

    readonly body: AsyncIterable<Buffer> = { [Symbol.asyncIterator]: () => this.read() };

    close(): void {
        this.isClosed = true;
        this.decoded.destroy();
    }

    private async *read(): AsyncGenerator<Buffer, void, void> {
        if (this.isTaken || this.isClosed)
            throw flowError('BUG', { problem: 'the body of an answer is read that was read or closed before' });
        this.isTaken = true;
        try {
            yield* bodyPieces(this.decoded, this.incoming);
        } catch (thrown) {
            throw this.failure(thrown);
        }
    }

    private failure(thrown: unknown): unknown {
        const { stop, deadline, facts, pass } = this.of;
        if (stop.aborted) return stop.reason;
        if (this.isClosed) return flowError('BUG', { problem: 'the body of an answer was closed while it was read' });
        const failure = deadline.isLate ? timedOut(facts) : failureOf(thrown, facts);
        if (failure.isTrouble) pass.failed();
        return failure.error;
    }
}
