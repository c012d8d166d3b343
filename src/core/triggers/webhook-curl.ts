import type { WebhookConfig } from './webhook';

/** A request as a user enters it in a terminal. The secret is read from the environment there and is not part of the text. */
export function webhookCurl(url: string, config: WebhookConfig): string {
    const { lines = [], headers } = proofOf(config);
    const key =
        config.requireIdempotencyKey && config.authentication !== 'STANDARD'
            ? [`-H ${quoted(`${config.idempotencyKeyHeader}: `)}"$(openssl rand -hex 16)"`]
            : [];
    const call = [
        `curl -sS -X POST ${quoted(url)}`,
        `-H 'Content-Type: application/json'`,
        ...headers,
        ...key,
        '--data-binary "$BODY"',
    ];
    return [`BODY='[{"sku":"A-1"}]'`, ...lines, call.join(' \\\n    ')].join('\n');
}

interface Proof {
    /** Steps to take before the command. */
    readonly lines?: readonly string[];
    readonly headers: readonly string[];
}

function proofOf(config: WebhookConfig): Proof {
    switch (config.authentication) {
        case 'NONE':
            return { headers: [] };
        case 'API_KEY':
            return { headers: [`-H ${quoted(`${config.apiKeyHeaderName}: `)}"$FLOW_SECRET"`] };
        case 'BASIC':
            return { headers: ['-u "$FLOW_SECRET"'] };
        case 'JWT': {
            const scheme = config.jwtHeaderName.toLowerCase() === 'authorization' ? 'Bearer ' : '';
            return { headers: [`-H ${quoted(`${config.jwtHeaderName}: ${scheme}`)}"$FLOW_TOKEN"`] };
        }
        case 'HMAC': {
            const hash = config.hmacAlgorithm.toLowerCase();
            return {
                lines: [
                    `SIGNATURE=$(printf '%s' "$BODY" | openssl dgst -${hash} -hmac "$FLOW_SECRET" -r | cut -d ' ' -f 1)`,
                ],
                headers: [`-H ${quoted(`${config.hmacHeaderName}: ${hash}=`)}"$SIGNATURE"`],
            };
        }
        case 'STANDARD':
            return {
                lines: [
                    'ID=msg_$(openssl rand -hex 16)',
                    'TIME=$(date +%s)',
                    `KEY=$(printf '%s' "\${FLOW_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')`,
                    `SIGNATURE=$(printf '%s' "$ID.$TIME.$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | openssl base64 -A)`,
                ],
                headers: [
                    `-H "webhook-id: $ID"`,
                    `-H "webhook-timestamp: $TIME"`,
                    `-H "webhook-signature: v1,$SIGNATURE"`,
                ],
            };
    }
}

/** Quotes any text for a shell. */
function quoted(text: string): string {
    return `'${text.replaceAll("'", `'\\''`)}'`;
}
