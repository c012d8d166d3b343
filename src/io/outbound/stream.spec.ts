import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StubServers } from '../../../test/kit/stub-server';
import type { OutboundStream, OutboundStreamRequest } from '../../core/adapter/outbound';
import { Secret } from '../../core/adapter/secret';
import { EVERY_HOST } from '../../core/adapter/secret-hosts';
import type { FlowError } from '../../core/errors/flow-error';
import { bearer } from './auth';
import { type GatewayOptions, OutboundGateway, type RunOutbound } from './gateway';

const servers = new StubServers();
const serve = servers.serve.bind(servers);

function gateway(options: Partial<GatewayOptions> = {}, rateLimitRps = 0): RunOutbound {
    const made = new OutboundGateway({
        allowedHostnames: ['a.test', 'b.test'],
        resolve: () => Promise.resolve(['127.0.0.1']),
        ...options,
    });
    servers.atEnd(() => made.close());
    return made.forRun({ scope: 'test', rateLimitRps });
}

const request = (url: string, more: Partial<OutboundStreamRequest> = {}): OutboundStreamRequest => ({
    url,
    method: 'GET',
    idleMs: 20_000,
    totalMs: 60_000,
    maxBytes: 1_000_000_000,
    signal: new AbortController().signal,
    ...more,
});
const rejected = (work: Promise<unknown>): Promise<FlowError> =>
    work.then(
        () => {
            throw new Error('nothing went wrong');
        },
        (error: FlowError) => error,
    );
async function read({ body }: OutboundStream): Promise<string> {
    const pieces: Buffer[] = [];
    for await (const piece of body) pieces.push(piece);
    return Buffer.concat(pieces).toString();
}
/** A server whose answer begins and never ends, and what became of its connection. */
async function endless(write: (response: ServerResponse) => void = () => undefined) {
    let closed: () => void;
    const isClosed = new Promise<void>(resolve => (closed = resolve));
    const { port } = await serve((_, response) => {
        response.on('close', () => closed());
        response.writeHead(200, { 'Content-Type': 'text/csv' });
        response.write('a');
        write(response);
    });
    return { url: `http://a.test:${port}/`, isClosed };
}
/** The clock by which undici measures silence; it has this for tests alone. */
const { tick } = jest.requireActual<{ tick(ms?: number): void }>('undici/lib/util/timers');
/** So much time passes for undici, and none for anybody else. */
function passes(ms: number): void {
    // A timer that was just set is counted from its first tick on.
    tick();
    tick(ms);
}
/**
 * Waits until a count has not changed for some turns of the loop, which both sides of the connection share: each turn moves what the sockets let
 * through, and on a busy machine turns take longer.
 */
async function standsStill(count: () => number): Promise<void> {
    for (let turns = 0, before = count(); turns < 500; turns++) {
        await nextTurn();
        if (count() === before) continue;
        before = count();
        turns = 0;
    }
}
async function firstOf({ body }: OutboundStream): Promise<void> {
    for await (const _ of body) return;
}

describe('an answer as a stream', () => {
    it('is passed on piece by piece, while the server is still sending', async () => {
        let goOn: () => void;
        const stub = await serve(async (_, response) => {
            response.writeHead(200, { 'Content-Type': 'text/csv' }).write('first');
            await new Promise<void>(resolve => (goOn = resolve));
            response.end('last');
        });
        const answer = await gateway().stream.open(request(`http://a.test:${stub.port}/feed`));
        expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/csv' } });
        const pieces: string[] = [];
        for await (const piece of answer.body) {
            pieces.push(piece.toString());
            goOn!();
        }
        expect(pieces).toEqual(['first', 'last']);
    });

    it('is taken from the server no faster than it is read', async () => {
        const piece = Buffer.alloc(65_536, 'x');
        const whole = 1_500;
        let written = 0;
        const stub = await serve(async (_, response) => {
            response.writeHead(200);
            for (; written < whole; written++) if (!response.write(piece)) await once(response, 'drain');
            response.end();
        });
        const answer = await gateway().stream.open(request(`http://a.test:${stub.port}/`));
        await standsStill(() => written);
        // Bytes in the buffers of two sockets and of the system.
        expect(written).toBeLessThan(whole / 2);
        let bytes = 0;
        for await (const some of answer.body) bytes += some.length;
        expect(bytes).toBe(whole * piece.length);
    });

    it('is decompressed', async () => {
        const stub = await serve((_, response) => {
            response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('ü'.repeat(100_000)));
        });
        const answer = await gateway().stream.open(request(`http://a.test:${stub.port}/`));
        expect(await read(answer)).toBe('ü'.repeat(100_000));
    });

    it.each<[string, (response: ServerResponse) => void]>([
        ['as it says itself', response => void response.setHeader('Content-Length', 5_000).end(Buffer.alloc(5_000))],
        ['as it turns out', response => void response.end(Buffer.alloc(5_000))],
        [
            'once it is decompressed',
            response => void response.setHeader('Content-Encoding', 'gzip').end(gzipSync(Buffer.alloc(5_000))),
        ],
    ])('that is too large %s is broken off', async (_, answer) => {
        const stub = await serve((__, response) => answer(response));
        const reading = gateway()
            .stream.open(request(`http://a.test:${stub.port}/`, { maxBytes: 4_999 }))
            .then(read);
        expect(await rejected(reading)).toMatchObject({ code: 'OUTBOUND_TOO_LARGE', treat: 'config' });
    });

    it('that is garbled says so, and quotes nothing', async () => {
        const stub = await serve((_, response) => {
            response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('c4nary');
        });
        const error = await rejected(
            gateway()
                .stream.open(request(`http://a.test:${stub.port}/`))
                .then(read),
        );
        expect(error).toMatchObject({ code: 'REMOTE_MALFORMED' });
        expect(error.message).not.toContain('c4nary');
    });

    it('is read once', async () => {
        const stub = await serve((_, response) => void response.end('a'));
        const { stream } = gateway();
        const answer = await stream.open(request(`http://a.test:${stub.port}/`));
        await read(answer);
        expect(await rejected(read(answer))).toMatchObject({ code: 'BUG' });
        const closed = await stream.open(request(`http://a.test:${stub.port}/`));
        closed.close();
        closed.close();
        expect(await rejected(read(closed))).toMatchObject({ code: 'BUG' });
    });
});

describe('the rules of requests hold for streams', () => {
    it('follows redirects to where it may go, and to nowhere else', async () => {
        const stub = await serve(({ url }, response) => {
            if (url === '/') response.writeHead(302, { Location: '/there' }).end();
            else if (url === '/inside') response.writeHead(302, { Location: 'http://169.254.169.254/' }).end();
            else response.end('here');
        });
        const { stream } = gateway();
        expect(await read(await stream.open(request(`http://a.test:${stub.port}/`)))).toBe('here');
        expect(await rejected(stream.open(request(`http://a.test:${stub.port}/inside`)))).toMatchObject({
            code: 'OUTBOUND_BLOCKED',
        });
        expect(await rejected(gateway({ allowedHostnames: [] }).stream.open(request('http://a.test/')))).toMatchObject({
            code: 'OUTBOUND_BLOCKED',
        });
    });

    it('keeps a credential with its origin', async () => {
        const stub = await serve((_, response) => void response.end('a'));
        const auth = bearer(new Secret('key', 't0ken', EVERY_HOST));
        const originLock = `http://a.test:${stub.port}`;
        const { stream } = gateway();
        await read(await stream.open(request(`${originLock}/`, { auth, originLock })));
        expect(stub.seen[0]!.headers.authorization).toBe('Bearer t0ken');
        const elsewhere = request(`http://b.test:${stub.port}/`, { auth, originLock });
        expect(await rejected(stream.open(elsewhere))).toMatchObject({ code: 'OUTBOUND_ORIGIN' });
    });

    it('tries again until an answer has begun, and no longer', async () => {
        const breaking = await serve((_, response, number) => {
            if (number === 1) response.writeHead(503).end();
            else {
                response.writeHead(200, { 'Content-Length': 10 }).write('abc');
                setImmediate(() => response.destroy());
            }
        });
        const clock = { now: () => 0, sleep: () => Promise.resolve() };
        const answer = await gateway({ clock }).stream.open(
            request(`http://a.test:${breaking.port}/`, { attempts: 3 }),
        );
        expect(await rejected(read(answer))).toMatchObject({ code: 'REMOTE_BUSY', treat: 'transient' });
        expect(breaking.seen).toHaveLength(2);
    });

    it('shares the rate of the run with its requests', async () => {
        const stub = await serve((_, response) => void response.end('a'));
        const slept: number[] = [];
        const clock = { now: () => 0, sleep: async (ms: number) => void slept.push(ms) };
        const { http, stream } = gateway({ clock }, 1);
        const url = `http://a.test:${stub.port}/`;
        await http.send({ url, method: 'GET', timeoutMs: 5_000, signal: new AbortController().signal });
        await read(await stream.open(request(url)));
        expect(slept).toEqual([900]);
    });

    it('leaves a server alone that answers none of five', async () => {
        const stub = await serve((_, response) => void response.writeHead(500).end());
        const { stream } = gateway();
        const ask = () => rejected(stream.open(request(`http://a.test:${stub.port}/`)));
        for (let i = 0; i < 5; i++) expect((await ask()).message).toContain('answered 500');
        expect(await ask()).toMatchObject({
            code: 'REMOTE_BUSY',
            details: { isLeftAlone: true },
            facts: { problem: expect.stringMatching(/ 500\b.* \d+ s$/) },
        });
        expect(stub.seen).toHaveLength(5);
    });

    it('reports the rejection of a server', async () => {
        const stub = await serve((_, response) => void response.writeHead(404).end());
        expect(await rejected(gateway().stream.open(request(`http://a.test:${stub.port}/`)))).toMatchObject({
            code: 'REMOTE_REFUSED',
            details: { status: 404 },
        });
    });
});

describe('the connection of a stream is given back', () => {
    it('when its reader leaves, fails, or never reads', async () => {
        const { stream } = gateway();
        const left = await endless();
        await firstOf(await stream.open(request(left.url)));
        await left.isClosed;
        const failed = await endless();
        const issue = new Error('an error of the reader');
        const failing = async ({ body }: OutboundStream) => {
            for await (const _ of body) throw issue;
        };
        expect(await rejected(failing(await stream.open(request(failed.url))))).toBe(issue);
        await failed.isClosed;
        const unread = await endless();
        (await stream.open(request(unread.url))).close();
        await unread.isClosed;
    });

    it('when its run stops, whether or not its reader waits for more', async () => {
        const { stream } = gateway();
        for (const isRead of [true, false]) {
            const stop = new AbortController();
            const reason = new Error('cancelled');
            const { url, isClosed } = await endless();
            const answer = await stream.open(request(url, { signal: stop.signal }));
            const reading = isRead ? rejected(read(answer)) : undefined;
            stop.abort(reason);
            await isClosed;
            expect(await (reading ?? rejected(read(answer)))).toBe(reason);
        }
    });

    it('when its run has ended, and when the door is closed', async () => {
        const run = gateway();
        const ended = await endless();
        await run.stream.open(request(ended.url));
        run.close();
        await ended.isClosed;
        const made = new OutboundGateway({
            allowedHostnames: ['a.test'],
            resolve: () => Promise.resolve(['127.0.0.1']),
        });
        const closed = await endless();
        await made.forRun({ scope: 'test', rateLimitRps: 0 }).stream.open(request(closed.url));
        await made.close();
        await closed.isClosed;
    });

    it('when its whole time is up, even if it was never read', async () => {
        const dripping = (response: ServerResponse): void => {
            const timer = setInterval(() => response.write('.'), 20);
            response.on('close', () => clearInterval(timer));
        };
        const { stream } = gateway();
        const late = await endless(dripping);
        const { host } = new URL(late.url);
        const error = await rejected(stream.open(request(late.url, { totalMs: 400 })).then(read));
        expect(error).toMatchObject({
            code: 'OUTBOUND_TIMEOUT',
            facts: { host, what: expect.stringContaining('the end'), timeoutMs: 400, attempts: 1 },
        });
        await late.isClosed;
        const unread = await endless(dripping);
        await stream.open(request(unread.url, { totalMs: 400 }));
        await unread.isClosed;
    });
});

describe('a server that says nothing for too long', () => {
    it('is given up, with what it said before', async () => {
        const { url, isClosed } = await endless();
        const answer = await gateway().stream.open(request(url, { idleMs: 300 }));
        const pieces: string[] = [];
        const reading = async () => {
            for await (const piece of answer.body) pieces.push(piece.toString());
        };
        const { host } = new URL(url);
        expect(await rejected(reading())).toMatchObject({
            code: 'OUTBOUND_TIMEOUT',
            facts: { host, what: expect.stringContaining('nothing more'), timeoutMs: 300, attempts: 1 },
        });
        expect(pieces).toEqual(['a']);
        await isClosed;
    });

    it('is given up before its answer has begun, too', async () => {
        const silent = await serve(() => undefined);
        const error = await rejected(gateway().stream.open(request(`http://a.test:${silent.port}/`, { idleMs: 300 })));
        expect(error).toMatchObject({ code: 'OUTBOUND_TIMEOUT', treat: 'transient' });
    });

    it('is not one whose reader is slow', async () => {
        const pieces = 40;
        let unsent = (): number => 0;
        const stub = await serve((_: IncomingMessage, response) => {
            unsent = () => response.writableLength;
            for (let i = 0; i < pieces; i++) response.write(Buffer.alloc(65_536));
            response.end();
        });
        const answer = await gateway().stream.open(request(`http://a.test:${stub.port}/`));
        let bytes = 0;
        let reads = 0;
        for await (const piece of answer.body) {
            bytes += piece.length;
            if (reads++ >= 3) continue;
            await standsStill(unsent);
            passes(30_000);
        }
        expect(bytes).toBe(pieces * 65_536);
    });

    it('is one whose reader waits for it', async () => {
        const { url } = await endless();
        const answer = await gateway().stream.open(request(url));
        let came = 0;
        const reading = (async () => {
            for await (const piece of answer.body) came += piece.length;
        })();
        const failed = rejected(reading);
        await standsStill(() => came);
        passes(30_000);
        expect(await failed).toMatchObject({ code: 'OUTBOUND_TIMEOUT' });
    });
});

describe('a stream that is to be held where it is short', () => {
    const more = { wholeUpTo: 1_000, attempts: 3 };

    it.each([
        ['empty', 0, true],
        ['short', 999, true],
        ['just short enough', 1_000, true],
        ['longer', 1_001, false],
        ['long', 300_000, false],
    ])('is held whole or read on: %s', async (_, length, isWhole) => {
        const body = 'x'.repeat(length);
        const { port } = await serve((_request, response) => response.end(body));
        const stream = await gateway().stream.open(request(`http://a.test:${port}/`, more));
        expect(stream.whole?.toString()).toBe(isWhole ? body : undefined);
        expect(await read(stream)).toBe(body);
    });

    it('is tried again if its body breaks off within the short part, and not after that', async () => {
        const cut = (length: number) => (_: IncomingMessage, response: ServerResponse, number: number) => {
            if (number === 2) return void response.end('ok');
            response.write('x'.repeat(length), () => setImmediate(() => response.destroy()));
        };
        const short = await serve(cut(500));
        const stream = await gateway().stream.open(request(`http://a.test:${short.port}/`, more));
        expect(stream.whole?.toString()).toBe('ok');
        const long = await serve(cut(5_000));
        const begun = await gateway().stream.open(request(`http://a.test:${long.port}/`, more));
        expect((await rejected(read(begun))).code).toBe('REMOTE_BUSY');
        expect(long.seen).toHaveLength(1);
    });

    it('has for its short part the time that a server may be silent, whatever comes in drips', async () => {
        const { port } = await serve((_, response) => {
            response.write('a');
            const drip = setInterval(() => response.write('a'), 20);
            response.on('close', () => clearInterval(drip));
        });
        const stream = gateway().stream.open(request(`http://a.test:${port}/`, { ...more, attempts: 1, idleMs: 200 }));
        expect((await rejected(stream)).code).toBe('OUTBOUND_TIMEOUT');
    });

    it('is reported as broken off if its run ends while the short part comes', async () => {
        const { url } = await endless();
        const run = gateway();
        let isOver = false;
        const opened = rejected(run.stream.open(request(url, { ...more, attempts: 1 }))).finally(() => (isOver = true));
        while (!isOver) {
            run.close();
            await nextTurn();
        }
        expect((await opened).code).toBe('REMOTE_BUSY');
    });

    it('closes what was left within its short part', async () => {
        let isClosed: Promise<unknown> | undefined;
        const { port } = await serve((_, response) => {
            isClosed = once(response, 'close');
            response.write('x'.repeat(5_000));
        });
        const { body } = await gateway().stream.open(request(`http://a.test:${port}/`, more));
        for await (const _ of body) break;
        await isClosed;
    });

    it('is tried again if its body requests a pause', async () => {
        const { port, seen } = await serve((_, response, number) => response.end(number < 3 ? 'later' : 'now'));
        const slept: number[] = [];
        let now = 0;
        const clock = {
            now: () => now,
            sleep: async (ms: number) => {
                slept.push(ms);
                now += ms;
            },
        };
        const busyIn = ({ body }: { readonly body: Buffer }) =>
            body.toString() === 'later' ? { problem: 'answered LATER', waitMs: 1_500 } : undefined;
        const requested = { ...more, busyIn, method: 'POST' as const };
        const stream = await gateway({ clock }).stream.open(request(`http://a.test:${port}/`, requested));
        expect(stream.whole?.toString()).toBe('now');
        expect(slept).toEqual([1_500, 1_500]);
        expect(seen).toHaveLength(3);
        const { http } = gateway({ clock });
        const error = await rejected(
            http.send({ ...request(`http://a.test:${port}/`), timeoutMs: 9_000, busyIn: () => ({ problem: 'waits' }) }),
        );
        expect(error).toMatchObject({ code: 'REMOTE_BUSY', details: { status: 200 } });
    });

    it('is limited by the options if the request has no limit', async () => {
        const { port } = await serve((_, response) => response.end('x'.repeat(5_000)));
        const { maxBytes: _, ...rest } = request(`http://a.test:${port}/`, more);
        const begun = await gateway({ maxResponseBytes: 4_000 })
            .stream.open(rest)
            .then(read)
            .catch((error: FlowError) => error);
        expect(begun).toMatchObject({ code: 'OUTBOUND_TOO_LARGE' });
    });
});
