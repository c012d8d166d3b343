import { clause } from '../../core/errors/rendered';
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
            'The base of relative paths in steps. If it is set, requests and redirects must keep its origin. Required with authentication.',
        ).optional(),
        auth: httpAuth().prefault({}).meta({
            title: 'Authentication',
            description: 'How requests authenticate. All values come from secrets.',
        }),
        headers: staticHeaders(
            'Headers',
            'Headers that are sent with every request. Credentials, cookies, signatures and headers of the transport (such as Host) are not allowed.',
        ).default({}),
        timeoutMs: timeoutMs('Timeout', 'The time limit for a request, in milliseconds.'),
    }),
    ({ baseUrl, auth, headers }, issue) => {
        const type = typeof auth === 'object' ? auth.type : 'NONE';
        if (AUTH_TYPES.includes(type) && type !== 'NONE' && baseUrl === undefined)
            issue(
                'baseUrl',
                clause`is missing; with authentication (auth.type ${type}) it is required, since it says where the secret may go`,
            );
        if (typeof auth !== 'object' || typeof auth.headerName !== 'string' || typeof headers !== 'object') return;
        const { headerName } = auth;
        const same = Object.keys(headers).find(name => name.toLowerCase() === headerName.toLowerCase());
        if (same !== undefined)
            issue(`headers.${same}`, clause`is the header that auth.headerName sets; leave it out here`);
    },
);

function secretUses(given: z.output<typeof settings>): readonly SecretUse[] {
    return authSecretUses(given, given.baseUrl === undefined ? undefined : secretTargetOf(given.baseUrl));
}

function servers({ baseUrl, auth: { tokenUrl } }: z.output<typeof settings>): readonly string[] {
    return allowedEntriesOf(...[baseUrl, tokenUrl].map(url => (url === undefined ? undefined : secretTargetOf(url))));
}

const notes = [
    'Passwords, tokens and keys are referenced by the code of a secret and never written here. If a secret is missing or empty, the run fails before its first step.',
];

/** Connection to an HTTP API. */
export const http = defineConnection({
    code: 'HTTP',
    category: 'HTTP',
    title: 'HTTP',
    summary: 'Connects to a system over HTTP.',
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
            note: 'Without a base URL, steps use full addresses and no credentials are sent.',
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
            note: 'A token is requested with the client credentials, cached, and renewed one minute before it expires.',
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
