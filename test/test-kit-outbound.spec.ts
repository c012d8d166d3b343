import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { defineExtractor, type ExtractContext, type JsonObject } from '../src';
import { Secret } from '../src/core/adapter/secret';
import { type ContractContext, extractorContract, fakeOutbound, runPipeline } from '../src/testing';

const LINES = ['one', 'two', 'three'];
const RECORDS: JsonObject[] = LINES.map(line => ({ line }));
const URL_OF_FEED = 'https://feed.example.com/lines';

/** Lines that a server sends one by one. */
async function* overStream({ outbound, signal }: ExtractContext): AsyncGenerator<string> {
    const limits = { idleMs: 1_000, totalMs: 5_000, maxBytes: 1_000 };
    const { body } = await outbound.stream.open({ url: URL_OF_FEED, method: 'GET', signal, ...limits });
    for await (const piece of body) yield piece.toString().trim();
}

/** The same from a server that sends one line for each byte that it receives. */
async function* overSocket({ outbound, signal }: ExtractContext): AsyncGenerator<string> {
    const socket = await outbound.socket.open({ host: 'lines.example.com', port: 7007, usualPorts: [7007], signal });
    try {
        for (let i = 0; i < LINES.length; i++) {
            socket.write(String(i));
            const [line] = (await once(socket, 'data')) as [Buffer];
            yield line.toString();
        }
    } finally {
        socket.destroy();
    }
}

function lines(read: (cx: ExtractContext) => AsyncGenerator<string>) {
    return defineExtractor({
        code: 'lines',
        category: 'Own',
        title: 'Lines',
        summary: 'Reads the lines of a server.',
        config: z.strictObject({}),
        examples: [
            { config: {}, out: RECORDS },
            { config: {}, out: RECORDS },
        ],
        async *extract(_, cx) {
            let count = 0;
            for await (const line of read(cx)) {
                await nextTurn();
                cx.signal.throwIfAborted();
                yield { records: [{ line }] };
                if (++count === cx.limit) return;
            }
        },
    });
}

const failing = async (
    read: (cx: ExtractContext) => AsyncGenerator<string>,
    context: ContractContext,
): Promise<string[]> => {
    const failed: string[] = [];
    for (const { name, run } of extractorContract(lines(read), context)) await run().catch(() => failed.push(name));
    return failed;
};

const streamed = fakeOutbound({ stream: () => ({ body: LINES.map(line => `${line}\n`) }) });

describe('the fake network', () => {
    let port: number;
    const server = createServer(socket => {
        socket.on('error', () => undefined).on('data', which => socket.write(LINES[Number(which)]!));
    });
    beforeAll(async () => {
        await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
        port = (server.address() as AddressInfo).port;
    });
    afterAll(() => new Promise(done => server.close(done)));
    const connected = fakeOutbound({
        socket: async () => {
            const socket = connect(port, '127.0.0.1');
            await once(socket, 'connect');
            return socket;
        },
    });

    it('answers through streams and sockets, for an extractor that fulfils its contract', async () => {
        expect(await failing(overStream, { outbound: streamed })).toEqual([]);
        expect(await failing(overSocket, { outbound: connected })).toEqual([]);
    });

    it('reports an extractor that leaves a stream or a socket open', async () => {
        async function* unread(cx: ExtractContext): AsyncGenerator<string> {
            await cx.outbound.stream.open({
                url: URL_OF_FEED,
                method: 'GET',
                idleMs: 1,
                totalMs: 1,
                maxBytes: 1,
                signal: cx.signal,
            });
            yield* LINES;
        }
        async function* unclosed(cx: ExtractContext): AsyncGenerator<string> {
            const { signal } = cx;
            const socket = await cx.outbound.socket.open({ host: 'a.example.com', port: 7, usualPorts: [7], signal });
            afterTest.push(() => socket.destroy());
            yield* LINES;
        }
        const afterTest: Array<() => unknown> = [];
        const closes = expect.stringContaining('closes');
        expect(await failing(unread, { outbound: streamed })).toContainEqual(closes);
        expect(await failing(unclosed, { outbound: connected })).toContainEqual(closes);
        for (const end of afterTest) end();
    });

    it('serves a whole pipeline, and limits streams to the requested size', async () => {
        const perform = (size: number) =>
            runPipeline({
                pipeline: {
                    version: 1,
                    steps: [
                        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                        { key: 'read', kind: 'EXTRACT', config: { adapterCode: 'lines' } },
                        { key: 'write', kind: 'LOAD', config: { adapterCode: 'productUpsert' } },
                    ],
                    edges: [
                        { from: 'start', to: 'read' },
                        { from: 'read', to: 'write' },
                    ],
                },
                options: { adapters: [lines(overStream)] },
                stream: ({ url }) => ({ body: url === URL_OF_FEED ? ['a'.repeat(size)] : [] }),
            });
        expect((await perform(1_000)).loaded['write']).toEqual([{ line: 'a'.repeat(1_000) }]);
        expect((await perform(1_001)).error).toMatchObject({ code: 'OUTBOUND_TOO_LARGE', stepKey: 'read' });
    });

    it('sends secrets only to allowed hosts', async () => {
        const { signal } = new AbortController();
        const { http } = fakeOutbound({ http: async () => ({ status: 204, headers: {}, body: Buffer.alloc(0) }) });
        const auth = { header: 'x-key', value: new Secret('feed-key', 'k3y', ['feed.example.com']) };
        const send = (url: string) => http.send({ url, method: 'GET', timeoutMs: 1, signal, auth });
        expect(await send(URL_OF_FEED)).toMatchObject({ status: 204 });
        await expect(send('https://other.example.com/')).rejects.toMatchObject({ code: 'SECRET_HOST_NOT_ALLOWED' });
    });

    it('rejects requests without a fake answer', async () => {
        const { signal } = new AbortController();
        const { http, socket } = streamed;
        const requested = [
            http.send({ url: URL_OF_FEED, method: 'GET', timeoutMs: 1, signal }),
            socket.open({ host: 'a.example.com', port: 7, usualPorts: [7], signal }),
            socket.pin({ host: 'a.example.com', port: 7, usualPorts: [7], signal }),
        ];
        for (const one of requested)
            await expect(one).rejects.toMatchObject({
                code: 'OUTBOUND_BLOCKED',
                message: expect.stringContaining('no network') as string,
            });
    });
});
