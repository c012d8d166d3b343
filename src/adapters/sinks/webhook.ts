import { clause } from '../../core/errors/rendered';
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { OutboundAuth } from '../../core/adapter/http';
import { inHalves } from '../../core/adapter/split-delivery';
import { allTaken } from '../../core/adapter/loader';
import { logEvent } from '../../core/adapter/log-event';
import { deriveSecret, type Secret } from '../../core/adapter/secret';
import { type SecretTarget, secretsSentTo, secretTargetOf } from '../../core/adapter/secret-hosts';
import { defineSink, type SinkSession, type SinkRunContext } from '../../core/adapter/sink';
import type { Batch } from '../../core/data/record';
import { asFlowError, flowError } from '../../core/errors/flow-error';
import { urlAddress } from '../../core/schema/address-fields';
import { path, secretCode, staticHeaders, timeoutMs, wholeNumber, withRules } from '../../core/schema/fields';
import { headerNameProblem } from '../../core/schema/static-headers';
import { apiKey, bearer, textFor } from '../../io/outbound/auth';
import type { JsonValue } from '../../core/value/json';
import { DeliveryClient, type DeliveryResponse, keyOf } from '../loaders/delivery-client';
import { isAcceptedResponse, rejectionOf } from '../loaders/delivery-rejection';
import { endpointProblem } from '../requests/endpoint';
import { hasPlaceholders } from '../requests/placeholders';
import { adviseUrl } from '../requests/url-advice';
import { adviseCommon, commonFields } from './common-fields';
import { DocumentSession, SentDocuments } from './documents';
import { API_KEY, checkHeaders, IDEMPOTENCY_KEY, SIGNATURE } from './webhook-headers';

/** The size of a key in Standard Webhooks 1.0.0. */
const KEY_BYTES = { min: 24, max: 64 };

const SECRETS = ['bearerTokenSecretCode', 'apiKeySecretCode', 'hmacSecretCode', 'previousHmacSecretCode'] as const;

const config = withRules(
    z.strictObject({
        url: urlAddress(
            z
                .string()
                .min(1)
                .max(2048)
                .meta({ title: 'Address', description: 'The address that receives the records.' }),
        ),
        method: z
            .enum(['POST', 'PUT', 'PATCH'])
            .default('POST')
            .meta({ title: 'Method', description: 'The HTTP method. Deletions are sent with DELETE.' }),
        headers: staticHeaders(
            'Headers',
            'Headers that are sent with every request. Credentials, cookies, signatures and headers of the transport (such as Host) are not allowed.',
        ).default({}),
        bearerTokenSecretCode: secretCode('Bearer token', 'The secret that holds a token.').optional(),
        apiKeySecretCode: secretCode('API key', 'The secret that holds an API key, instead of a token.').optional(),
        apiKeyHeader: z
            .string()
            .min(1)
            .max(128)
            .optional()
            .meta({ title: 'Header of the key', description: `The header for the API key. Default: ${API_KEY}.` }),
        timeoutMs: timeoutMs('Timeout', 'The time limit for one attempt, in milliseconds.'),
        retries: wholeNumber(
            { min: 0, max: 10 },
            {
                title: 'Retries',
                description:
                    'The retries of one request after a lost connection, 408, 429 or 5xx. After that, errorHandling applies.',
            },
        ).default(3),
        hmacSecretCode: secretCode(
            'Signing secret',
            'The secret that signs requests: HMAC-SHA256 over the body.',
        ).optional(),
        signatureHeaderName: z
            .string()
            .min(1)
            .max(128)
            .optional()
            .meta({
                title: 'Signature header',
                description: `The header for the signature, in hexadecimal. Default: ${SIGNATURE}.`,
            }),
        standardWebhooks: z.boolean().default(false).meta({
            title: 'Standard Webhooks',
            description:
                'Signs requests according to Standard Webhooks 1.0.0: webhook-id, webhook-timestamp and webhook-signature. The secret is `whsec_` followed by base64.',
        }),
        previousHmacSecretCode: secretCode(
            'Previous signing secret',
            'For Standard Webhooks, during a rotation of secrets: requests are signed with both.',
        ).optional(),
        idField: path('Id field', 'The field that identifies a record for the receiver. Default: `id`.').optional(),
        ...commonFields,
    }),
    (args, issue) => {
        const { url, apiKeySecretCode: key, bearerTokenSecretCode: token, hmacSecretCode: hmac } = args;
        const problem =
            typeof url !== 'string' || url === ''
                ? undefined
                : hasPlaceholders(url)
                  ? clause`has a {{…}} in it; a request is of many records`
                  : endpointProblem(url, false);
        if (problem !== undefined) issue('url', problem);
        if (key !== undefined && token !== undefined)
            issue('apiKeySecretCode', clause`cannot be combined with bearerTokenSecretCode; give one of the two`);
        const needs = (field: keyof typeof args, isThere: boolean, needed: string): void => {
            if (args[field] !== undefined && !isThere) issue(field, clause`needs ${needed}`);
        };
        needs('apiKeyHeader', key !== undefined, 'apiKeySecretCode');
        needs('signatureHeaderName', hmac !== undefined, 'hmacSecretCode');
        if (args.standardWebhooks === true) {
            if (hmac === undefined) issue('standardWebhooks', clause`needs hmacSecretCode`);
            if (args.signatureHeaderName !== undefined)
                issue(
                    'signatureHeaderName',
                    clause`cannot be combined with standardWebhooks, which names its headers itself`,
                );
        } else needs('previousHmacSecretCode', false, 'standardWebhooks');
        checkHeaders(args, issue);
        for (const field of ['apiKeyHeader', 'signatureHeaderName'] as const) {
            const name = args[field];
            const wrong = typeof name === 'string' && name !== '' ? headerNameProblem(name) : undefined;
            if (wrong !== undefined) issue(field, wrong);
        }
    },
);
type Args = z.output<typeof config>;

const URL_OF_EXAMPLES = 'https://erp.example.com/hooks/products';

/** Sends records to an address. */
export const webhookSink = defineSink({
    code: 'webhook',
    category: 'Other systems',
    title: 'Webhook',
    summary: 'Sends records to an address, in signed JSON lists.',
    config,
    notes: [
        'A request is a list of at most `batchSize` records. Deleted records are sent with DELETE, as a list of objects that only contain their identity.',
        `Each request has the header ${IDEMPOTENCY_KEY}, which stays the same if this run sends the same records again; with Standard Webhooks, webhook-id is the same key.`,
        'A list that is rejected as a whole (400, 413, 422 and other 4xx) is sent again in halves until the records that cause the rejection are found; these are rejected with the reason in the response. 401, 403, 404, 410 and similar fail the run, because every record would fail in the same way.',
        'After five failures in a row, no requests are sent for half a minute; then one request tests whether the receiver responds again. The log of the run shows the beginning and the end of such a pause.',
        'Any 2xx response counts as delivered, whatever its content. If the response is an HTML page, for example a login page, the log of the run shows a warning.',
        'Redirects with 307 and 308 are followed within the origin of the address; any other redirect fails the run.',
        'Requests go to public addresses and to the hosts of the plugin option security.allowedHostnames. Secrets are only sent to the origin of the address.',
    ],
    examples: [
        {
            config: { url: URL_OF_EXAMPLES, hmacSecretCode: 'erp-signing', idField: 'sku' },
            in: [
                { sku: 'TS-1', name: 'T-shirt' },
                { sku: 'TS-2', __operation: 'DELETE' },
            ],
            does: ['deliver', 'remove'],
        },
        {
            config: { url: URL_OF_EXAMPLES, defaultOperation: 'DELETE' },
            in: [{ id: 7, name: 'T-shirt' }, { name: 'T-shirt' }, { id: 8, __operation: 'UPDATE' }],
            does: ['remove', 'reject', 'deliver'],
            rejects: ['__operation'],
        },
    ],
    secretUses: args => secretsSentTo(secretTargetOf(args.url), args, SECRETS),
    advise: args => [...adviseCommon(args), ...adviseUrl('url', args.url)],
    open: async (args, cx) => new WebhookSession(args, cx),
});

class WebhookSession extends DocumentSession implements SinkSession {
    readonly batchSize: number;
    readonly defaultOperation: Args['defaultOperation'];
    readonly takesWhole = true;
    private readonly deliveryClient: DeliveryClient;
    private readonly keys: readonly SigningKey[];
    private isLeftAlone = false;
    private isPageTold = false;

    constructor(
        private readonly args: Args,
        private readonly cx: SinkRunContext,
    ) {
        super(new SentDocuments(args, args.idField ?? 'id', true));
        const { url, bearerTokenSecretCode: token, apiKeySecretCode: key } = args;
        const { secrets } = cx;
        this.batchSize = args.batchSize;
        this.defaultOperation = args.defaultOperation;
        const auth =
            key !== undefined
                ? apiKey(args.apiKeyHeader ?? API_KEY, secrets.get(key))
                : token === undefined
                  ? undefined
                  : bearer(secrets.get(token));
        const { headers, retries, timeoutMs: ms } = args;
        const deliveryClient = {
            endpoint: url,
            headers,
            retries,
            timeoutMs: ms,
            idempotencyKeyHeader: IDEMPOTENCY_KEY,
        };
        this.deliveryClient = new DeliveryClient(deliveryClient, cx, auth);
        this.keys = [args.hmacSecretCode, args.previousHmacSecretCode].flatMap(code =>
            code === undefined
                ? []
                : [signingKey(secrets.get(code), args.standardWebhooks, this.deliveryClient.target)],
        );
    }

    deliver(...[batch, ids]: Parameters<SinkSession['deliver']>): ReturnType<SinkSession['deliver']> {
        const list = batch.map(({ data }, i) => ({ sent: this.documents.of(data), id: ids[i]! }));
        return inHalves(list, part => this.send(this.args.method, part));
    }

    remove(_: readonly string[], ids: readonly string[], batch: Batch): ReturnType<SinkSession['deliver']> {
        const list = batch.map(({ data }, i) => ({ sent: this.documents.identityAlone(data), id: ids[i]! }));
        return inHalves(list, part => this.send('DELETE', part));
    }

    private async send(
        method: Args['method'] | 'DELETE',
        list: ReadonlyArray<{ readonly sent: JsonValue; readonly id: string }>,
    ) {
        const key = keyOf(list.map(({ id }) => id));
        const body = JSON.stringify(list.map(({ sent }) => sent));
        const accept = 'application/json, text/plain;q=0.5, */*;q=0.1';
        const payload = { url: this.deliveryClient.url, method, body, key, accept, isAnswerNeeded: false };
        const answer = await this.deliveryClient
            .send({ ...payload, ...(this.keys.length > 0 && { signed: () => this.signatures(key, body) }) })
            .catch((thrown: unknown) => {
                this.logSkipped(thrown);
                throw thrown;
            });
        this.reportBack(answer.host);
        if (!isAcceptedResponse(answer, { isAddressOfRecord: false })) return rejectionOf(answer);
        this.logPage(answer);
        return allTaken(list.length);
    }

    /** Computed for each attempt, because Standard Webhooks signs its time. */
    private signatures(id: string, body: string): readonly OutboundAuth[] {
        const [{ secret, key }, ...previous] = this.keys as [SigningKey, ...SigningKey[]];
        const others = previous.map(one => one.secret);
        const header = (name: string, value: string): OutboundAuth => ({
            header: name,
            value: deriveSecret(secret, () => value, others),
        });
        if (!this.args.standardWebhooks)
            return [header(this.args.signatureHeaderName ?? SIGNATURE, hmac(key, body).toString('hex'))];
        const seconds = Math.floor(this.cx.clock.now() / 1000);
        const signed = this.keys.map(one => `v1,${hmac(one.key, `${id}.${seconds}.${body}`).toString('base64')}`);
        return [
            header('webhook-id', id),
            header('webhook-timestamp', String(seconds)),
            header('webhook-signature', signed.join(' ')),
        ];
    }

    private logSkipped(thrown: unknown): void {
        const error = asFlowError(thrown);
        if (error.details?.['isLeftAlone'] !== true || this.isLeftAlone) return;
        this.isLeftAlone = true;
        logEvent(this.cx.log, 'CIRCUIT_OPEN', { error });
    }

    /** An endpoint for records does not return HTML, but a login page often has the status 200. */
    private logPage({ host, status, headers }: DeliveryResponse): void {
        if (this.isPageTold || !/^\s*(text\/html|application\/xhtml)/i.test(headers['content-type'] ?? '')) return;
        this.isPageTold = true;
        logEvent(this.cx.log, 'HTML_RECEIVED', { host, status });
    }

    private reportBack(host: string): void {
        if (!this.isLeftAlone) return;
        this.isLeftAlone = false;
        logEvent(this.cx.log, 'CIRCUIT_CLOSED', { host });
    }
}

function hmac(key: Buffer, text: string): Buffer {
    return createHmac('sha256', key).update(text).digest();
}

interface SigningKey {
    readonly secret: Secret;
    readonly key: Buffer;
}

/**
 * Throws SECRET_UNREADABLE if a secret cannot sign, and SECRET_HOST_NOT_ALLOWED if its signatures may not be sent to
 * the server.
 */
function signingKey(secret: Secret, isStandard: boolean, target: SecretTarget): SigningKey {
    return { secret, key: keyBytes(secret.code, textFor(secret, target), isStandard) };
}

function keyBytes(code: string, text: string, isStandard: boolean): Buffer {
    const unreadable = (problem: string): Error => flowError('SECRET_UNREADABLE', { code, problem });
    if (!isStandard) return Buffer.from(text);
    const base64 = text.replace(/^whsec_/, '');
    const key = Buffer.from(base64, 'base64');
    const isKey = /^[A-Za-z0-9+/]+={0,2}$/.test(base64) && key.length >= KEY_BYTES.min && key.length <= KEY_BYTES.max;
    if (!isKey)
        throw unreadable(
            `it is not a key of Standard Webhooks: whsec_ and ${KEY_BYTES.min} to ${KEY_BYTES.max} bytes in base64`,
        );
    return key;
}
