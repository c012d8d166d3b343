import { createServer, type AddressInfo, type Socket } from 'node:net';
import { OutboundGateway } from '../outbound/gateway';
import { MysqlSession } from './mysql';

/** A server that says nothing until it is spoken to, and then what it is given. */
async function silent(answer?: string): Promise<{ readonly port: number; readonly seen: string[]; close(): void }> {
    const seen: string[] = [];
    const sockets = new Set<Socket>();
    const server = createServer(socket => {
        sockets.add(socket);
        socket
            .on('error', () => undefined)
            .on('data', piece => {
                seen.push(piece.toString('hex'));
                if (answer !== undefined) socket.write(answer);
            });
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const close = (): void => {
        server.close();
        for (const socket of sockets) socket.destroy();
    };
    return { port: (server.address() as AddressInfo).port, seen, close };
}

describe('a MySQL connection to a server that does not greet', () => {
    it.each<[string, string | undefined, number, string, string]>([
        ['of PostgreSQL without TLS', 'N', 60_000, 'REMOTE_REFUSED', 'PostgreSQL'],
        ['of PostgreSQL with TLS', 'S', 60_000, 'REMOTE_REFUSED', 'PostgreSQL'],
        ['that never says anything', undefined, 300, 'OUTBOUND_TIMEOUT', 'no greeting'],
        ['that answers something else', 'HTTP/1.1 400 Bad Request', 2_000, 'OUTBOUND_TIMEOUT', 'no greeting'],
    ])('%s is identified', async (_, answer, timeoutMs, code, words) => {
        const server = await silent(answer);
        const gateway = new OutboundGateway({ allowedHostnames: ['127.0.0.1'] });
        const outbound = gateway.forRun({ scope: 'test', rateLimitRps: 0 });
        const target = {
            dialect: 'mysql' as const,
            host: '127.0.0.1',
            port: server.port,
            database: 'erp',
            user: 'reader',
            password: 'c4nary',
            tls: undefined,
        };
        const limits = { outbound, timeoutMs, signal: new AbortController().signal };
        try {
            await expect(MysqlSession.open(target, limits)).rejects.toMatchObject({
                code,
                message: expect.stringContaining(words) as string,
            });
            expect(server.seen).toEqual(timeoutMs < 1_000 ? [] : ['0000000804d2162f']);
        } finally {
            server.close();
            await gateway.close();
        }
    });
});
