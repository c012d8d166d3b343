import { once, setMaxListeners } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Agent, fetch } from 'undici';
import { httpLookup } from '../src/adapters/operators/http-lookup';
import type { JsonObject } from '../src/core/value/json';
import { OutboundGateway } from '../src/io/outbound/gateway';
import { runBatch } from '../src/testing/bare-call';
import { ratePerSecond } from './rate';
import type { Row } from './report';

const BATCH = 1000;
const ROUNDS = 12;
const AT_ONCE = 50;
/** A server in a separate thread, so that it takes no time from the measured code. */
const SERVER = `
    const { createServer } = require('node:http');
    const { parentPort } = require('node:worker_threads');
    const server = createServer((request, response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ path: request.url, quantity: 7 })));
    server.keepAliveTimeout = 60_000;
    server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

type Contender = readonly [string, (skus: readonly JsonObject[]) => Promise<number>];

/**
 * Compares `httpLookup` with 50 requests at once to a local server, cached and not, with bare fetch and as many
 * requests.
 */
export async function benchLookup(): Promise<readonly Row[]> {
    const server = new Worker(SERVER, { eval: true });
    const [port] = (await once(server, 'message')) as [number];
    const origin = `http://127.0.0.1:${port}`;
    const gateway = new OutboundGateway({ allowedHostnames: ['127.0.0.1'] });
    const agent = new Agent({ connections: AT_ONCE });
    try {
        const { signal } = new AbortController();
        setMaxListeners(AT_ONCE, signal);
        const outbound = gateway.forRun({ scope: 'bench', rateLimitRps: 0 });
        const lookUp =
            (cacheTtlSec: number) =>
            async (records: readonly JsonObject[]): Promise<number> => {
                const args = {
                    url: `${origin}/stock/{{sku}}`,
                    target: 'stock',
                    responsePath: 'quantity',
                    cacheTtlSec,
                    batchSize: AT_ONCE,
                    rateLimitPerSecond: 10_000,
                };
                const { out } = await runBatch({ operator: httpLookup, args }, records, { outbound, signal });
                return out.filter(({ data }) => data['stock'] === 7).length;
            };
        return await race([
            ['undici fetch, 50 at once', records => fetched(records, origin, agent)],
            ['httpLookup, nothing cached', lookUp(0)],
            ['httpLookup, all cached', lookUp(300)],
        ]);
    } finally {
        await agent.close();
        await gateway.close();
        await server.terminate();
    }
}

async function fetched(records: readonly JsonObject[], origin: string, agent: Agent): Promise<number> {
    let next = 0;
    const out: JsonObject[] = [];
    const work = async (): Promise<void> => {
        while (next < records.length) {
            const record = records[next++]!;
            const answer = await fetch(`${origin}/stock/${encodeURIComponent(String(record['sku']))}`, {
                dispatcher: agent,
            });
            const { quantity } = (await answer.json()) as { readonly quantity: number };
            out.push({ ...record, stock: quantity });
        }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return out.length;
}

/** They take turns. The first round opens the connections and fills the cache. */
async function race(contenders: readonly Contender[]): Promise<readonly Row[]> {
    const records = Array.from({ length: BATCH }, (_, i) => ({ sku: `A-${i}` }));
    const times = contenders.map(() => [] as number[]);
    for (let round = 0; round <= ROUNDS; round++) {
        for (const [i, [name, run]] of contenders.entries()) {
            const start = performance.now();
            if ((await run(records)) !== BATCH) throw new Error(`${name} has lost records.`);
            if (round > 0) times[i]!.push(performance.now() - start);
        }
    }
    const rates = times.map(all => ratePerSecond(all, BATCH));
    return contenders.map(([bench], i) => ({
        bench,
        database: '–',
        records: ROUNDS * BATCH,
        recordsPerSecond: rates[i]!,
        statementsPerRecord: null,
        peakRssMb: process.memoryUsage.rss() / 1024 / 1024,
        ratioToRaw: i === 0 ? null : rates[i]! / rates[0]!,
        ratioToVendure: null,
    }));
}
