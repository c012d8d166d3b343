import { z } from 'zod';
import { defineConnection } from '../../core/adapter/connection';
import { allowedEntriesOf, type SecretUse, secretTargetOf } from '../../core/adapter/secret-hosts';
import { staticHeaders, timeoutMs, withRules } from '../../core/schema/fields';
import { httpUrl } from './address';
import { AUTH_TYPES, authSecretUses, httpAuth } from './auth';
import { notify } from './notice';

const settings = withRules(
    z.strictObject({
        baseUrl: httpUrl(
            'Base URL',
            'Where relative paths of steps start. With it, requests and redirects must keep its exact origin. Required with authentication.',
        ).optional(),
        auth: httpAuth().prefault({}).meta({
            title: 'Authentication',
            description: 'What a request proves itself with; its values come from secrets.',
        }),
        headers: staticHeaders(
            'Headers',
            'Sent with every request. No credentials, cookies or signatures, and nothing that belongs to host or transport.',
        ).default({}),
        timeoutMs: timeoutMs('Timeout', 'How long a request may take, in milliseconds.'),
    }),
    ({ baseUrl, auth, headers }, issue) => {
        const type = typeof auth === 'object' ? auth.type : 'NONE';
        if (AUTH_TYPES.includes(type) && type !== 'NONE' && baseUrl === undefined)
            issue(
                'baseUrl',
                `is missing; with authentication (auth.type ${type}) it is required, since it says where the secret may go`,
            );
        if (typeof auth !== 'object' || typeof auth.headerName !== 'string' || typeof headers !== 'object') return;
        const { headerName } = auth;
        const same = Object.keys(headers).find(name => name.toLowerCase() === headerName.toLowerCase());
        if (same !== undefined) issue(`headers.${same}`, 'is the header that auth.headerName sets; leave it out here');
    },
);

function secretUses(given: z.output<typeof settings>): readonly SecretUse[] {
    return authSecretUses(given, given.baseUrl === undefined ? undefined : secretTargetOf(given.baseUrl));
}

function servers({ baseUrl, auth: { tokenUrl } }: z.output<typeof settings>): readonly string[] {
    return allowedEntriesOf(...[baseUrl, tokenUrl].map(url => (url === undefined ? undefined : secretTargetOf(url))));
}

const notes = [
    'Passwords, tokens and keys are named by the code of a secret, never written here; a missing or empty secret fails the run before its first step.',
];

/** Connection to an HTTP API. */
export const http = defineConnection({
    code: 'HTTP',
    category: 'HTTP',
    title: 'HTTP',
    summary: 'Leads to a system that speaks HTTP.',
    config: settings,
    secretUses,
    servers,
    notes,
    examples: [
        {
            settings: {
                baseUrl: 'https://pim.example.com/export',
                auth: { type: 'API_KEY', headerName: 'X-Api-Key', secretCode: 'pim-key' },
                headers: { Accept: 'text/csv' },
            },
        },
        {
            settings: { timeoutMs: 60_000 },
            note: 'Without a base URL steps name whole addresses, and nothing secret is sent.',
        },
    ],
    notify,
});

/** As HTTP, for a REST API. */
export const rest = defineConnection({
    code: 'REST',
    category: 'HTTP',
    title: 'REST API',
    summary: 'Leads to a REST API.',
    config: settings,
    secretUses,
    servers,
    notes,
    examples: [
        {
            settings: {
                baseUrl: 'https://erp.example.com/api/v2',
                auth: { type: 'BASIC', username: 'shop', secretCode: 'erp-password' },
            },
        },
        {
            settings: {
                baseUrl: 'https://api.example.com/v1',
                auth: {
                    type: 'OAUTH2',
                    tokenUrl: 'https://login.example.com/oauth2/token',
                    clientId: 'shop',
                    clientSecretCode: 'api-client-secret',
                    scope: 'products.read',
                },
            },
            note: 'A token is got by client credentials, kept, and renewed a minute before it ends.',
        },
    ],
    notify,
});

/** As HTTP, for a GraphQL API. */
export const graphql = defineConnection({
    code: 'GRAPHQL',
    category: 'HTTP',
    title: 'GraphQL API',
    summary: 'Leads to a GraphQL API.',
    config: settings,
    secretUses,
    servers,
    notes,
    examples: [
        {
            settings: {
                baseUrl: 'https://cms.example.com/graphql',
                auth: { type: 'BEARER', secretCode: 'cms-token' },
            },
        },
    ],
    notify,
});
