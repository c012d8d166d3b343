import type { AdapterContext } from '../../core/adapter/context';
import type { OutboundAuth, OutboundMethod, OutboundResponse } from '../../core/adapter/http';
import { asFlowError, type FlowError, flowError } from '../../core/errors/flow-error';
import { staticHeaderProblem } from '../../core/schema/static-headers';
import { MAX_REQUEST_BYTES } from '../../io/outbound/exchange';
import { reasonOf } from '../requests/reason';
import { RESPONSE_TYPES, type DeliveryResponse } from '../loaders/delivery-client';
import { isAcceptedResponse, rejectionOf } from '../loaders/delivery-rejection';

/** For one try. An index that is busy answers late, and asking again makes it busier. */
const TIMEOUT_MS = 60_000;
const ATTEMPTS = 3;

/** Where a vendor's client leads, and what it proves itself with. */
export interface ClientTarget {
    /** All requests of the client stay there. */
    readonly url: string;
    readonly auth: OutboundAuth | undefined;
    /** Of the service. */
    readonly usualPorts?: readonly number[];
}

/** One request as a client makes it. */
export interface ClientRequest {
    readonly url: string;
    readonly method: string;
    readonly headers: Iterable<readonly [name: string, value: string]>;
    readonly body?: string | Uint8Array | undefined;
    /** For headers that the client has signed itself. */
    readonly signed?: readonly OutboundAuth[];
}

/** What came of a client's call: its answer, or that of the server that refuses it. */
export type Called<T> =
    { readonly ok: true; readonly value: T } | { readonly ok: false; readonly answer: DeliveryResponse };

/**
 * The way of a vendor's client through the door: its requests are sent as all others of a run, with the credential that the client itself does not know,
 * and tried again here alone. The calls of a sink never overlap, so what went wrong last is what a call has failed of.
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

    /** For the hook of a client. Throws what the door throws; a refusal is an answer. */
    async send({ url, method, headers, body: given, signed }: ClientRequest): Promise<OutboundResponse> {
        const { host } = new URL(url);
        // Made once, however often it is sent.
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
                // Whole documents under their ids: the same again.
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

    /** Throws what the door has thrown, whatever the client has made of it, and REMOTE_MALFORMED for an answer that the client cannot read. */
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

    /** As `call`, where a refusal is about no record. Throws REMOTE_REFUSED with its reason. */
    async ask<T>(work: () => Promise<T>): Promise<T> {
        const called = await this.call(work);
        if (called.ok) return called.value;
        throw this.refused(called.answer);
    }

    /** As `ask`, for what must not be done twice: it is sent again only where it is known not to have come. Whoever comes again looks first. */
    async askOnce<T>(work: () => Promise<T>): Promise<T> {
        this.isOnce = true;
        try {
            return await this.ask(work);
        } finally {
            this.isOnce = false;
        }
    }

    /** As `ask`; undefined where there is no such thing. */
    async find<T>(work: () => Promise<T>): Promise<T | undefined> {
        const called = await this.call(work);
        if (called.ok) return called.value;
        if (called.answer.status === 404) return undefined;
        throw this.refused(called.answer);
    }

    /** The error for a request that no other record would change. */
    refused(response: DeliveryResponse): FlowError {
        const { message } = rejectionOf(response);
        const problem = message.replace(/^The target rejected the record: it /, '').replace(/\.$/, '');
        return flowError('REMOTE_REFUSED', { host: this.host, problem }, { details: { status: response.status } });
    }

    /** Why a list was refused as a whole. Throws REMOTE_REFUSED where that is about no record. */
    refusedList(response: DeliveryResponse): FlowError {
        isAcceptedResponse(response, { isAddressOfRecord: false });
        return rejectionOf(response);
    }

    get refusal(): DeliveryResponse | undefined {
        const { answer } = this;
        return answer && answer.status >= 300 ? answer : undefined;
    }
}

/** What may be sent as it stands: the credential comes from the way, and the transport writes its own. */
function plainHeaders(headers: ClientRequest['headers']): Readonly<Record<string, string>> {
    const sent: Record<string, string> = {};
    for (const [name, value] of headers)
        if (staticHeaderProblem(name, value) === undefined && name.toLowerCase() !== 'user-agent')
            sent[name.toLowerCase()] = value;
    return sent;
}
