import type { SQSClient } from '@aws-sdk/client-sqs';
import { Readable } from 'node:stream';
import type { OutboundAuth, OutboundResponse } from '../../core/adapter/http';
import { Secret } from '../../core/adapter/secret';
import { allowedEntriesOf, secretTargetOf } from '../../core/adapter/secret-hosts';

/** Where queues are, and what requests are signed with. */
export interface SqsSettings {
    readonly region: string;
    readonly endpoint: string;
    /** The server's own credentials where absent. */
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
}

/** A request that the client has signed. */
export interface SignedRequest {
    readonly url: string;
    readonly method: string;
    readonly headers: ReadonlyArray<readonly [string, string]>;
    readonly signed: readonly OutboundAuth[];
    readonly body: string | Uint8Array | undefined;
    /** Of whoever asks the client, where it has one. */
    readonly abort: AbortSignal | undefined;
}

/** Signed by the client, and refused by the door as headers of a configuration. */
const SIGNED = new Set(['authorization', 'x-amz-security-token']);

/** A client that makes and signs requests, each of which `send` takes to the network, once. */
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
        // A queue's own address would be another host, of somebody else's choice.
        useQueueUrlAsEndpoint: false,
        ...(credentials && { credentials: { ...credentials } }),
        requestHandler: {
            handle: (request: unknown, { abortSignal }: SdkOptions = {}) =>
                handled(request as SdkRequest, { send, hosts, abort: abortSignal as AbortSignal | undefined }),
        },
    });
}

/** As the SDK makes requests; of its own class, which need not be known. */
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
