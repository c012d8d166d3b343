import { clause, type FactText } from '../../core/errors/rendered';
import { z } from 'zod';
import type { JsonValue } from '../../core/value/json';
import {
    connectionCode,
    json,
    path,
    secretCode,
    staticHeaders,
    wholeNumber,
    withRules,
} from '../../core/schema/fields';
import { urlAddress } from '../../core/schema/address-fields';
import { headerNameProblem } from '../../core/schema/static-headers';
import { endpointProblem } from '../requests/endpoint';
import { hasPlaceholders, jsonPlaceholderProblem } from '../requests/placeholders';

const flag = (title: string, description: string) => z.boolean().default(false).meta({ title, description });
/** The fields that name a secret. */
export const CREDENTIALS = ['bearerTokenSecretCode', 'apiKeySecretCode', 'basicAuthSecretCode'] as const;

/** The arguments of `httpLookup`. */
export const lookupConfig = withRules(
    z.strictObject({
        connectionCode: connectionCode(['HTTP', 'REST', 'GRAPHQL'], {
            title: 'Connection',
            description:
                'The system that is requested, with its headers and authentication. Not needed for a public address without authentication.',
        }).optional(),
        url: urlAddress(
            z.string().min(1).max(2048).meta({
                title: 'URL',
                description:
                    'The address to request, relative to the base URL of the connection or with the same origin. `{{path}}` is replaced by a value of the record, and is only allowed after the host.',
            }),
        ),
        method: z
            .enum(['GET', 'POST'])
            .default('GET')
            .meta({ title: 'Method', description: 'GET, or POST with a body. Requests may be sent more than once.' }),
        target: path('To', 'The field for the response.'),
        responsePath: path(
            'Part of the answer',
            'The path in the JSON response. Default: the whole response. null means not found.',
        ).optional(),
        keyField: path(
            'Key',
            'The field that the look-up depends on: a record without a value there is not looked up.',
        ).optional(),
        default: json(
            'Default',
            'What the target gets when there is no answer. Without it the record stays as it is.',
        ).optional(),
        timeoutMs: wholeNumber(
            { min: 1, max: 300_000 },
            {
                title: 'Timeout',
                description:
                    'The time limit for one attempt, in milliseconds; the timeout of the connection applies as well.',
            },
        ).default(5000),
        cacheTtlSec: wholeNumber(
            { min: 0, max: 604_800 },
            {
                title: 'Remember',
                description: 'How long a response is cached, in seconds. 0 sends a request each time.',
            },
        ).default(300),
        headers: staticHeaders(
            'Headers',
            'Headers that are sent with every request, in addition to those of the connection. Credentials, cookies, signatures and headers of the transport (such as Host) are not allowed.',
        ).default({}),
        bearerTokenSecretCode: secretCode(
            'Bearer token',
            'The secret that holds a token. Overrides the authentication of the connection.',
        ).optional(),
        apiKeySecretCode: secretCode('API key', 'The secret that holds a key, which is sent in a header.').optional(),
        apiKeyHeader: z
            .string()
            .min(1)
            .max(128)
            .optional()
            .meta({ title: 'API key header', description: 'The header of the key. Default: X-API-Key.' }),
        basicAuthSecretCode: secretCode(
            'User name and password',
            'The secret that holds `username:password`.',
        ).optional(),
        bodyField: path('Body from', 'POST: the field that is sent as JSON.').optional(),
        body: json(
            'Body',
            'For POST: the body that is sent as JSON, with `{{path}}` in its texts. Text is sent as it is.',
        ).optional(),
        skipOn404: flag('Drop when not found', 'Drops records whose look-up returns 404.'),
        failOnError: flag(
            'Reject on error',
            "If true, a record is rejected if its look-up returns an error (404 unless skipOn404, another 4xx, or a response without responsePath), and the run fails if the server does not respond. If false, the target gets the default in both cases, and the run's log shows the number of failures.",
        ),
        maxRetries: wholeNumber(
            { min: 0, max: 10 },
            {
                title: 'Retries',
                description:
                    'The retries of one request after a lost connection, a timeout, 408, 429 or 5xx. With failOnError, errorHandling applies after that.',
            },
        ).default(2),
        batchSize: wholeNumber(
            { min: 1, max: 500 },
            { title: 'At the same time', description: 'The number of concurrent look-ups.' },
        ).default(50),
        rateLimitPerSecond: wholeNumber(
            { min: 1, max: 10_000 },
            { title: 'Requests a second', description: 'To one host.' },
        ).default(100),
    }),
    (args, issue) => {
        const { url, method, connectionCode: connection, apiKeyHeader, bodyField, body, headers } = args;
        const problem = typeof url === 'string' ? endpointProblem(url, connection !== undefined) : undefined;
        if (problem !== undefined) issue('url', problem);
        const [first, ...others] = CREDENTIALS.filter(name => args[name] !== undefined);
        for (const name of others)
            issue(name, clause`cannot be combined with ${first!}; one kind of authentication is sent`);
        if (first !== undefined && connection === undefined)
            issue(
                'connectionCode',
                clause`is missing; ${first} needs a connection with a base URL, which says where the secret may go`,
            );
        if (apiKeyHeader !== undefined && args.apiKeySecretCode === undefined)
            issue('apiKeyHeader', clause`needs apiKeySecretCode`);
        const headerProblem =
            typeof apiKeyHeader === 'string' && apiKeyHeader !== '' ? headerNameProblem(apiKeyHeader) : undefined;
        if (headerProblem !== undefined) issue('apiKeyHeader', headerProblem);
        if (method === 'GET' && bodyField !== undefined) issue('bodyField', clause`needs method POST`);
        if (method === 'GET' && body !== undefined) issue('body', clause`needs method POST`);
        if (bodyField !== undefined && body !== undefined)
            issue('body', clause`give either body or bodyField, not both`);
        const bodyProblem = body === undefined ? undefined : bodyTextProblem(body, headers);
        if (bodyProblem !== undefined) issue('body', bodyProblem);
    },
);
export type LookupArgs = z.output<typeof lookupConfig>;

export function contentType(headers: Readonly<Record<string, string>>): string {
    const name = Object.keys(headers).find(key => key.toLowerCase() === 'content-type');
    return (name === undefined ? 'application/json' : headers[name]!).toLowerCase();
}

export const isForm = (type: string): boolean => type.startsWith('application/x-www-form-urlencoded');
const isJsonType = (type: string): boolean => /^application\/([\w.-]+\+)?json\b/.test(type);

function bodyTextProblem(body: JsonValue, headers: unknown): FactText | undefined {
    const problem = jsonPlaceholderProblem(body);
    if (
        problem !== undefined ||
        typeof body !== 'string' ||
        !hasPlaceholders(body) ||
        typeof headers !== 'object' ||
        headers === null
    )
        return problem;
    const type = contentType(headers as Record<string, string>);
    return isForm(type) || isJsonType(type)
        ? undefined
        : clause`is text with {{…}}, which is safe in JSON and forms only; its Content-Type is ${type}`;
}
