import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { webhook, type WebhookConfig } from './webhook';
import { webhookCurl } from './webhook-curl';

const URL = "https://shop.test/flow/webhook/it's";
const configOf = (config: object): WebhookConfig => webhook.config.parse(config) as WebhookConfig;

/** What curl would be called with. */
function called(config: object, env: Readonly<Record<string, string>>): readonly string[] {
    const script = `curl() { printf '%s\\n' "$@"; }\n${webhookCurl(URL, configOf(config))}`;
    return execFileSync('bash', ['-c', script], { env: { ...process.env, ...env }, encoding: 'utf8' }).split('\n');
}

describe('the call of a webhook', () => {
    const body = '[{"sku":"A-1"}]';

    it('is sent to its address with the body, whatever characters the address has', () => {
        expect(called({ authentication: 'NONE' }, {})).toEqual(expect.arrayContaining(['POST', URL, body]));
    });

    it.each([
        [{ authentication: 'API_KEY', apiKeySecretCode: 'k' }, 'X-API-Key: s3cret'],
        [{ authentication: 'BASIC', basicSecretCode: 'k' }, 's3cret'],
        [{ authentication: 'JWT', jwtSecretCode: 'k' }, 'Authorization: Bearer t0ken'],
        [
            { authentication: 'HMAC', secretCode: 'k', hmacAlgorithm: 'SHA512' },
            `X-Flow-Signature: sha512=${createHmac('sha512', 's3cret').update(body).digest('hex')}`,
        ],
    ])('proves itself by %j', (config, proof) => {
        expect(called(config, { FLOW_SECRET: 's3cret', FLOW_TOKEN: 't0ken' })).toContain(proof);
    });

    it('signs as Standard Webhooks does', () => {
        const key = Buffer.from('a key with \0 in it');
        const args = called(
            { authentication: 'STANDARD', secretCode: 'k' },
            { FLOW_SECRET: `whsec_${key.toString('base64')}`, PATH: process.env['PATH']! },
        );
        const header = (name: string): string => args.find(arg => arg.startsWith(`${name}: `))!.slice(name.length + 2);
        const signed = `${header('webhook-id')}.${header('webhook-timestamp')}.${body}`;
        const signature = createHmac('sha256', key).update(signed).digest('base64');
        expect(header('webhook-signature')).toBe(`v1,${signature}`);
    });

    it('has a key if one is required, and never a secret', () => {
        const config = configOf({ authentication: 'HMAC', secretCode: 'my-secret', requireIdempotencyKey: true });
        expect(webhookCurl(URL, config)).toContain('X-Idempotency-Key');
        expect(webhookCurl(URL, config)).not.toContain('my-secret');
    });
});
