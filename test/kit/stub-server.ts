import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import { SELF_SIGNED } from '../fixtures/self-signed';

/** A server on this machine that answers as the test decides, and records its requests. */
export interface StubServer {
    readonly port: number;
    readonly seen: Array<{ method: string; url: string; headers: IncomingMessage['headers']; body: string }>;
}

/** The servers of one test, and everything else that is closed after it. */
export class StubServers {
    private readonly closing: Array<() => unknown> = [];

    constructor() {
        afterEach(async () => {
            for (const close of this.closing.splice(0).reverse()) await close();
        });
    }

    atEnd(close: () => unknown): void {
        this.closing.push(close);
    }

    /** Calls `answer` with the number of the request once the request is complete. */
    async serve(
        answer: (request: IncomingMessage, response: ServerResponse, number: number) => void,
        tls = false,
    ): Promise<StubServer> {
        const seen: StubServer['seen'] = [];
        const listener: RequestListener = (request, response) => {
            const chunks: Buffer[] = [];
            request
                .on('data', (chunk: Buffer) => chunks.push(chunk))
                .on('end', () => {
                    seen.push({
                        method: request.method!,
                        url: request.url!,
                        headers: request.headers,
                        body: Buffer.concat(chunks).toString(),
                    });
                    answer(request, response, seen.length);
                });
        };
        const server = tls ? createTlsServer(SELF_SIGNED, listener) : createServer(listener);
        await this.listening(server);
        this.atEnd(
            () =>
                new Promise(done => {
                    server.close(done);
                    server.closeAllConnections();
                }),
        );
        return { port: (server.address() as AddressInfo).port, seen };
    }

    listening(server: TcpServer): Promise<void> {
        return new Promise(done => server.listen(0, '127.0.0.1', done));
    }
}
