import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between a client and a server of this machine. */
export interface CutProxy {
    readonly port: number;
    /** How many connections go through it now. */
    open(): number;
    /** Cuts all that go through it. */
    cut(): void;
    /** Nobody gets through any more, until `heal`. */
    away(): void;
    heal(): void;
    /** Resolves when no connection goes through it. */
    emptied(): Promise<void>;
    close(): Promise<void>;
}

/** Opens one before a port of 127.0.0.1. */
export async function cutProxy(port: number): Promise<CutProxy> {
    const pairs = new Set<readonly [Socket, Socket]>();
    let emptied: () => void = () => undefined;
    let isAway = false;
    const server: Server = createServer(near => {
        if (isAway) {
            near.on('error', () => undefined).destroy();
            return;
        }
        const far = connect(port, '127.0.0.1');
        const pair = [near, far] as const;
        pairs.add(pair);
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
        cut,
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
