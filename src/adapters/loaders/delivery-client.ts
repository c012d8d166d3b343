import { createHash } from 'node:crypto';
import type { AdapterContext } from '../../core/adapter/context';
import type { OutboundAuth, OutboundMethod } from '../../core/adapter/http';
import type { OutboundStream } from '../../core/adapter/outbound';
import { type SecretTarget, secretTargetOf } from '../../core/adapter/secret-hosts';
import { flowError } from '../../core/errors/flow-error';
import { bearer } from '../../io/outbound/auth';
import { MAX_REQUEST_BYTES } from '../../io/outbound/exchange';
import { type Endpoint, endpointOf } from '../requests/endpoint';
import { reasonOf } from '../requests/reason';
import { withoutPlaceholders } from '../requests/placeholders';
import type { DeliveryArgs } from './delivery-fields';

/** The response of the other system, as far as it was read. */
export interface DeliveryResponse {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Buffer;
    readonly host: string;
    /** Why nothing was sent, although a status is returned. */
    readonly unsent?: string;
}

/** One request with the records to deliver. */
interface DeliveryPayload {
    readonly url: string;
    readonly method: OutboundMethod;
    readonly body: string | undefined;
    /** Equal for equal requests, so that a repeated request is recognized. */
    readonly key: string;
    /** Signatures, computed for each attempt. */
    readonly signed?: () => readonly OutboundAuth[];
    readonly accept: string;
    /** Whether the response describes the outcome of each record. It then counts only if it was received completely. */
    readonly isAnswerNeeded: boolean;
}

/** The arguments that the client uses. */
type DeliveryClientArgs = Pick<
    DeliveryArgs,
    | 'connectionCode'
    | 'endpoint'
    | 'headers'
    | 'timeoutMs'
    | 'retries'
    | 'idempotencyKeyHeader'
    | 'bearerTokenSecretCode'
>;

function tokenOf(
    { bearerTokenSecretCode: code }: DeliveryClientArgs,
    { secrets }: AdapterContext,
): OutboundAuth | undefined {
    return code === undefined ? undefined : bearer(secrets.get(code));
}

/** The maximum number of bytes that are read of a response, which may contain a reason. */
const MAX_REASON_BYTES = 64 * 1024;
/** The same for a response that describes every record of a request. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** The limits above are applied here, because an incomplete response is still useful. */
const NEVER_MORE = 1024 ** 3;

/** Statuses that are responses. 307 and 308 repeat a request; they are followed within its origin. */
export const RESPONSE_TYPES: readonly number[] = [
    ...[300, 301, 302, 303, 304, 305, 306],
    ...Array.from({ length: 100 }, (_, i) => 400 + i).filter(status => status !== 408 && status !== 429),
];

/** Sends requests to the target of a step, with its credential, its idempotency header, and its limits. */
export class DeliveryClient {
    /** With its placeholders. */
    readonly url: string;
    private readonly endpoint: Endpoint;
    /** The server that receives records and secrets. */
    readonly target: SecretTarget;
    private readonly originLock: string;

    /** Throws CONNECTION_INVALID, OUTBOUND_ORIGIN and SECRET_UNREADABLE. */
    constructor(
        private readonly args: DeliveryClientArgs,
        private readonly cx: AdapterContext,
        own = tokenOf(args, cx),
    ) {
        const { endpoint: url } = args;
        this.endpoint = endpointOf({ ...args, url }, own, cx);
        this.url = this.endpoint.url;
        // Records and secrets are meant for the endpoint. They are not sent to another origin that it redirects to.
        this.originLock = this.endpoint.originLock ?? new URL(withoutPlaceholders(this.url)).origin;
        this.target = secretTargetOf(this.originLock)!;
    }

    /**
     * A body that is too large is not sent; the response is then a local 413. If the server is unreachable or busy,
     * REMOTE_BUSY or OUTBOUND_TIMEOUT is thrown once the retries are spent.
     */
    async send({ url, method, body, key, accept, isAnswerNeeded, signed }: DeliveryPayload): Promise<DeliveryResponse> {
        const { auth, headers, timeoutMs } = this.endpoint;
        const { idempotencyKeyHeader, retries } = this.args;
        const { host } = new URL(url);
        if (body !== undefined && Buffer.byteLength(body) > MAX_REQUEST_BYTES) {
            const unsent = `it makes a request of more than ${MAX_REQUEST_BYTES} bytes, which is not sent`;
            return { status: 413, headers: {}, body: Buffer.alloc(0), host, unsent };
        }
        const stream = await this.cx.outbound.stream.open({
            url,
            method,
            headers: { accept, ...headers, [idempotencyKeyHeader.toLowerCase()]: key },
            auth,
            ...(signed && { signed }),
            originLock: this.originLock,
            body,
            idleMs: timeoutMs,
            totalMs: timeoutMs,
            maxBytes: NEVER_MORE,
            attempts: retries + 1,
            isRepeatable: true,
            expected: RESPONSE_TYPES,
            reasonIn: reasonOf,
            signal: this.cx.signal,
        });
        const { status } = stream;
        const isDone = status >= 200 && status < 300;
        const read = isDone && isAnswerNeeded ? wholeBody(stream, host) : bodyBegin(stream);
        return { status, headers: stream.headers, body: await read, host };
    }
}

/** One key for records that are delivered together. For a single record, its own key. */
export function keyOf(ids: readonly string[]): string {
    return ids.length === 1 ? ids[0]! : createHash('sha256').update(ids.join(' ')).digest('hex').slice(0, 32);
}

async function wholeBody({ body }: OutboundStream, host: string): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of body) {
        bytes += piece.length;
        if (bytes > MAX_ANSWER_BYTES)
            throw flowError('OUTBOUND_TOO_LARGE', { host, what: 'a body', maxBytes: MAX_ANSWER_BYTES });
        pieces.push(piece);
    }
    return Buffer.concat(pieces);
}

/**
 * The part that was received until the limit or a broken connection. The status already shows what became of the
 * records.
 */
async function bodyBegin(stream: OutboundStream): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let bytes = 0;
    try {
        for await (const piece of stream.body) {
            pieces.push(piece.subarray(0, MAX_REASON_BYTES - bytes));
            bytes += piece.length;
            if (bytes >= MAX_REASON_BYTES) break;
        }
    } catch {
        stream.close();
    }
    return Buffer.concat(pieces);
}
