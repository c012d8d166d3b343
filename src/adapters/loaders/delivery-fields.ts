import { clause, type FactText } from '../../core/errors/rendered';
import { z } from 'zod';
import { type SavedConnections, type SecretUse, secretsSentTo } from '../../core/adapter/secret-hosts';
import { urlAddress } from '../../core/schema/address-fields';
import { connectionCode, path, secretCode, staticHeaders, timeoutMs, wholeNumber } from '../../core/schema/fields';
import { staticHeaderProblem } from '../../core/schema/static-headers';
import { endpointProblem, endpointTarget } from '../requests/endpoint';
import type {} from '../../core/errors/rendered';

/** The fields that the loaders into other systems share. */
export const deliveryFields = {
    connectionCode: connectionCode(['HTTP', 'REST', 'GRAPHQL'], {
        title: 'Connection',
        description: 'The system that receives the records, with its headers and authentication.',
    }).optional(),
    strategy: z.enum(['CREATE', 'UPDATE', 'UPSERT']).optional().meta({
        title: 'Strategy',
        description: 'What a delivered record counts as: created with CREATE, otherwise updated. Flow cannot know it.',
    }),
    idField: path(
        'Id field',
        'The field that identifies a record in dry runs and responses. Default: `id`.',
    ).optional(),
    headers: staticHeaders(
        'Headers',
        'Headers that are sent with every request, in addition to those of the connection. Credentials, cookies, signatures and headers of the transport (such as Host) are not allowed.',
    ).default({}),
    bearerTokenSecretCode: secretCode(
        'Bearer token',
        'The secret that holds a token. It is only sent to the origin of the endpoint and overrides the authentication of the connection.',
    ).optional(),
    idempotencyKeyHeader: z.string().min(1).max(128).default('Idempotency-Key').meta({
        title: 'Idempotency header',
        description:
            'The header for an idempotency key, by which the other system recognizes repeated requests. It stays the same if this run sends the same records again.',
    }),
    timeoutMs: timeoutMs(
        'Timeout',
        'The time limit for one attempt, in milliseconds; the timeout of the connection applies as well.',
    ),
    retries: wholeNumber(
        { min: 0, max: 10 },
        {
            title: 'Retries',
            description:
                'The retries of one request after a lost connection, 408, 429 or 5xx. After that, errorHandling applies.',
        },
    ).default(3),
} as const;

/** The field that says where requests go. */
export function endpointField(description: string): z.ZodOptional<z.ZodString> {
    const field = z.string().min(1).max(2048).optional().meta({ title: 'Endpoint', description });
    return urlAddress(field);
}

/** The parsed values of all of these fields. */
export type DeliveryArgs = z.output<
    z.ZodObject<typeof deliveryFields & { readonly endpoint: ReturnType<typeof endpointField> }>
>;

/** Headers that the loaders write themselves. */
const OWN_HEADERS = ['content-type', 'accept', 'user-agent'];

/** Checks these fields. A field with another issue may have any value. */
export function checkDelivery(
    { endpoint, connectionCode: connection, idempotencyKeyHeader, headers }: DeliveryArgs,
    issue: (path: string, problem: FactText) => void,
): void {
    if (endpoint === undefined && connection === undefined)
        issue('endpoint', clause`is missing; without a connection, a whole URL (https://host/path) is needed`);
    const problem = typeof endpoint === 'string' ? endpointProblem(endpoint, connection !== undefined) : undefined;
    if (problem !== undefined) issue('endpoint', problem);
    if (typeof idempotencyKeyHeader !== 'string' || idempotencyKeyHeader === '') return;
    const name = idempotencyKeyHeader.toLowerCase();
    const isTaken =
        OWN_HEADERS.includes(name) ||
        (typeof headers === 'object' && Object.keys(headers ?? {}).some(other => other.toLowerCase() === name));
    const nameProblem = isTaken
        ? clause`is a header that is sent anyway`
        : staticHeaderProblem(idempotencyKeyHeader, 'x');
    if (nameProblem !== undefined) issue('idempotencyKeyHeader', nameProblem);
}

/** Where the token of a delivery step is sent. */
export function deliverySecretUses(args: DeliveryArgs, connections: SavedConnections): readonly SecretUse[] {
    const { connectionCode: connection, endpoint: url } = args;
    return secretsSentTo(endpointTarget({ connectionCode: connection, url }, connections), args, [
        'bearerTokenSecretCode',
    ]);
}
