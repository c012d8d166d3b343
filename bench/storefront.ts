import { Agent, request } from 'node:http';
import { TransactionalConnection } from '@vendure/core';
import type { FlowPluginOptions } from '../src';
import { FlowPipeline } from '../src/plugin/entities/pipeline';
import { FlowPipelineRun } from '../src/plugin/entities/run';
import { RunStarter } from '../src/plugin/runs/run-starter';
import { percentile, shopProcess } from './hooks';
import { importPipeline } from './pipelines';
import { benchProduct } from './products';
import { openShop } from './shop';

const MOST_PER_SECOND = 20;
/** The share of time for which an idle shop works for its customers, with as many products as there are at the end. */
const BUSY = 0.3;
const CALIBRATING = 30;
const IDLE_SECONDS = 30;
const BAR = 1.5;
const POLL_MS = 100;
const PATIENCE_MS = 10 * 60_000;

const QUESTIONS = {
    list: '{ products(options: { take: 12, skip: $SKIP }) { totalItems items { name slug variants { sku priceWithTax stockLevel } } } }',
    product: '{ product(slug: "$SLUG") { name description facetValues { name } variants { sku priceWithTax } } }',
    search: '{ search(input: { term: "$SKU", take: 12, groupByProduct: true }) { totalItems items { productName slug } } }',
};
type Kind = keyof typeof QUESTIONS;
const KINDS: readonly Kind[] = ['list', 'product', 'search'];

/**
 * The pipelines of the bench: the products that the shop has before, and those that are imported while customers use
 * it.
 */
export function storefrontOptions(records: number): FlowPluginOptions {
    const shape = { batchSize: 500 };
    return {
        pipelines: [
            importPipeline({ code: 'bench-before', series: 'SHOP', records, ...shape }),
            importPipeline({ code: 'bench-import', series: 'FLOW', records, ...shape }),
        ],
    };
}

/**
 * Measures how long the shop API of one server process takes for customers' requests while one worker process imports
 * products, compared with an idle shop of as many products. The request rate is limited to what the idle shop can
 * serve: Vendure's search on PostgreSQL builds the text vector of each product for each search, so requests to a shop
 * of many products queue at a higher rate with or without an import. Statistics are gathered before each idle time, as
 * autovacuum does some minutes after an import. Returns whether the limit was kept.
 */
export async function benchStorefront(records = 6_000): Promise<boolean> {
    const shop = await openShop('postgres', storefrontOptions(records));
    const { url } = shop.target as { readonly url: string };
    const order = { url, queue: 'sql', prefix: '', imports: records } as const;
    const processes = [await shopProcess({ as: 'server', ...order }), await shopProcess({ as: 'worker', ...order })];
    const customers = new Customers({ port: processes[0]!.port, products: records });
    try {
        const { rawConnection } = shop.app.get(TransactionalConnection);
        const startOf = async (code: string): Promise<() => Promise<boolean>> => {
            const { id: pipelineId, channelId } = await rawConnection
                .getRepository(FlowPipeline)
                .findOneByOrFail({ code });
            const run = await shop.app.get(RunStarter).start({ pipelineId, channelId, actor: null, dryRun: false });
            const runs = rawConnection.getRepository(FlowPipelineRun);
            return async () => (await runs.findOneByOrFail({ id: run })).status === 'COMPLETED';
        };
        const idle = async (): Promise<boolean> => {
            const [row] = await rawConnection.query(
                `SELECT (SELECT count(*) FROM job_record WHERE "isSettled" = false)
                + (SELECT count(*) FROM flow_pending_effect) AS n`,
            );
            return Number(row.n) === 0;
        };
        const idleTimes = async (): Promise<Asked> => {
            await until(idle);
            await rawConnection.query('ANALYZE');
            return customers.ask(until(seconds(IDLE_SECONDS)));
        };
        await until(await startOf('bench-before'));
        await until(idle);
        await rawConnection.query('ANALYZE');
        await customers.calibrate();
        const before = await idleTimes();
        const during = await customers.ask(until(await startOf('bench-import')));
        // A shop of more products takes longer for the same requests.
        const after = await idleTimes();
        console.log(`${customers.perSecond.toFixed(1)} requests per second`);
        for (const [title, requested] of [
            [`idle, ${records} products`, before],
            ['importing', during],
            [`idle, ${2 * records} products`, after],
        ] as const)
            tell(title, requested);
        const [p95Idle, p95] = [p95Of(after), p95Of(during)];
        console.log(
            `p95 of the shop API while ${records} products were imported (${Math.round(records / (during.ms / 1000))}/s): ${(p95 / p95Idle).toFixed(2)} of idle (limit ${BAR})`,
        );
        return p95 <= BAR * p95Idle;
    } finally {
        customers.leave();
        await Promise.all(processes.map(each => each.end()));
        await shop.close();
    }
}

interface Asked {
    readonly answers: readonly Answered[];
    readonly ms: number;
}

interface Answered {
    readonly kind: Kind;
    readonly wait: number;
}

const p95Of = ({ answers }: Asked): number =>
    percentile(
        answers.map(({ wait }) => wait),
        0.95,
    );

function tell(title: string, { answers, ms }: Asked): void {
    const told = ['all' as const, ...KINDS].map(kind => {
        const waits = answers.filter(one => kind === 'all' || one.kind === kind).map(({ wait }) => wait);
        return `${kind} p50 ${percentile(waits, 0.5).toFixed(1)} p95 ${percentile(waits, 0.95).toFixed(1)} slowest ${percentile(waits, 1).toFixed(1)} ms`;
    });
    console.log(`${title}: ${answers.length} answers in ${(ms / 1000).toFixed(1)} s; ${told.join('; ')}`);
}

/** Simulates customers who request a list, a product and a search in turn, each at its time. */
class Customers {
    perSecond = MOST_PER_SECOND;
    private readonly agent = new Agent({ keepAlive: true, maxSockets: 32 });

    /** The requests are about the products that are there from the beginning. */
    constructor(private readonly shop: { readonly port: number; readonly products: number }) {}

    /** Finds the request rate for a shop of twice as many products, in which each response may take twice as long. */
    async calibrate(): Promise<void> {
        let ms = 0;
        for (let n = 0; n < CALIBRATING; n++) {
            const { wait } = await this.jobResponse(n, performance.now());
            // The first requests are slow because the server has just started.
            if (n >= CALIBRATING / 3) ms += wait;
        }
        const each = ms / (CALIBRATING - CALIBRATING / 3) / 1000;
        this.perSecond = Math.min(MOST_PER_SECOND, BUSY / (2 * each));
    }

    /**
     * Sends requests until something has happened. Returns the milliseconds of each response, counted from when its
     * request was due.
     */
    async ask(happened: Promise<void>): Promise<Asked> {
        let isOver = false;
        const over = happened.finally(() => (isOver = true));
        const begunAt = performance.now();
        const requested: Array<Promise<Answered>> = [];
        for (let n = 0; !isOver; n++) {
            const at = begunAt + (n * 1000) / this.perSecond;
            const wait = at - performance.now();
            if (wait > 0) await new Promise(resolve => setTimeout(resolve, wait));
            requested.push(this.jobResponse(n, at));
        }
        await over;
        const ms = performance.now() - begunAt;
        return { answers: await Promise.all(requested), ms };
    }

    leave(): void {
        this.agent.destroy();
    }

    private jobResponse(n: number, since: number): Promise<Answered> {
        const kind = KINDS[n % KINDS.length]!;
        const body = JSON.stringify({ query: this.question(kind, n) });
        const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
        return new Promise((resolve, reject) => {
            const options = { host: '127.0.0.1', port: this.shop.port, path: '/shop-api', method: 'POST', headers };
            const sent = request({ ...options, agent: this.agent }, response => {
                const chunks: Buffer[] = [];
                response.on('data', (chunk: Buffer) => chunks.push(chunk));
                response.on('end', () => {
                    const text = Buffer.concat(chunks).toString();
                    if (response.statusCode === 200 && !text.includes('"errors"'))
                        resolve({ kind, wait: performance.now() - since });
                    else reject(new Error(`The shop API answered ${response.statusCode}: ${text.slice(0, 300)}`));
                });
            });
            sent.on('error', reject);
            sent.end(body);
        });
    }

    private question(kind: Kind, n: number): string {
        const place = (n * 12) % this.shop.products;
        const { slug, sku } = benchProduct(place, 'SHOP');
        return QUESTIONS[kind].replace('$SKIP', String(place)).replace('$SLUG', slug).replace('$SKU', sku);
    }
}

const seconds =
    (count: number, begunAt = performance.now()) =>
    async (): Promise<boolean> =>
        performance.now() - begunAt >= count * 1000;

async function until(happened: () => Promise<boolean>): Promise<void> {
    const begunAt = performance.now();
    while (!(await happened())) {
        if (performance.now() - begunAt > PATIENCE_MS) throw new Error('The requests took too long');
        await new Promise(resolve => setTimeout(resolve, POLL_MS));
    }
}
