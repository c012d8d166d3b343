import type { Permission, RequestContext } from '@vendure/core';
import { fakeOutbound } from '../../testing/fake-outbound';
import { Secret } from '../../core/adapter/secret';
import { EVERY_HOST } from '../../core/adapter/secret-hosts';
import type { Outbound } from '../../core/adapter/outbound';
import { testRunGateway } from './test-run-gateway';

const { signal } = new AbortController();
const TO = { host: 'db.example.com', port: 5432, usualPorts: [5432], signal };
const limits = { timeoutMs: 1, idleMs: 1, totalMs: 1, maxBytes: 1, signal };

/** Which ways are open, each tried once. */
async function open(outbound: Outbound): Promise<string[]> {
    const url = 'https://erp.example.com/stock';
    const tried: Readonly<Record<string, () => Promise<unknown>>> = {
        GET: () => outbound.http.send({ url, method: 'GET', ...limits }),
        POST: () => outbound.http.send({ url, method: 'POST', ...limits }),
        getStream: () => outbound.stream.open({ url, method: 'GET', ...limits }),
        postStream: () => outbound.stream.open({ url, method: 'POST', ...limits }),
        socket: () => outbound.socket.open(TO),
        pin: () => outbound.socket.pin(TO),
    };
    const ways: string[] = [];
    for (const [way, trial] of Object.entries(tried)) {
        const code = await trial().then(
            () => 'open',
            (error: { readonly code: string }) => error.code,
        );
        if (code === 'open') ways.push(way);
        else expect(code).toBe('OUTBOUND_BLOCKED');
    }
    return ways;
}

describe('the network of a definition that is only tried', () => {
    const network = fakeOutbound({
        http: async () => ({ status: 200, headers: {}, body: Buffer.alloc(0) }),
        stream: () => ({ body: [] }),
        socket: () => ({ destroy: () => undefined }) as never,
        pin: () => ({}) as never,
    });
    const by = (permissions: readonly string[], more: { servers?: string[]; requireReview?: boolean } = {}): Outbound =>
        testRunGateway(network, {
            ctx: {
                userHasPermissions: (requested: Permission[]) => requested.every(one => permissions.includes(one)),
            } as unknown as RequestContext,
            requireReview: more.requireReview ?? false,
            servers: () => more.servers ?? ['erp.example.com:443', 'db.example.com:5432'],
        });
    const editor = ['UpdateFlowPipeline'];
    const publisher = ['PublishFlowPipeline'];

    it('is open for what only reads, at the servers of saved connections', async () => {
        expect(await open(by(editor))).toEqual(['GET', 'getStream']);
        expect(await open(by(editor, { servers: ['erp.example.com:8443', '*.example.org'] }))).toEqual([]);
    });

    it('is open in all ways for those who could publish it', async () => {
        expect(await open(by(publisher, { servers: [] }))).toHaveLength(6);
    });

    it('is open for them as for others until a reviewer approves of it, and to the sockets of saved connections', async () => {
        expect(await open(by(publisher, { requireReview: true }))).toEqual(['GET', 'getStream', 'socket', 'pin']);
        expect(await open(by(publisher, { requireReview: true, servers: [] }))).toEqual([]);
    });

    it('gets tokens from the servers of saved connections alone', async () => {
        const ask = (tokenUrl: string) =>
            by(editor, { servers: ['erp.example.com:443', 'tokens.example.com:443'] }).http.send({
                url: 'https://erp.example.com/stock',
                method: 'GET',
                auth: {
                    tokenUrl,
                    clientId: 'a',
                    clientSecret: new Secret('client', 'canary', EVERY_HOST),
                    scope: undefined,
                    audience: undefined,
                    clientAuth: 'BASIC',
                },
                ...limits,
            });
        expect(await ask('https://tokens.example.com/t')).toMatchObject({ status: 200 });
        await expect(ask('https://evil.test/t')).rejects.toMatchObject({ code: 'OUTBOUND_BLOCKED' });
    });

    it('follows no redirect to another server', async () => {
        const locks: unknown[] = [];
        const watched = fakeOutbound({
            http: async ({ originLock }) => {
                locks.push(originLock);
                return { status: 200, headers: {}, body: Buffer.alloc(0) };
            },
        });
        const ctx = { userHasPermissions: () => false } as unknown as RequestContext;
        const gateway = testRunGateway(watched, { ctx, requireReview: false, servers: () => ['erp.example.com'] });
        await gateway.http.send({ url: 'https://erp.example.com/stock', method: 'GET', ...limits });
        expect(locks).toEqual(['https://erp.example.com']);
    });
});
