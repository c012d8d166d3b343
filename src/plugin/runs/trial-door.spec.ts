import type { Permission, RequestContext } from '@vendure/core';
import { fakeOutbound } from '../../testing/fake-outbound';
import type { Outbound } from '../../core/adapter/outbound';
import { doorOfTrial } from './trial-door';

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
    const by = (permissions: readonly string[]): Outbound =>
        doorOfTrial(network, {
            userHasPermissions: (asked: Permission[]) => asked.every(one => permissions.includes(one)),
        } as unknown as RequestContext);

    it('is open for what only reads', async () => {
        expect(await open(by(['UpdateFlowPipeline']))).toEqual(['GET', 'getStream']);
    });

    it('is open in all ways for those who could publish it', async () => {
        expect(await open(by(['PublishFlowPipeline']))).toHaveLength(6);
    });
});
