import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import { SELF_SIGNED } from '../../../test/fixtures/self-signed';
import { HOSTILE_ANSWERS } from '../../../test/fixtures/hostile-addresses';
import { StubServers } from '../../../test/kit/stub-server';
import type { OutboundSocket, SocketTarget } from '../../core/adapter/outbound';
import type { FlowError } from '../../core/errors/flow-error';
import { type GatewayOptions, OutboundGateway, type RunOutbound } from './gateway';
import type { MakeConnector } from './socket';

const servers = new StubServers();
/** Sockets are checked by an interval; all other timers run normally. */
const ALL_BUT_INTERVALS = [
    ...(['Date', 'hrtime', 'performance', 'nextTick', 'queueMicrotask'] as const),
    ...(['setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const),
];
afterEach(() => void jest.useRealTimers());

/** Hosts that were connected to: addresses, as the lookup of each connection gave them. */
const reached: string[] = [];
const watched: MakeConnector = options => {
    const { lookup } = options as { readonly lookup: (...args: unknown[]) => void };
    return (target, callback) => {
        lookup(target.hostname, {}, (_: unknown, address: string) => reached.push(`${address}:${target.port}`));
        buildConnector(options)(target, callback);
    };
};
beforeEach(() => void (reached.length = 0));

function gateway(options: Partial<GatewayOptions> = {}): RunOutbound {
    const made = new OutboundGateway({
        allowedHostnames: ['svc.test', '127.0.0.1'],
        resolve: () => Promise.resolve(['127.0.0.1']),
        makeConnector: watched,
        ...options,
    });
    servers.atEnd(() => made.close());
    return made.forRun({ scope: 'test', rateLimitRps: 0 });
}
const target = (port: number, more: Partial<SocketTarget> = {}): SocketTarget => ({
    host: 'svc.test',
    port,
    usualPorts: [],
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

/** A server whose side of each connection is the test's. */
async function listening(talk: (socket: Socket) => void, tls = false): Promise<number> {
    const open = new Set<Socket>();
    const hear = (socket: Socket): void => {
        open.add(socket);
        socket.on('error', () => undefined).on('close', () => open.delete(socket));
        talk(socket);
    };
    const server = tls ? createTlsServer(SELF_SIGNED, hear) : createServer(hear);
    if (tls) server.on('tlsClientError', () => undefined);
    await servers.listening(server);
    servers.atEnd(() => {
        for (const socket of open) socket.destroy();
        return new Promise(done => server.close(done));
    });
    return (server.address() as AddressInfo).port;
}
const echo = (socket: Socket): void => void socket.pipe(socket);
async function answered(socket: OutboundSocket, text: string): Promise<string> {
    socket.write(text);
    const [data] = (await once(socket, 'data')) as [Buffer];
    return data.toString();
}
const closed = (socket: OutboundSocket): Promise<unknown> =>
    socket.destroyed ? Promise.resolve() : once(socket, 'close').catch(() => undefined);

describe('a session that a run leaves open', () => {
    const left = (socket: OutboundSocket) => ({ sockets: [socket], close: () => void socket.destroy() });
    const scopes = (): ((scope: string) => RunOutbound) => {
        const made = new OutboundGateway({ allowedHostnames: ['127.0.0.1'] });
        servers.atEnd(() => made.close());
        return scope => made.forRun({ scope, rateLimitRps: 0 });
    };
    const at = (port: number, more: Partial<SocketTarget> = {}): SocketTarget =>
        target(port, { host: '127.0.0.1', ...more });
    const { signal } = new AbortController();

    it('outlives it, and is continued by one run of the same scope that requests it by its name', async () => {
        const port = await listening(echo);
        const runOf = scopes();
        const [first, stranger, next] = [runOf('1/1'), runOf('1/2'), runOf('1/1')];
        const stopping = new AbortController();
        const session = left(await first.socket.open(at(port, { signal: stopping.signal })));
        first.socket.leave('sftp x', session);
        first.close();
        stopping.abort();
        expect(stranger.socket.restoreCheckpoint('sftp x', signal)).toBeUndefined();
        expect(next.socket.restoreCheckpoint('sftp y', signal)).toBeUndefined();
        expect(next.socket.restoreCheckpoint('sftp x', signal)).toBe(session);
        expect(next.socket.restoreCheckpoint('sftp x', signal)).toBeUndefined();
        expect(await answered(session.sockets[0]!, 'hello')).toBe('hello');
        next.close();
        expect(session.sockets[0]!.destroyed).toBe(true);
    });

    it('ends when the run that has resumed it is stopped, and is not reused once it is lost', async () => {
        const port = await listening(echo);
        const runOf = scopes();
        const [first, next] = [runOf('1/1'), runOf('1/1')];
        const session = left(await first.socket.open(at(port)));
        first.socket.leave('sftp x', session);
        const stopping = new AbortController();
        next.socket.restoreCheckpoint('sftp x', stopping.signal);
        stopping.abort();
        expect(session.sockets[0]!.destroyed).toBe(true);
        next.socket.leave('sftp x', session);
        expect(first.socket.restoreCheckpoint('sftp x', signal)).toBeUndefined();
    });

    it('is closed after a moment without use, or at once if another one has its name', async () => {
        const port = await listening(echo);
        const { socket } = scopes()('1/1');
        const [one, other] = [left(await socket.open(at(port))), left(await socket.open(at(port)))];
        jest.useFakeTimers({ doNotFake: [...ALL_BUT_INTERVALS.filter(name => !/Timeout|performance/.test(name))] });
        socket.leave('sftp x', one);
        socket.leave('sftp x', other);
        expect([one, other].map(({ sockets }) => sockets[0]!.destroyed)).toEqual([false, true]);
        jest.advanceTimersByTime(1_001);
        expect(one.sockets[0]!.destroyed).toBe(true);
    });

    it('is closed when runs have passed it on for a minute, so that its host is checked again', async () => {
        const port = await listening(echo);
        const { socket } = scopes()('1/1');
        const session = left(await socket.open(at(port)));
        jest.useFakeTimers({ doNotFake: [...ALL_BUT_INTERVALS.filter(name => !/Timeout|performance/.test(name))] });
        let handedOn = 0;
        for (socket.leave('x', session); socket.restoreCheckpoint('x', signal); socket.leave('x', session), handedOn++)
            jest.advanceTimersByTime(900);
        expect(handedOn).toBe(67);
        expect(session.sockets[0]!.destroyed).toBe(true);
    });
});

describe('a socket', () => {
    it('leads to the address that was checked, even if the name resolves to another one later', async () => {
        const port = await listening(echo);
        const answers = [['127.0.0.1'], ['10.0.0.9']];
        const { socket } = gateway({ allowedHostnames: ['svc.test'], resolve: async () => answers.shift()! });
        const opened = await socket.open(target(port, { host: 'SVC.test.' }));
        expect(await answered(opened, 'hello')).toBe('hello');
        expect([opened.remoteAddress, reached]).toEqual(['127.0.0.1', [`127.0.0.1:${port}`]]);
    });

    it.each(HOSTILE_ANSWERS.map(answer => [answer]))('does not go to a name that answers %j', async answer => {
        const { socket } = gateway({ allowedHostnames: [], resolve: () => Promise.resolve(answer) });
        expect(await rejected(socket.open(target(5432, { usualPorts: [5432] })))).toMatchObject({
            code: 'OUTBOUND_BLOCKED',
        });
        expect(await rejected(socket.pin(target(5432, { usualPorts: [5432] })))).toMatchObject({
            code: 'OUTBOUND_BLOCKED',
        });
        expect(reached).toEqual([]);
    });

    it.each<[string, Partial<SocketTarget>]>([
        ['an address of the local machine', { host: '127.0.0.1' }],
        ['the same in other figures', { host: '0x7f.1' }],
        ['an address of IPv6', { host: '::ffff:127.0.0.1' }],
        ['an address of IPv6 in brackets', { host: '[::1]' }],
        ['the credentials of a cloud', { host: '169.254.169.254' }],
        ['no host at all', { host: '' }],
        ['a URL', { host: 'http://db.example' }],
        ['a name with a port', { host: 'db.example:5432' }],
        ['no port', { port: 0 }],
        ['an invalid port', { port: 65_536 }],
    ])('does not go to %s', async (_, more) => {
        const { socket } = gateway({ allowedHostnames: [], resolve: () => Promise.resolve(['127.0.0.1']) });
        expect(await rejected(socket.open(target(2121, more)))).toMatchObject({ code: 'OUTBOUND_BLOCKED' });
        expect(reached).toEqual([]);
    });

    it('goes to the ports of its protocol, and to those of other services only if they are listed', async () => {
        const nobody: MakeConnector = () => (_, callback) =>
            callback(Object.assign(new Error('no sockets here'), { code: 'ECONNREFUSED' }), null);
        const outside = { resolve: () => Promise.resolve(['93.184.216.34']), makeConnector: nobody };
        const codeAt = async (host: string, port: number): Promise<string> => {
            const { socket } = gateway({ ...outside, allowedHostnames: ['listed.test'], allowedPorts: [6379] });
            return (await rejected(socket.open(target(port, { host, usualPorts: [5432, 6432] })))).code;
        };
        for (const port of [5432, 6432, 6379, 15_432]) expect(await codeAt('db.example', port)).toBe('REMOTE_BUSY');
        for (const port of [22, 25, 3306]) expect(await codeAt('db.example', port)).toBe('OUTBOUND_BLOCKED');
        expect(await codeAt('listed.test', 25)).toBe('REMOTE_BUSY');
        const { socket } = gateway({ ...outside, allowedHostnames: [] });
        expect(await rejected(socket.open(target(25)))).toMatchObject({
            code: 'OUTBOUND_BLOCKED',
            facts: { problem: expect.stringMatching(/port 25 .*SMTP.*security\.allowedPorts/) },
        });
    });

    it('of a server that is away says so; after five the server is left alone', async () => {
        const { socket } = gateway();
        const gone = createServer();
        await servers.listening(gone);
        const { port } = gone.address() as AddressInfo;
        await new Promise(done => gone.close(done));
        for (let i = 0; i < 5; i++) {
            expect(await rejected(socket.open(target(port)))).toMatchObject({
                code: 'REMOTE_BUSY',
                facts: {
                    host: `svc.test:${port}`,
                    problem: expect.stringContaining('rejects connections'),
                    attempts: 1,
                },
            });
        }
        expect(await rejected(socket.open(target(port)))).toMatchObject({
            code: 'REMOTE_BUSY',
            details: { isLeftAlone: true },
            facts: { problem: expect.stringMatching(/ \d+ s$/) },
        });
        expect(reached).toHaveLength(5);
    });

    it('reports an unknown name', async () => {
        const unknown = Object.assign(new Error('no'), { code: 'ENOTFOUND' });
        const { socket } = gateway({ resolve: () => Promise.reject(unknown) });
        expect(await rejected(socket.open(target(2121)))).toMatchObject({ code: 'REMOTE_REFUSED' });
    });
});

describe('a socket is closed', () => {
    it('when its run stops or has ended, and when the door is closed', async () => {
        const port = await listening(echo);
        const run = gateway();
        const stop = new AbortController();
        const reason = new Error('cancelled');
        const stopped = await run.socket.open(target(port, { signal: stop.signal }));
        const told = once(stopped, 'error');
        stop.abort(reason);
        expect(await told).toEqual([reason]);
        await closed(stopped);
        const ended = await run.socket.open(target(port));
        run.close();
        await closed(ended);
        const made = new OutboundGateway({ allowedHostnames: ['127.0.0.1'] });
        const left = await made
            .forRun({ scope: 'test', rateLimitRps: 0 })
            .socket.open(target(port, { host: '127.0.0.1' }));
        await made.close();
        await closed(left);
    });

    it('when nothing is sent either way for too long, and not while something is', async () => {
        jest.useFakeTimers({ doNotFake: ALL_BUT_INTERVALS });
        let accept: (socket: Socket) => void;
        const accepted = new Promise<Socket>(resolve => (accept = resolve));
        const port = await listening(socket => accept(socket));
        const socket = await gateway().socket.open(target(port, { idleMs: 400 }));
        const failed = new Promise<Error>(resolve => socket.on('error', resolve));
        const ends = [socket, await accepted] as const;
        for (let sent = 0; sent < 8; sent++) {
            const [from, to] = sent % 2 === 0 ? ends : [ends[1], ends[0]];
            const came = once(to, 'data');
            from.write('.');
            await came;
            jest.advanceTimersByTime(300);
        }
        expect(socket.destroyed).toBe(false);
        jest.advanceTimersByTime(400);
        expect(await failed).toMatchObject({
            code: 'OUTBOUND_TIMEOUT',
            facts: {
                host: `svc.test:${port}`,
                what: expect.stringContaining('nothing more'),
                timeoutMs: 400,
                attempts: 1,
            },
        });
        await closed(socket);
    });

    it('by the other side without harm to anybody who does not listen', async () => {
        const port = await listening(socket => void socket.once('data', () => socket.resetAndDestroy()));
        const socket = await gateway().socket.open(target(port));
        socket.write('go');
        await closed(socket);
    });
});

describe('opening a socket ends', () => {
    const never = (): Promise<never> => new Promise(() => undefined);

    it('when its time is up: at the look-up of the name, at the connection, at the handshake', async () => {
        const port = await listening(() => undefined);
        const hanging: MakeConnector = () => () => undefined;
        for (const parts of [{ resolve: never }, { makeConnector: hanging }, {}]) {
            const { socket } = gateway(parts);
            const error = await rejected(socket.open(target(port, { connectMs: 200, tls: {} })));
            expect([Object.keys(parts), error.code]).toEqual([Object.keys(parts), 'OUTBOUND_TIMEOUT']);
        }
    });

    it('when its run stops, with the reason of that', async () => {
        let isAsked: () => void;
        const requested = new Promise<void>(resolve => (isAsked = resolve));
        const port = await listening(() => isAsked());
        for (const parts of [{ resolve: never }, {}]) {
            const stop = new AbortController();
            const reason = new Error('cancelled');
            const opening = rejected(gateway(parts).socket.open(target(port, { tls: {}, signal: stop.signal })));
            if (!('resolve' in parts)) await requested;
            stop.abort(reason);
            expect(await opening).toBe(reason);
        }
    });
});

describe('TLS', () => {
    const { cert: ca } = SELF_SIGNED;

    it('is spoken from the first byte, with a server whose certificate is for the name', async () => {
        const port = await listening(echo, true);
        const { socket } = gateway({ allowedHostnames: ['svc.test', 'other.test'] });
        expect(await answered(await socket.open(target(port, { tls: { ca } })), 'hello')).toBe('hello');
        const other = { host: 'other.test', tls: { ca, servername: 'svc.test' } };
        expect(await answered(await socket.open(target(port, other)), 'hello')).toBe('hello');
    });

    it.each<[string, Partial<SocketTarget>]>([
        ['is not trusted', { tls: {} }],
        ['is for another name', { host: 'other.test', tls: { ca } }],
        ['is for no address', { host: '127.0.0.1', tls: { ca } }],
    ])('is not spoken with a server whose certificate %s, unless any will do', async (_, more) => {
        const port = await listening(echo, true);
        const { socket } = gateway({ allowedHostnames: ['svc.test', 'other.test', '127.0.0.1'] });
        expect(await rejected(socket.open(target(port, more)))).toMatchObject({ code: 'REMOTE_REFUSED' });
        const any = { ...more, tls: { ...more.tls, rejectUnauthorized: false } };
        expect(await answered(await socket.open(target(port, any)), 'hello')).toBe('hello');
    });

    it('is agreed on later, over the same socket, which ends with it', async () => {
        const port = await listening(plain => {
            plain.once('data', () => {
                plain.write('ready');
                const secured = new TLSSocket(plain, { isServer: true, ...SELF_SIGNED });
                secured.on('error', () => undefined).pipe(secured);
            });
        });
        const { socket } = gateway();
        const stop = new AbortController();
        const plain = await socket.open(target(port, { signal: stop.signal }));
        expect(await answered(plain, 'STARTTLS')).toBe('ready');
        const secured = await socket.secure(plain, { servername: 'svc.test', ca });
        expect(await answered(secured, 'hello')).toBe('hello');
        stop.abort(new Error('cancelled'));
        await Promise.all([closed(plain), closed(secured)]);
    });

    it('that cannot be agreed on ends the socket', async () => {
        const port = await listening(echo);
        const { socket } = gateway();
        const plain = await socket.open(target(port));
        expect((await rejected(socket.secure(plain, { servername: 'svc.test' }))).code).toMatch(/^REMOTE_/);
        await closed(plain);
        const foreign = connect(port, '127.0.0.1');
        servers.atEnd(() => foreign.destroy());
        expect(await rejected(socket.secure(foreign, { servername: 'svc.test' }))).toMatchObject({ code: 'BUG' });
    });
});

describe('a host that is pinned for a client', () => {
    it('is the address that was checked, whatever name is looked up', async () => {
        const port = await listening(echo);
        const answers = [['127.0.0.1'], ['10.0.0.9']];
        const { socket } = gateway({ resolve: async () => answers.shift()! });
        const { address, family, lookup } = await socket.pin(target(port));
        expect([address, family, reached]).toEqual(['127.0.0.1', 4, []]);
        const client = connect({ host: 'anything.test', port, lookup: lookup as never });
        servers.atEnd(() => client.destroy());
        expect(await answered(client, 'hello')).toBe('hello');
    });
});
