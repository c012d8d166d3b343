/** The header of the key that a receiver knows a request by when it comes again. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';
/** Where the API key goes unless `apiKeyHeader` says otherwise. */
export const API_KEY = 'X-API-Key';
/** Where the signature goes unless `signatureHeaderName` says otherwise. */
export const SIGNATURE = 'X-Flow-Signature';
/** What every request has; `headers` may give these another value, and nothing else may take their names. */
const REQUEST_HEADERS = ['content-type', 'accept', 'user-agent'];

/** The settings of a webhook sink that write headers. Those with faults of their own may hold anything. */
interface HeaderArgs {
    readonly headers?: Readonly<Record<string, string>> | null;
    readonly standardWebhooks?: boolean;
    readonly apiKeySecretCode?: string | undefined;
    readonly apiKeyHeader?: string | undefined;
    readonly bearerTokenSecretCode?: string | undefined;
    readonly hmacSecretCode?: string | undefined;
    readonly signatureHeaderName?: string | undefined;
}

/** What Standard Webhooks names its headers. */
const STANDARD_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];

/** Refuses a header that two settings would write: the one of them would be lost. */
export function checkHeaders(args: HeaderArgs, issue: (path: string, message: string) => void): void {
    const { headers, standardWebhooks, apiKeySecretCode, bearerTokenSecretCode, hmacSecretCode } = args;
    const { apiKeyHeader = API_KEY, signatureHeaderName = SIGNATURE } = args;
    /** Who writes a header, by its name in lower case. */
    const written = new Map([[IDEMPOTENCY_KEY.toLowerCase(), 'the idempotency key of the request']]);
    if (bearerTokenSecretCode !== undefined) written.set('authorization', 'bearerTokenSecretCode');
    if (standardWebhooks === true) for (const name of STANDARD_HEADERS) written.set(name, 'standardWebhooks');
    const own = (path: string, name: unknown, writer: string): void => {
        if (typeof name !== 'string' || name === '') return;
        const lower = name.toLowerCase();
        const other = written.get(lower) ?? (REQUEST_HEADERS.includes(lower) ? 'every request' : undefined);
        if (other === undefined) written.set(lower, writer);
        else issue(path, `is "${name}", which is the header of ${other}; choose another name`);
    };
    const hasSignature = hmacSecretCode !== undefined && standardWebhooks !== true;
    // The one that is written out is the one to be changed.
    if (hasSignature && args.signatureHeaderName === undefined) written.set(SIGNATURE.toLowerCase(), 'the signature');
    if (apiKeySecretCode !== undefined) own('apiKeyHeader', apiKeyHeader, 'the API key');
    if (hasSignature && args.signatureHeaderName !== undefined)
        own('signatureHeaderName', signatureHeaderName, 'the signature');
    if (typeof headers !== 'object' || headers === null) return;
    for (const name of Object.keys(headers)) {
        const other = written.get(name.toLowerCase());
        if (other !== undefined) issue(`headers.${name}`, `is the header of ${other} already; leave it out here`);
    }
}
