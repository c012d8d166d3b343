import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { SELF_SIGNED } from '../../../test/fixtures/self-signed';
import { StubServers } from '../../../test/kit/stub-server';
import type { OutboundAuth, OutboundHttp, OutboundRequest } from '../../core/adapter/http';
import { Secret } from '../../core/adapter/secret';
import { EVERY_HOST } from '../../core/adapter/secret-hosts';
import type { Clock } from '../../core/concurrency/clock';
import type { FlowError } from '../../core/errors/flow-error';
import { apiKey, basic, basicOf, bearer } from './auth';
import { type GatewayOptions, OutboundGateway } from './gateway';
import type { Resolve } from './socket';

const LOCAL = ['127.0.0.1', 'a.test', 'b.test', 'svc.test', 'other.test'];
const servers = new StubServers();
const serve = servers.serve.bind(servers);

/** Sleeps are over at once, and remembered. */
function quickClock(): Clock & { readonly slept: number[] } {
    const slept: number[] = [];
    let now = Date.parse('2026-11-01T00:00:00Z');
    return {
        slept,
        now: () => now,
        sleep: async (ms, signal) => {
            signal?.throwIfAborted();
            slept.push(ms);
            now += ms;
        },
    };
}

function gateway(options: Partial<GatewayOptions> = {}, rateLimitRps = 0): OutboundHttp {
    const made = new OutboundGateway({
        allowedHostnames: LOCAL,
        resolve: () => Promise.resolve(['127.0.0.1']),
        clock: quickClock(),
        ...options,
    });
    servers.atEnd(() => made.close());
    return made.forRun({ scope: 'test', rateLimitRps }).http;
}

const request = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
    url,
    method: 'GET',
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    ...more,
});
const rejected = (answer: Promise<unknown>): Promise<FlowError> =>
    answer.then(
        () => {
            throw new Error('it was answered');
        },
        (error: FlowError) => error,
    );
const statuses =
    (...list: number[]) =>
    (_: IncomingMessage, response: ServerResponse, number: number): void => {
        response.writeHead(list[Math.min(number, list.length) - 1]!).end('body');
    };

describe('a request', () => {
    it('goes out with its headers and body, and its answer comes back', async () => {
        const stub = await serve((_, response) => {
            response.writeHead(201, { 'Content-Type': 'text/plain', 'Set-Cookie': ['a=1', 'b=2'] }).end('ü');
        });
        const answer = await gateway().send(
            request(`http://a.test:${stub.port}/p%20q?x=1#gone`, {
                method: 'POST',
                body: '{"a":"ü"}',
                headers: { 'X-Mine': 'yes' },
            }),
        );
        expect(answer).toMatchObject({
            status: 201,
            headers: { 'content-type': 'text/plain', 'set-cookie': 'a=1, b=2' },
        });
        expect(answer.body.toString()).toBe('ü');
        expect(stub.seen).toEqual([expect.objectContaining({ method: 'POST', url: '/p%20q?x=1', body: '{"a":"ü"}' })]);
        expect(stub.seen[0]!.headers).toMatchObject({
            'x-mine': 'yes',
            'content-type': 'application/json',
            'user-agent': 'vendure-plugin-flow',
            host: `a.test:${stub.port}`,
        });
    });

    it.each<[string, Record<string, string>]>([
        ['a line end', { 'X-Mine': 'a\r\nX-Evil: 1' }],
        ['a lone line feed', { 'X-Mine': 'a\nb' }],
        ['a line end in a name', { 'X-Mine\r\nX-Evil': '1' }],
        ['a NUL', { 'X-Mine': 'a\0' }],
        ['another host', { Host: 'evil.example' }],
        ['another length', { 'Content-Length': '0' }],
        ['another framing', { 'Transfer-Encoding': 'chunked' }],
        ['a credential', { Authorization: 'Bearer x' }],
        ['a cookie', { Cookie: 'a=1' }],
        ["a proxy's credential", { 'Proxy-Authorization': 'x' }],
    ])('with %s in its headers is not sent', async (_, headers) => {
        const stub = await serve(statuses(200));
        expect(await rejected(gateway().send(request(`http://a.test:${stub.port}/`, { headers })))).toMatchObject({
            code: 'OUTBOUND_BLOCKED',
        });
        expect(stub.seen).toEqual([]);
    });

    it('takes no way around by proxies that the environment names', async () => {
        const proxy = await serve(statuses(200));
        const stub = await serve(statuses(200));
        const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY'];
        const before = names.map(name => process.env[name]);
        servers.atEnd(() =>
            names.forEach((name, i) => {
                if (before[i] === undefined) delete process.env[name];
                else process.env[name] = before[i];
            }),
        );
        for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
        await gateway().send(request(`http://a.test:${stub.port}/`));
        expect([stub.seen.length, proxy.seen.length]).toEqual([1, 0]);
    });

    it('needs an origin for its credential, which no error reveals', async () => {
        const secret = new Secret('key', 'c4nary\r\nX-Evil: 1', EVERY_HOST);
        const stub = await serve(statuses(200));
        const originLock = `http://a.test:${stub.port}`;
        const error = await rejected(
            gateway().send(request(`${originLock}/`, { auth: { header: 'X-Key', value: secret }, originLock })),
        );
        expect(error).toMatchObject({ code: 'OUTBOUND_BLOCKED' });
        expect(error.message).not.toContain('c4nary');
        expect(
            await rejected(
                gateway().send(request(`${originLock}/`, { auth: bearer(new Secret('key', 'x', EVERY_HOST)) })),
            ),
        ).toMatchObject({ code: 'BUG' });
        for (const url of [
            `http://b.test:${stub.port}/`,
            `https://a.test:${stub.port}/`,
            'http://a.test:1/',
            `http://a.test.example:${stub.port}/`,
        ]) {
            expect(
                await rejected(
                    gateway({ allowedHostnames: [...LOCAL, 'a.test.example'] }).send(request(url, { originLock })),
                ),
            ).toMatchObject({ code: 'OUTBOUND_ORIGIN' });
        }
        expect(stub.seen).toEqual([]);
    });

    it('takes a secret along only to hosts that it may be sent to', async () => {
        const stub = await serve(statuses(200));
        const originLock = `http://a.test:${stub.port}`;
        const secret = new Secret('key', 'c4nary', [`b.test:${stub.port}`, 'a.test:1', '*.a.test']);
        const auth = bearer(secret);
        const signed = (): OutboundAuth[] => [apiKey('x-signature', secret)];
        for (const more of [{ auth }, { signed }, { auth: basic('shop', secret) }, { auth: basic(secret, secret) }])
            expect(await rejected(gateway().send(request(`${originLock}/`, { ...more, originLock })))).toMatchObject({
                code: 'SECRET_HOST_NOT_ALLOWED',
                facts: expect.objectContaining({ code: 'key', host: `a.test:${stub.port}` }) as object,
            });
        expect(stub.seen).toEqual([]);
        const allowed = `http://b.test:${stub.port}`;
        await gateway().send(request(`${allowed}/`, { auth, signed, originLock: allowed }));
        expect(stub.seen[0]!.headers).toMatchObject({ authorization: 'Bearer c4nary', 'x-signature': 'c4nary' });
    });

    it('takes an origin whose host is written with a dot at its end for the same', async () => {
        const stub = await serve(statuses(200));
        const auth = { header: 'X-Key', value: new Secret('key', 'k3y', EVERY_HOST) };
        const dotted = `http://a.test.:${stub.port}`;
        const bare = `http://a.test:${stub.port}`;
        for (const [url, originLock] of [
            [dotted, dotted],
            [bare, dotted],
            [dotted, bare],
        ] as const)
            await gateway().send(request(`${url}/`, { auth, originLock }));
        expect(stub.seen.map(({ headers }) => headers['x-key'])).toEqual(['k3y', 'k3y', 'k3y']);
    });

    it('proves itself with a token, a key, or a name and a password', async () => {
        const stub = await serve(statuses(200));
        const originLock = `http://a.test:${stub.port}`;
        const http = gateway();
        const secret = (value: string): Secret => new Secret('code', value, EVERY_HOST);
        for (const auth of [
            bearer(secret('t0ken\n')),
            apiKey('X-API-Key', secret('k3y')),
            basic('ünal', secret('p:w')),
            basicOf(secret('user:pass:word')),
        ]) {
            await http.send(request(`${originLock}/`, { auth, originLock }));
        }
        const base64 = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
        expect(stub.seen.map(({ headers }) => headers['x-api-key'] ?? headers.authorization)).toEqual([
            'Bearer t0ken',
            'k3y',
            base64('ünal:p:w'),
            base64('user:pass:word'),
        ]);
        for (const make of [() => bearer(secret(' \n')), () => basicOf(secret('no colon')), () => basicOf(secret(''))])
            expect(make).toThrow(expect.objectContaining({ code: 'SECRET_UNREADABLE' }));
    });
});

describe('a redirect', () => {
    it.each<[number, string, string, string]>([
        [301, 'POST', 'GET', ''],
        [302, 'POST', 'GET', ''],
        [303, 'POST', 'GET', ''],
        [303, 'PUT', 'GET', ''],
        [307, 'POST', 'POST', '{}'],
        [308, 'PUT', 'PUT', '{}'],
        [301, 'PUT', 'PUT', '{}'],
        [302, 'GET', 'GET', ''],
    ])('%i makes of a %s a %s', async (status, method, then, body) => {
        const stub = await serve((_, response, number) => {
            (number === 1 ? response.writeHead(status, { location: '/next?a=b#c' }) : response.writeHead(200)).end();
        });
        const sent = method === 'GET' ? {} : { body: '{}' };
        await gateway().send(request(`http://a.test:${stub.port}/first`, { method: method as 'GET', ...sent }));
        expect(stub.seen[1]).toMatchObject({ method: then, url: '/next?a=b', body });
        expect(stub.seen[1]!.headers['content-type']).toBe(body === '' ? undefined : 'application/json');
    });

    it('keeps credentials, bodies and headers with their origin', async () => {
        const other = await serve(statuses(200));
        let status = 302;
        const stub = await serve((_, response) => {
            response.writeHead(status, { location: `http://b.test:${other.port}/` }).end();
        });
        const url = `http://a.test:${stub.port}/`;
        const http = gateway();
        await http.send(request(url, { headers: { 'X-Tenant': 'mine', Accept: 'application/json' } }));
        expect(other.seen[0]!.headers).toMatchObject({ accept: 'application/json' });
        expect(other.seen[0]!.headers['x-tenant']).toBeUndefined();
        const originLock = new URL(url).origin;
        for (const more of [{ originLock }, { originLock, auth: bearer(new Secret('key', 'c4nary', EVERY_HOST)) }])
            expect(await rejected(http.send(request(url, more)))).toMatchObject({ code: 'OUTBOUND_ORIGIN' });
        status = 307;
        expect(await rejected(http.send(request(url, { method: 'POST', body: '{}' })))).toMatchObject({
            code: 'OUTBOUND_ORIGIN',
        });
        expect(other.seen).toHaveLength(1);
    });

    it('is followed five times, and must say where to', async () => {
        const stub = await serve(({ url }, response) => {
            const number = Number(url!.slice(1));
            response.writeHead(number === 0 ? 200 : 302, { location: number === 99 ? '' : `/${number - 1}` }).end();
        });
        const base = `http://a.test:${stub.port}`;
        expect(await gateway().send(request(`${base}/5`))).toMatchObject({ status: 200 });
        expect(await rejected(gateway().send(request(`${base}/6`)))).toMatchObject({
            code: 'REMOTE_REFUSED',
            facts: { host: `a.test:${stub.port}`, problem: expect.stringMatching(/redirects.* 5 times/) },
        });
        expect(await rejected(gateway().send(request(`${base}/99`)))).toMatchObject({ code: 'REMOTE_REFUSED' });
    });
});

describe('an answer', () => {
    const text = 'abc'.repeat(1000);
    it.each([
        ['gzip', gzipSync(text)],
        ['br', brotliCompressSync(text)],
        ['deflate', deflateSync(text)],
        ['identity', Buffer.from(text)],
    ])('in %s is read', async (coding, body) => {
        const stub = await serve((_, response) => {
            response.writeHead(200, { 'Content-Encoding': coding }).end(body);
        });
        expect((await gateway().send(request(`http://a.test:${stub.port}/`))).body.toString()).toBe(text);
    });

    const bomb = Buffer.alloc(64 * 1024 * 1024);
    it.each([
        ['gzip', gzipSync(bomb)],
        ['br', brotliCompressSync(bomb)],
        ['deflate', deflateSync(bomb)],
    ])('that swells in %s is stopped', async (coding, body) => {
        const stub = await serve((_, response) => {
            response.writeHead(200, { 'Content-Encoding': coding }).end(body);
        });
        expect(
            await rejected(
                gateway().send(request(`http://a.test:${stub.port}/`, { maxBytes: 1_000_000, attempts: 3 })),
            ),
        ).toMatchObject({ code: 'OUTBOUND_TOO_LARGE' });
        expect(stub.seen).toHaveLength(1);
    });

    it('that does not end is stopped, announced or not', async () => {
        const stub = await serve(({ url }, response) => {
            if (url === '/announced') response.writeHead(200, { 'Content-Length': String(10 ** 9) });
            const more = (): void => {
                while (!response.destroyed && response.write('x'.repeat(16_384)));
            };
            response.on('drain', more);
            more();
        });
        for (const path of ['announced', 'chunked'])
            expect(
                await rejected(gateway().send(request(`http://a.test:${stub.port}/${path}`, { maxBytes: 100_000 }))),
            ).toMatchObject({ code: 'OUTBOUND_TOO_LARGE' });
    });

    it('may be as large as the shop allows, whatever limit an adapter sets', async () => {
        const stub = await serve(({ url }, response) => {
            response.end('x'.repeat(Number(url!.slice(1))));
        });
        const ask = (bytes: number, more: Partial<OutboundRequest> = {}) =>
            gateway({ maxResponseBytes: 2000 }).send(request(`http://a.test:${stub.port}/${bytes}`, more));
        expect((await ask(2000)).body).toHaveLength(2000);
        for (const maxBytes of [undefined, 5000])
            expect(await rejected(ask(2001, maxBytes === undefined ? {} : { maxBytes }))).toMatchObject({
                code: 'OUTBOUND_TOO_LARGE',
            });
        expect(await rejected(ask(200, { maxBytes: 100 }))).toMatchObject({ code: 'OUTBOUND_TOO_LARGE' });
    });

    it('to HEAD describes a body of any length and packing, which is not sent', async () => {
        const stub = await serve((_, response) => {
            response.writeHead(200, { 'Content-Length': String(10 ** 9), 'Content-Encoding': 'gzip' }).end();
        });
        const { status, headers, body } = await gateway().send(
            request(`http://a.test:${stub.port}/`, { method: 'HEAD' }),
        );
        expect([status, headers['content-length'], body.length]).toEqual([200, '1000000000', 0]);
    });

    it('that is invalid or broken is reported as such', async () => {
        const raw: Record<string, string> = {
            '/garbage': 'hello there\r\n\r\n',
            '/headers': `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
            '/badzip': 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope',
            '/coding': 'HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nContent-Length: 4\r\n\r\nnope',
            '/constructor': 'HTTP/1.1 200 OK\r\nContent-Encoding: constructor\r\nContent-Length: 4\r\n\r\nnope',
            '/proto': 'HTTP/1.1 200 OK\r\nContent-Encoding: __proto__\r\nContent-Length: 4\r\n\r\nnope',
            '/status': 'HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n',
            '/short': 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort',
            '/reset': '',
        };
        const server = createTcpServer(socket => {
            socket
                .on('error', () => undefined)
                .once('data', data => socket.end(raw[data.toString().split(' ')[1]!] ?? ''));
        });
        await servers.listening(server);
        servers.atEnd(() => new Promise(done => server.close(done)));
        const http = gateway();
        const codes: Record<string, string> = {};
        for (const path of Object.keys(raw))
            codes[path] = (
                await rejected(http.send(request(`http://a.test:${(server.address() as AddressInfo).port}${path}`)))
            ).code;
        expect(codes).toEqual({
            '/garbage': 'REMOTE_MALFORMED',
            '/headers': 'OUTBOUND_TOO_LARGE',
            '/badzip': 'REMOTE_MALFORMED',
            '/coding': 'REMOTE_MALFORMED',
            '/constructor': 'REMOTE_MALFORMED',
            '/proto': 'REMOTE_MALFORMED',
            '/status': 'REMOTE_MALFORMED',
            '/short': 'REMOTE_BUSY',
            '/reset': 'REMOTE_BUSY',
        });
    });

    it.each(['nothing', 'headers', 'drops'])(
        'that is slow to come (%s) is not waited for longer than allowed',
        async how => {
            const timers: NodeJS.Timeout[] = [];
            servers.atEnd(() => timers.forEach(timer => clearInterval(timer)));
            const stub = await serve((_, response) => {
                if (how === 'headers') response.writeHead(200).flushHeaders();
                if (how === 'drops') timers.push(setInterval(() => response.write('.'), 20));
            });
            const error = await rejected(
                gateway().send(request(`http://a.test:${stub.port}/`, { timeoutMs: 300, attempts: 2 })),
            );
            expect(error).toMatchObject({
                code: 'OUTBOUND_TIMEOUT',
                facts: {
                    host: `a.test:${stub.port}`,
                    what: expect.stringContaining('not answer'),
                    timeoutMs: 300,
                    attempts: 2,
                },
            });
        },
    );

    it('is not waited for when the run stops', async () => {
        const stop = new AbortController();
        const reason = new Error('stopped');
        const stub = await serve(() => {
            stop.abort(reason);
        });
        expect(
            await rejected(
                gateway().send(request(`http://a.test:${stub.port}/`, { signal: stop.signal, attempts: 5 })),
            ),
        ).toBe(reason);
        expect(await rejected(gateway().send(request(`http://a.test:${stub.port}/`, { signal: stop.signal })))).toBe(
            reason,
        );
        expect(stub.seen).toHaveLength(1);
    });

    it('comes from a server whose certificate is good for the name, at the address that was looked at', async () => {
        const stub = await serve(statuses(200), true);
        const trusting = gateway({ ca: SELF_SIGNED.cert });
        expect(await trusting.send(request(`https://svc.test:${stub.port}/`))).toMatchObject({ status: 200 });
        expect(
            await rejected(trusting.send(request(`https://other.test:${stub.port}/`, { attempts: 3 }))),
        ).toMatchObject({ code: 'REMOTE_REFUSED' });
        expect(await rejected(trusting.send(request(`https://127.0.0.1:${stub.port}/`)))).toMatchObject({
            code: 'REMOTE_REFUSED',
        });
        expect(await rejected(gateway().send(request(`https://svc.test:${stub.port}/`)))).toMatchObject({
            code: 'REMOTE_REFUSED',
        });
        expect(stub.seen).toHaveLength(1);
    });
});

describe('a failure', () => {
    it.each<[string, number[], Partial<OutboundRequest>, number, string]>([
        ['a GET until it is answered', [503, 500, 200], { attempts: 3 }, 3, 'answered'],
        ['a GET as often as allowed', [503], { attempts: 3 }, 3, 'REMOTE_BUSY'],
        ['nothing unless allowed', [503], {}, 1, 'REMOTE_BUSY'],
        ['a 408', [408, 200], { attempts: 2 }, 2, 'answered'],
        ['a 429', [429, 200], { attempts: 2 }, 2, 'answered'],
        ['no other 4xx', [400, 200], { attempts: 5 }, 1, 'REMOTE_REFUSED'],
        ['no 401', [401, 200], { attempts: 5 }, 1, 'REMOTE_REFUSED'],
        ['no 404', [404, 200], { attempts: 5 }, 1, 'REMOTE_REFUSED'],
        ['no 410', [410, 200], { attempts: 5 }, 1, 'REMOTE_REFUSED'],
        ['no POST that may have been heard', [500, 200], { method: 'POST', body: '{}', attempts: 5 }, 1, 'REMOTE_BUSY'],
        ['a POST that was turned away', [429, 200], { method: 'POST', body: '{}', attempts: 5 }, 2, 'answered'],
        [
            'a POST that may come twice',
            [500, 200],
            { method: 'POST', body: '{}', attempts: 5, isRepeatable: true },
            2,
            'answered',
        ],
        ['a PUT', [502, 200], { method: 'PUT', body: '{}', attempts: 5 }, 2, 'answered'],
        ['nothing that is expected', [404, 200], { attempts: 5, expected: [404] }, 1, 'answered'],
    ])('repeats %s', async (_, list, more, times, end) => {
        const stub = await serve(statuses(...list));
        const code = await gateway()
            .send(request(`http://a.test:${stub.port}/`, more))
            .then(
                () => 'answered',
                (error: FlowError) => error.code,
            );
        expect([code, stub.seen.length]).toEqual([end, times]);
    });

    it('is waited for as long as the server says, by seconds or by date, within reason', async () => {
        let after = '7';
        const stub = await serve((_, response, number) => {
            response.writeHead(number % 2 === 1 ? 429 : 200, { 'Retry-After': after }).end();
        });
        const clock = quickClock();
        const http = gateway({ clock });
        const ask = (): Promise<unknown> => http.send(request(`http://a.test:${stub.port}/`, { attempts: 2 }));
        await ask();
        after = new Date(clock.now() + 20_000).toUTCString();
        await ask();
        expect(clock.slept).toEqual([7000, 20_000]);
        after = '120';
        expect(await rejected(ask())).toMatchObject({
            code: 'REMOTE_BUSY',
            waitMs: 120_000,
            facts: expect.objectContaining({ problem: expect.stringMatching(/ 429 .* 120 s/) }),
        });
        // Three thousand years, and no number that could be taken for none.
        after = '99999999999';
        await ask();
        expect(await rejected(ask())).toMatchObject({ code: 'REMOTE_BUSY', waitMs: 99_999_999_999_000 });
        expect(clock.slept).toHaveLength(2);
    });

    it('of the name server passes: the name is looked up again, then the server is busy (N12)', async () => {
        const stub = await serve(statuses(200));
        let requested = 0;
        const away = (until: number): Resolve => {
            requested = 0;
            return () =>
                ++requested > until
                    ? Promise.resolve(['127.0.0.1'])
                    : Promise.reject(Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' }));
        };
        const order = request(`http://a.test:${stub.port}/`, { attempts: 3 });
        expect((await gateway({ resolve: away(2) }).send(order)).status).toBe(200);
        expect([requested, stub.seen.length]).toEqual([3, 1]);
        expect(await rejected(gateway({ resolve: away(9) }).send(order))).toMatchObject({
            code: 'REMOTE_BUSY',
            treat: 'transient',
        });
        expect([requested, stub.seen.length]).toEqual([3, 1]);
    });

    it('to connect is repeated for a POST, too, as the server has not received it', async () => {
        let calls = 0;
        const http = gateway({
            makeConnector: () => (_, callback) => {
                calls++;
                callback(Object.assign(new Error('no'), { code: 'ECONNREFUSED' }), null);
            },
        });
        expect(
            await rejected(http.send(request('http://a.test/', { method: 'POST', body: '{}', attempts: 3 }))),
        ).toMatchObject({
            code: 'REMOTE_BUSY',
            facts: { host: 'a.test', problem: expect.stringContaining('rejects connections'), attempts: 3 },
        });
        expect(calls).toBe(3);
        const nobody = gateway({
            resolve: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })),
        });
        expect(await rejected(nobody.send(request('http://typo.test/', { attempts: 3 })))).toMatchObject({
            code: 'REMOTE_REFUSED',
            facts: { host: 'typo.test', problem: expect.stringContaining('unknown') },
        });
    });

    it('five times in a row opens the breaker of the origin; later one request tries again', async () => {
        let status = 503;
        const stub = await serve((_, response) => {
            response.writeHead(status).end();
        });
        const well = await serve(statuses(200));
        const clock = quickClock();
        const http = gateway({ clock });
        const ask = (port = stub.port): Promise<string> =>
            http.send(request(`http://a.test:${port}/`)).then(
                () => 'answered',
                (error: FlowError) => error.message,
            );
        for (let i = 0; i < 5; i++) expect(await ask()).toContain('answered 503');
        expect(await ask()).toMatch(/ 503\b.* 30 s/);
        expect(await ask(well.port)).toBe('answered');
        expect(stub.seen).toHaveLength(5);
        await clock.sleep(30_001);
        expect(await ask()).toContain('answered 503');
        expect(await ask()).toMatch(/ 503\b.* 30 s/);
        expect(stub.seen).toHaveLength(6);
        status = 200;
        await clock.sleep(30_001);
        const answers = await Promise.all([ask(), ask(), ask()]);
        expect(answers.filter(answer => answer === 'answered')).toHaveLength(1);
        expect([await ask(), stub.seen.length]).toEqual(['answered', 8]);
    });

    it('leaves the one try to the next request when the run that had it stops', async () => {
        const stop = new AbortController();
        let isStopping = false;
        const stub = await serve((_, response) => {
            if (isStopping) stop.abort(new Error('stopped'));
            else response.writeHead(503).end();
        });
        const clock = quickClock();
        const http = gateway({ clock });
        const ask = (more: Partial<OutboundRequest> = {}): Promise<FlowError> =>
            rejected(http.send(request(`http://a.test:${stub.port}/`, more)));
        for (let i = 0; i < 5; i++) await ask();
        await clock.sleep(30_001);
        isStopping = true;
        expect(await ask({ signal: stop.signal })).toBe(stop.signal.reason);
        isStopping = false;
        expect((await ask()).message).toContain('answered 503');
        expect(stub.seen).toHaveLength(7);
    });
});

describe('the rate', () => {
    it.each<[string, number, number | undefined]>([
        ['of a run', 5, undefined],
        ['to a host', 0, 5],
    ])('%s is kept', async (_, rps, perSecond) => {
        const stub = await serve(statuses(200));
        const clock = quickClock();
        const http = gateway({ clock }, rps);
        const startedAt = clock.now();
        for (let i = 0; i < 11; i++)
            await http.send(request(`http://a.test:${stub.port}/`, { ...(perSecond !== undefined && { perSecond }) }));
        expect(clock.now() - startedAt).toBe(1900);
    });
});
