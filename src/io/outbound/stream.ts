import type { Readable } from 'node:stream';
import type { OutboundStream } from '../../core/adapter/outbound';
import { flowError } from '../../core/errors/flow-error';
import { bodyPieces, decodedBody, firstPieces, type Incoming } from './body';
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
    /** Undefined where nobody has asked for it, and where there is more. */
    whole: Buffer | undefined;
    private readonly decoded: Readable;
    /** What has been read before anybody asked for it. */
    private ahead: Buffer[] = [];
    private bytesAhead = 0;
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

    /** Reads the body as long as it has no more than so many bytes. What goes wrong is thrown as it comes. */
    async readAhead(most: number): Promise<void> {
        const { pieces, bytes, isWhole } = await firstPieces(this.decoded, this.incoming, most);
        this.bytesAhead = bytes;
        if (isWhole) this.whole = Buffer.concat(pieces);
        this.ahead = this.whole ? [this.whole] : [...pieces];
    }

    private async *read(): AsyncGenerator<Buffer, void, void> {
        if (this.isTaken || this.isClosed)
            throw flowError('BUG', { problem: 'the body of an answer is read that was read or closed before' });
        this.isTaken = true;
        try {
            for (let piece = this.ahead.shift(); piece; piece = this.ahead.shift()) yield piece;
            if (!this.whole) yield* bodyPieces(this.decoded, this.incoming, this.bytesAhead);
        } catch (thrown) {
            throw this.failure(thrown);
        } finally {
            // Whoever leaves within what was read ahead has begun nothing that would close by itself.
            this.decoded.destroy();
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
