import { toys } from '../../../test/fixtures/definitions/catalogue';
import { Registry } from '../adapter/registry';
import { checkDefinition } from '../pipeline/parse';
import { referencesOf } from '../schema/references';
import { parseWith } from '../schema/issues';
import { manual } from './manual';
import { webhook, webhookSecretCodes, type WebhookConfig } from './webhook';

const faultsOf = (settings: object): readonly string[] => {
    const outcome = parseWith(webhook.config, settings);
    return outcome.ok ? [] : outcome.issues.map(({ path, message }) => `${path}: ${message}`);
};
const HMAC = { authentication: 'HMAC', secretCode: 'hook-key' };

describe('WEBHOOK', () => {
    it('has the defaults of the specification', () => {
        expect(webhook.config.parse(HMAC)).toEqual({
            ...HMAC,
            enabled: true,
            hmacAlgorithm: 'SHA256',
            hmacHeaderName: 'X-Flow-Signature',
            apiKeyHeaderName: 'X-API-Key',
            jwtHeaderName: 'Authorization',
            requireIdempotencyKey: false,
            idempotencyKeyHeader: 'X-Idempotency-Key',
            idempotencyTtlSec: 86_400,
            rateLimit: 600,
        });
    });

    it.each([
        [{}, 'authentication: '],
        [{ authentication: 'PLAIN' }, 'authentication: '],
        [{ authentication: 'HMAC' }, 'secretCode: '],
        [{ authentication: 'STANDARD' }, 'secretCode: '],
        [{ authentication: 'API_KEY' }, 'apiKeySecretCode: '],
        [{ authentication: 'API_KEY', secretCode: 'a' }, 'apiKeySecretCode: '],
        [{ authentication: 'BASIC' }, 'basicSecretCode: '],
        [{ authentication: 'JWT' }, 'jwtSecretCode: '],
        [{ ...HMAC, secretCodes: ['a', 'b'] }, 'secretCodes: '],
        [{ authentication: 'JWT', secretCodes: [] }, 'secretCodes: '],
        [{ authentication: 'JWT', secretCodes: ['a', 'b', 'c'] }, 'secretCodes: '],
        [{ authentication: 'JWT', secretCodes: ['a', 'a'] }, 'secretCodes: '],
        [{ ...HMAC, secretCode: 'the secret itself!' }, 'secretCode: '],
        [{ ...HMAC, hmacAlgorithm: 'SHA1' }, 'hmacAlgorithm: '],
        [{ ...HMAC, hmacHeaderName: 'X Flow' }, 'hmacHeaderName: '],
        [{ ...HMAC, hmacHeaderName: '' }, 'hmacHeaderName: '],
        [{ ...HMAC, hmacHeaderName: 'Cookie' }, 'hmacHeaderName: '],
        [{ ...HMAC, idempotencyKeyHeader: 'content-length' }, 'idempotencyKeyHeader: '],
        [{ ...HMAC, idempotencyKeyHeader: 'x-flow-signature' }, 'idempotencyKeyHeader: '],
        // It would be let in once more before its time is over.
        [{ authentication: 'STANDARD', secretCode: 'a', idempotencyTtlSec: 599 }, 'idempotencyTtlSec: '],
        [
            { authentication: 'BASIC', basicSecretCode: 'a', idempotencyKeyHeader: 'AUTHORIZATION' },
            'idempotencyKeyHeader: ',
        ],
        [{ ...HMAC, idempotencyTtlSec: 59 }, 'idempotencyTtlSec: '],
        [{ ...HMAC, idempotencyTtlSec: 604_801 }, 'idempotencyTtlSec: '],
        [{ ...HMAC, idempotencyTtlSec: 60.5 }, 'idempotencyTtlSec: '],
        [{ ...HMAC, rateLimit: -1 }, 'rateLimit: '],
        [{ ...HMAC, rateLimit: 100_001 }, 'rateLimit: '],
        [{ ...HMAC, secret: 'x' }, ''],
    ])('rejects %j', (settings, place) => {
        const issues = faultsOf(settings);
        expect(issues.filter(issue => issue.startsWith(place))).not.toEqual([]);
    });

    it.each([
        { authentication: 'NONE' },
        { authentication: 'JWT', secretCodes: ['old'] },
        { authentication: 'API_KEY', secretCodes: ['old', 'new'] },
        { ...HMAC, idempotencyTtlSec: 60, rateLimit: 0 },
        { ...HMAC, idempotencyTtlSec: 604_800, rateLimit: 100_000 },
        { authentication: 'API_KEY', apiKeySecretCode: 'a', apiKeyHeaderName: 'Authorization' },
    ])('takes %j', settings => {
        expect(faultsOf(settings)).toEqual([]);
    });

    it('has its secrets found in every field, so that they are not deleted while it uses them', () => {
        const all = {
            authentication: 'JWT',
            secretCode: 'a',
            apiKeySecretCode: 'b',
            basicSecretCode: 'c',
            jwtSecretCode: 'd',
            secretCodes: ['e', 'f'],
        };
        expect(referencesOf(webhook.config, all).map(({ to, code }) => `${to} ${code}`)).toEqual(
            ['a', 'b', 'c', 'd', 'e', 'f'].map(code => `secret ${code}`),
        );
    });

    it('lets in by the secret of its mode, or by those of a rotation', () => {
        const codes = (settings: object) => webhookSecretCodes(webhook.config.parse(settings) as WebhookConfig);
        expect(codes(HMAC)).toEqual(['hook-key']);
        expect(codes({ authentication: 'STANDARD', secretCode: 'a' })).toEqual(['a']);
        expect(codes({ authentication: 'BASIC', basicSecretCode: 'a', secretCode: 'b' })).toEqual(['a']);
        expect(codes({ authentication: 'JWT', secretCodes: ['a', 'b'] })).toEqual(['a', 'b']);
        expect(codes({ authentication: 'NONE', secretCodes: ['a'] })).toEqual([]);
    });

    it('warns of fields that are for other modes, and of NONE', () => {
        const advised = (settings: object) =>
            webhook.advise!(webhook.config.parse(settings)).map(({ code, path }) => `${code} ${path}`);
        expect(advised(HMAC)).toEqual([]);
        expect(advised({ ...HMAC, jwtIssuer: 'x', apiKeyHeaderName: 'X-Key', basicSecretCode: 'b' })).toEqual([
            'WITHOUT_EFFECT basicSecretCode',
            'WITHOUT_EFFECT apiKeyHeaderName',
            'WITHOUT_EFFECT jwtIssuer',
        ]);
        expect(advised({ authentication: 'STANDARD', secretCode: 'a', requireIdempotencyKey: true })).toEqual([
            'WITHOUT_EFFECT requireIdempotencyKey',
        ]);
        expect(advised({ authentication: 'NONE' })).toEqual(['LIKELY_MISTAKE authentication']);
    });
});

describe('a pipeline', () => {
    const registry = Registry.of([manual, webhook], toys.extractors);
    const hook = (key: string, more: object = {}, settings: object = {}): object => ({
        key,
        kind: 'TRIGGER',
        config: { type: 'WEBHOOK', ...HMAC, ...settings },
        ...more,
    });
    const issuesOf = (...triggers: readonly object[]) =>
        checkDefinition(
            {
                version: 1,
                steps: [...triggers, { key: 'read', kind: 'EXTRACT', config: { adapterCode: 'list', rows: [] } }],
                edges: triggers.map(each => ({ from: (each as { key: string }).key, to: 'read' })),
            },
            registry,
        ).issues.map(({ code, path, stepKey }) => ({ code, path, stepKey }));

    it('has one enabled WEBHOOK trigger at most, since its address names the pipeline alone', () => {
        const off = hook('off', {}, { enabled: false });
        const disabled = hook('disabled', { disabled: true });
        expect(issuesOf(off, hook('first'), disabled)).toEqual([]);
        expect(issuesOf(off, hook('first'), hook('second'), disabled, hook('third'))).toEqual([
            { code: 'WEBHOOK_DUPLICATE', path: 'steps[2]', stepKey: 'second' },
            { code: 'WEBHOOK_DUPLICATE', path: 'steps[4]', stepKey: 'third' },
        ]);
    });
});
