import { Client } from 'pg';
import { HOOK_OPTIONS, percentile, Sender, shopProcess } from './hooks';
import { openShop } from './shop';

const POSTS = 60;
const BAR_MS = { sql: 350, bullmq: 120 } as const;
/** Single records, as a shop's ERP sends them all day. */
const MANY = { runs: 2_000, perSecond: 20, backlog: 20, refreshes: 200 };
/** The number of records that arrive after an ERP was away. Measures how fast a worker is when runs wait. */
const BURST = { runs: 400, perSecond: 100 };
const PATIENCE_MS = 60_000;

type Queue = keyof typeof BAR_MS;

/**
 * Measures the time from the accepted post of one product to its row in the shop, on an idle server with each job
 * queue. Then executes 2,000 runs of one product and measures whether they leave a backlog and how often collections
 * were updated for them. Returns whether the limits were kept.
 */
export async function benchLatency(): Promise<boolean> {
    const held: boolean[] = [];
    for (const queue of ['sql', 'bullmq'] as const) held.push(await withQueue(queue));
    const isHeld = held.every(Boolean);
    console.log(isHeld ? 'The limits were kept.' : 'THE LIMITS WERE NOT KEPT.');
    return isHeld;
}

async function withQueue(queue: Queue): Promise<boolean> {
    const shop = await openShop('postgres', HOOK_OPTIONS);
    const { url } = shop.target as { readonly url: string };
    const order = { url, queue, prefix: `flow-bench-${process.pid}` };
    const server = await shopProcess({ as: 'server', ...order });
    const worker = await shopProcess({ as: 'worker', ...order });
    const database = new Client({ connectionString: url });
    const sender = new Sender([server.port], 16);
    try {
        await database.connect();
        const count = async (statement: string): Promise<number> =>
            Number((await database.query<{ n: string }>(statement)).rows[0]!.n);
        const isThere = async (sku: string): Promise<boolean> =>
            (await database.query('SELECT 1 FROM product_variant WHERE sku = $1', [sku])).rows.length > 0;
        for (let n = 0; n < 10; n++) await single({ sender, isThere }, `WARM-${n}`);
        const waits: number[] = [];
        for (let n = 0; n < POSTS; n++) waits.push(await single({ sender, isThere }, `ONE-${n}`));
        const median = percentile(waits, 0.5);
        console.log(
            `${queue}: from the accepted post to the row: median ${median.toFixed(0)} ms, p95 ${percentile(waits, 0.95).toFixed(0)} ms, slowest ${percentile(waits, 1).toFixed(0)} ms (limit ${BAR_MS[queue]} ms)`,
        );
        const before = await worker.refreshes();
        const post = (n: number, name: string) => sender.post('bench-product', product(`${name}-${n}`));
        await paced(MANY, n => post(n, 'MANY'));
        const open = `SELECT count(*) AS n FROM flow_pipeline_run WHERE status IN ('PENDING', 'RUNNING')`;
        const backlog = await count(open);
        const seconds = await until(async () => (await count(open)) === 0);
        const rows = await count(`SELECT count(*) AS n FROM product_variant WHERE sku LIKE 'MANY-%'`);
        const refreshes = (await worker.refreshes()) - before;
        console.log(
            `${queue}: ${MANY.runs} runs of one product, ${MANY.perSecond} posts a second: ${backlog} waited at the last post, all had ended ${seconds.toFixed(1)} s later; ${rows} rows; collections were updated ${refreshes} times`,
        );
        await paced(BURST, n => post(n, 'BURST'));
        const burst =
            BURST.runs / (BURST.runs / BURST.perSecond + (await until(async () => (await count(open)) === 0)));
        console.log(
            `${queue}: ${BURST.runs} runs of one product, ${BURST.perSecond} posts a second: ${burst.toFixed(1)} runs a second`,
        );
        return median < BAR_MS[queue] && backlog <= MANY.backlog && rows === MANY.runs && refreshes <= MANY.refreshes;
    } finally {
        sender.close();
        await database.end();
        await Promise.all([server.end(), worker.end()]);
        await shop.close();
    }
}

interface Pace {
    readonly runs: number;
    readonly perSecond: number;
}

/** Does it this often, and at this rate. */
async function paced({ runs, perSecond }: Pace, work: (n: number) => Promise<unknown>): Promise<void> {
    const begunAt = performance.now();
    const done: Array<Promise<unknown>> = [];
    for (let n = 0; n < runs; n++) {
        const wait = begunAt + (n * 1000) / perSecond - performance.now();
        if (wait > 0) await new Promise(resolve => setTimeout(resolve, wait));
        done.push(work(n));
    }
    await Promise.all(done);
}

/** Returns the seconds until it is so. */
async function until(isSo: () => Promise<boolean>): Promise<number> {
    const begunAt = performance.now();
    while (!(await isSo())) {
        if (performance.now() - begunAt > 20 * PATIENCE_MS) throw new Error('Runs still wait');
        await new Promise(resolve => setTimeout(resolve, 100));
    }
    return (performance.now() - begunAt) / 1000;
}

function product(sku: string): string {
    return JSON.stringify({ sku, name: `Product ${sku}`, slug: sku.toLowerCase(), price: 1_999, stock: 5 });
}

/** Returns the milliseconds from the response of a post to the row of its product. */
async function single(
    { sender, isThere }: { readonly sender: Sender; isThere(sku: string): Promise<boolean> },
    sku: string,
): Promise<number> {
    const { status } = await sender.post('bench-product', product(sku));
    if (status !== 202) throw new Error(`A post was answered with ${status}`);
    const acceptedAt = performance.now();
    while (!(await isThere(sku))) {
        if (performance.now() - acceptedAt > PATIENCE_MS) throw new Error(`${sku} does not arrive`);
        await new Promise(resolve => setTimeout(resolve, 2));
    }
    const waited = performance.now() - acceptedAt;
    // The server is idle again.
    await new Promise(resolve => setTimeout(resolve, 300 + Math.random() * 200));
    return waited;
}
