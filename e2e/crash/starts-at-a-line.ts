import { until } from '../config/flow-server';
import { as } from '../fixtures/authoring-api';
import { type Posted, poster } from '../webhooks/poster';
import type { CrashBench } from './crash-bench';
import { POST_KEY, posted, TICK, ticking } from './crash-shop';
import { PATIENCE_MS } from './import';
import { counted, killedAt, mortalServer, settled, tagged, workerKilledAt } from './killed-at-a-line';

/** What became of a post whose server was killed while it started the run. */
export interface PostedToTheDead {
    /** Whether the post that came again was known. */
    readonly duplicate: unknown;
    /** How many runs the two of them have started. */
    readonly runs: number;
    /** How often its record was loaded. */
    readonly loads: number | undefined;
}

/** A server is killed while it takes a post: before the row of its run, and behind the COMMIT. Whoever has posted does it again elsewhere. */
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
        if ((await lost) !== 'broken') throw new Error(`A server that was killed has ${await lost}`);
        const { status, body } = await postTo(bench.shop.url, sku);
        if (status !== 202) throw new Error(`The post was answered with ${status}`);
        await settled(bench);
        const { duplicate } = body;
        done.push({ duplicate, runs: (await runs()) - before, loads: (await tagged(bench, sku)).get(sku) });
    }
    return done;
}

/** Posts one record under a key of its own, the same again however often. */
export function postTo(url: string, sku: string): Promise<Posted> {
    return poster(url)(posted.code, JSON.stringify({ sku }), { 'x-api-key': POST_KEY, 'x-idempotency-key': sku });
}

/** What a schedule came to whose workers were killed while they started its runs. */
export interface Ticked {
    readonly runs: ReadonlyArray<{ readonly occurrence: string; readonly status: string }>;
    /** How often they have loaded, all of them together. */
    readonly loads: number;
}

/** A worker is killed while it starts the run of a schedule: before the row of the run, and behind its COMMIT. The next one goes on. */
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
