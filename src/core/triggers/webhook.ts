import { clause } from '../errors/rendered';
import { z } from 'zod';
import { type Advice, withoutEffect } from '../adapter/base';
import { noSecretIsSent } from '../adapter/secret-hosts';
import { defineTrigger } from '../adapter/trigger';
import { secretCode, withRules } from '../schema/fields';
import { headerNameProblem } from '../schema/static-headers';
import { addIssue } from '../schema/issues';

/** How posts are authenticated (STANDARD: standardwebhooks.com). */
export const WEBHOOK_MODES = ['API_KEY', 'HMAC', 'BASIC', 'JWT', 'STANDARD', 'NONE'] as const;
type WebhookMode = (typeof WEBHOOK_MODES)[number];

/** The field that names the secret of a mode; `secretCodes` replaces it during a rotation. */
const OWN_SECRET = {
    API_KEY: 'apiKeySecretCode',
    HMAC: 'secretCode',
    STANDARD: 'secretCode',
    BASIC: 'basicSecretCode',
    JWT: 'jwtSecretCode',
} as const satisfies Record<Exclude<WebhookMode, 'NONE'>, string>;

/** The defaults of fields. */
const DEFAULTS = {
    hmacAlgorithm: 'SHA256',
    hmacHeaderName: 'X-Flow-Signature',
    apiKeyHeaderName: 'X-API-Key',
    jwtHeaderName: 'Authorization',
    idempotencyKeyHeader: 'X-Idempotency-Key',
} as const;

const headerName = (title: string, description: string, usual: string) =>
    z
        .string()
        .max(128)
        .superRefine((name, cx) => {
            const problem = name.length > 128 ? undefined : headerNameProblem(name);
            if (problem !== undefined) addIssue(cx, problem);
        })
        .default(usual)
        .meta({ title, description });

const fields = z.strictObject({
    enabled: z
        .boolean()
        .default(true)
        .meta({ title: 'Enabled', description: 'A disabled trigger accepts no requests.' }),
    authentication: z.enum(WEBHOOK_MODES).meta({
        title: 'Authentication',
        description:
            'How requests authenticate: API_KEY (a key in a header), HMAC (a signature of the exact bytes), BASIC (username and password), JWT (a token signed with HS256), STANDARD (Standard Webhooks: webhook-id, webhook-timestamp, webhook-signature) or NONE.',
    }),
    secretCode: secretCode(
        'Signing secret',
        'For HMAC and STANDARD: the secret that holds the signing key. For STANDARD its value is `whsec_` followed by base64.',
    )
        .optional()
        .meta({ showIf: { authentication: ['HMAC', 'STANDARD'] } }),
    apiKeySecretCode: secretCode('API key', 'For API_KEY: the secret that the header must contain.')
        .optional()
        .meta({ showIf: { authentication: 'API_KEY' } }),
    basicSecretCode: secretCode('Name and password', 'For BASIC: a secret whose value is `username:password`.')
        .optional()
        .meta({ showIf: { authentication: 'BASIC' } }),
    jwtSecretCode: secretCode('Token secret', 'For JWT: the secret that holds the signing key of the tokens.')
        .optional()
        .meta({ showIf: { authentication: 'JWT' } }),
    secretCodes: z.array(secretCode('Secret', 'A secret that is accepted.')).min(1).max(2).optional().meta({
        title: 'Secrets',
        description:
            'One or two secrets that are accepted instead of the secret of the mode, for example the old and the new one during a rotation.',
    }),
    hmacAlgorithm: z
        .enum(['SHA256', 'SHA512'])
        .default(DEFAULTS.hmacAlgorithm)
        .meta({
            title: 'Algorithm',
            description: 'For HMAC: the hash algorithm of the signature.',
            showIf: { authentication: 'HMAC' },
        }),
    hmacHeaderName: headerName(
        'Signature header',
        'For HMAC: the header that carries the digest, in hexadecimal or base64, with or without the prefix `sha256=` or `sha512=`.',
        DEFAULTS.hmacHeaderName,
    ),
    apiKeyHeaderName: headerName(
        'Key header',
        'For API_KEY: the header that carries the key.',
        DEFAULTS.apiKeyHeaderName,
    ),
    jwtHeaderName: headerName(
        'Token header',
        'For JWT: the header that carries the token. In Authorization it follows `Bearer`.',
        DEFAULTS.jwtHeaderName,
    ),
    jwtIssuer: z
        .string()
        .min(1)
        .max(512)
        .optional()
        .meta({ title: 'Issuer', description: 'Of JWT: what `iss` must be.', showIf: { authentication: 'JWT' } }),
    jwtAudience: z
        .string()
        .min(1)
        .max(512)
        .optional()
        .meta({
            title: 'Audience',
            description: 'For JWT: the value that `aud` must be or contain.',
            showIf: { authentication: 'JWT' },
        }),
    requireIdempotencyKey: z
        .boolean()
        .default(false)
        .meta({ title: 'Key required', description: 'Rejects requests without an idempotency key.' }),
    idempotencyKeyHeader: headerName(
        'Idempotency key header',
        'The header that carries the idempotency key, 1 to 256 characters. A key that is sent is always used, even if it is not required.',
        DEFAULTS.idempotencyKeyHeader,
    ),
    idempotencyTtlSec: z.int().min(60).max(604_800).default(86_400).meta({
        title: 'Key remembered for',
        description: 'How long an idempotency key is remembered, in seconds.',
    }),
    rateLimit: z.int().min(0).max(100_000).default(600).meta({
        title: 'Posts per minute',
        description: 'The maximum number of requests that each server process accepts per minute. 0: no limit.',
    }),
});

/**
 * A delivery of STANDARD is accepted this long before and after its timestamp: either side's clock may be wrong by this much (Standard Webhooks).
 */
export const TOLERANCE_SEC = 300;
/** While it is, its id is known. */
const SHORTEST_STANDARD_SEC = 2 * TOLERANCE_SEC;

/** What a WEBHOOK trigger is set to, with its defaults. */
export type WebhookConfig = z.output<typeof fields>;

/** The codes of the secrets that let posts in: one, or two during a rotation; none of NONE. */
export function webhookSecretCodes(config: WebhookConfig): readonly string[] {
    const { authentication, secretCodes } = config;
    if (authentication === 'NONE') return [];
    const own = config[OWN_SECRET[authentication]];
    return secretCodes ?? (own === undefined ? [] : [own]);
}

const settings = withRules(fields, (config, issue) => {
    const { authentication: mode, secretCodes, idempotencyKeyHeader, idempotencyTtlSec } = config;
    if (!WEBHOOK_MODES.includes(mode) || mode === 'NONE') return;
    if (mode === 'STANDARD' && idempotencyTtlSec < SHORTEST_STANDARD_SEC)
        issue(
            'idempotencyTtlSec',
            clause`is ${idempotencyTtlSec}; allowed with authentication STANDARD: ${SHORTEST_STANDARD_SEC} to 604800, because a delivery is accepted for as long and must not start a second run`,
        );
    const field = OWN_SECRET[mode];
    if (config[field] === undefined && secretCodes === undefined)
        issue(
            field,
            clause`is missing; authentication ${mode} needs it, or secretCodes with one or two codes of secrets in its place`,
        );
    if (config[field] !== undefined && secretCodes !== undefined)
        issue('secretCodes', clause`is set together with ${field}; set one of the two`);
    if (Array.isArray(secretCodes) && secretCodes.length === 2 && secretCodes[0] === secretCodes[1])
        issue('secretCodes', clause`names ${JSON.stringify(secretCodes[0])} twice; allowed: two different secrets`);
    const proof = headerOf(config);
    if (typeof idempotencyKeyHeader !== 'string' || typeof proof !== 'string') return;
    if (proof.toLowerCase() === idempotencyKeyHeader.toLowerCase())
        issue('idempotencyKeyHeader', clause`is the header that authentication ${mode} reads; allowed: any other`);
});

/** The header that a mode reads; undefined for modes without a header of a chosen name. */
function headerOf(config: WebhookConfig): string | undefined {
    switch (config.authentication) {
        case 'API_KEY':
            return config.apiKeyHeaderName;
        case 'HMAC':
            return config.hmacHeaderName;
        case 'JWT':
            return config.jwtHeaderName;
        case 'BASIC':
            return 'Authorization';
        default:
            return undefined;
    }
}

/** The modes that a field is for. */
const FOR: Readonly<Partial<Record<keyof WebhookConfig, readonly WebhookMode[]>>> = {
    secretCode: ['HMAC', 'STANDARD'],
    apiKeySecretCode: ['API_KEY'],
    basicSecretCode: ['BASIC'],
    jwtSecretCode: ['JWT'],
    secretCodes: ['API_KEY', 'HMAC', 'BASIC', 'JWT', 'STANDARD'],
    hmacAlgorithm: ['HMAC'],
    hmacHeaderName: ['HMAC'],
    apiKeyHeaderName: ['API_KEY'],
    jwtHeaderName: ['JWT'],
    jwtIssuer: ['JWT'],
    jwtAudience: ['JWT'],
    requireIdempotencyKey: ['API_KEY', 'HMAC', 'BASIC', 'JWT', 'NONE'],
    idempotencyKeyHeader: ['API_KEY', 'HMAC', 'BASIC', 'JWT', 'NONE'],
};

function advise(config: WebhookConfig): readonly Advice[] {
    const { authentication: mode } = config;
    const usual: Readonly<Record<string, unknown>> = { ...DEFAULTS, requireIdempotencyKey: false };
    const idle = (Object.keys(FOR) as Array<keyof WebhookConfig>).filter(
        field => config[field] !== undefined && config[field] !== usual[field] && !FOR[field]!.includes(mode),
    );
    const useless = idle.map(field =>
        withoutEffect(
            field,
            field.includes('dempotency')
                ? clause`together with authentication STANDARD, whose webhook-id is the key of every post`
                : clause`together with authentication ${mode}`,
        ),
    );
    if (mode !== 'NONE') return useless;
    const problem =
        'is set to NONE: anyone who knows the address can start runs; choose another method for a pipeline that writes';
    return [{ code: 'LIKELY_MISTAKE', path: 'authentication', problem }, ...useless];
}

/**
 * The trigger WEBHOOK: a POST to `/flow/webhook/{pipeline code}` starts the pipeline. The step's `type` is removed
 * before this is applied.
 */
export const webhook = defineTrigger({
    code: 'WEBHOOK',
    title: 'Webhook',
    summary: 'Starts the pipeline with the records of a POST request.',
    config: settings,
    notes: [
        'The address is `/flow/webhook/` followed by the code of the pipeline, so a pipeline can have one enabled WEBHOOK trigger.',
        'The body is one JSON object or a list of objects, at most 10 MiB, not compressed. They become the records of the run; EXTRACT steps do not read.',
        'NONE accepts requests from anyone. A security error is logged when such a pipeline is published or enabled, and at each start of the server.',
    ],
    advise,
    secretUses: noSecretIsSent,
});
