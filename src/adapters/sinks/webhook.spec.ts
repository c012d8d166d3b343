import { createHmac } from 'node:crypto';
import { Receiver } from '../../../test/kit/engines/receiver';
import { runInto } from '../../../test/kit/engines/stands';
import { batchOf } from '../../../test/kit/record';
import { RUN } from '../../../test/kit/run-facts';
import { Secret } from '../../core/adapter/secret';
import { EVERY_HOST } from '../../core/adapter/secret-hosts';
import type { JsonObject } from '../../core/value/json';
import { parseWith } from '../../core/schema/issues';
import { OutboundGateway } from '../../io/outbound/gateway';
import { contextWith } from '../../testing/context';
import { webhookSink } from './webhook';

const URL_OF_TESTS = 'https://erp.example.com/hooks';
/** Secrets of these tests hold this. */
const KEY = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
const secrets = {
    get: (code: string) => new Secret(code, code.startsWith('hmac') ? KEY : `${code}-value`, EVERY_HOST),
};

async function send(config: JsonObject, records: readonly JsonObject[] = [{ id: 1 }, { id: 2 }]) {
    const engine = new Receiver();
    const stand = { engine, config: { url: URL_OF_TESTS }, idField: 'id', stored: () => new Map(), removed: () => [] };
    const ran = await runInto(stand, { code: 'webhook', config, records }, { resources: { secrets } });
    return { ...ran, engine };
}

describe('a webhook', () => {
    it('is a list by the method of the step, with its headers and one credential', async () => {
        const { engine } = await send({ method: 'PUT', headers: { 'X-Shop': 'one' }, bearerTokenSecretCode: 'token' });
        expect(engine.seen).toMatchObject([{ method: 'PUT', path: '/hooks', body: '[{"id":1},{"id":2}]' }]);
        const { headers } = engine.seen[0]!;
        expect(headers).toMatchObject({ authorization: 'Bearer token-value', 'x-shop': 'one' });
        expect(headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
        const keyed = await send({ apiKeySecretCode: 'key', apiKeyHeader: 'X-Own' });
        expect(keyed.engine.seen[0]!.headers).toMatchObject({ 'x-own': 'key-value' });
        const usual = await send({ apiKeySecretCode: 'key' });
        expect(usual.engine.seen[0]!.headers).toMatchObject({ 'x-api-key': 'key-value' });
    });

    it('is signed over its body, in the header that the step names', async () => {
        const { engine } = await send({ hmacSecretCode: 'hmac' });
        const [{ headers, body }] = engine.seen as [(typeof engine.seen)[number]];
        expect(headers['x-flow-signature']).toBe(createHmac('sha256', KEY).update(body).digest('hex'));
        const other = await send({ hmacSecretCode: 'hmac', signatureHeaderName: 'X-Own-Signature' });
        expect(other.engine.seen[0]!.headers['x-own-signature']).toBe(headers['x-flow-signature']);
    });

    it('is signed as Standard Webhooks requires, with both secrets of an exchange', async () => {
        const config = { standardWebhooks: true, hmacSecretCode: 'hmac', previousHmacSecretCode: 'hmac-old' };
        const { engine } = await send(config, [{ id: 1 }, { id: 2, __operation: 'DELETE' }]);
        expect(engine.seen.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
        for (const { headers, body } of engine.seen) {
            const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = headers;
            const key = Buffer.from(KEY.slice(6), 'base64');
            const right = `v1,${createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')}`;
            expect(signature).toBe(`${right} ${right}`);
            expect(time).toMatch(/^\d+$/);
            expect(id).toBe(headers['idempotency-key']);
        }
    });

    it('removes by identities alone', async () => {
        const { engine } = await send({ idField: 'of.sku' }, [
            { of: { sku: '007' }, name: 'x', __operation: 'DELETE' },
            // As it was when it was sent.
            { of: { sku: 8, shop: 'x' }, name: 'x', __operation: 'DELETE' },
        ]);
        expect(engine.removed).toEqual([{ of: { sku: '007' } }, { of: { sku: 8 } }]);
    });

    it('that is rejected as a whole is repeated in halves, until the records are found', async () => {
        const records: JsonObject[] = [{ id: 1 }, { id: 2, bad: 'red' }, { id: 3 }, { id: 4 }];
        const { engine, end, rejected } = await send({}, records);
        expect(end).toMatchObject({ outcome: 'PARTIAL', counters: { send: { updated: 3, rejected: 1 } } });
        expect(rejected[0]).toContain('bad is red');
        expect(engine.records.map(({ id }) => id)).toEqual([1, 3, 4]);
    });

    it('that is taken with a page, as a login does it, is delivered, and the log warns once', async () => {
        const engine = new Receiver();
        engine.script = () => ({ headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<h1>Log in</h1>' });
        const stand = {
            engine,
            config: { url: URL_OF_TESTS, batchSize: 1 },
            idField: 'id',
            stored: () => new Map(),
            removed: () => [],
        };
        const { end, state } = await runInto(stand, { code: 'webhook', records: [{ id: 1 }, { id: 2 }] });
        expect(end).toMatchObject({ outcome: 'SUCCESS', counters: { send: { updated: 2 } } });
        const warned = state.events.flatMap(event =>
            event.type === 'log' && event.level === 'WARN' ? [event.message] : [],
        );
        expect(warned).toEqual([expect.stringContaining('page of HTML')]);
        const usual = await send({});
        expect(usual.state.events.filter(event => event.type === 'log' && event.level === 'WARN')).toEqual([]);
    });

    it('fails the step if its key is not a key of Standard Webhooks', async () => {
        const config = { standardWebhooks: true, hmacSecretCode: 'short' };
        const { end, engine } = await send(config);
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'SECRET_UNREADABLE' } });
        expect(engine.seen).toEqual([]);
    });

    it.each<readonly [field: string, config: JsonObject]>([
        ['url', { url: 'ftp://a.example' }],
        ['url', { url: 'https://a.example/{{id}}' }],
        ['apiKeySecretCode', { apiKeySecretCode: 'a', bearerTokenSecretCode: 'b' }],
        ['apiKeyHeader', { apiKeyHeader: 'X-Key' }],
        ['apiKeyHeader', { apiKeySecretCode: 'a', apiKeyHeader: 'Host' }],
        ['signatureHeaderName', { signatureHeaderName: 'X-S' }],
        ['standardWebhooks', { standardWebhooks: true }],
        ['previousHmacSecretCode', { hmacSecretCode: 'a', previousHmacSecretCode: 'b' }],
        ['headers.Authorization', { headers: { Authorization: 'x' } }],
        ['signatureHeaderName', { apiKeySecretCode: 'a', hmacSecretCode: 'b', signatureHeaderName: 'x-api-key' }],
        ['apiKeyHeader', { apiKeySecretCode: 'a', hmacSecretCode: 'b', apiKeyHeader: 'x-flow-signature' }],
        ['apiKeyHeader', { apiKeySecretCode: 'a', apiKeyHeader: 'Idempotency-Key' }],
        ['apiKeyHeader', { apiKeySecretCode: 'a', apiKeyHeader: 'Content-Type' }],
        ['signatureHeaderName', { hmacSecretCode: 'a', signatureHeaderName: 'content-type' }],
        ['signatureHeaderName', { hmacSecretCode: 'a', signatureHeaderName: 'idempotency-key' }],
        [
            'signatureHeaderName',
            { hmacSecretCode: 'a', bearerTokenSecretCode: 'b', signatureHeaderName: 'Authorization' },
        ],
        ['signatureHeaderName', { hmacSecretCode: 'a', signatureHeaderName: 'User-Agent' }],
        [
            'apiKeyHeader',
            { apiKeySecretCode: 'a', apiKeyHeader: 'webhook-id', hmacSecretCode: 'b', standardWebhooks: true },
        ],
        ['headers.idempotency-key', { headers: { 'idempotency-key': 'x' } }],
        ['headers.X-Shop', { headers: { 'X-Shop': 'x' }, apiKeySecretCode: 'a', apiKeyHeader: 'x-shop' }],
        ['headers.X-Sign', { headers: { 'X-Sign': 'x' }, hmacSecretCode: 'a', signatureHeaderName: 'x-sign' }],
        ['headers.webhook-id', { headers: { 'webhook-id': '1' }, hmacSecretCode: 'a', standardWebhooks: true }],
        ['headers.X-Note', { headers: { 'X-Note': 'Bearer abc' } }],
        ['retries', { retries: 11 }],
        ['timeoutMs', { timeoutMs: 0 }],
    ])('is rejected for its %s if it has %j', (field, config) => {
        const parsed = parseWith(webhookSink.config, { url: URL_OF_TESTS, ...config });
        expect(parsed.ok ? [] : parsed.issues.map(({ path }) => path)).toContain(field);
    });

    it.each<JsonObject>([
        { headers: { 'Content-Type': 'application/cloudevents-batch+json', 'X-Shop': 'eu', 'User-Agent': 'shop' } },
        { apiKeySecretCode: 'a', hmacSecretCode: 'b' },
        { apiKeySecretCode: 'a', apiKeyHeader: 'Authorization', hmacSecretCode: 'b', signatureHeaderName: 'X-Sign' },
        { apiKeySecretCode: 'a', hmacSecretCode: 'b', standardWebhooks: true },
    ])('takes %j', config => {
        const parsed = parseWith(webhookSink.config, { url: URL_OF_TESTS, ...config });
        expect(parsed.ok ? [] : parsed.issues).toEqual([]);
    });

    it('pauses for a receiver that fails again and again, checks whether it is back, and logs both', async () => {
        const engine = new Receiver();
        const { port, close } = await engine.listen();
        let now = 1_000_000;
        const clock = { now: () => now, sleep: async (ms: number) => void (now += ms) };
        const gateway = new OutboundGateway({ allowedHostnames: ['127.0.0.1'], clock });
        const outbound = gateway.forRun({ scope: 'webhook', rateLimitRps: 0 });
        const lines: string[] = [];
        const log = {
            debug: () => undefined,
            info: () => void lines.push('INFO'),
            warn: () => void lines.push('WARN'),
            error: () => undefined,
        };
        const config = webhookSink.config.parse({ url: `http://127.0.0.1:${port}/`, retries: 0 });
        const session = await webhookSink.open(config, { ...contextWith({ outbound, clock, log }), run: RUN });
        const deliver = () =>
            session.deliver(batchOf({ id: 1 }), ['d1']).then(
                () => 'taken',
                () => 'not taken',
            );
        engine.isDown = true;
        for (let i = 0; i < 8; i++) expect(await deliver()).toBe('not taken');
        expect(engine.seen).toHaveLength(5);
        engine.isDown = false;
        expect(await deliver()).toBe('not taken');
        now += 31_000;
        expect(await deliver()).toBe('taken');
        expect(lines).toEqual(['WARN', 'INFO']);
        outbound.close();
        await gateway.close();
        await close();
    });
});
