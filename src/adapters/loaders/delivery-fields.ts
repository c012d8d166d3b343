import { z } from 'zod';
import { type SavedConnections, type SecretUse, secretsSentTo } from '../../core/adapter/secret-hosts';
import { urlAddress } from '../../core/schema/address-fields';
import { connectionCode, path, secretCode, staticHeaders, timeoutMs, wholeNumber } from '../../core/schema/fields';
import { staticHeaderProblem } from '../../core/schema/static-headers';
import { endpointProblem, endpointTarget } from '../requests/endpoint';

/** The fields that the loaders into other systems share. */
export const deliveryFields = {
    connectionCode: connectionCode(['HTTP', 'REST', 'GRAPHQL'], {
        title: 'Connection',
        description: 'The system that the records go to, with its headers and authentication.',
    }).optional(),
    strategy: z.enum(['CREATE', 'UPDATE', 'UPSERT']).optional().meta({
        title: 'Strategy',
        description:
            'What the other system makes of a record, as far as anybody knows: with CREATE it is counted as created, otherwise as updated.',
    }),
    idField: path(
        'Id field',
        'What a record is called by in a dry run and found by in answers; `id` where it is left out.',
    ).optional(),
    headers: staticHeaders(
        'Headers',
        'Sent with every request, in addition to those of the connection. Credentials, cookies, signatures and headers of host or transport are not allowed.',
    ).default({}),
    bearerTokenSecretCode: secretCode(
        'Bearer token',
        'The secret that holds a token. It is sent to the origin of the endpoint alone, and takes the place of the authentication of the connection.',
    ).optional(),
    idempotencyKeyHeader: z.string().min(1).max(128).default('Idempotency-Key').meta({
        title: 'Idempotency header',
        description:
            'The header of an idempotency key, by which the other system recognizes repeated requests: it is the same whenever the same records are sent again in this run.',
    }),
    timeoutMs: timeoutMs(
        'Timeout',
        'How long one try may take, in milliseconds; the timeout of the connection holds, too.',
    ),
    retries: wholeNumber(
        { min: 0, max: 10 },
        {
            title: 'Retries',
            description: 'Of one request, after a lost connection, 408, 429 or 5xx; then those of errorHandling come.',
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
    issue: (path: string, message: string) => void,
): void {
    if (endpoint === undefined && connection === undefined)
        issue('endpoint', 'is missing; without a connection, a whole URL (https://host/path) is needed');
    const problem = typeof endpoint === 'string' ? endpointProblem(endpoint, connection !== undefined) : undefined;
    if (problem !== undefined) issue('endpoint', problem);
    if (typeof idempotencyKeyHeader !== 'string' || idempotencyKeyHeader === '') return;
    const name = idempotencyKeyHeader.toLowerCase();
    const isTaken =
        OWN_HEADERS.includes(name) ||
        (typeof headers === 'object' && Object.keys(headers ?? {}).some(other => other.toLowerCase() === name));
    const nameProblem = isTaken ? 'is a header that is sent anyway' : staticHeaderProblem(idempotencyKeyHeader, 'x');
    if (nameProblem !== undefined) issue('idempotencyKeyHeader', nameProblem);
}

/** Where the token of a delivery step is sent. */
export function deliverySecretUses(args: DeliveryArgs, connections: SavedConnections): readonly SecretUse[] {
    const { connectionCode: connection, endpoint: url } = args;
    return secretsSentTo(endpointTarget({ connectionCode: connection, url }, connections), args, [
        'bearerTokenSecretCode',
    ]);
}
