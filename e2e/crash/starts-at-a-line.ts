import { until } from '../config/flow-server';
import { as } from '../fixtures/authoring-api';
import { type Posted, poster } from '../webhooks/poster';
import type { CrashBench } from './crash-bench';
import { POST_KEY, posted, TICK, ticking } from './crash-shop';
import { PATIENCE_MS } from './import';
import { counted, killedAt, mortalServer, settled, tagged, workerKilledAt } from './killed-at-a-line';

/** The result of a post whose server was killed while it started the run. */
export interface PostedToTheDead {
    /** Whether the repeated post was recognized. */
    readonly duplicate: unknown;
    /** How many runs the two posts have started. */
    readonly runs: number;
    /** How often its record was loaded. */
    readonly loads: number | undefined;
}

/**
 * Kills a server while it takes a post: before the row of its run, and after the COMMIT. The sender repeats the post on
 * another server.
 */
export async function postsToTheDead(bench: CrashBench): Promise<readonly PostedToTheDead[]> {
    const done: PostedToTheDead[] = [];
    await bench.crew.working();
    const runs = (): Promise<number> =>
        counted(bench, `SELECT count(*) AS n FROM flow_pipeline_run WHERE trigger_type = 'WEBHOOK'`);
    for (const line of ['statement', 'answer'] as const) {
        const sku = `post-to-the-dead-${line}`;
        const before = await runs();
        const { server, url } = await mortalServer(bench);
        const dead = killedAt(server, { into: 'flow_pipeline_run', line });
        const lost = postTo(url, sku).then(
            ({ status }) => `answered with ${status}`,
            () => 'broken',
        );
        await dead;
        if ((await lost) !== 'broken') throw new Error(`A killed server has ${await lost}`);
        const { status, body } = await postTo(bench.shop.url, sku);
        if (status !== 202) throw new Error(`The post was answered with ${status}`);
        await settled(bench);
        const { duplicate } = body;
        done.push({ duplicate, runs: (await runs()) - before, loads: (await tagged(bench, sku)).get(sku) });
    }
    return done;
}

/** Posts one record with the SKU as its idempotency key, so that repetitions are recognized. */
export function postTo(url: string, sku: string): Promise<Posted> {
    return poster(url)(posted.code, JSON.stringify({ sku }), { 'x-api-key': POST_KEY, 'x-idempotency-key': sku });
}

/** The result of a schedule whose workers were killed while they started its runs. */
export interface Ticked {
    readonly runs: ReadonlyArray<{ readonly occurrence: string; readonly status: string }>;
    /** How often all of them together have loaded. */
    readonly loads: number;
}

/**
 * Kills a worker while it starts the run of a schedule: before the row of the run, and after its COMMIT. The next
 * worker continues.
 */
export async function schedulesOfTheDead(bench: CrashBench): Promise<Ticked> {
    const { shop, database } = bench;
    const author = as(shop.adminClient);
    const { code, definition } = ticking;
    const statement = `SELECT occurrence_key AS occurrence, status FROM flow_pipeline_run WHERE trigger_type = 'SCHEDULE' ORDER BY id`;
    const runs = (): Promise<Array<Ticked['runs'][number]>> => database.rows(statement);
    const pipeline = await author.publish(await author.create({ code, definition }));
    for (const line of ['statement', 'answer'] as const) {
        const dead = await workerKilledAt(bench, line);
        await dead();
        const before = (await runs()).length;
        await until(runs, ({ length }) => length > before, PATIENCE_MS);
    }
    await author.disable(pipeline);
    await settled(bench);
    return { runs: await runs(), loads: (await tagged(bench, TICK)).get(TICK) ?? 0 };
}
