import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A proxy for a server on this machine that can stop all traffic, as if the server were frozen; its connections stay open. */
export interface FreezableWay {
    readonly port: number;
    freeze(): void;
    close(): void;
}

export async function freezableWay(port: number): Promise<FreezableWay> {
    const sockets: Socket[] = [];
    let isFrozen = false;
    const carry = (from: Socket, to: Socket): void => {
        sockets.push(from);
        from.on('data', (bytes: Buffer) => void (isFrozen || to.write(bytes)))
            .on('error', () => to.destroy())
            .on('close', () => to.destroy());
    };
    const server = createServer(near => {
        const far = connect(port, '127.0.0.1');
        carry(near, far);
        carry(far, near);
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return {
        port: (server.address() as AddressInfo).port,
        freeze: () => {
            isFrozen = true;
        },
        close: () => {
            for (const socket of sockets) socket.destroy();
            server.close();
        },
    };
}
