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

const BEFORE = 2_000;
const PER_SECOND = 20;
const IDLE_SECONDS = 30;
const BAR = 1.5;
const POLL_MS = 100;
const PATIENCE_MS = 10 * 60_000;

const PRODUCTS =
    '{ products(options: { take: 12, skip: $SKIP }) { totalItems items { name slug variants { sku priceWithTax stockLevel } } } }';
const PRODUCT = '{ product(slug: "$SLUG") { name description facetValues { name } variants { sku priceWithTax } } }';
const SEARCH =
    '{ search(input: { term: "$SKU", take: 12, groupByProduct: true }) { totalItems items { productName slug } } }';

/** The pipelines of the bench: what is in the shop before, and what is imported while customers look round. */
export function storefrontOptions(records: number): FlowPluginOptions {
    const shape = { batchSize: 500 };
    return {
        pipelines: [
            importPipeline({ code: 'bench-before', series: 'SHOP', records: BEFORE, ...shape }),
            importPipeline({ code: 'bench-import', series: 'FLOW', records, ...shape }),
        ],
    };
}

/**
 * How long the shop API of one server process takes for what customers ask while one worker process imports products, beside the same on an idle
 * shop of as many products. Answers whether the bar was held.
 */
export async function benchStorefront(records = 20_000): Promise<boolean> {
    const shop = await openShop('postgres', storefrontOptions(records));
    const { url } = shop.target as { readonly url: string };
    const order = { url, queue: 'sql', prefix: '', imports: records } as const;
    const processes = [await shopProcess({ as: 'server', ...order }), await shopProcess({ as: 'worker', ...order })];
    const customers = new Customers(processes[0]!.port);
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
        await until(await startOf('bench-before'));
        await until(idle);
        await customers.ask(until(seconds(5)));
        const before = await customers.ask(until(seconds(IDLE_SECONDS)));
        const during = await customers.ask(until(await startOf('bench-import')));
        await until(idle);
        // A shop of more products takes longer for the same questions.
        const after = await customers.ask(until(seconds(IDLE_SECONDS)));
        const [p95Idle, p95] = [percentile(after.waits, 0.95), percentile(during.waits, 0.95)];
        for (const [title, { waits, ms }] of [
            [`idle, ${BEFORE} products`, before],
            ['importing', during],
            [`idle, ${BEFORE + records} products`, after],
        ] as const)
            console.log(
                `${title}: ${waits.length} answers in ${(ms / 1000).toFixed(1)} s; p50 ${percentile(waits, 0.5).toFixed(1)} ms, p95 ${percentile(waits, 0.95).toFixed(1)} ms, slowest ${percentile(waits, 1).toFixed(1)} ms`,
            );
        console.log(
            `p95 of the shop API while ${records} products were imported (${Math.round(records / (during.ms / 1000))}/s): ${(p95 / p95Idle).toFixed(2)} of idle (bar ${BAR})`,
        );
        return p95 <= BAR * p95Idle;
    } finally {
        customers.leave();
        await Promise.all(processes.map(each => each.end()));
        await shop.close();
    }
}

interface Asked {
    readonly waits: readonly number[];
    readonly ms: number;
}

/** People who look round in the shop: a list, a product, a search, in turn, each at its time. */
class Customers {
    private readonly agent = new Agent({ keepAlive: true, maxSockets: 32 });

    constructor(private readonly port: number) {}

    /** Asks until something has happened; answers the milliseconds that each answer took from when it should have been asked for. */
    async ask(happened: Promise<void>): Promise<Asked> {
        let isOver = false;
        const over = happened.finally(() => (isOver = true));
        const begunAt = performance.now();
        const asked: Array<Promise<number>> = [];
        for (let n = 0; !isOver; n++) {
            const at = begunAt + (n * 1000) / PER_SECOND;
            const wait = at - performance.now();
            if (wait > 0) await new Promise(resolve => setTimeout(resolve, wait));
            asked.push(this.answered(questionOf(n), at));
        }
        await over;
        const ms = performance.now() - begunAt;
        return { waits: await Promise.all(asked), ms };
    }

    leave(): void {
        this.agent.destroy();
    }

    private answered(query: string, since: number): Promise<number> {
        const body = JSON.stringify({ query });
        const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
        return new Promise((resolve, reject) => {
            const options = { host: '127.0.0.1', port: this.port, path: '/shop-api', method: 'POST', headers };
            const sent = request({ ...options, agent: this.agent }, response => {
                const chunks: Buffer[] = [];
                response.on('data', (chunk: Buffer) => chunks.push(chunk));
                response.on('end', () => {
                    const text = Buffer.concat(chunks).toString();
                    if (response.statusCode === 200 && !text.includes('"errors"')) resolve(performance.now() - since);
                    else reject(new Error(`The shop API answered ${response.statusCode}: ${text.slice(0, 300)}`));
                });
            });
            sent.on('error', reject);
            sent.end(body);
        });
    }
}

function questionOf(n: number): string {
    const place = (n * 12) % BEFORE;
    const ask = [PRODUCTS, PRODUCT, SEARCH][n % 3]!;
    const { slug, sku } = benchProduct(place, 'SHOP');
    return ask.replace('$SKIP', String(place)).replace('$SLUG', slug).replace('$SKU', sku);
}

const seconds =
    (count: number, begunAt = performance.now()) =>
    async (): Promise<boolean> =>
        performance.now() - begunAt >= count * 1000;

async function until(happened: () => Promise<boolean>): Promise<void> {
    const begunAt = performance.now();
    while (!(await happened())) {
        if (performance.now() - begunAt > PATIENCE_MS) throw new Error('It has taken too long');
        await new Promise(resolve => setTimeout(resolve, POLL_MS));
    }
}
