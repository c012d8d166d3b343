import { TransactionalConnection } from '@vendure/core';
import type { DataSource } from 'typeorm';
import { HOOK_OPTIONS, percentile, type PostFigure, Sender, shopProcess, type ShopProcess } from './hooks';
import { openShop } from './shop';

const STEADY = { perSecond: 100, seconds: 20, p99Ms: 60 };
const MOST = { connections: 32, seconds: 8, perSecond: 500 };
const FLOOD = { connections: 1_500, seconds: 4 };
const DRAIN_MS = 20 * 60_000;
const BODY = (n: number): string => JSON.stringify({ sku: `HOOK-${n}`, price: 1_999, stock: { Main: 5 } });

interface Phase {
    readonly title: string;
    readonly figures: readonly PostFigure[];
    readonly seconds: number;
}

/**
 * Sends posts with HMAC to two server processes on PostgreSQL while a worker executes their runs: at a steady rate, at
 * the highest rate, and far above that. Every accepted post must end COMPLETED exactly once. Returns whether the limits
 * were kept.
 */
export async function benchWebhooks(): Promise<boolean> {
    const shop = await openShop('postgres', HOOK_OPTIONS);
    const { url } = shop.target as { readonly url: string };
    const order = { url, queue: 'sql', prefix: '' } as const;
    const processes: ShopProcess[] = [];
    try {
        for (const as of ['server', 'server', 'worker'] as const) processes.push(await shopProcess({ as, ...order }));
        const ports = processes.slice(0, 2).map(({ port }) => port);
        const { rawConnection } = shop.app.get(TransactionalConnection);
        await steady(ports, { ...STEADY, seconds: 3 });
        const warm = await ended(rawConnection);
        const phases = [await steady(ports, STEADY), await most(ports, MOST), await most(ports, FLOOD)];
        phases.forEach(print);
        const accepted = phases.flatMap(({ figures }) => figures.flatMap(({ runId }) => runId ?? []));
        const drainedMs = await drained(rawConnection);
        const completed = (await ended(rawConnection)) - warm;
        const isHeld = judge(phases, { accepted, completed });
        console.log(
            `accepted ${accepted.length}, different runs ${new Set(accepted).size}, COMPLETED ${completed}; the last one ended ${(drainedMs / 1000).toFixed(1)} s after the last post`,
        );
        console.log(isHeld ? 'The limits were kept.' : 'THE LIMITS WERE NOT KEPT.');
        return isHeld;
    } finally {
        await Promise.all(processes.map(each => each.end()));
        await shop.close();
    }
}

function judge(
    [regular, most, flood]: readonly Phase[],
    { accepted, completed }: { readonly accepted: readonly string[]; readonly completed: number },
): boolean {
    const p99 = percentile(
        regular!.figures.map(({ ms }) => ms),
        0.99,
    );
    const taken = most!.figures.filter(({ status }) => status === 202).length / most!.seconds;
    const statuses = new Set(flood!.figures.map(({ status }) => status));
    return (
        p99 < STEADY.p99Ms &&
        regular!.figures.every(({ status }) => status === 202) &&
        taken >= MOST.perSecond &&
        [...statuses].every(status => [202, 429, 503].includes(status)) &&
        flood!.figures.every(({ status, retryAfter }) => status === 202 || retryAfter !== undefined) &&
        completed === accepted.length &&
        new Set(accepted).size === accepted.length
    );
}

/** Sends each post at its time, whether those before it were answered or not. */
async function steady(ports: readonly number[], { perSecond, seconds }: typeof STEADY): Promise<Phase> {
    const sender = new Sender(ports, 64);
    const begunAt = performance.now();
    const sent: Array<Promise<PostFigure>> = [];
    for (let n = 0; n < perSecond * seconds; n++) {
        const at = begunAt + (n * 1000) / perSecond;
        const wait = at - performance.now();
        if (wait > 0) await new Promise(resolve => setTimeout(resolve, wait));
        sent.push(sender.post('bench-hook', BODY(n), at));
    }
    const figures = await Promise.all(sent);
    sender.close();
    return { title: `${perSecond} posts a second`, figures, seconds: (performance.now() - begunAt) / 1000 };
}

/** Each connection sends the next post after the response to the one before. */
async function most(
    ports: readonly number[],
    { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<Phase> {
    const sender = new Sender(ports, connections);
    const begunAt = performance.now();
    const until = begunAt + seconds * 1000;
    const figures: PostFigure[] = [];
    await Promise.all(
        Array.from({ length: connections }, async () => {
            while (performance.now() < until) figures.push(await sender.post('bench-hook', BODY(figures.length)));
        }),
    );
    sender.close();
    return { title: `${connections} senders at once`, figures, seconds: (performance.now() - begunAt) / 1000 };
}

function print({ title, figures, seconds }: Phase): void {
    const counts = new Map<number, number>();
    for (const { status } of figures) counts.set(status, (counts.get(status) ?? 0) + 1);
    const answers = [...counts].map(([status, count]) => `${count} × ${status}`).join(', ');
    const accepted = figures.filter(({ status }) => status === 202);
    const ms = (share: number): string =>
        percentile(
            accepted.map(figure => figure.ms),
            share,
        ).toFixed(0);
    console.log(
        `${title}: ${answers}; ${(accepted.length / seconds).toFixed(0)} accepted a second; of those p50 ${ms(0.5)} ms, p99 ${ms(0.99)} ms, slowest ${ms(1)} ms`,
    );
}

async function ended(dataSource: DataSource): Promise<number> {
    await drained(dataSource);
    const [row] = await dataSource.query(`SELECT count(*) AS n FROM flow_pipeline_run WHERE status = 'COMPLETED'`);
    return Number(row.n);
}

/** Returns the milliseconds until no run waits or is in progress. */
export async function drained(dataSource: DataSource): Promise<number> {
    const begunAt = performance.now();
    for (;;) {
        const [row] = await dataSource.query(
            `SELECT count(*) AS n FROM flow_pipeline_run WHERE status IN ('PENDING', 'RUNNING')`,
        );
        const waited = performance.now() - begunAt;
        if (Number(row.n) === 0) return waited;
        if (waited > DRAIN_MS) throw new Error(`${row.n} runs still wait after ${Math.round(waited / 1000)} s`);
        await new Promise(resolve => setTimeout(resolve, 200));
    }
}
