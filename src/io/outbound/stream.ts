import type { Readable } from 'node:stream';
import type { OutboundStream } from '../../core/adapter/outbound';
import { flowError } from '../../core/errors/flow-error';
import { bodyChunks, decodedBody, firstChunks, type Incoming } from './body';
import type { CircuitPass } from './breaker';
import type { Deadline } from './deadline';
import { failureOf, timedOut, type TryFacts } from './failures';
import type { Headers } from './headers';
import type { OpenHandles } from './open-handles';

/** The try that an answer belongs to. */
interface StreamTry {
    readonly facts: TryFacts;
    /** Ends when the body does. */
    readonly deadline: Deadline;
    /** The caller's own. */
    readonly stop: AbortSignal;
    readonly pass: CircuitPass;
    readonly held: OpenHandles;
}

/**
 * A response whose body is streamed: the server is read only while a reader takes chunks. It is closed when it was read, left, aborted, or is too
 * late, and at the latest when its run has ended.
 */
export class StreamedResponse implements OutboundStream {
    readonly headers: Headers;
    /** Undefined if it was not requested, or if the body is longer. */
    whole: Buffer | undefined;
    private readonly decoded: Readable;
    /** The chunks that were read before a reader requested them. */
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
        // An error without a reader is reported to a later reader; without this listener it would end the process.
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

    /** Reads the body ahead up to this number of bytes. Errors are thrown unchanged. */
    async readAhead(most: number): Promise<void> {
        const { pieces, bytes, isWhole } = await firstChunks(this.decoded, this.incoming, most);
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
            if (!this.whole) yield* bodyChunks(this.decoded, this.incoming, this.bytesAhead);
        } catch (thrown) {
            throw this.failure(thrown);
        } finally {
            // A reader that stops within the chunks read ahead has started nothing that would close by itself.
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
