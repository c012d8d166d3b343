import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { StubServers } from '../../../test/kit/stub-server';
import type { OutboundRequest, StreamedBody } from '../../core/adapter/http';
import { Secret } from '../../core/adapter/secret';
import { EVERY_HOST } from '../../core/adapter/secret-hosts';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import { systemClock } from '../../core/concurrency/clock';
import { bearer } from './auth';
import { type GatewayOptions, OutboundGateway } from './gateway';

const servers = new StubServers();
const clock = { now: () => systemClock.now(), sleep: () => Promise.resolve() };

function send(
    url: string,
    body: StreamedBody,
    { options = {}, ...more }: Partial<OutboundRequest> & { readonly options?: Partial<GatewayOptions> } = {},
) {
    const allowedHostnames = ['a.test', 'b.test'];
    const gateway = new OutboundGateway({ allowedHostnames, resolve: async () => ['127.0.0.1'], clock, ...options });
    servers.atEnd(() => gateway.close());
    const { http } = gateway.forRun({ scope: 'test', rateLimitRps: 0 });
    const signal = new AbortController().signal;
    return http.send({ url, method: 'PUT', timeoutMs: 20_000, attempts: 3, signal, body, ...more });
}

/** A body with this number of chunks, which counts how often it was opened and left. */
class Pieces implements StreamedBody {
    begun = 0;
    left = 0;
    given = 0;

    constructor(
        private readonly count: number,
        readonly bytes = count * 10_000,
        private readonly broken?: { readonly at: number; readonly error: Error },
    ) {}

    async *open(): AsyncGenerator<Uint8Array> {
        this.begun++;
        try {
            for (let i = 0; i < this.count; i++) {
                if (this.broken?.at === i) throw this.broken.error;
                this.given++;
                yield Buffer.alloc(10_000, String(i % 10));
            }
        } finally {
            this.left++;
        }
    }

    get text(): string {
        return Array.from({ length: this.count }, (_, i) => String(i % 10).repeat(10_000)).join('');
    }
}

const statuses =
    (...list: number[]) =>
    (_: IncomingMessage, response: ServerResponse, number: number): void => {
        response.writeHead(list[Math.min(number, list.length) - 1]!).end();
    };
const rejected = (answer: Promise<unknown>): Promise<FlowError> =>
    answer.then(
        () => {
            throw new Error('it was answered');
        },
        (error: FlowError) => error,
    );

/** A server that has a connection and does with it what the test says. */
async function raw(taken: (socket: Socket) => void): Promise<number> {
    const sockets = new Set<Socket>();
    const server = createTcpServer(socket => {
        sockets.add(socket.on('error', () => undefined));
        taken(socket);
    });
    await servers.listening(server);
    servers.atEnd(() => {
        for (const socket of sockets) socket.destroy();
        return new Promise(done => server.close(done));
    });
    return (server.address() as AddressInfo).port;
}

describe('a body that is read as it is sent', () => {
    it('arrives whole, with its length ahead of it and its credential', async () => {
        const stub = await servers.serve(statuses(201));
        const body = new Pieces(30);
        const url = `http://a.test:${stub.port}/out/feed.csv`;
        const answer = await send(url, body, {
            headers: { 'content-type': 'text/csv' },
            auth: bearer(new Secret('put', 'a-token', EVERY_HOST)),
            originLock: new URL(url).origin,
        });
        expect(answer.status).toBe(201);
        const [seen] = stub.seen;
        expect(seen).toMatchObject({
            method: 'PUT',
            headers: { 'content-length': '300000', 'content-type': 'text/csv', authorization: 'Bearer a-token' },
        });
        expect(seen!.headers['transfer-encoding']).toBeUndefined();
        expect(seen!.body).toBe(body.text);
        expect([body.begun, body.left]).toEqual([1, 1]);
    });

    it('is read again for each try, after a rejection and after a lost connection', async () => {
        const stub = await servers.serve((request, response, number) => {
            if (number === 1) request.socket.destroy();
            else statuses(0, 503, 200)(request, response, number);
        });
        const body = new Pieces(20);
        await send(`http://a.test:${stub.port}/x`, body);
        expect(stub.seen.map(seen => seen.body === body.text)).toEqual([true, true, true]);
        expect([body.begun, body.left]).toEqual([3, 3]);
    });

    it('goes along with a redirect within its origin, and nowhere else', async () => {
        const stub = await servers.serve((request, response) => {
            const { port } = request.socket.address() as AddressInfo;
            const moved = { '/a': '/b', '/away': `http://b.test:${port}/stolen` }[request.url!];
            if (moved === undefined) response.writeHead(200).end();
            else response.writeHead(307, { location: moved }).end();
        });
        const body = new Pieces(5);
        await send(`http://a.test:${stub.port}/a`, body);
        expect(stub.seen.map(seen => [seen.url, seen.body === body.text])).toEqual([
            ['/a', true],
            ['/b', true],
        ]);
        const error = await rejected(send(`http://a.test:${stub.port}/away`, body));
        expect(error).toMatchObject({ code: 'OUTBOUND_ORIGIN' });
        expect(stub.seen.map(({ url }) => url)).not.toContain('/stolen');
    });

    it('is not begun where it is more than the shop allows', async () => {
        const stub = await servers.serve(statuses(200));
        const body = new Pieces(11);
        const options = { rules: { maxFileBytes: 100_000 } };
        const error = await rejected(send(`http://a.test:${stub.port}/x`, body, { options }));
        expect(error).toMatchObject({ code: 'OUTBOUND_TOO_LARGE' });
        expect([body.begun, stub.seen.length]).toEqual([0, 0]);
    });

    it.each([
        ['fewer', 50_001],
        ['more', 49_999],
    ])('of %s bytes than declared is not a complete request to the server', async (_, bytes) => {
        const stub = await servers.serve(statuses(200));
        const body = new Pieces(5, bytes);
        expect(await rejected(send(`http://a.test:${stub.port}/x`, body))).toMatchObject({ code: 'BUG' });
        expect(stub.seen).toEqual([]);
        expect([body.begun, body.left]).toEqual([1, 1]);
    });

    it('that cannot be read on fails for its own reason, and says nothing of the server', async () => {
        const stub = await servers.serve(statuses(200));
        const broken = { at: 3, error: flowError('STORAGE_FAILED', { what: 'read', problem: 'EIO' }) };
        for (let time = 0; time < 8; time++) {
            const body = new Pieces(5, 50_000, broken);
            expect(await rejected(send(`http://a.test:${stub.port}/x`, body))).toBe(broken.error);
            expect(body.begun).toBe(1);
        }
        expect(stub.seen).toEqual([]);
        // Eight failures of a server would have it left alone.
        await send(`http://a.test:${stub.port}/x`, new Pieces(1));
        expect(stub.seen).toHaveLength(1);
    });

    it('is read no further than a server takes it, and left when that says nothing or the run ends', async () => {
        const port = await raw(socket => void socket.pause());
        const silent = new Pieces(5_000);
        const late = await rejected(send(`http://a.test:${port}/x`, silent, { attempts: 1, idleMs: 300 }));
        expect(late).toMatchObject({ code: 'OUTBOUND_TIMEOUT' });
        expect(silent.given).toBeLessThan(5_000);
        expect(silent.left).toBe(1);

        const stop = new AbortController();
        const stopped = new Pieces(5_000);
        const going = send(`http://a.test:${port}/x`, stopped, { signal: stop.signal });
        while (stopped.given === 0) await new Promise(done => setImmediate(done));
        const reason = new Error('Stopped.');
        stop.abort(reason);
        await expect(going).rejects.toBe(reason);
        while (stopped.left === 0) await new Promise(done => setImmediate(done));
        expect(stopped.begun).toBe(1);
    });

    it('is rejected by a server that answers before it has taken it', async () => {
        const port = await raw(socket => {
            socket.once('data', () => socket.write('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n'));
        });
        const body = new Pieces(20_000);
        const error = await rejected(send(`http://a.test:${port}/x`, body, { idleMs: 5_000 }));
        expect(error).toMatchObject({ code: 'REMOTE_REFUSED', details: { status: 403 } });
        expect(body.given).toBeLessThan(20_000);
    });
});
