import { TransactionalConnection } from '@vendure/core';
import { HOOK_OPTIONS, percentile, type PostFigure, Sender, shopProcess, type ShopProcess } from './hooks';
import { pinging } from './pings';
import { openShop } from './shop';
import { drained } from './webhooks';

const POSTS = { count: 400, parallel: 20, records: 100 };
const BAR_MS = 300;
/** The paths of the pings: Vendure's health check, and a path that does not exist. */
const PATHS = ['/health', '/ping-of-the-bench'];

interface Load {
    readonly title: string;
    /** The values of each record in addition to its SKU, price and stock level. */
    readonly description: string;
}

const LOADS: readonly Load[] = [
    { title: 'records of 60 characters', description: '' },
    { title: 'records of 2,000 characters', description: 'Bright. '.repeat(240) },
];

/**
 * Sends posts of a hundred records to one server, twenty at a time, while a worker executes their runs. Measures the
 * posts per second and the worst ping of the server meanwhile. Returns whether all were accepted, their runs have ended
 * COMPLETED, and the pings were below the limit.
 */
export async function benchPosts(): Promise<boolean> {
    const shop = await openShop('postgres', HOOK_OPTIONS);
    const { url } = shop.target as { readonly url: string };
    const { rawConnection } = shop.app.get(TransactionalConnection);
    const processes: ShopProcess[] = [];
    try {
        for (const as of ['server', 'worker'] as const)
            processes.push(await shopProcess({ as, url, queue: 'sql', prefix: '' }));
        const { port, child } = processes[0]!;
        await posts(port, LOADS[0]!, 40);
        await drained(rawConnection);
        let isHeld = true;
        for (const path of PATHS) {
            const server = { port, pid: child.pid!, path };
            const idle = await pinging(server, () => new Promise(resolve => setTimeout(resolve, 2_000)));
            console.log(`${path} of the idle server: worst ping ${idle.worst.toFixed(0)} ms`);
            for (const load of LOADS) {
                const { value: figures, worst, ms } = await pinging(server, () => posts(port, load, POSTS.count));
                const runIds = new Set(figures.flatMap(({ runId }) => runId ?? []));
                const drainedMs = await drained(rawConnection);
                print({ path, load, figures, worst, ms, drainedMs });
                isHeld &&= worst < BAR_MS && runIds.size === POSTS.count;
            }
        }
        const [row] = await rawConnection.query(
            `SELECT count(*) AS n FROM flow_pipeline_run WHERE status <> 'COMPLETED'`,
        );
        console.log(`runs that have not ended COMPLETED: ${row.n}`);
        isHeld &&= Number(row.n) === 0;
        console.log(isHeld ? `The limit of ${BAR_MS} ms was kept.` : `THE LIMIT OF ${BAR_MS} MS WAS NOT KEPT.`);
        return isHeld;
    } finally {
        await Promise.all(processes.map(each => each.end()));
        await shop.close();
    }
}

/** Sends this number of posts. Each sender sends its next one after the response to the one before. */
async function posts(port: number, { description }: Load, count: number): Promise<readonly PostFigure[]> {
    const sender = new Sender([port], POSTS.parallel);
    const figures: PostFigure[] = [];
    let sent = 0;
    await Promise.all(
        Array.from({ length: POSTS.parallel }, async () => {
            while (sent < count) {
                const n = sent++;
                const records = Array.from({ length: POSTS.records }, (_, i) => ({
                    sku: `POST-${n}-${i}`,
                    price: 1_999,
                    stock: { Main: i },
                    ...(description && { description }),
                }));
                figures.push(await sender.post('bench-hook', JSON.stringify(records)));
            }
        }),
    );
    sender.close();
    return figures;
}

interface Posted {
    readonly path: string;
    readonly load: Load;
    readonly figures: readonly PostFigure[];
    readonly worst: number;
    readonly ms: number;
    readonly drainedMs: number;
}

function print({ path, load, figures, worst, ms, drainedMs }: Posted): void {
    const answered = figures.map(figure => figure.ms);
    const [p50, p99] = [0.5, 0.99].map(share => percentile(answered, share).toFixed(0));
    const statuses = [...new Set(figures.map(({ status }) => status))].join(', ');
    const rate = ((figures.length * 1_000) / ms).toFixed(0);
    console.log(
        `${figures.length} posts of ${POSTS.records} ${load.title}, ${POSTS.parallel} at a time: status ${statuses}; ${rate} a second, p50 ${p50} ms, p99 ${p99} ms; worst ping of ${path} ${worst.toFixed(0)} ms; runs ended ${(drainedMs / 1_000).toFixed(1)} s later`,
    );
}
