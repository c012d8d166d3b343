import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { timedOut, type TryFacts } from './failures';
import type { OpenHandles } from './open-handles';

/** A call that is waited for. */
interface CallBack {
    readonly address: string;
    readonly port: number;
    /** Throws OUTBOUND_TIMEOUT. */
    accepted(): Promise<Socket>;
    close(): void;
}

/**
 * Listens at the local address of a connection for one connection from its remote address. Other connections are closed, so that no one else can
 * inject a file. The system chooses the port.
 */
export async function callBack(
    control: Socket,
    { facts, held }: { readonly facts: TryFacts; readonly held: OpenHandles },
): Promise<CallBack> {
    const { localAddress, remoteAddress } = control;
    const server = createServer({ pauseOnConnect: true });
    const release = held.add(() => close());
    let timer: NodeJS.Timeout | undefined;
    let isTaken = false;
    const close = (): void => {
        clearTimeout(timer);
        release();
        server.close();
    };
    const accepted = new Promise<Socket>((resolve, reject) => {
        server.on('connection', socket => {
            if (socket.remoteAddress !== remoteAddress) return void socket.on('error', () => undefined).destroy();
            close();
            resolve(socket);
        });
        server.once('error', reject);
        timer = setTimeout(() => {
            close();
            reject(timedOut(facts).error);
        }, facts.timeoutMs);
    });
    // The awaiting caller gets the error, if it still exists.
    accepted.catch(() => undefined);
    server.listen(0, localAddress);
    await once(server, 'listening');
    const address = server.address() as { readonly address: string; readonly port: number };
    return {
        address: address.address,
        port: address.port,
        accepted: () => {
            isTaken = true;
            return accepted;
        },
        close: () => {
            close();
            if (!isTaken) void accepted.then(socket => socket.destroy()).catch(() => undefined);
        },
    };
}
