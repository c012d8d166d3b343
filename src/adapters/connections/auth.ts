import { clause } from '../../core/errors/rendered';
import { z } from 'zod';
import { type SecretTarget, type SecretUse, secretsSentTo, secretTargetOf } from '../../core/adapter/secret-hosts';
import { secretCode, withRules } from '../../core/schema/fields';
import { headerNameProblem } from '../../core/schema/static-headers';
import { httpUrl } from './address';
import { addIssue } from '../../core/schema/issues';

/** How a request to an HTTP-like system proves who sends it, and tokens of OAuth 2. */
export const AUTH_TYPES = ['NONE', 'BASIC', 'BEARER', 'API_KEY', 'OAUTH2'] as const;

const headerName = z
    .string()
    .min(1)
    .max(128)
    .superRefine((name, cx) => {
        const problem = headerNameProblem(name);
        if (problem !== undefined && name !== '') addIssue(cx, problem);
    });

/** The fields that only one kind of authentication has. */
const OWNER = {
    username: 'BASIC',
    usernameSecretCode: 'BASIC',
    headerName: 'API_KEY',
    tokenUrl: 'OAUTH2',
    clientId: 'OAUTH2',
    clientSecretCode: 'OAUTH2',
    scope: 'OAUTH2',
    audience: 'OAUTH2',
    clientAuth: 'OAUTH2',
} as const;
/** What OAUTH2 cannot do without. */
const OF_CLIENT = ['tokenUrl', 'clientId', 'clientSecretCode'] as const;

const OAUTH2 = { type: 'OAUTH2' } as const;
const oneLine = (most: number) =>
    z
        .string()
        .min(1)
        .max(most)
        .regex(/^\P{Cc}*$/u, 'must be one line');

/** Authentication with values from secrets: of a saved connection, or of a step that overrides it. */
export function httpAuth() {
    const fields = z.strictObject({
        type: z.enum(AUTH_TYPES).default('NONE').meta({
            title: 'Type',
            description:
                'NONE, BASIC (username and password), BEARER (a token), API_KEY (a key in a header) or OAUTH2 (a token for client credentials).',
        }),
        secretCode: secretCode('Secret', 'The secret that holds the password, the token or the key.')
            .optional()
            .meta({ showIf: { type: ['BASIC', 'BEARER', 'API_KEY'] } }),
        username: z
            .string()
            .min(1)
            .max(255)
            .regex(/^[^:\p{Cc}]*$/u, 'must be one line without a colon')
            .optional()
            .meta({
                title: 'User name',
                description: 'For BASIC: the username, if it is not a secret.',
                showIf: { type: 'BASIC' },
            }),
        usernameSecretCode: secretCode('User name secret', 'For BASIC: the secret that holds the username.')
            .optional()
            .meta({ showIf: { type: 'BASIC' } }),
        headerName: headerName.optional().meta({
            title: 'Header',
            description: 'For API_KEY: the header that carries the key, for example X-API-Key.',
            showIf: { type: 'API_KEY' },
        }),
        tokenUrl: httpUrl(
            'Token URL',
            'For OAUTH2: the address of the token endpoint. It may have another origin than the API.',
        )
            .optional()
            .meta({ showIf: OAUTH2 }),
        clientId: oneLine(512).optional().meta({
            title: 'Client id',
            description: 'For OAUTH2: the client id.',
            showIf: OAUTH2,
        }),
        clientSecretCode: secretCode('Client secret', 'For OAUTH2: the secret that holds the client secret.')
            .optional()
            .meta({ showIf: OAUTH2 }),
        scope: oneLine(2_000).optional().meta({
            title: 'Scope',
            description: 'For OAUTH2: the scopes to request, separated by blanks.',
            showIf: OAUTH2,
        }),
        audience: oneLine(2_000).optional().meta({
            title: 'Audience',
            description: 'For OAUTH2: the audience of the token, if the server requires it.',
            showIf: OAUTH2,
        }),
        clientAuth: z.enum(['BASIC', 'BODY']).optional().meta({
            title: 'Client authentication',
            description:
                'For OAUTH2: where client id and secret are sent when a token is requested, in the header (BASIC) or in the form (BODY). Default: BASIC.',
            showIf: OAUTH2,
        }),
    });
    const checked = withRules(fields, (auth, issue) => {
        const { type, secretCode: secret, username, usernameSecretCode } = auth;
        if (!AUTH_TYPES.includes(type)) return;
        if (type === 'NONE' && secret !== undefined)
            issue('secretCode', clause`is not used by the type NONE; choose a type or leave it out`);
        if (type === 'OAUTH2' && secret !== undefined)
            issue('secretCode', clause`is not used by the type OAUTH2; its secret is named by clientSecretCode`);
        if (type !== 'NONE' && type !== 'OAUTH2' && secret === undefined)
            issue('secretCode', clause`is missing; ${type} needs the code of a secret`);
        for (const [field, owner] of Object.entries(OWNER)) {
            if (auth[field as keyof typeof OWNER] !== undefined && type !== owner)
                issue(field, clause`belongs to the type ${owner}; the type is ${type}`);
        }
        if (type === 'OAUTH2')
            for (const field of OF_CLIENT)
                if (auth[field] === undefined) issue(field, clause`is missing; OAUTH2 needs it`);
        if (type === 'API_KEY' && auth.headerName === undefined)
            issue('headerName', clause`is missing; API_KEY needs the name of a header`);
        if (type !== 'BASIC') return;
        if (username === undefined && usernameSecretCode === undefined)
            issue('username', clause`is missing; BASIC needs username or usernameSecretCode`);
        if (username !== undefined && usernameSecretCode !== undefined)
            issue('usernameSecretCode', clause`give either username or usernameSecretCode, not both`);
    });
    return checked;
}

/**
 * Where requests to this server send the secrets of such a field `auth`. The client's secret is exchanged for a token,
 * which is sent to the API instead.
 */
export function authSecretUses(
    config: { readonly auth?: object | undefined },
    api: SecretTarget | undefined,
): readonly SecretUse[] {
    const { tokenUrl } = (config.auth ?? {}) as { readonly tokenUrl?: string };
    const tokens = tokenUrl === undefined ? undefined : secretTargetOf(tokenUrl);
    return [
        ...secretsSentTo(tokens, config, ['auth.clientSecretCode']),
        ...secretsSentTo(api, config, ['auth.secretCode', 'auth.usernameSecretCode', 'auth.clientSecretCode']),
    ];
}
