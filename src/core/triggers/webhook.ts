import { z } from 'zod';
import { type Advice, withoutEffect } from '../adapter/base';
import { noSecretIsSent } from '../adapter/secret-hosts';
import { defineTrigger } from '../adapter/trigger';
import { secretCode, withRules } from '../schema/fields';
import { headerNameProblem } from '../schema/static-headers';

/** How posts are authenticated (STANDARD: standardwebhooks.com). */
export const WEBHOOK_MODES = ['API_KEY', 'HMAC', 'BASIC', 'JWT', 'STANDARD', 'NONE'] as const;
export type WebhookMode = (typeof WEBHOOK_MODES)[number];

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
            if (problem !== undefined) cx.addIssue({ code: 'custom', message: problem });
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
            'What a post proves itself with: API_KEY (a key in a header), HMAC (a signature of the exact bytes), BASIC (name and password), JWT (a token signed with HS256), STANDARD (Standard Webhooks: webhook-id, webhook-timestamp, webhook-signature) or NONE.',
    }),
    secretCode: secretCode(
        'Signing secret',
        'Of HMAC and STANDARD: the secret that signs. Of STANDARD its value is `whsec_` and base64.',
    )
        .optional()
        .meta({ showIf: { authentication: ['HMAC', 'STANDARD'] } }),
    apiKeySecretCode: secretCode('API key', 'Of API_KEY: the secret that the header must have.')
        .optional()
        .meta({ showIf: { authentication: 'API_KEY' } }),
    basicSecretCode: secretCode('Name and password', 'Of BASIC: a secret whose value is `username:password`.')
        .optional()
        .meta({ showIf: { authentication: 'BASIC' } }),
    jwtSecretCode: secretCode('Token secret', 'Of JWT: the secret that tokens are signed with.')
        .optional()
        .meta({ showIf: { authentication: 'JWT' } }),
    secretCodes: z.array(secretCode('Secret', 'One of those that are taken.')).min(1).max(2).optional().meta({
        title: 'Secrets',
        description:
            'In place of the secret of the mode, whatever the mode: one or two, either of which lets a post in. For a rotation: the old one and the new one.',
    }),
    hmacAlgorithm: z
        .enum(['SHA256', 'SHA512'])
        .default(DEFAULTS.hmacAlgorithm)
        .meta({
            title: 'Algorithm',
            description: 'Of HMAC: the hash that it signs with.',
            showIf: { authentication: 'HMAC' },
        }),
    hmacHeaderName: headerName(
        'Signature header',
        'Of HMAC: carries the digest in hexadecimal or base64, with or without `sha256=` or `sha512=` in front.',
        DEFAULTS.hmacHeaderName,
    ),
    apiKeyHeaderName: headerName('Key header', 'Of API_KEY: carries the key.', DEFAULTS.apiKeyHeaderName),
    jwtHeaderName: headerName(
        'Token header',
        'For JWT: the header that carries the token; in Authorization after `Bearer`.',
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
            description: 'Of JWT: what `aud` must be or hold.',
            showIf: { authentication: 'JWT' },
        }),
    requireIdempotencyKey: z
        .boolean()
        .default(false)
        .meta({ title: 'Key required', description: 'Rejects posts without an idempotency key.' }),
    idempotencyKeyHeader: headerName(
        'Idempotency key header',
        'Carries the idempotency key, 1 to 256 characters. A key that is sent is honoured whether it is required or not.',
        DEFAULTS.idempotencyKeyHeader,
    ),
    idempotencyTtlSec: z.int().min(60).max(604_800).default(86_400).meta({
        title: 'Key remembered for',
        description: 'How long an idempotency key is remembered, in seconds.',
    }),
    rateLimit: z.int().min(0).max(100_000).default(600).meta({
        title: 'Posts per minute',
        description: 'Most posts that are let in in any minute, by each server process; 0 sets no limit.',
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
            `is ${idempotencyTtlSec}; allowed with authentication STANDARD: ${SHORTEST_STANDARD_SEC} to 604800, because a delivery is accepted for as long and must not start a second run`,
        );
    const field = OWN_SECRET[mode];
    if (config[field] === undefined && secretCodes === undefined)
        issue(
            field,
            `is missing; authentication ${mode} needs it, or secretCodes with one or two codes of secrets in its place`,
        );
    if (config[field] !== undefined && secretCodes !== undefined)
        issue('secretCodes', `is set together with ${field}; set one of the two`);
    if (Array.isArray(secretCodes) && secretCodes.length === 2 && secretCodes[0] === secretCodes[1])
        issue('secretCodes', `names ${JSON.stringify(secretCodes[0])} twice; allowed: two different secrets`);
    const proof = headerOf(config);
    if (typeof idempotencyKeyHeader !== 'string' || typeof proof !== 'string') return;
    if (proof.toLowerCase() === idempotencyKeyHeader.toLowerCase())
        issue('idempotencyKeyHeader', `is the header that authentication ${mode} reads; allowed: any other`);
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
                ? 'together with authentication STANDARD, whose webhook-id is the key of every post'
                : `together with authentication ${mode}`,
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
    summary: 'Starts the pipeline with the records of a post to its address.',
    config: settings,
    notes: [
        'The address is `/flow/webhook/` and the code of the pipeline; so one of its WEBHOOK triggers may be enabled at a time.',
        'The body is one JSON object or a list of objects, at most 10 MiB, not compressed. They become the records of the run; no EXTRACT step reads.',
        'NONE lets everybody in. It logs a security error when such a pipeline is published or enabled, and once at each start of the server.',
    ],
    advise,
    secretUses: noSecretIsSent,
});
