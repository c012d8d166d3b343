import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type StatementReader, statementReader } from './wire-statements';

/** How a connection is cut at a message: the message never arrives, or it arrives and the response is lost. */
export type Cut = 'before' | 'after';

/** How many connections were cut, and how many of them at a COMMIT. */
export interface Cuts {
    readonly all: number;
    readonly atCommits: number;
}

/** A proxy between a database and its clients, on 127.0.0.1, with which a test simulates problems of a network. */
export interface FaultProxy {
    /** The address of the database through the proxy. */
    readonly url: string;
    /** Called at each COMMIT. */
    onCommit(decide: () => Cut | undefined): void;
    /**
     * Called at the beginning of each transaction: if the result is true, the connection is cut at one of the transaction's messages, from
     * BEGIN to COMMIT, before the message or its response arrives. Each message is equally likely.
     */
    onBegin(decide: () => boolean): void;
    /** Called for each message, with the connection that it uses. */
    onMessage(decide: (text: string, connection: object) => Cut | undefined): void;
    /** Called for each statement, with the connection that it uses. */
    onStatement(decide: (statement: string, connection: object) => Cut | undefined): void;
    /** Holds back all data without closing a connection; what is sent meanwhile arrives after `heal`. */
    silence(): void;
    heal(): void;
    /** Cuts every connection. */
    cutAll(): void;
    /** The connections that `onCommit` and the other callbacks have cut. */
    readonly cuts: Cuts;
    close(): Promise<void>;
}

interface Pair {
    readonly client: Socket;
    readonly server: Socket;
    readonly reader: StatementReader;
    isAnswerLost: boolean;
    /** The messages of the current transaction so far. */
    messages: number;
    /** The number of the message at which the connection is cut. */
    cutAt: number | undefined;
}

/** Every driver sends COMMIT as a separate statement; no other statement that is this short contains the word. */
const LONGEST_COMMIT = 40;
/** Settings of a session may be sent with the beginning of its transaction. */
const LONGEST_BEGIN = 300;
/** The number of transactions after which the usual number of messages is known. */
const LEARNT_FROM = 50;

/** Opens a proxy to the database with this URL. */
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
