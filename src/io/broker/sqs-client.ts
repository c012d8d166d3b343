import type { SQSClient } from '@aws-sdk/client-sqs';
import { Readable } from 'node:stream';
import type { OutboundAuth, OutboundResponse } from '../../core/adapter/http';
import { Secret } from '../../core/adapter/secret';
import { allowedEntriesOf, secretTargetOf } from '../../core/adapter/secret-hosts';

/** Where queues are, and what requests are signed with. */
export interface SqsSettings {
    readonly region: string;
    readonly endpoint: string;
    /** Default: the server's own credentials. */
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
}

/** A request that the client has signed. */
export interface SignedRequest {
    readonly url: string;
    readonly method: string;
    readonly headers: ReadonlyArray<readonly [string, string]>;
    readonly signed: readonly OutboundAuth[];
    readonly body: string | Uint8Array | undefined;
    /** The signal of the client's caller, if there is one. */
    readonly abort: AbortSignal | undefined;
}

/** Headers that the client signs, and that the outbound client rejects in a configuration. */
const SIGNED = new Set(['authorization', 'x-amz-security-token']);

/** A client that builds and signs requests; `send` sends each of them once. */
export function sqsClient(
    { region, endpoint, credentials }: SqsSettings,
    sdk: Pick<typeof import('@aws-sdk/client-sqs'), 'SQSClient'>,
    send: (request: SignedRequest) => Promise<OutboundResponse>,
): SQSClient {
    const service = secretTargetOf(endpoint);
    const hosts = allowedEntriesOf(service);
    return new sdk.SQSClient({
        region,
        endpoint,
        maxAttempts: 1,
        // A queue's own URL could contain another host, which a third party chooses.
        useQueueUrlAsEndpoint: false,
        ...(credentials && { credentials: { ...credentials } }),
        requestHandler: {
            handle: (request: unknown, { abortSignal }: SdkOptions = {}) =>
                handled(request as SdkRequest, { send, hosts, abort: abortSignal as AbortSignal | undefined }),
        },
    });
}

/** The requests of the SDK; their class need not be known. */
interface SdkRequest {
    readonly protocol: string;
    readonly hostname: string;
    readonly port?: number;
    readonly path: string;
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array;
}

interface SdkOptions {
    readonly abortSignal?: unknown;
}

interface Handling {
    readonly send: (request: SignedRequest) => Promise<OutboundResponse>;
    /** Where signatures may be sent. */
    readonly hosts: readonly string[];
    readonly abort: AbortSignal | undefined;
}

interface SdkAnswer {
    readonly response: {
        readonly statusCode: number;
        readonly headers: Record<string, string>;
        readonly body: Readable;
    };
}

async function handled(
    { protocol, hostname, port, path, method, headers, body }: SdkRequest,
    { send, hosts, abort }: Handling,
): Promise<SdkAnswer> {
    const place = port === undefined ? hostname : `${hostname}:${port}`;
    const entries = Object.entries(headers);
    const isSigned = ([name]: readonly [string, string]): boolean => SIGNED.has(name.toLowerCase());
    const answer = await send({
        url: `${protocol}//${place}${path}`,
        method,
        headers: entries.filter(header => !isSigned(header)),
        signed: entries.filter(isSigned).map(([header, value]) => ({ header, value: new Secret('sqs', value, hosts) })),
        body,
        abort,
    });
    const { status: statusCode, headers: received } = answer;
    return { response: { statusCode, headers: { ...received }, body: Readable.from([answer.body]) } };
}
