import type { IncomingMessage, ServerResponse } from 'node:http';
import { type StubServer, StubServers } from '../../../test/kit/stub-server';
import type { OutboundGrant, OutboundRequest } from '../../core/adapter/http';
import { Secret } from '../../core/adapter/secret';
import { EVERY_HOST } from '../../core/adapter/secret-hosts';
import type { FlowError } from '../../core/errors/flow-error';
import type { JsonValue } from '../../core/value/json';
import { OutboundGateway, type RunOutbound } from './gateway';

const servers = new StubServers();

/** A clock that only advances manually, and by waits. */
class HandClock {
    time = Date.parse('2026-11-01T00:00:00Z');

    now(): number {
        return this.time;
    }

    async sleep(ms: number, signal?: AbortSignal): Promise<void> {
        signal?.throwIfAborted();
        this.time += ms;
    }
}

const clock = new HandClock();

function gateway(learn: (token: string) => void = () => undefined): RunOutbound {
    const made = new OutboundGateway({
        allowedHostnames: ['api.test', 'login.test'],
        resolve: () => Promise.resolve(['127.0.0.1']),
        clock,
    });
    servers.atEnd(() => made.close());
    return made.forRun({ scope: 'test', rateLimitRps: 0, learn });
}

type Answering = (request: IncomingMessage, response: ServerResponse, number: number) => void;

/** Gives the tokens t1, t2 … */
const tokens =
    (more: object = { expires_in: 600 }): Answering =>
    (_, response, number) =>
        response.end(JSON.stringify({ access_token: `t${number}`, token_type: 'bearer', ...more }));
const ok: Answering = (_, response) => response.end('{}');

function grant({ port }: StubServer, more: Partial<OutboundGrant> = {}): OutboundGrant {
    return {
        tokenUrl: `http://login.test:${port}/token`,
        clientId: 'shop one',
        clientSecret: new Secret('client-secret', 's3cret+ü&', EVERY_HOST),
        clientAuth: 'BASIC',
        ...more,
    };
}

const request = ({ port }: StubServer, auth: OutboundGrant, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
    url: `http://api.test:${port}/orders`,
    method: 'GET',
    originLock: `http://api.test:${port}`,
    auth,
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
const sentTokens = ({ seen }: StubServer) => seen.map(({ headers }) => headers.authorization);

describe('a token of client credentials', () => {
    it('is requested once and sent with every request, and the run learns it first', async () => {
        const login = await servers.serve(tokens());
        const api = await servers.serve(ok);
        const learned: string[] = [];
        const { http, stream } = gateway(token => learned.push(token));
        const auth = grant(login, { scope: 'orders products', audience: 'https://api.test' });
        await Promise.all([http.send(request(api, auth)), http.send(request(api, auth))]);
        (await stream.open({ ...request(api, auth), idleMs: 20_000, totalMs: 20_000 })).close();
        expect(sentTokens(api)).toEqual(['Bearer t1', 'Bearer t1', 'Bearer t1']);
        expect(learned).toEqual(['t1']);
        expect(login.seen).toHaveLength(1);
        const [requested] = login.seen;
        expect(requested).toMatchObject({ method: 'POST', url: '/token' });
        expect(requested!.headers['content-type']).toBe('application/x-www-form-urlencoded');
        expect(Object.fromEntries(new URLSearchParams(requested!.body))).toEqual({
            grant_type: 'client_credentials',
            scope: 'orders products',
            audience: 'https://api.test',
        });
        // RFC 6749, 2.3.1: each part is encoded as in forms before it becomes BASIC authentication.
        const proof = Buffer.from(requested!.headers.authorization!.replace('Basic ', ''), 'base64').toString();
        expect(proof).toBe('shop+one:s3cret%2B%C3%BC%26');
    });

    it('is requested, and sent, only if the secret of the client may be sent there', async () => {
        const login = await servers.serve(tokens());
        const api = await servers.serve(ok);
        const secret = (...hosts: string[]): Secret => new Secret('client-secret', 's3cret', hosts);
        const send = (clientSecret: Secret, clientAuth: 'BASIC' | 'BODY' = 'BASIC'): Promise<unknown> =>
            http.send(request(api, grant(login, { clientSecret, clientAuth })));
        const { http } = gateway();
        for (const clientAuth of ['BASIC', 'BODY'] as const)
            expect(await rejected(send(secret('api.test'), clientAuth))).toMatchObject({
                code: 'SECRET_HOST_NOT_ALLOWED',
            });
        expect(login.seen).toEqual([]);
        expect(await rejected(send(secret('login.test')))).toMatchObject({ code: 'SECRET_HOST_NOT_ALLOWED' });
        expect(api.seen).toEqual([]);
        await send(secret('login.test', 'api.test'));
        expect(sentTokens(api)).toEqual(['Bearer t1']);
        // The token is kept, for those who could get it themselves.
        for (const hosts of [['api.test'], ['login.test'], []])
            expect(await rejected(send(secret(...hosts)))).toMatchObject({ code: 'SECRET_HOST_NOT_ALLOWED' });
        expect(sentTokens(api)).toEqual(['Bearer t1']);
    });

    it('is requested with id and secret in the form if the server wants them there', async () => {
        const login = await servers.serve(tokens());
        const api = await servers.serve(ok);
        await gateway().http.send(request(api, grant(login, { clientAuth: 'BODY' })));
        const [requested] = login.seen;
        expect(requested!.headers.authorization).toBeUndefined();
        expect(Object.fromEntries(new URLSearchParams(requested!.body))).toEqual({
            grant_type: 'client_credentials',
            client_id: 'shop one',
            client_secret: 's3cret+ü&',
        });
    });

    it.each([
        ['a minute before its end', { expires_in: 600 }, 539, 541],
        ['at half its time where that is short', { expires_in: '60' }, 29, 31],
        ['after an hour if the server gives no lifetime', {}, 3_539, 3_541],
        ['after a day at the latest', { expires_in: 9e9 }, 86_339, 86_341],
    ])('is renewed %s', async (_, more, before, after) => {
        const login = await servers.serve(tokens(more));
        const api = await servers.serve(ok);
        const { http } = gateway();
        const auth = grant(login);
        const start = clock.time;
        for (const seconds of [0, before, after]) {
            clock.time = start + seconds * 1_000;
            await http.send(request(api, auth));
        }
        expect(sentTokens(api)).toEqual(['Bearer t1', 'Bearer t1', 'Bearer t2']);
    });

    it('is requested again once if the server does not accept it, whatever status is expected', async () => {
        const login = await servers.serve(tokens());
        const api = await servers.serve(({ headers }, response) =>
            response.writeHead(headers.authorization === 'Bearer t1' ? 401 : 200).end('{}'),
        );
        const auth = grant(login);
        const { http } = gateway();
        await expect(http.send(request(api, auth))).resolves.toMatchObject({ status: 200 });
        await expect(http.send(request(api, auth, { expected: [401] }))).resolves.toMatchObject({ status: 200 });
        expect(sentTokens(api)).toEqual(['Bearer t1', 'Bearer t2', 'Bearer t2']);
    });

    it('is not got a third time', async () => {
        const login = await servers.serve(tokens());
        const api = await servers.serve((_, response) => response.writeHead(401).end());
        const auth = grant(login);
        const { http } = gateway();
        const error = await rejected(http.send(request(api, auth)));
        expect(error).toMatchObject({ code: 'REMOTE_REFUSED', details: { status: 401 } });
        await expect(http.send(request(api, auth, { expected: [401] }))).resolves.toMatchObject({ status: 401 });
        expect(sentTokens(api)).toHaveLength(4);
    });

    it('goes to the origin that it is for, and its secret to no other than that of the token URL', async () => {
        const login = await servers.serve(tokens());
        const api = await servers.serve((_, response) =>
            response.writeHead(302, { location: `http://login.test:${login.port}/steal` }).end(),
        );
        const { http } = gateway();
        const error = await rejected(http.send(request(api, grant(login))));
        expect(error.code).toBe('OUTBOUND_ORIGIN');
        const leads = await servers.serve((_, response) =>
            response.writeHead(307, { location: `http://api.test:${api.port}/steal` }).end(),
        );
        expect((await rejected(http.send(request(api, grant(leads))))).code).toBe('OUTBOUND_ORIGIN');
        expect(login.seen.map(({ url }) => url)).toEqual(['/token']);
        expect(api.seen.map(({ url }) => url)).toEqual(['/orders']);
    });

    it('is not requested from a token URL inside the private network', async () => {
        const api = await servers.serve(ok);
        const auth = grant(api, { tokenUrl: 'http://127.0.0.1:9/token' });
        expect((await rejected(gateway().http.send(request(api, auth)))).code).toBe('OUTBOUND_BLOCKED');
        expect(api.seen).toEqual([]);
    });

    it('is waited for no longer than its run, and is there for the others', async () => {
        let answer: (() => void) | undefined;
        const login = await servers.serve((_, response) => {
            answer = () => response.end('{"access_token": "t1"}');
        });
        const api = await servers.serve(ok);
        const auth = grant(login);
        const { http } = gateway();
        const stop = new AbortController();
        const first = rejected(http.send(request(api, auth, { signal: stop.signal })));
        const second = http.send(request(api, auth));
        while (!answer) await new Promise(resolve => setImmediate(resolve));
        const reason = new Error('cancelled');
        stop.abort(reason);
        expect(await first).toBe(reason);
        answer();
        await second;
        expect(login.seen).toHaveLength(1);
        expect(sentTokens(api)).toEqual(['Bearer t1']);
    });

    it.each<[number, string, RegExp]>([
        [
            401,
            '{"error": "invalid_client", "error_description": "s3cret+ü& is wrong"}',
            /token \(invalid_client: .*client id/,
        ],
        [400, '{"error": "invalid_scope"}', /token \(invalid_scope: .*scope/],
        [400, '{"error": "<script>"}', /token \(400\)$/],
        [403, 'no JSON at all', /token \(403\)$/],
    ])('that is denied with %s %s gives the reason, and nothing of what was sent', async (status, body, reason) => {
        const login = await servers.serve((_, response) => response.writeHead(status).end(body));
        const api = await servers.serve(ok);
        const error = await rejected(gateway().http.send(request(api, grant(login))));
        expect(error).toMatchObject({
            code: 'REMOTE_REFUSED',
            facts: { host: `login.test:${login.port}`, problem: expect.stringMatching(reason) },
            details: { tokenStatus: status },
        });
        expect(error.message).not.toMatch(/s3cret|script/);
        expect(api.seen).toEqual([]);
    });

    it.each([
        '{}',
        '[]',
        '{"access_token": 5}',
        '{"access_token": ""}',
        '{"access_token": "a", "token_type": "mac"}',
        '{"access_token": "a\\r\\nX-Evil: 1"}',
        '{"access_token": "a\\tb"}',
        '{"access_token": "ü"}',
        '<!doctype html><title>Sign in</title>',
        '{',
    ])('that is invalid is reported: %s', async body => {
        const login = await servers.serve((_, response) => response.end(body));
        const api = await servers.serve(ok);
        expect((await rejected(gateway().http.send(request(api, grant(login))))).code).toBe('REMOTE_MALFORMED');
    });

    it('that no header can carry is not sent, and is reported as an invalid response of its server', async () => {
        const login = await servers.serve(tokens({ access_token: 'a\r\nX-Evil: 1' }));
        const api = await servers.serve(ok);
        const error = await rejected(gateway().http.send(request(api, grant(login))));
        expect(error).toMatchObject({ code: 'REMOTE_MALFORMED', message: expect.not.stringContaining('X-Evil') });
        expect(api.seen).toEqual([]);
    });

    it('comes in an answer that has an end', async () => {
        const login = await servers.serve(tokens({ more: 'x'.repeat(70_000) }));
        const api = await servers.serve(ok);
        expect((await rejected(gateway().http.send(request(api, grant(login))))).code).toBe('OUTBOUND_TOO_LARGE');
        expect(api.seen).toEqual([]);
    });

    const DAY = 86_400;
    it.each<[string, JsonValue, number]>([
        ['0', 0, 0],
        ['a negative number', -5, 3_600],
        ['a number as text', '600', 600],
        ['some other text', '1e308', 3_600],
        ['a number that has no end', 1e308, DAY],
        ['nothing', null, 3_600],
        ['a list', [600], 3_600],
    ])('is good for a time that its server says as %s', async (_, lasts, seconds) => {
        const login = await servers.serve(tokens({ expires_in: lasts }));
        const api = await servers.serve(ok);
        const auth = grant(login);
        const { http } = gateway();
        await http.send(request(api, auth));
        clock.time += Math.max(0, seconds - 61) * 1_000;
        await http.send(request(api, auth));
        expect(login.seen).toHaveLength(seconds === 0 ? 2 : 1);
        clock.time += 2_000;
        await http.send(request(api, auth));
        expect(login.seen).toHaveLength(seconds === 0 ? 3 : 2);
    });

    it('is requested again if the clock was set back before the time of its request', async () => {
        const login = await servers.serve(tokens({ expires_in: 600 }));
        const api = await servers.serve(ok);
        const auth = grant(login);
        const { http } = gateway();
        await http.send(request(api, auth));
        clock.time -= 7 * DAY * 1_000;
        await http.send(request(api, auth));
        clock.time += 60_000;
        await http.send(request(api, auth));
        expect(sentTokens(api)).toEqual(['Bearer t1', 'Bearer t2', 'Bearer t2']);
    });

    it('is requested once by many runs that begin at the same time', async () => {
        const login = await servers.serve(tokens());
        const api = await servers.serve(ok);
        const auth = grant(login);
        const made = new OutboundGateway({
            allowedHostnames: ['api.test', 'login.test'],
            resolve: () => Promise.resolve(['127.0.0.1']),
            clock,
        });
        servers.atEnd(() => made.close());
        const learned: string[] = [];
        await Promise.all(
            Array.from({ length: 50 }, (_, run) =>
                made
                    .forRun({ scope: `run ${run}`, rateLimitRps: 0, learn: token => learned.push(token) })
                    .http.send(request(api, auth)),
            ),
        );
        expect(login.seen).toHaveLength(1);
        expect(sentTokens(api)).toEqual(Array.from({ length: 50 }, () => 'Bearer t1'));
        expect(learned).toEqual(Array.from({ length: 50 }, () => 't1'));
    });

    it('is tried again where its server is busy', async () => {
        const login = await servers.serve((request, response, number) =>
            number < 3 ? response.writeHead(503).end() : tokens()(request, response, number),
        );
        const api = await servers.serve(ok);
        await gateway().http.send(request(api, grant(login)));
        expect(sentTokens(api)).toEqual(['Bearer t3']);
    });

    it.each<[string, (response: ServerResponse) => NodeJS.Timeout | undefined]>([
        ['never', () => undefined],
        [
            'byte by byte',
            response => {
                response.write('{');
                return setInterval(() => response.write(' '), 20);
            },
        ],
    ])(
        'whose server answers %s is waited for as long as the request itself, and the message says so',
        async (_, slowly) => {
            const timers: Array<NodeJS.Timeout | undefined> = [];
            servers.atEnd(() => timers.forEach(clearInterval));
            const login = await servers.serve((_request, response) => timers.push(slowly(response)));
            const api = await servers.serve(ok);
            const auth = grant(login);
            const late = {
                code: 'OUTBOUND_TIMEOUT',
                facts: {
                    host: `login.test:${login.port}`,
                    what: expect.stringContaining('not answer'),
                    timeoutMs: 100,
                    attempts: 3,
                },
            };
            const error = await rejected(gateway().http.send(request(api, auth, { timeoutMs: 100 })));
            expect(error).toMatchObject(late);
            // Each try is one request at most: a busy machine may have ended it before the server saw it.
            expect(login.seen.length).toBeLessThanOrEqual(3);
            const patience = { idleMs: 100, totalMs: 60_000 };
            expect(await rejected(gateway().stream.open({ ...request(api, auth), ...patience }))).toMatchObject(late);
            expect(login.seen.length).toBeLessThanOrEqual(6);
            expect(login.seen).not.toEqual([]);
            expect(api.seen).toEqual([]);
        },
    );

    it('is not a web page that a server sends with 200, and nothing of that page is reported', async () => {
        const login = await servers.serve((_, response) =>
            response.setHeader('content-type', 'text/html').end('<!doctype html><title>Sign in, s3cret</title>'),
        );
        const api = await servers.serve(ok);
        const error = await rejected(gateway().http.send(request(api, grant(login))));
        expect(error).toMatchObject({
            code: 'REMOTE_MALFORMED',
            message: expect.stringContaining(`login.test:${login.port}`),
        });
        expect(error.message).not.toMatch(/s3cret|doctype|Sign in/);
        expect(login.seen).toHaveLength(1);
        expect(api.seen).toEqual([]);
    });

    it('that is good for a second serves for half of it, and for the requests that need it meanwhile', async () => {
        const login = await servers.serve(tokens({ expires_in: 1 }));
        const api = await servers.serve(ok);
        const auth = grant(login);
        const { http } = gateway();
        for (const ms of [0, 400, 200, 499, 2]) {
            clock.time += ms;
            await http.send(request(api, auth));
        }
        expect(sentTokens(api)).toEqual(['Bearer t1', 'Bearer t1', 'Bearer t2', 'Bearer t2', 'Bearer t3']);
    });
});
