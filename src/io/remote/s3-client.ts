import { S3Client } from '@aws-sdk/client-s3';
import { Readable } from 'node:stream';
import type { OutboundAuth, OutboundMethod } from '../../core/adapter/http';
import type { Outbound, OutboundStream } from '../../core/adapter/outbound';
import { Secret } from '../../core/adapter/secret';
import { withSubdomains } from '../../core/adapter/secret-hosts';
import { type FlowError, isFlowError } from '../../core/errors/flow-error';
import { staticHeaderProblem } from '../../core/schema/static-headers';

/** The location of a bucket, and the credentials that sign requests. */
export interface S3Target {
    readonly bucket: string;
    readonly region: string;
    /** The address of a compatible service. Default: S3 itself. */
    readonly endpoint?: string | undefined;
    readonly forcePathStyle: boolean;
    /** The server as an entry of `allowedHosts`; buckets may have hosts below it. Signatures are sent nowhere else. */
    readonly service: string;
    /** Default: the server's own cloud credentials. */
    readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
}

/** What the client's requests use. */
export interface S3ClientDeps {
    readonly outbound: Outbound;
    readonly signal: AbortSignal;
}

const ATTEMPTS = 3;
const TIMEOUT_MS = 60_000;
const IDLE_MS = 30_000;
/** Reading may take hours while records are processed, which delays the response; the transfer resumes after this time. */
const TOTAL_MS = 6 * 3_600_000;
/** Statuses that the client interprets itself. */
const ANSWERS = Array.from({ length: 200 }, (_, i) => 300 + i).filter(status => ![408, 429].includes(status));
/** Headers that the client signs, and that the outbound client rejects in a configuration. */
const SIGNED = new Set(['authorization', 'x-amz-security-token']);

/** The requests of the client; their class need not be known. */
interface SdkRequest {
    readonly protocol: string;
    readonly hostname: string;
    readonly port?: number;
    readonly path: string;
    readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array;
}

interface SdkAnswer {
    readonly response: {
        readonly statusCode: number;
        readonly headers: Record<string, string>;
        readonly body: Readable;
    };
}

/** An S3 client whose requests use the outbound client: it checks the addresses, makes the retries, and streams objects. */
export class S3ObjectClient {
    readonly client: S3Client;
    /** The gateway's last error: the client may have replaced it. */
    private failure: FlowError | undefined;
    private readonly hosts: readonly string[];

    constructor(
        place: Omit<S3Target, 'bucket'>,
        private readonly parts: S3ClientDeps,
    ) {
        const { region, endpoint, service, forcePathStyle, credentials } = place;
        this.hosts = withSubdomains(service);
        this.client = new S3Client({
            region,
            forcePathStyle,
            ...(endpoint !== undefined && { endpoint }),
            ...(credentials && { credentials: { ...credentials } }),
            maxAttempts: 1,
            // Compatible services reject the checksums of newer clients.
            requestChecksumCalculation: 'WHEN_REQUIRED',
            responseChecksumValidation: 'WHEN_REQUIRED',
            followRegionRedirects: false,
            requestHandler: { handle: (request: unknown) => this.handle(request as SdkRequest) },
        });
    }

    /**
     * Calls the client. Throws the gateway's error, even if the client has replaced it, and the client's own errors.
     */
    async ask<T>(work: (client: S3Client) => Promise<T>): Promise<T> {
        this.failure = undefined;
        try {
            return await work(this.client);
        } catch (thrown) {
            this.parts.signal.throwIfAborted();
            throw isFlowError(thrown) ? thrown : (this.failure ?? thrown);
        }
    }

    private async handle(request: SdkRequest): Promise<SdkAnswer> {
        const { outbound, signal } = this.parts;
        const { protocol, hostname, port, path, method, headers, body } = request;
        const origin = `${protocol}//${port === undefined ? hostname : `${hostname}:${port}`}`;
        const entries = Object.entries(headers);
        const signed = entries
            .filter(([name]) => SIGNED.has(name.toLowerCase()))
            .map(([header, value]): OutboundAuth => ({ header, value: new Secret('s3', value, this.hosts) }));
        const requested = {
            url: `${origin}${path}${queryOf(request)}`,
            method: method as OutboundMethod,
            headers: Object.fromEntries(entries.filter(([name, value]) => isPlain(name, value))),
            originLock: origin,
            signed: () => signed,
            attempts: ATTEMPTS,
            expected: ANSWERS,
            signal,
            // Copies, parts and completions have the same result when they are repeated.
            isRepeatable: true,
            ...(body !== undefined && body.length > 0 && { body }),
        };
        try {
            if (isObject(request)) {
                const answer = await outbound.stream.open({
                    ...requested,
                    idleMs: IDLE_MS,
                    totalMs: TOTAL_MS,
                    maxBytes: outbound.rules.maxFileBytes,
                    isStored: true,
                });
                return {
                    response: { statusCode: answer.status, headers: { ...answer.headers }, body: streamOf(answer) },
                };
            }
            const {
                status,
                headers: received,
                body: whole,
            } = await outbound.http.send({ ...requested, timeoutMs: TIMEOUT_MS });
            return { response: { statusCode: status, headers: { ...received }, body: Readable.from([whole]) } };
        } catch (thrown) {
            if (isFlowError(thrown)) this.failure = thrown;
            throw thrown;
        }
    }
}

/** The content of one. */
function isObject({ method, query = {} }: SdkRequest): boolean {
    return method === 'GET' && query['x-id'] === 'GetObject';
}

function streamOf(answer: OutboundStream): Readable {
    const stream = Readable.from(answer.body, { objectMode: false });
    stream.once('close', () => answer.close());
    return stream;
}

function isPlain(name: string, value: string): boolean {
    return !SIGNED.has(name.toLowerCase()) && staticHeaderProblem(name, value) === undefined;
}

/** As the client has signed it. */
function queryOf({ query = {} }: SdkRequest): string {
    const parts = Object.entries(query).flatMap(([name, value]) =>
        [value].flat().map(one => (one === null ? escaped(name) : `${escaped(name)}=${escaped(String(one))}`)),
    );
    return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

function escaped(text: string): string {
    return encodeURIComponent(text).replace(/[!'()*]/g, sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
