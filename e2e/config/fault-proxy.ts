import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Where a connection is cut: its COMMIT never arrives, or arrives and its answer is lost. */
export type Cut = 'beforeCommit' | 'afterCommit';

/** Stands between a database and its clients, on 127.0.0.1, and lets a test do what networks do. */
export interface FaultProxy {
    /** The database's address through it. */
    readonly url: string;
    /** Asked at each COMMIT. */
    onCommit(decide: () => Cut | undefined): void;
    /** Nothing gets through any more, and nobody is told; what is sent meanwhile arrives when it is healed. */
    silence(): void;
    heal(): void;
    /** Cuts every connection. */
    cutAll(): void;
    /** How many connections were cut at a COMMIT. */
    readonly cuts: number;
    close(): Promise<void>;
}

interface Pair {
    readonly client: Socket;
    readonly server: Socket;
    isAnswerLost: boolean;
}

/** COMMIT is a statement of its own with every driver; nothing else that is so short has the word in it. */
const LONGEST_COMMIT = 40;

/** Opens a proxy to the database of such an address. */
export async function faultProxy(url: string): Promise<FaultProxy> {
    const target = new URL(url);
    const pairs = new Set<Pair>();
    let decide: () => Cut | undefined = () => undefined;
    let isSilent = false;
    let cuts = 0;

    const cut = (pair: Pair): void => {
        pairs.delete(pair);
        pair.client.destroy();
        pair.server.destroy();
    };
    const fromClient = (pair: Pair, chunk: Buffer): void => {
        if (chunk.length <= LONGEST_COMMIT && chunk.includes('COMMIT')) {
            const where = decide();
            if (where) cuts += 1;
            if (where === 'beforeCommit') return cut(pair);
            pair.isAnswerLost = where === 'afterCommit';
        }
        pair.server.write(chunk);
    };
    const fromServer = (pair: Pair, chunk: Buffer): void => {
        if (pair.isAnswerLost) cut(pair);
        else pair.client.write(chunk);
    };
    const listener = createServer(client => {
        const server = connect(Number(target.port), target.hostname);
        const pair: Pair = { client, server, isAnswerLost: false };
        pairs.add(pair);
        client.on('data', chunk => fromClient(pair, chunk));
        server.on('data', chunk => fromServer(pair, chunk));
        for (const socket of [client, server]) {
            socket.setNoDelay(true);
            socket.on('error', () => cut(pair));
            socket.on('close', () => cut(pair));
            if (isSilent) socket.pause();
        }
    });
    await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve));
    const own = new URL(url);
    own.port = String((listener.address() as AddressInfo).port);
    own.hostname = '127.0.0.1';
    const each = (what: (socket: Socket) => void): void => {
        for (const { client, server } of pairs) for (const socket of [client, server]) what(socket);
    };
    return {
        url: own.href,
        onCommit: asked => {
            decide = asked;
        },
        silence: () => {
            isSilent = true;
            each(socket => socket.pause());
        },
        heal: () => {
            isSilent = false;
            each(socket => socket.resume());
        },
        cutAll: () => {
            for (const pair of [...pairs]) cut(pair);
        },
        get cuts() {
            return cuts;
        },
        close: async () => {
            for (const pair of [...pairs]) cut(pair);
            await new Promise<void>(resolve => listener.close(() => resolve()));
        },
    };
}
