import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy between a client and a server of this machine. */
export interface CutProxy {
    readonly port: number;
    /** How many connections are open now. */
    open(): number;
    /** How many connections there have been. */
    connections(): number;
    /** Cuts all open connections. */
    cut(): void;
    /** Cuts all connections after this many more bytes from the server. Further numbers apply one after another. */
    cutAfter(...bytes: readonly number[]): void;
    /** How often `cutAfter` has cut. */
    cuts(): number;
    /** Accepts no connections until `heal`. */
    away(): void;
    heal(): void;
    /** Resolves when no connection is open. */
    emptied(): Promise<void>;
    close(): Promise<void>;
}

/** How long the last bytes have to arrive: cutting the connection immediately would lose them. */
const ARRIVES_MS = 10;

/** Opens one for a port of 127.0.0.1. */
export async function cutProxy(port: number): Promise<CutProxy> {
    const pairs = new Set<readonly [Socket, Socket]>();
    let emptied: () => void = () => undefined;
    let isAway = false;
    let [left, ...later]: readonly number[] = [];
    let cuts = 0;
    let came = 0;
    const count = (bytes: number): void => {
        if (left === undefined || (left -= bytes) > 0) return;
        left = undefined;
        const over = [...pairs];
        for (const [near, far] of over) far.unpipe(near);
        setTimeout(() => {
            cuts++;
            [left, ...later] = later;
            for (const [near] of over) near.destroy();
        }, ARRIVES_MS);
    };
    const server: Server = createServer(near => {
        came++;
        if (isAway) {
            near.on('error', () => undefined).destroy();
            return;
        }
        const far = connect(port, '127.0.0.1');
        const pair = [near, far] as const;
        pairs.add(pair);
        far.on('data', chunk => count(chunk.length));
        near.pipe(far).pipe(near);
        for (const [one, other] of [pair, [far, near] as const])
            one.on('error', () => undefined).on('close', () => {
                other.destroy();
                pairs.delete(pair);
                if (pairs.size === 0) emptied();
            });
    });
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    const cut = (): void => {
        for (const [near] of pairs) near.destroy();
    };
    return {
        port: (server.address() as AddressInfo).port,
        open: () => pairs.size,
        connections: () => came,
        cut,
        cutAfter: (...bytes) => void ([left, ...later] = bytes),
        cuts: () => cuts,
        away: () => {
            isAway = true;
            cut();
        },
        heal: () => {
            isAway = false;
        },
        emptied: () => (pairs.size === 0 ? Promise.resolve() : new Promise<void>(done => (emptied = done))),
        close: () => new Promise<void>(done => server.close(() => done())),
    };
}
