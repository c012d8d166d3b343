import { noResources } from '../../core/adapter/no-resources';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ids, LOAD, pages, runPipeline, sketched } from '../../../test/kit/pipeline';
import { naming } from '../../../test/kit/naming';
import { DEFAULT_LIMITS } from '../../core/adapter/bounds';
import type { AdapterContext } from '../../core/adapter/context';
import type { OutboundHttp } from '../../core/adapter/http';
import type { BatchFn, OperatorContext } from '../../core/adapter/operator';
import { Secret } from '../../core/adapter/secret';
import { EVERY_HOST } from '../../core/adapter/secret-hosts';
import { systemClock } from '../../core/concurrency/clock';
import type { JsonObject, JsonValue } from '../../core/value/json';
import type { FlowRecord } from '../../core/data/record';
import { type FlowError, flowError, isFlowError } from '../../core/errors/flow-error';
import { parseWith } from '../../core/schema/issues';
import { OutboundGateway } from '../../io/outbound/gateway';
import { fakeOutbound } from '../../testing/fake-outbound';
import { httpLookup, lookupCache } from './http-lookup';
import { LookupCache } from './lookup-cache';

interface Asked {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly body: string;
}
interface Answer {
    readonly status?: number;
    readonly headers?: Record<string, string>;
    readonly body?: unknown;
}

let server: Server;
let origin: string;
let answer: (requested: Asked) => Answer | Promise<Answer>;
const requested: Asked[] = [];
let underWay = 0;
let most = 0;
const gateway = new OutboundGateway({ allowedHostnames: ['127.0.0.1'] });

beforeAll(done => {
    server = createServer((request, response) => {
        const chunks: Buffer[] = [];
        request
            .on('data', (chunk: Buffer) => chunks.push(chunk))
            .on('end', () => {
                most = Math.max(most, ++underWay);
                const one = {
                    method: request.method!,
                    url: request.url!,
                    headers: request.headers,
                    body: Buffer.concat(chunks).toString(),
                };
                requested.push(one);
                void Promise.resolve(answer(one)).then(
                    ({ status = 200, headers = { 'Content-Type': 'application/json' }, body }) => {
                        underWay--;
                        response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
                    },
                );
            });
    }).listen(0, '127.0.0.1', () => {
        origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        done();
    });
});
afterAll(async () => {
    await gateway.close();
    await new Promise(done => {
        server.close(done);
        server.closeAllConnections();
    });
});
beforeEach(() => {
    requested.length = 0;
    most = 0;
    answer = ({ url }) => ({ body: { path: url, quantity: 7 } });
});

interface Given {
    readonly scope?: string;
    readonly stepKey?: string;
    readonly secrets?: Readonly<Record<string, string>>;
    readonly connection?: JsonObject;
    readonly signal?: AbortSignal;
    readonly now?: () => number;
}
interface Told {
    readonly out: readonly JsonObject[];
    readonly rejected: ReadonlyArray<{ readonly data: JsonObject; readonly code: string; readonly message: string }>;
    /** The facts of each warning. */
    readonly warnings: ReadonlyArray<JsonObject | undefined>;
}

let scopes = 0;
function context(
    given: Given,
    eventRecords: { rejected: Array<Told['rejected'][number]>; warnings: Array<Told['warnings'][number]> },
): OperatorContext {
    const {
        scope = `scope-${++scopes}`,
        stepKey = 'ask',
        secrets = {},
        connection,
        signal = new AbortController().signal,
        now = systemClock.now,
    } = given;
    const silent = (): void => undefined;
    const settings = { auth: { type: 'NONE' }, headers: {}, timeoutMs: 30_000, ...connection };
    return {
        ...noResources,
        stepKey,
        mode: 'live',
        signal,
        clock: { ...systemClock, now },
        platform: undefined,
        outbound: gateway.forRun({ scope, rateLimitRps: 0 }),
        log: { debug: silent, info: silent, warn: (_, facts) => eventRecords.warnings.push(facts), error: silent },
        secrets: {
            get: code => {
                if (secrets[code] === undefined) throw flowError('SECRET_NOT_FOUND', { which: code, hint: '' });
                return new Secret(code, secrets[code], EVERY_HOST);
            },
        },
        connections: { get: code => ({ code, type: 'HTTP', settings }) },
        files: { find: async () => undefined },
        limits: DEFAULT_LIMITS,
        recall: () => Promise.resolve(new Map()),
        gone: async () => new Set(),
        remember: silent,
        turn: () => Promise.resolve(),
        warn: silent,
        reject: ({ data }: FlowRecord, { code, message }: FlowError) => {
            eventRecords.rejected.push({ data, code, message });
        },
        derive: (data: JsonObject, [first]: readonly FlowRecord[]) => ({ data, origin: first!.origin }),
        place: { runId: 'run', stepKey, sourceKey: 'in', batchNo: 0, visit: 0 },
    } as OperatorContext;
}

/** The look-ups of one step: each call is a batch. */
async function opened(
    args: Record<string, unknown>,
    given: Given = {},
): Promise<(...records: JsonObject[]) => Promise<Told>> {
    const parsed = parseWith(httpLookup.config, args);
    if (!parsed.ok) throw new Error(parsed.issues.map(({ message }) => message).join('; '));
    const scoped = { scope: `scope-${++scopes}`, ...given };
    const fn: BatchFn = await httpLookup.open(
        parsed.value as never,
        context(scoped, { rejected: [], warnings: [] }) as AdapterContext,
    );
    return async (...records) => {
        const told = {
            rejected: [] as Array<Told['rejected'][number]>,
            warnings: [] as Array<Told['warnings'][number]>,
        };
        const out = await fn(
            records.map((data, seq) => ({ data, origin: { seq } })),
            context(scoped, told),
        );
        return { out: out.map(({ data }) => data), ...told };
    };
}
const faultsOf = (args: Record<string, unknown>): string => {
    const parsed = parseWith(httpLookup.config, { url: 'https://api.example.com/', target: 't', ...args });
    return parsed.ok ? '' : parsed.issues.map(({ message }) => message).join('; ');
};
const skus = (count: number): JsonObject[] => Array.from({ length: count }, (_, i) => ({ sku: `S${i}` }));

describe('httpLookup', () => {
    it('adds the response, or a part of it, to each record, in their order', async () => {
        const ask = await opened({ url: `${origin}/stock/{{sku}}`, target: 'stock.here', responsePath: 'quantity' });
        expect((await ask(...skus(3))).out).toEqual(skus(3).map(record => ({ ...record, stock: { here: 7 } })));
        const whole = await opened({ url: `${origin}/{{a.b}}?q={{q}}`, target: 'answer' });
        expect((await whole({ a: { b: 1 }, q: true })).out[0]!['answer']).toEqual({ path: '/1?q=true', quantity: 7 });
        answer = () => ({ body: [{ name: 'A' }] });
        const inList = await opened({ url: `${origin}/{{sku}}`, target: 'name', responsePath: '0.name' });
        expect((await inList({ sku: 1 })).out).toEqual([{ sku: 1, name: 'A' }]);
        answer = () => ({ headers: { 'Content-Type': 'text/plain' }, body: 'plain' });
        const text = await opened({ url: `${origin}/{{sku}}`, target: 't' });
        expect((await text({ sku: 1 })).out).toEqual([{ sku: 1, t: 'plain' }]);
    });

    it('lets a value be nothing but a value in the URL', async () => {
        const ask = await opened({ url: `${origin}/a/{{v}}/b?x={{v}}`, target: 't', responsePath: 'path' });
        const evil = ['../../admin', 'x?y=1&z', '@evil.example', 'a/b', 'a b', '#', '%2e%2e', '\r\nX: 1', 'ü'];
        const { out } = await ask(...evil.map(v => ({ v })));
        expect(out.map(({ t }) => t)).toEqual(
            evil.map(v => `/a/${encodeURIComponent(v)}/b?x=${encodeURIComponent(v)}`),
        );
        const dots = await ask({ v: '.' }, { v: '..' }, { v: ['x'] });
        expect(dots.rejected.map(({ code }) => code)).toEqual(['RECORD_INVALID', 'RECORD_INVALID', 'RECORD_INVALID']);
    });

    it('sets the default if there is nothing to request, or nothing in the response', async () => {
        const args = { url: `${origin}/{{sku}}`, target: 't', responsePath: 'no.where', default: { none: true } };
        const ask = await opened(args);
        expect((await ask({ sku: 'A' }, {}, { sku: null }, { sku: '' })).out.map(({ t }) => t)).toEqual(
            Array.from({ length: 4 }, () => ({ none: true })),
        );
        expect(requested).toHaveLength(1);
        const keyed = await opened({ ...args, keyField: 'isActive' });
        expect((await keyed({ sku: 'B' })).out).toEqual([{ sku: 'B', t: { none: true } }]);
        expect(requested).toHaveLength(1);
        const { default: _, ...bare } = args;
        expect((await (await opened(bare))({ sku: 'A' }, {})).out).toEqual([{ sku: 'A' }, {}]);
    });

    it.each<[JsonValue, string]>([
        [{ quantity: null }, 'quantity'],
        [{ stock: { quantity: null } }, 'stock.quantity'],
        [[null], '0'],
    ])('takes null at responsePath for not found: %j', async (body, responsePath) => {
        answer = () => ({ body });
        const args = { url: `${origin}/{{sku}}`, target: 't', responsePath };
        const tried = async (more: object): Promise<unknown> => (await opened({ ...args, ...more }))({ sku: 'A' });
        expect(await tried({ default: 0 })).toMatchObject({ out: [{ sku: 'A', t: 0 }], rejected: [] });
        expect(await tried({})).toMatchObject({ out: [{ sku: 'A' }], rejected: [] });
        expect(await tried({ default: 0, failOnError: true })).toMatchObject({
            out: [],
            rejected: [{ code: 'REMOTE_MALFORMED' }],
        });
    });

    it('takes 404 for the default, for the end of the record, or for an error', async () => {
        answer = () => ({ status: 404, body: {} });
        const args = { url: `${origin}/{{sku}}`, target: 't', default: 0 };
        expect(await (await opened(args))({ sku: 'A' })).toEqual({
            out: [{ sku: 'A', t: 0 }],
            rejected: [],
            warnings: [],
        });
        expect(await (await opened({ ...args, skipOn404: true }))({ sku: 'A' })).toEqual({
            out: [],
            rejected: [],
            warnings: [],
        });
        expect(await (await opened({ ...args, skipOn404: true, failOnError: true }))({ sku: 'A' })).toMatchObject({
            out: [],
            rejected: [],
        });
        expect(await (await opened({ ...args, failOnError: true }))({ sku: 'A' })).toMatchObject({
            out: [],
            rejected: [{ code: 'REMOTE_REFUSED', data: { sku: 'A' } }],
        });
    });

    it('rejects a failed look-up, or warns and continues with the default, while the other records continue', async () => {
        const args = { url: `${origin}/{{sku}}`, target: 't', default: null };
        answer = ({ url }) => (url === '/S1' ? { status: 400, body: {} } : { body: { ok: true } });
        const kept = await (await opened(args))(...skus(3));
        expect(kept.out).toEqual([
            { sku: 'S0', t: { ok: true } },
            { sku: 'S1', t: null },
            { sku: 'S2', t: { ok: true } },
        ]);
        expect(kept.warnings).toMatchObject([
            {
                failed: 1,
                records: 3,
                error: { code: 'REMOTE_REFUSED', message: expect.stringMatching(naming(origin.slice(7), 400)) },
            },
        ]);
        const strict = await (await opened({ ...args, failOnError: true }))(...skus(3));
        expect(strict.out.map(({ sku }) => sku)).toEqual(['S0', 'S2']);
        expect(strict.rejected).toMatchObject([{ data: { sku: 'S1' }, code: 'REMOTE_REFUSED' }]);
    });

    it('causes the whole batch to be retried while the server is busy, with failOnError', async () => {
        const args = {
            url: `${origin}/{{sku}}`,
            target: 't',
            default: 0,
            maxRetries: 1,
            batchSize: 1,
            failOnError: true,
        };
        const now = (): number => 5_000_000;
        let isBusy = true;
        answer = ({ url }) => ({ status: isBusy && url === '/S1' ? 503 : 200, body: { ok: true } });
        const ask = await opened(args, { now });
        await expect(ask(...skus(3))).rejects.toMatchObject({ code: 'REMOTE_BUSY', treat: 'transient' });
        expect(requested.map(({ url }) => url)).toEqual(['/S0', '/S1', '/S1']);
        isBusy = false;
        expect(await ask(...skus(3))).toMatchObject({
            out: skus(3).map(record => ({ ...record, t: { ok: true } })),
            rejected: [],
            warnings: [],
        });
        expect(requested.map(({ url }) => url)).toEqual(['/S0', '/S1', '/S1', '/S1', '/S2']);
    });

    it('retries a server that is down as often as maxRetries says, and reports how many records got the default', async () => {
        answer = ({ url }) => ({ status: url === '/S1' ? 503 : 200, body: 1 });
        const ask = await opened({ url: `${origin}/{{sku}}`, target: 't', default: 0, maxRetries: 1, batchSize: 1 });
        const { out, rejected, warnings } = await ask(...skus(3));
        expect([out.map(({ t }) => t), rejected]).toEqual([[1, 0, 1], []]);
        expect(requested.map(({ url }) => url)).toEqual(['/S0', '/S1', '/S1', '/S2']);
        expect(warnings).toHaveLength(1);
    });

    it('does not keep the default as a response: the next batch requests it again', async () => {
        let isBusy = true;
        answer = () => ({ status: isBusy ? 503 : 200, body: 7 });
        const ask = await opened({ url: `${origin}/{{sku}}`, target: 't', default: 0, maxRetries: 0 });
        expect((await ask({ sku: 'A' })).out).toEqual([{ sku: 'A', t: 0 }]);
        isBusy = false;
        expect((await ask({ sku: 'A' })).out).toEqual([{ sku: 'A', t: 7 }]);
    });

    it('sets no default if the run is cancelled', async () => {
        const cancelled = new AbortController();
        answer = () => {
            cancelled.abort();
            return { status: 503, body: {} };
        };
        const ask = await opened(
            { url: `${origin}/{{sku}}`, target: 't', default: 0, maxRetries: 0 },
            { signal: cancelled.signal },
        );
        await expect(ask({ sku: 'A' })).rejects.toBeDefined();
    });

    it.each(['GET', 'POST'])('requests each record of a retried batch once, without a cache: %s', async method => {
        const sent: string[] = [];
        let busy = 0;
        const send: OutboundHttp['send'] = async ({ url }) => {
            sent.push(url.slice(-1));
            if (url.endsWith('/2') && busy++ < 2)
                throw flowError('REMOTE_BUSY', { host: 'erp.example', problem: 'answered 503', attempts: 1 });
            if (url.endsWith('/4')) throw flowError('REMOTE_REFUSED', { host: 'erp.example', problem: 'answered 400' });
            return { status: 200, headers: {}, body: Buffer.from(url.slice(-1)) };
        };
        const args = { url: 'https://erp.example/{{id}}', target: 't', method, cacheTtlSec: 0, failOnError: true };
        const definition = sketched({
            steps: {
                start: ['TRIGGER', { type: 'MANUAL' }],
                read: ['EXTRACT', pages(ids(5).reverse())],
                ask: ['TRANSFORM', { operators: [{ op: 'httpLookup', args: { ...args, batchSize: 5 } }] }],
                write: ['LOAD', LOAD],
            },
            edges: ['start > read > ask > write'],
            throughput: { batchSize: 5 },
            errorHandling: { maxRetries: 3 },
        });
        const { end, state } = await runPipeline(definition, {
            adapters: [httpLookup],
            outbound: { ...fakeOutbound({ http: send }), scope: `scope-${++scopes}` },
        });
        expect([end, sent.sort()]).toMatchObject([{ end: 'completed' }, ['0', '1', '2', '2', '2', '3', '4']]);
        expect([[...state.shop.values()].map(({ t }) => t).sort(), state.rejects.size]).toEqual([
            ['0', '1', '2', '3'],
            1,
        ]);
    });

    it('keeps no results of a batch that has succeeded', async () => {
        let isBusy = true;
        answer = ({ url }) => ({ status: isBusy && url === '/S1' ? 503 : 200, body: 1 });
        const args = { url: `${origin}/{{sku}}`, target: 't', maxRetries: 0, batchSize: 1, cacheTtlSec: 0 };
        const ask = await opened({ ...args, failOnError: true });
        await expect(ask(...skus(2))).rejects.toMatchObject({ code: 'REMOTE_BUSY' });
        isBusy = false;
        for (let time = 0; time < 2; time++) await ask(...skus(2));
        expect(requested.map(({ url }) => url)).toEqual(['/S0', '/S1', '/S1', '/S0', '/S1']);
    });

    it.each([false, true])('fails for an unknown host, with failOnError %s', async failOnError => {
        const ask = await opened({
            url: 'http://flow-look-up.invalid/{{sku}}',
            target: 't',
            maxRetries: 0,
            failOnError,
        });
        const issue = await ask({ sku: 'A' }).catch((error: unknown) => error);
        expect(isFlowError(issue) && issue.code).toMatch(/^REMOTE_(REFUSED|BUSY)$/);
    });

    it('rejects a record if responsePath leads to nothing and skipOn404 is false, also from the cache', async () => {
        const args = { url: `${origin}/{{sku}}`, target: 't', responsePath: 'no.where', default: 0 };
        expect((await (await opened(args))({ sku: 'A' })).out).toEqual([{ sku: 'A', t: 0 }]);
        const ask = await opened({ ...args, failOnError: true });
        for (let time = 0; time < 2; time++)
            expect(await ask({ sku: 'A' })).toMatchObject({ out: [], rejected: [{ code: 'REMOTE_MALFORMED' }] });
        expect(requested).toHaveLength(2);
    });

    it.each<[string, Answer]>([
        ['no JSON', { body: '{nope' }],
        ['a key that reaches prototypes', { body: '{"__proto__":{"x":1}}' }],
        ['an object with a key twice', { body: '{"a":[{"b":1,"b":2}]}' }],
        ['a nest without end', { body: `${'['.repeat(5000)}${']'.repeat(5000)}` }],
    ])('does not take %s for a response', async (_, given) => {
        answer = () => given;
        expect(
            (await (await opened({ url: `${origin}/{{sku}}`, target: 't', failOnError: true }))({ sku: 'A' })).rejected,
        ).toMatchObject([{ code: 'REMOTE_MALFORMED' }]);
    });

    it('keeps numbers that cannot be represented exactly as text', async () => {
        answer = () => ({ body: '{"id":9007199254740993,"rate":0.1234567890123456789,"price":19.90}' });
        expect((await (await opened({ url: `${origin}/{{sku}}`, target: 't' }))({ sku: 'A' })).out).toEqual([
            { sku: 'A', t: { id: '9007199254740993', rate: '0.1234567890123456789', price: 19.9 } },
        ]);
    });

    it('stops at 1 MiB', async () => {
        answer = () => ({ body: `"${'x'.repeat(1024 * 1024)}"` });
        expect(
            (await (await opened({ url: `${origin}/{{sku}}`, target: 't', failOnError: true }))({ sku: 'A' })).rejected,
        ).toMatchObject([{ code: 'OUTBOUND_TOO_LARGE' }]);
    });

    it('never treats a blocked request like a missing response', async () => {
        const ask = await opened({ url: 'http://169.254.169.254/latest/{{sku}}', target: 't', default: 0 });
        expect(await ask({ sku: 'A' })).toMatchObject({ out: [], rejected: [{ code: 'OUTBOUND_BLOCKED' }] });
    });

    it('sends a body, filled in or from a field', async () => {
        const post = { url: `${origin}/q`, method: 'POST', target: 't', responsePath: 'quantity', cacheTtlSec: 0 };
        await (
            await opened({ ...post, body: { id: '{{id}}', text: 'no. {{id}}: {{name}}', list: ['{{tags}}', 1, null] } })
        )({ id: 7, name: 'a"b', tags: ['x'] }, { id: 8 });
        await (
            await opened({ ...post, bodyField: 'query' })
        )({ query: { a: [1] } }, {});
        await (
            await opened({ ...post, body: '{"name":"{{name}}"}' })
        )({ name: 'a"}\n' });
        await (
            await opened({
                ...post,
                body: 'n={{name}}',
                headers: { 'content-type': 'application/x-www-form-urlencoded' },
            })
        )({ name: 'a&b=c' });
        expect(requested.map(({ body }) => body)).toEqual([
            '{"id":7,"text":"no. 7: a\\"b","list":[["x"],1,null]}',
            '{"a":[1]}',
            '{"name":"a\\"}\\n"}',
            'n=a%26b%3Dc',
        ]);
        expect(requested.map(({ method, headers }) => [method, headers['content-type']])).toEqual([
            ...[1, 2, 3].map(() => ['POST', 'application/json']),
            ['POST', 'application/x-www-form-urlencoded'],
        ]);
    });

    it('limits the number of requests at the same time', async () => {
        answer = async () => {
            while (most < 4) await new Promise(resolve => setTimeout(resolve, 1));
            return { body: 1 };
        };
        const ask = await opened({ url: `${origin}/{{sku}}`, target: 't', batchSize: 4, rateLimitPerSecond: 10_000 });
        expect((await ask(...skus(20))).out).toHaveLength(20);
        expect([requested.length, most]).toEqual([20, 4]);
    });

    describe('proves itself', () => {
        const secrets = { token: 't0ken', key: 'k3y', pair: 'user:pa:ss', empty: ' ' };
        const connection = (more: JsonObject = {}): JsonObject => ({
            baseUrl: `${origin}/api`,
            headers: { 'X-Tenant': 'mine', Accept: 'a/b' },
            ...more,
        });
        const own = { url: '/{{sku}}', target: 't', connectionCode: 'erp' };

        it.each<[string, Record<string, unknown>, JsonObject, string, string]>([
            [
                'as the connection says',
                {},
                { auth: { type: 'BEARER', secretCode: 'token' } },
                'authorization',
                'Bearer t0ken',
            ],
            [
                'with a separate token',
                { bearerTokenSecretCode: 'token' },
                { auth: { type: 'BASIC', username: 'u', secretCode: 'key' } },
                'authorization',
                'Bearer t0ken',
            ],
            ['with a key', { apiKeySecretCode: 'key' }, {}, 'x-api-key', 'k3y'],
            ['with a key in its own header', { apiKeySecretCode: 'key', apiKeyHeader: 'X-Erp' }, {}, 'x-erp', 'k3y'],
            [
                'with a name and a password',
                { basicAuthSecretCode: 'pair' },
                {},
                'authorization',
                `Basic ${Buffer.from('user:pa:ss').toString('base64')}`,
            ],
        ])('%s', async (_, args, more, header, value) => {
            const ask = await opened(
                { ...own, headers: { accept: 'application/json' }, ...args },
                { secrets, connection: connection(more) },
            );
            await ask({ sku: 'A' });
            expect(requested).toMatchObject([
                { url: '/api/A', headers: { [header]: value, 'x-tenant': 'mine', accept: 'application/json' } },
            ]);
        });

        it.each<[string, Record<string, unknown>, JsonValue, string]>([
            ['a secret that is missing', { bearerTokenSecretCode: 'gone' }, 'base', 'SECRET_NOT_FOUND'],
            ['a secret that is empty', { bearerTokenSecretCode: 'empty' }, 'base', 'SECRET_UNREADABLE'],
            ['a secret that is not a name and password', { basicAuthSecretCode: 'key' }, 'base', 'SECRET_UNREADABLE'],
            [
                'a connection without a base URL',
                { url: 'https://x.example/', bearerTokenSecretCode: 'token' },
                null,
                'CONNECTION_INVALID',
            ],
            ['a path without a base URL', {}, null, 'CONNECTION_INVALID'],
            ['another origin', { url: 'https://x.example/{{sku}}' }, 'base', 'OUTBOUND_ORIGIN'],
            ['another port', { url: 'http://127.0.0.1:1/' }, 'base', 'OUTBOUND_ORIGIN'],
        ])('never with %s: no request is sent', async (_, args, base, code) => {
            await expect(
                opened({ ...own, ...args }, { secrets, connection: base === null ? {} : connection() }),
            ).rejects.toMatchObject({ code });
            expect(requested).toEqual([]);
        });

        it('to its own origin alone', async () => {
            const elsewhere: Asked[] = [];
            const other = createServer(({ url, method, headers }, response) => {
                elsewhere.push({ url: url!, method: method!, headers, body: '' });
                response.end('{}');
            });
            await new Promise<void>(done => other.listen(0, '127.0.0.1', done));
            answer = () => ({
                status: 302,
                headers: { Location: `http://127.0.0.1:${(other.address() as AddressInfo).port}/` },
                body: '',
            });
            const ask = await opened(
                { ...own, bearerTokenSecretCode: 'token', default: 0 },
                { secrets, connection: connection() },
            );
            expect((await ask({ sku: 'A' })).rejected).toMatchObject([{ code: 'OUTBOUND_ORIGIN' }]);
            await new Promise(done => other.close(done));
            expect(elsewhere).toEqual([]);
        });
    });

    describe('remembers responses', () => {
        const args = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
            url: `${origin}/{{sku}}`,
            target: 't',
            ...more,
        });

        it('for the configured time, 404 included, errors never', async () => {
            let now = 1_000_000;
            const ask = await opened(args({ cacheTtlSec: 10 }), { now: () => now });
            await ask({ sku: 'A' }, { sku: 'A' });
            await ask({ sku: 'A' });
            expect(requested).toHaveLength(1);
            now += 10_000;
            await ask({ sku: 'A' });
            expect(requested).toHaveLength(2);
            answer = () => ({ status: 404, body: {} });
            await ask({ sku: 'B' });
            await ask({ sku: 'B' });
            expect(requested).toHaveLength(3);
            answer = () => ({ status: 400, body: {} });
            await ask({ sku: 'C' });
            await ask({ sku: 'C' });
            expect(requested).toHaveLength(5);
        });

        it('never with 0', async () => {
            const ask = await opened(args({ cacheTtlSec: 0, batchSize: 1 }));
            await ask({ sku: 'A' }, { sku: 'A' });
            expect(requested).toHaveLength(2);
        });

        it('for the next run of the same step, and for no other step', async () => {
            const bound = { connectionCode: 'erp', url: '/{{sku}}', target: 't', bearerTokenSecretCode: 'token' };
            const given = {
                scope: 'channel-1/p',
                stepKey: 's',
                secrets: { token: 'one' },
                connection: { baseUrl: origin },
            };
            const record = { sku: 'A' };
            await (
                await opened(bound, given)
            )(record);
            await (
                await opened(bound, given)
            )(record);
            expect(requested).toHaveLength(1);
            const others: Array<[Record<string, unknown>, Given]> = [
                [bound, { ...given, scope: 'channel-2/p' }],
                [bound, { ...given, stepKey: 'other' }],
                [bound, { ...given, secrets: { token: 'two' } }],
                [{ ...bound, headers: { Accept: 'x/y' } }, given],
                [{ ...bound, responsePath: 'path' }, given],
                [bound, { ...given, connection: { baseUrl: origin, headers: { 'X-A': '1' } } }],
            ];
            for (const [more, other] of others) await (await opened(more, other))(record);
            expect(requested).toHaveLength(1 + others.length);
        });

        it('within bounds, with keys that reveal nothing', () => {
            const cache = new LookupCache({ entries: 3, bytes: 2000 });
            const found = (value: JsonValue) => ({ is: 'found', value }) as const;
            for (const key of ['a', 'b', 'c']) cache.set(key, found(key), 10);
            expect(cache.get('a', 0)).toEqual(found('a'));
            cache.set('d', found('d'), 10);
            expect(['a', 'b', 'c', 'd'].map(key => cache.get(key, 0)?.is)).toEqual([
                'found',
                undefined,
                'found',
                'found',
            ]);
            cache.set('e', found('x'.repeat(700)), 10);
            expect([cache.size, cache.get('e', 0)?.is, cache.get('e', 10)]).toEqual([2, 'found', undefined]);
            cache.set('f', found('x'.repeat(5000)), 10);
            expect(cache.get('f', 0)).toBeUndefined();
            expect(cache.keyOf(['a', 'bc'])).not.toBe(cache.keyOf(['ab', 'c']));
            expect(cache.keyOf(['t0ken'])).not.toContain('t0ken');
            expect(cache.keyOf(['a'])).not.toBe(new LookupCache().keyOf(['a']));
            expect(lookupCache.size).toBeGreaterThan(0);
        });
    });

    it('stops with the run', async () => {
        const stop = new AbortController();
        const reason = flowError('RUN_CANCELLED', {});
        answer = () => {
            stop.abort(reason);
            return { body: 1 };
        };
        const ask = await opened({ url: `${origin}/{{sku}}`, target: 't', batchSize: 1 }, { signal: stop.signal });
        await expect(ask(...skus(5))).rejects.toBe(reason);
        expect(requested).toHaveLength(1);
    });

    it.each<[Record<string, unknown>, string | RegExp]>([
        [
            { bearerTokenSecretCode: 'a', basicAuthSecretCode: 'b', connectionCode: 'c' },
            'basicAuthSecretCode: cannot be combined with bearerTokenSecretCode',
        ],
        [{ apiKeySecretCode: 'a' }, 'connectionCode: is missing; apiKeySecretCode needs a connection with a base URL'],
        [{ apiKeyHeader: 'X-Key' }, 'apiKeyHeader: needs apiKeySecretCode'],
        [
            { apiKeyHeader: 'Host', apiKeySecretCode: 'a', connectionCode: 'c' },
            'apiKeyHeader: says where a request goes',
        ],
        [{ headers: { Authorization: 'x' } }, 'headers.Authorization: carries a credential'],
        [{ body: {} }, 'body: needs method POST'],
        [{ bodyField: 'a' }, 'bodyField: needs method POST'],
        [{ method: 'POST', body: {}, bodyField: 'a' }, 'body: give either body or bodyField'],
        [
            { method: 'POST', body: '<a>{{x}}</a>', headers: { 'Content-Type': 'text/xml' } },
            'body: is text with {{…}}, which is safe in JSON and forms only',
        ],
        [{ method: 'POST', body: { a: '{{__proto__}}' } }, naming('"__proto__"')],
        [{ url: 'https://{{host}}/' }, 'url: takes its host from the record'],
        [{ url: '/path' }, 'url: is a path; without a connection'],
        [{ url: 'file:///etc/passwd' }, 'url: is not a URL'],
        [{ url: '//evil.example/', connectionCode: 'c' }, 'url: is not a URL'],
        [{ url: 'https://u:p@api.example.com/' }, 'url: is not a URL'],
        [{ url: 'https://api.example.com/../x' }, 'url: has . or .. as a part of its path'],
        [{ url: 'https://api.example.com/{{sku' }, 'url: has a {{ or }} without its counterpart'],
        [{ url: 'https://api.example.com/{{a..b}}' }, 'has an empty segment'],
        [{ timeoutMs: 0 }, naming('timeoutMs', 0, 1, 300_000)],
        [{ cacheTtlSec: 604_801 }, 'allowed: 0 to 604800'],
        [{ maxRetries: 11 }, 'allowed: 0 to 10'],
        [{ batchSize: 501 }, 'allowed: 1 to 500'],
        [{ rateLimitPerSecond: 0 }, 'allowed: 1 to 10000'],
        [{ method: 'PUT' }, 'method is "PUT"; allowed: "GET", "POST"'],
    ])('is rejected with %j', (args, problem) => expect(faultsOf(args)).toMatch(problem));

    it('has the defaults of the specification', () => {
        expect(httpLookup.config.parse({ url: 'https://api.example.com/', target: 't' })).toMatchObject({
            method: 'GET',
            timeoutMs: 5000,
            cacheTtlSec: 300,
            skipOn404: false,
            failOnError: false,
            maxRetries: 2,
            batchSize: 50,
            rateLimitPerSecond: 100,
        });
    });
});
