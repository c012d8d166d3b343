import type { AdapterContext } from '../../core/adapter/context';
import type { OutboundAuth, OutboundMethod, OutboundResponse } from '../../core/adapter/http';
import { asFlowError, type FlowError, flowError } from '../../core/errors/flow-error';
import { staticHeaderProblem } from '../../core/schema/static-headers';
import { MAX_REQUEST_BYTES } from '../../io/outbound/exchange';
import { reasonOf } from '../requests/reason';
import { RESPONSE_TYPES, type DeliveryResponse } from '../loaders/delivery-client';
import { isAcceptedResponse, rejectionOf } from '../loaders/delivery-rejection';

/** For one attempt. A busy index responds late, and a repeated request makes it busier. */
const TIMEOUT_MS = 60_000;
const ATTEMPTS = 3;

/** The target of a vendor's client, and its credential. */
interface ClientTarget {
    /** All requests of the client stay within this URL. */
    readonly url: string;
    readonly auth: OutboundAuth | undefined;
    /** The usual ports of the service. */
    readonly usualPorts?: readonly number[];
}

/** One request as a client makes it. */
interface ClientRequest {
    readonly url: string;
    readonly method: string;
    readonly headers: Iterable<readonly [name: string, value: string]>;
    readonly body?: string | Uint8Array | undefined;
    /** For headers that the client has signed itself. */
    readonly signed?: readonly OutboundAuth[];
}

/**
 * The result of a client's call: the value that the client returns, or the response with which the server rejects the
 * call.
 */
export type Called<T> =
    { readonly ok: true; readonly value: T } | { readonly ok: false; readonly answer: DeliveryResponse };

/**
 * Sends the requests of a vendor's client through the outbound client, like all other requests of a run. It adds the
 * credential, which the vendor's client does not know, and is the only place with retries. The calls of a sink never
 * overlap, so the last error of a request is the reason why a call fails.
 */
export class ClientGateway {
    private failure: FlowError | undefined;
    private answer: DeliveryResponse | undefined;
    private isOnce = false;

    readonly host: string;
    private readonly origin: string;

    constructor(
        private readonly target: ClientTarget,
        private readonly cx: Pick<AdapterContext, 'outbound' | 'signal'>,
    ) {
        ({ host: this.host, origin: this.origin } = new URL(target.url));
    }

    /**
     * For the hook of a client. Throws the errors of outbound requests. A rejection by the server is returned as a
     * response.
     */
    async send({ url, method, headers, body: given, signed }: ClientRequest): Promise<OutboundResponse> {
        const { host } = new URL(url);
        // Built once for all attempts.
        const body = typeof given === 'string' ? Buffer.from(given) : given;
        if (body !== undefined && body.length > MAX_REQUEST_BYTES) {
            const unsent = `it makes a request of more than ${MAX_REQUEST_BYTES} bytes, which is not sent`;
            this.answer = { status: 413, headers: {}, body: Buffer.from('{}'), host, unsent };
            return this.answer;
        }
        const { auth, usualPorts } = this.target;
        try {
            const answer = await this.cx.outbound.http.send({
                url,
                method: method.toUpperCase() as OutboundMethod,
                headers: plainHeaders(headers),
                auth,
                originLock: this.origin,
                ...(signed && { signed: () => signed }),
                ...(usualPorts && { usualPorts }),
                body,
                timeoutMs: TIMEOUT_MS,
                attempts: ATTEMPTS,
                // Documents are complete and have ids, so a repeated request changes nothing.
                isRepeatable: !this.isOnce,
                expected: RESPONSE_TYPES,
                reasonIn: reasonOf,
                signal: this.cx.signal,
            });
            this.answer = { ...answer, host };
            return answer;
        } catch (thrown) {
            this.failure = asFlowError(thrown);
            throw thrown;
        }
    }

    /**
     * Throws the errors of outbound requests, whatever the client makes of them, and REMOTE_MALFORMED for a response
     * that the client cannot read.
     */
    async call<T>(work: () => Promise<T>): Promise<Called<T>> {
        this.failure = undefined;
        this.answer = undefined;
        try {
            const value = await work();
            const rejected = this.refusal;
            return rejected ? { ok: false, answer: rejected } : { ok: true, value };
        } catch (thrown) {
            this.cx.signal.throwIfAborted();
            const { failure, refusal: answer } = this as { failure?: FlowError } & Pick<ClientGateway, 'refusal'>;
            if (failure) throw failure;
            if (answer) return { ok: false, answer };
            throw flowError(
                'REMOTE_MALFORMED',
                { host: this.host, problem: 'its client cannot read it' },
                { cause: thrown },
            );
        }
    }

    /** Like `call`, if a rejection is not about a record: throws REMOTE_REFUSED with its reason. */
    async ask<T>(work: () => Promise<T>): Promise<T> {
        const called = await this.call(work);
        if (called.ok) return called.value;
        throw this.refused(called.answer);
    }

    /**
     * Like `ask`, for a request that must not be executed twice: it is only repeated if it is known not to have
     * arrived. Check the state before you call this again.
     */
    async askOnce<T>(work: () => Promise<T>): Promise<T> {
        this.isOnce = true;
        try {
            return await this.ask(work);
        } finally {
            this.isOnce = false;
        }
    }

    /** Like `ask`; undefined if the resource does not exist. */
    async find<T>(work: () => Promise<T>): Promise<T | undefined> {
        const called = await this.call(work);
        if (called.ok) return called.value;
        if (called.answer.status === 404) return undefined;
        throw this.refused(called.answer);
    }

    /** The error for a request that fails for every record. */
    refused(response: DeliveryResponse): FlowError {
        const problem = String(rejectionOf(response).facts!['problem']).replace(/^it /, '');
        return flowError('REMOTE_REFUSED', { host: this.host, problem }, { details: { status: response.status } });
    }

    /** Why a list was rejected as a whole. Throws REMOTE_REFUSED if the reason is not about a record. */
    refusedList(response: DeliveryResponse): FlowError {
        isAcceptedResponse(response, { isAddressOfRecord: false });
        return rejectionOf(response);
    }

    get refusal(): DeliveryResponse | undefined {
        const { answer } = this;
        return answer && answer.status >= 300 ? answer : undefined;
    }
}

/**
 * The headers that may be sent unchanged. The gateway adds the credential, and the transport writes its own headers.
 */
function plainHeaders(headers: ClientRequest['headers']): Readonly<Record<string, string>> {
    const sent: Record<string, string> = {};
    for (const [name, value] of headers)
        if (staticHeaderProblem(name, value) === undefined && name.toLowerCase() !== 'user-agent')
            sent[name.toLowerCase()] = value;
    return sent;
}
