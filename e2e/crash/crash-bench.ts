import type { Type } from '@vendure/core';
import Redis from 'ioredis';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'pg';
import { scratchFolder } from '../../test/servers/process';
import { type InterruptibleServer, privatePostgres } from '../../test/servers/postgres';
import { SERVER_FACTS } from '../../test/servers/server';
import { RUN_QUEUE } from '../../src/plugin/tokens';
import { type FlowServer, flowServer, until } from '../config/flow-server';
import { type CrashOrder, crashPlugins } from './crash-shop';
import { Crew } from './crew';
import { deliver, PAGE } from './delivery';
import { BENCH_NAME, Import, PATIENCE_MS, type Surroundings, type Undisturbed } from './import';
import { redisConnections } from './redis-connections';
import { type ShopDump, shopDump } from './shop-dump';

/** What a bench is opened with. */
export interface BenchOptions extends Pick<CrashOrder, 'queue' | 'runtime'> {
    readonly redisUrl?: string;
    /** A PostgreSQL of its own can be stopped; else the one that is there serves. */
    readonly database: 'own' | 'shared';
}

/** A shop whose server starts imports, and worker processes that do them until something happens. */
export class CrashBench implements Surroundings {
    readonly crew: Crew;
    readonly pool: Pool;
    private readonly undisturbed = new Map<number, Promise<Undisturbed>>();
    private count = 0;

    private constructor(
        readonly shop: FlowServer,
        readonly order: CrashOrder,
        readonly server: InterruptibleServer | undefined,
    ) {
        if (order.connection.type !== 'postgres') throw new Error('not PostgreSQL');
        this.crew = new Crew(order);
        this.pool = new Pool({ connectionString: order.connection.url, max: 2, application_name: BENCH_NAME });
        // Without a listener an idle connection that breaks ends the process; the next question tells.
        this.pool.on('error', () => undefined);
    }

    static async open({ queue, redisUrl, runtime, database }: BenchOptions): Promise<CrashBench> {
        const folder = scratchFolder();
        const common = {
            queue,
            redisUrl,
            runtime,
            prefix: `flow-crash-${process.pid}-${Date.now().toString(36)}`,
            delivery: join(folder, 'delivery.json'),
            witness: join(folder, 'witness.log'),
        };
        writeFileSync(common.witness, '');
        const server = database === 'own' ? await privatePostgres() : undefined;
        // Where the scratch databases of this process are made.
        if (server) process.env[SERVER_FACTS.postgres.variable] = server.url;
        try {
            const plugins = crashPlugins(common);
            const shop = await flowServer('postgres', plugins.at(-1) as Type<unknown>, {
                jobs: 'none',
                plugins: plugins.slice(0, -1),
            });
            return new CrashBench(shop, { ...common, connection: shop.connection }, server);
        } catch (error) {
            await server?.stop();
            throw error;
        }
    }

    async close(): Promise<void> {
        const { shop, server, order, crew, pool } = this;
        await crew.dismiss();
        await pool.end();
        const connections = redisConnections(shop.app);
        await shop.destroy();
        for (const connection of connections) connection.disconnect();
        await server?.stop();
        if (order.redisUrl) await forget(order.redisUrl, order.prefix);
        rmSync(join(order.witness, '..'), { recursive: true, force: true });
    }

    /** Starts an import of so many pages, none of which is there yet, or a dry run of it. Somebody works it. */
    async begin(pages: number, how?: 'dryRunFlowPipeline'): Promise<Import> {
        const before = await this.dump();
        const name = `delivery${++this.count}x`;
        deliver(this.order.delivery, { name, pages, ready: 0 });
        await this.crew.working();
        const { id } = await this.shop.start('crash', how);
        return new Import(this, { id, name, pages, before });
    }

    /** What an import of so many pages comes to when it is left alone. Made once. */
    withoutDisturbance(pages: number): Promise<Undisturbed> {
        const made = this.undisturbed.get(pages) ?? this.leftAlone(pages);
        this.undisturbed.set(pages, made);
        return made;
    }

    worked(): number {
        return readFileSync(this.order.witness, 'utf8').split('\n').length - 1;
    }

    async isQuiet(): Promise<void> {
        await until(
            async () => {
                const { rows } = await this.pool.query<{ n: number }>(
                    `SELECT count(*)::int AS n FROM job_record
                    WHERE "queueName" <> $1 AND state IN ('PENDING', 'RUNNING', 'RETRYING')`,
                    [RUN_QUEUE],
                );
                return rows[0]?.n;
            },
            jobs => jobs === 0,
            PATIENCE_MS,
        );
    }

    async dump(name?: string): Promise<ShopDump> {
        if (name !== undefined) await this.isIndexed(name);
        return shopDump(this.pool);
    }

    private async leftAlone(pages: number): Promise<Undisturbed> {
        const quiet = await this.begin(pages);
        quiet.openAll();
        const run = await quiet.ended();
        const { status, outcome, recordsLoaded } = run;
        if (status !== 'COMPLETED' || outcome !== 'SUCCESS' || recordsLoaded !== 2 * pages * PAGE)
            throw new Error(`An import that was left alone ended as ${JSON.stringify(run)}`);
        return { counters: run.counters, changes: await quiet.changes() };
    }

    private async isIndexed(name: string): Promise<void> {
        const wanted = (await this.pool.query(`SELECT 1 FROM product_variant WHERE sku LIKE '${name}-%'`)).rowCount;
        await until(
            async () => {
                await this.crew.working();
                const { rows } = await this.pool.query<{ effects: string; items: string }>(
                    `SELECT (SELECT count(*) FROM flow_pending_effect) AS effects,
                        (SELECT count(*) FROM search_index_item WHERE sku LIKE '${name}-%') AS items`,
                );
                return rows[0];
            },
            found => found?.effects === '0' && found.items === String(wanted),
            PATIENCE_MS,
        );
    }
}

async function forget(url: string, prefix: string): Promise<void> {
    const redis = new Redis(url);
    try {
        const keys = await redis.keys(`${prefix}*`);
        if (keys.length > 0) await redis.del(...keys);
    } finally {
        redis.disconnect();
    }
}
