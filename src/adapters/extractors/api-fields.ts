import { clause, type FactText } from '../../core/errors/rendered';
import { z } from 'zod';
import { GROUPS, inGroup } from '../../core/schema/groups';
import type { AdapterContext } from '../../core/adapter/context';
import type { OutboundRequest } from '../../core/adapter/http';
import type { SavedConnections, SecretUse } from '../../core/adapter/secret-hosts';
import { urlAddress } from '../../core/schema/address-fields';
import { connectionCode, staticHeaders, timeoutMs, wholeNumber } from '../../core/schema/fields';
import { authOfSettings } from '../../io/outbound/auth';
import { authSecretUses, httpAuth } from '../connections/auth';
import { endpointOf, endpointProblem, endpointTarget } from '../requests/endpoint';
import { hasPlaceholders } from '../requests/placeholders';
import type { ApiSource } from './api-pages';

/** The configuration that the extractors of APIs share. */
export const apiFields = {
    connectionCode: connectionCode(['HTTP', 'REST', 'GRAPHQL'], {
        title: 'Connection',
        description:
            'The system to read from, with its headers and authentication. Not needed for a public address without authentication.',
    }).optional(),
    ...inGroup(GROUPS.requests, {
        headers: staticHeaders(
            'Headers',
            'Headers that are sent with every request, in addition to those of the connection, which they override. Credentials, cookies, signatures and headers of the transport (such as Host) are not allowed.',
        ).default({}),
        auth: httpAuth().optional().meta({
            title: 'Authentication',
            description:
                'Overrides the authentication of the connection; NONE sends no credentials. A secret requires a connection with a base URL.',
        }),
        retry: z
            .strictObject({
                maxAttempts: wholeNumber(
                    { min: 1, max: 10 },
                    {
                        title: 'Attempts',
                        description:
                            'The maximum number of retries for a page after lost connections, timeouts, 408, 429 and 5xx. After that, errorHandling applies.',
                    },
                ).default(3),
            })
            .prefault({})
            .meta({ title: 'Retry', description: 'What to do if a page cannot be read.' }),
        timeoutMs: timeoutMs(
            'Timeout',
            'The time limit for one attempt, in milliseconds; the timeout of the connection applies as well. For responses larger than 1 MiB, it is the longest time without new data.',
        ),
    }),
} as const;

/** Where requests go. */
export function urlField(description: string): z.ZodString {
    return urlAddress(z.string().min(1).max(2048).meta({ title: 'URL', description }));
}

/** Fields of `pagination` that both have. */
export const pageFields = {
    limit: wholeNumber(
        { min: 1, max: 10_000 },
        { title: 'Records a page', description: 'The number of records requested per page.' },
    ).default(100),
    maxPages: wholeNumber(
        { min: 1, max: 1_000_000 },
        { title: 'Pages', description: 'The maximum number of pages. If there are more, the run fails.' },
    ).default(1_000),
} as const;

/** The parsed values of these fields. */
type ApiArgs = z.output<z.ZodObject<typeof apiFields & { readonly url: z.ZodString }>>;

type Fault = (path: string, problem: FactText) => void;

/** Checks these fields. A field with another issue may have any value. */
export function checkApi({ url, connectionCode: connection, auth }: ApiArgs, issue: Fault): void {
    const problem =
        typeof url !== 'string'
            ? undefined
            : hasPlaceholders(url)
              ? clause`has a {{…}} in it; an extract step has no record that could fill it`
              : endpointProblem(url, connection !== undefined);
    if (problem !== undefined) issue('url', problem);
    const type: unknown = typeof auth === 'object' ? auth.type : undefined;
    if (typeof type === 'string' && type !== 'NONE' && connection === undefined)
        issue(
            'connectionCode',
            clause`is missing; auth.type ${type} needs a connection with a base URL, which says where the secret may go`,
        );
}

/**
 * The address, and what all requests of a step share. Throws CONNECTION_INVALID, OUTBOUND_ORIGIN and SECRET_UNREADABLE.
 */
export function apiRequests(
    args: ApiArgs,
    cx: AdapterContext,
): { readonly url: URL; readonly common: ApiSource['common'] } {
    const { auth: own, retry } = args;
    const ownAuth = own && (authOfSettings(own, cx.secrets) ?? ('NONE' as const));
    const { url, headers, auth, originLock, timeoutMs: longest } = endpointOf(args, ownAuth, cx);
    const common: Pick<OutboundRequest, 'headers' | 'auth' | 'originLock' | 'attempts' | 'timeoutMs'> = {
        headers,
        auth,
        originLock,
        attempts: retry.maxAttempts,
        timeoutMs: longest,
    };
    const first = new URL(url);
    first.hash = '';
    return { url: first, common };
}

/** Where the secrets of a step's own authentication are sent. */
export function apiSecretUses(args: ApiArgs, connections: SavedConnections): readonly SecretUse[] {
    return authSecretUses(args, endpointTarget(args, connections));
}
