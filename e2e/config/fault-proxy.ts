import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type StatementReader, statementReader } from './wire-statements';

/** How a connection is cut at a message: it never arrives, or arrives and its answer is lost. */
export type Cut = 'before' | 'after';

/** How many connections were cut, and how many of them at a COMMIT. */
export interface Cuts {
    readonly all: number;
    readonly atCommits: number;
}

/** Stands between a database and its clients, on 127.0.0.1, and lets a test do what networks do. */
export interface FaultProxy {
    /** The database's address through it. */
    readonly url: string;
    /** Asked at each COMMIT. */
    onCommit(decide: () => Cut | undefined): void;
    /**
     * Asked at each transaction: whether its connection is cut at one of its messages, each as likely as any other, from the one that begins
     * it to its COMMIT, before the message arrives or before its answer does.
     */
    onBegin(decide: () => boolean): void;
    /** Asked at each message, with the connection that it goes by. */
    onMessage(decide: (text: string, connection: object) => Cut | undefined): void;
    /** Called for each statement, with the connection that it is sent on. */
    onStatement(decide: (statement: string, connection: object) => Cut | undefined): void;
    /** Nothing gets through any more, and nobody is told; what is sent meanwhile arrives when it is healed. */
    silence(): void;
    heal(): void;
    /** Cuts every connection. */
    cutAll(): void;
    /** Those that were cut by either of these. */
    readonly cuts: Cuts;
    close(): Promise<void>;
}

interface Pair {
    readonly client: Socket;
    readonly server: Socket;
    readonly reader: StatementReader;
    isAnswerLost: boolean;
    /** Of the transaction in hand, so far. */
    messages: number;
    /** The message of it that the connection is cut at. */
    cutAt: number | undefined;
}

/** COMMIT is a statement of its own with every driver; nothing else that is so short has the word in it. */
const LONGEST_COMMIT = 40;
/** What limits a session may travel with the beginning of its transaction. */
const LONGEST_BEGIN = 300;
/** From how many transactions it is learnt how many messages one has. */
const LEARNT_FROM = 50;

/** Opens a proxy to the database of such an address. */
export async function faultProxy(url: string): Promise<FaultProxy> {
    const target = new URL(url);
    const pairs = new Set<Pair>();
    let decide: () => Cut | undefined = () => undefined;
    let decideAtBegin: () => boolean = () => false;
    let decideAtMessage: (text: string, connection: object) => Cut | undefined = () => undefined;
    let decideAtStatement: (statement: string, connection: object) => Cut | undefined = () => undefined;
    let isSilent = false;
    const cuts = { all: 0, atCommits: 0 };
    const lengths: number[] = [];

    const cut = (pair: Pair): void => {
        pairs.delete(pair);
        pair.client.destroy();
        pair.server.destroy();
    };
    const fromClient = (pair: Pair, chunk: Buffer): void => {
        const where =
            whereToCut(pair, chunk) ?? decideAtMessage(chunk.toString('latin1'), pair) ?? whereAtStatement(pair, chunk);
        if (where === 'before') return cut(pair);
        pair.isAnswerLost ||= where === 'after';
        pair.server.write(chunk);
    };
    const whereToCut = (pair: Pair, chunk: Buffer): Cut | undefined => {
        const isCommit = chunk.length <= LONGEST_COMMIT && chunk.includes('COMMIT');
        if (chunk.length <= LONGEST_BEGIN && chunk.includes('START TRANSACTION')) {
            const known = lengths[Math.floor(Math.random() * lengths.length)] ?? 2;
            [pair.messages, pair.cutAt] = [0, decideAtBegin() ? Math.floor(Math.random() * known) : undefined];
        } else pair.messages += 1;
        const isDue = pair.cutAt !== undefined && (isCommit || pair.messages >= pair.cutAt);
        const byChance = Math.random() < 0.5 ? 'before' : 'after';
        const where = isDue ? byChance : isCommit ? decide() : undefined;
        if (isCommit) {
            lengths.push(pair.messages + 1);
            if (lengths.length > LEARNT_FROM) lengths.shift();
        }
        if (isDue || isCommit) pair.cutAt = undefined;
        if (where) cuts.all += 1;
        if (where && isCommit) cuts.atCommits += 1;
        return where;
    };
    const whereAtStatement = (pair: Pair, chunk: Buffer): Cut | undefined => {
        const each = pair.reader.read(chunk).map(statement => decideAtStatement(statement, pair));
        const where = each.find(cut => cut !== undefined);
        if (where) cuts.all += 1;
        return where;
    };
    const fromServer = (pair: Pair, chunk: Buffer): void => {
        if (pair.isAnswerLost) cut(pair);
        else pair.client.write(chunk);
    };
    const listener = createServer(client => {
        const server = connect(Number(target.port), target.hostname);
        const reader = statementReader(target.protocol);
        const pair: Pair = { client, server, reader, isAnswerLost: false, messages: 0, cutAt: undefined };
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
        onCommit: requested => {
            decide = requested;
        },
        onBegin: requested => {
            decideAtBegin = requested;
        },
        onMessage: requested => {
            decideAtMessage = requested;
        },
        onStatement: requested => {
            decideAtStatement = requested;
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
            return { ...cuts };
        },
        close: async () => {
            for (const pair of [...pairs]) cut(pair);
            await new Promise<void>(resolve => listener.close(() => resolve()));
        },
    };
}
