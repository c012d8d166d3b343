import { isIP, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { SocketTls } from '../../core/adapter/outbound';
import { onAbort } from '../../core/concurrency/abort';

/**
 * Starts TLS on a connected socket, which is destroyed if the handshake fails. The certificate must be valid for the requested name, unless any
 * certificate is accepted. Rejects with Node's own errors and with the signal's reason.
 */
export function handshake(
    socket: Socket,
    { servername, rejectUnauthorized = true, ca, cert, key, session }: SocketTls & { readonly servername: string },
    signal: AbortSignal,
): Promise<TLSSocket> {
    return new Promise((resolve, reject) => {
        const secured = connect({
            socket,
            host: servername,
            // An address must not be sent as a server name (RFC 6066); the certificate is checked against it all the same.
            ...(isIP(servername) === 0 && { servername }),
            rejectUnauthorized,
            ca,
            cert,
            key,
            ...(session && { session }),
        });
        let leave = (): void => undefined;
        const settle = (): void => {
            leave();
            secured.removeListener('close', broken).removeListener('error', fail);
        };
        const fail = (error: Error): void => {
            settle();
            secured.on('error', () => undefined).destroy();
            socket.on('error', () => undefined).destroy();
            reject(error);
        };
        const stop = (): void => fail(signal.reason as Error);
        const broken = (): void => fail(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
        if (signal.aborted) return stop();
        leave = onAbort(signal, stop);
        secured
            .once('error', fail)
            .once('close', broken)
            .once('secureConnect', () => {
                settle();
                resolve(secured);
            });
    });
}
