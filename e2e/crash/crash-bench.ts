import type { Type } from '@vendure/core';
import Redis from 'ioredis';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { privateMariaDb } from '../../test/servers/mariadb';
import { privatePostgres } from '../../test/servers/postgres';
import { privateRedis } from '../../test/servers/redis';
import { type InterruptibleServer, scratchFolder } from '../../test/servers/process';
import { SERVER_FACTS } from '../../test/servers/server';
import { COLLECTIONS_STALE } from '../../src/plugin/stores/effects';
import { type FlowServer, flowServer, until } from '../config/flow-server';
import { type BenchDatabase, benchDatabase } from './bench-database';
import { type CrashOrder, crashPlugins, LOADS } from './crash-shop';
import { Crew } from './crew';
import { deliver, PAGE } from './delivery';
import { Import, PATIENCE_MS, type Surroundings, type Undisturbed } from './import';
import { redisConnections } from './redis-connections';
import { type ShopDump, shopDump } from './shop-dump';

/** The options of a bench. */
export interface BenchOptions extends Pick<CrashOrder, 'queue' | 'runtime' | 'runsAtOnce'> {
    /** A shared server. With BullMQ and without this URL, the bench starts its own one, which can be stopped. */
    readonly redisUrl?: string;
    /** An own server can be stopped; a shared one cannot. */
    readonly database: 'own' | 'shared';
    /** Default: PostgreSQL. */
    readonly type?: 'postgres' | 'mariadb';
    /**
     * After how many seconds its own server ends a transaction that is idle; 0: never. Default: as the guide
     * recommends.
     */
    readonly idleTransactionSec?: number;
}

const OWN = { postgres: privatePostgres, mariadb: privateMariaDb };

/** A shop whose server starts imports, and worker processes that execute them and are disturbed. */
export class CrashBench implements Surroundings {
    readonly crew: Crew;
    private readonly undisturbed = new Map<number, Promise<Undisturbed>>();
    private count = 0;

    private constructor(
        readonly shop: FlowServer,
        readonly order: CrashOrder,
        private readonly kit: {
            readonly server: InterruptibleServer | undefined;
            readonly redis: InterruptibleServer | undefined;
            readonly database: BenchDatabase;
        },
    ) {
        this.crew = new Crew(order);
    }

    get server(): InterruptibleServer | undefined {
        return this.kit.server;
    }

    /** The bench's own Redis, if it has one. It loses its content when it stops. */
    get redis(): InterruptibleServer | undefined {
        return this.kit.redis;
    }

    get database(): BenchDatabase {
        return this.kit.database;
    }

    static async open(options: BenchOptions): Promise<CrashBench> {
        const { queue, runtime, runsAtOnce, database, type = 'postgres', idleTransactionSec } = options;
        const folder = scratchFolder();
        const redis = queue === 'bullmq' && options.redisUrl === undefined ? await privateRedis() : undefined;
        const common = {
            queue,
            redisUrl: redis?.url ?? options.redisUrl,
            runtime,
            ...(runsAtOnce !== undefined && { runsAtOnce }),
            prefix: `flow-crash-${process.pid}-${Date.now().toString(36)}`,
            delivery: join(folder, 'delivery.json'),
            witness: join(folder, 'witness.log'),
        };
        writeFileSync(common.witness, '');
        const server = database === 'own' ? await OWN[type](idleTransactionSec) : undefined;
        // The connection to the server on which this process creates its scratch databases.
        if (server) process.env[SERVER_FACTS[type].variable] = server.url;
        try {
            const plugins = crashPlugins(common);
            const shop = await flowServer(type, plugins.at(-1) as Type<unknown>, {
                jobs: 'none',
                plugins: plugins.slice(0, -1),
            });
            const { connection } = shop;
            if (connection.type === 'better-sqlite3') throw new Error('SQLite has no workers that share it');
            const kit = { server, redis, database: await benchDatabase(connection) };
            return new CrashBench(shop, { ...common, connection }, kit);
        } catch (error) {
            await server?.stop();
            await redis?.stop();
            throw error;
        }
    }

    async close(): Promise<void> {
        const { shop, server, redis, order, crew, database } = this;
        await crew.dismiss();
        await database.end();
        const connections = redisConnections(shop.app);
        await shop.destroy();
        for (const connection of connections) connection.disconnect();
        await server?.stop();
        if (redis) await redis.stop();
        else if (order.redisUrl) await forget(order.redisUrl, order.prefix);
        rmSync(join(order.witness, '..'), { recursive: true, force: true });
    }

    /** Starts an import or dry run with this number of pages, none of which is available yet. A worker executes it. */
    async begin(pages: number, how?: 'dryRunFlowPipeline'): Promise<Import> {
        await this.crew.working();
        return this.start(pages, how);
    }

    /** Starts the same without a worker. */
    async beginUnworked(pages: number): Promise<Import> {
        await this.crew.nobody();
        return this.start(pages);
    }

    private async start(pages: number, how?: 'dryRunFlowPipeline'): Promise<Import> {
        const before = await this.dump();
        const name = `delivery${++this.count}x`;
        deliver(this.order.delivery, { name, pages, ready: 0 });
        const { id } = await this.shop.start('crash', how);
        return new Import(this, { id, name, pages, before });
    }

    /** Returns the result of an undisturbed import of this number of pages. It is executed once. */
    withoutDisturbance(pages: number): Promise<Undisturbed> {
        const made = this.undisturbed.get(pages) ?? this.leftAlone(pages);
        this.undisturbed.set(pages, made);
        return made;
    }

    worked(): number {
        return readFileSync(this.order.witness, 'utf8').split('\n').length - 1;
    }

    /**
     * Expires all leases, so that a dead worker holds nothing. For scenarios that do not test the expiry: C2, C5 and K1
     * wait for it.
     */
    async endLeases(): Promise<void> {
        await this.database.rows('UPDATE flow_pipeline_run SET lease_expires_at = 0 WHERE lease_token IS NOT NULL');
        await this.database.rows('UPDATE flow_lease SET expires_at = 0');
    }

    /**
     * Waits until Vendure's own jobs are done. Jobs of Flow's queues whose worker was killed stay RUNNING forever;
     * their work is done without them.
     */
    async isQuiet(): Promise<void> {
        await until(
            async () => {
                const [found] = await this.database.rows<{ n: unknown }>(
                    `SELECT count(*) AS n FROM job_record
                    WHERE "queueName" NOT LIKE 'flow.%' AND state IN ('PENDING', 'RUNNING', 'RETRYING')`,
                );
                return Number(found?.n);
            },
            jobs => jobs === 0,
            PATIENCE_MS,
        );
    }

    /**
     * Waits until all effects are published. Collections are updated every five seconds at most, so few scenarios wait
     * for them.
     */
    async isKnown(): Promise<void> {
        await until(
            async () => {
                await this.crew.working();
                const [found] = await this.database.rows<{ n: unknown }>(
                    'SELECT count(*) AS n FROM flow_pending_effect',
                );
                return Number(found?.n);
            },
            effects => effects === 0,
            PATIENCE_MS,
        );
    }

    async dump(name?: string): Promise<ShopDump> {
        if (name !== undefined) await this.isIndexed(name);
        return shopDump(this.database);
    }

    private async leftAlone(pages: number): Promise<Undisturbed> {
        const quiet = await this.begin(pages);
        quiet.openAll();
        const run = await quiet.ended();
        const { status, outcome, recordsLoaded } = run;
        if (status !== 'COMPLETED' || outcome !== 'SUCCESS' || recordsLoaded !== LOADS * pages * PAGE)
            throw new Error(`An undisturbed import ended as ${JSON.stringify(run)}`);
        return { counters: run.counters, changes: await quiet.changes() };
    }

    private async isIndexed(name: string): Promise<void> {
        const desired = (await this.database.rows(`SELECT 1 FROM product_variant WHERE sku LIKE '${name}-%'`)).length;
        await until(
            async () => {
                await this.crew.working();
                const [found] = await this.database.rows<{ effects: unknown; items: unknown }>(
                    `SELECT (SELECT count(*) FROM flow_pending_effect WHERE kind <> '${COLLECTIONS_STALE}') AS effects,
                        (SELECT count(*) FROM search_index_item WHERE sku LIKE '${name}-%') AS items`,
                );
                return found && [Number(found.effects), Number(found.items)];
            },
            found => found?.[0] === 0 && found[1] === desired,
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
