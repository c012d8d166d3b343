import { clause, type FactText } from '../../core/errors/rendered';

/** The header of the key by which a receiver recognizes a repeated request. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';
/** The default of `apiKeyHeader`. */
export const API_KEY = 'X-API-Key';
/** The default of `signatureHeaderName`. */
export const SIGNATURE = 'X-Flow-Signature';
/** The headers of every request. `headers` may change their values, and no other setting may use their names. */
const REQUEST_HEADERS = ['content-type', 'accept', 'user-agent'];

/** The settings of a webhook sink that write headers. A setting with another issue may have any value. */
interface HeaderArgs {
    readonly headers?: Readonly<Record<string, string>> | null;
    readonly standardWebhooks?: boolean;
    readonly apiKeySecretCode?: string | undefined;
    readonly apiKeyHeader?: string | undefined;
    readonly bearerTokenSecretCode?: string | undefined;
    readonly hmacSecretCode?: string | undefined;
    readonly signatureHeaderName?: string | undefined;
}

/** The headers of Standard Webhooks. */
const STANDARD_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];

/** Rejects a header that two settings would write, because one of them would be lost. */
export function checkHeaders(args: HeaderArgs, issue: (path: string, problem: FactText) => void): void {
    const { headers, standardWebhooks, apiKeySecretCode, bearerTokenSecretCode, hmacSecretCode } = args;
    const { apiKeyHeader = API_KEY, signatureHeaderName = SIGNATURE } = args;
    /** The setting that writes a header, by its name in lower case. */
    const written = new Map<string, string | FactText>([
        [IDEMPOTENCY_KEY.toLowerCase(), clause`the idempotency key of the request`],
    ]);
    if (bearerTokenSecretCode !== undefined) written.set('authorization', 'bearerTokenSecretCode');
    if (standardWebhooks === true) for (const name of STANDARD_HEADERS) written.set(name, 'standardWebhooks');
    const own = (path: string, name: unknown, writer: FactText): void => {
        if (typeof name !== 'string' || name === '') return;
        const lower = name.toLowerCase();
        const other = written.get(lower) ?? (REQUEST_HEADERS.includes(lower) ? clause`every request` : undefined);
        if (other === undefined) written.set(lower, writer);
        else issue(path, clause`is "${name}", which is the header of ${other}; choose another name`);
    };
    const hasSignature = hmacSecretCode !== undefined && standardWebhooks !== true;
    // The issue is reported at the name that is written in the configuration.
    if (hasSignature && args.signatureHeaderName === undefined)
        written.set(SIGNATURE.toLowerCase(), clause`the signature`);
    if (apiKeySecretCode !== undefined) own('apiKeyHeader', apiKeyHeader, clause`the API key`);
    if (hasSignature && args.signatureHeaderName !== undefined)
        own('signatureHeaderName', signatureHeaderName, clause`the signature`);
    if (typeof headers !== 'object' || headers === null) return;
    for (const name of Object.keys(headers)) {
        const other = written.get(name.toLowerCase());
        if (other !== undefined) issue(`headers.${name}`, clause`is the header of ${other} already; leave it out here`);
    }
}
