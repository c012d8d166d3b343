import { createConnection } from 'mysql2/promise';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { JsonObject } from '../../src';
import type { RunAnswer } from '../config/flow-server';
import { as } from '../fixtures/authoring-api';
import { connectionsOf } from '../fixtures/resource-api';
import type { CrashBench } from './crash-bench';
import { PATIENCE_MS } from './import';
import { tagged, workerKilledAt } from './killed-at-a-line';

/** The number of parallel writers. */
const WRITERS = 8;
/** Rows of one transaction, and how long it stays open after its rows at most. */
const ROWS = 25;
const OPEN_MS = 400;
/** Longer than a transaction takes on a busy machine. */
const LAG_SECONDS = 5;
/** The longest time between two deaths. */
const ANYTIME_MS = 2_500;

/** The result for rows that were written while workers read them and died. */
export interface ReadWhileWritten {
    readonly runs: readonly RunAnswer[];
    readonly records: number;
    /** Records that were lost, or loaded more than once. */
    readonly differences: readonly string[];
    /** The longest time that a transaction was open. The lag must be longer. */
    readonly longestMs: number;
}

interface Writer {
    ask(sql: string): Promise<unknown>;
    end(): Promise<unknown>;
}

let made = 0;

/**
 * Eight connections write rows in transactions that stay open for a while, so that the order of commits differs from
 * the order of writes. One run after another polls the rows, and its workers die.
 */
export async function killedWhileRowsChange(
    bench: CrashBench,
    { changes, kills, batchSize }: { readonly changes: number; readonly kills: number; readonly batchSize: number },
): Promise<ReadWhileWritten> {
    const { crew, shop } = bench;
    const code = `rows-of-the-dead-${++made}`;
    const table = code.replaceAll('-', '_');
    const admin = await writerOf(bench);
    await makeTable(bench, admin, table);
    await publish(bench, { code, table, batchSize, lagSeconds: LAG_SECONDS });
    await crew.working();
    crew.bootAhead();

    let isWritten = false;
    const writing = written(bench, { code, table, changes }).finally(() => (isWritten = true));
    const runs: RunAnswer[] = [];
    const polling = async (): Promise<void> => {
        for (;;) {
            const endsWith = isWritten ? Date.now() : undefined;
            // By then even the last rows are old enough.
            if (endsWith !== undefined) await sleep(LAG_SECONDS * 1_000);
            const { id } = await shop.start(code);
            const run = await shop.ended(id, PATIENCE_MS);
            runs.push(run);
            if (run.status !== 'COMPLETED' || (endsWith !== undefined && run.recordsRead < batchSize)) return;
            await sleep(100);
        }
    };
    const killing = async (): Promise<void> => {
        for (let kill = 0; kill < kills; kill++) {
            await crew.ready();
            await sleep(Math.random() * ANYTIME_MS);
            const worker = await crew.working();
            await worker.kill('SIGKILL');
            await bench.endLeases();
            await crew.relieve();
            if (kill + 1 < kills) crew.bootAhead();
        }
    };
    const [longestMs] = await Promise.all([writing, polling(), killing()]);
    await admin.end();
    const differences = await differencesOf(bench, code, changes);
    return { runs, records: changes, differences, longestMs };
}

/**
 * Kills the worker of a poll when its page is loaded: before its position is stored, while the COMMIT is sent, and
 * after it without its response. New rows exist each time by then. A later poll finds none.
 */
export async function polledByTheDead(bench: CrashBench): Promise<Omit<ReadWhileWritten, 'longestMs'>> {
    const { shop } = bench;
    const code = `polls-of-the-dead-${++made}`;
    const table = code.replaceAll('-', '_');
    const admin = await writerOf(bench);
    await makeTable(bench, admin, table);
    await publish(bench, { code, table, batchSize: ROWS, lagSeconds: 0 });
    const runs: RunAnswer[] = [];
    let written = 0;
    for (const line of ['statement', 'commit', 'answer'] as const) {
        // All of them have the same timestamp, so that only the key distinguishes the new ones.
        const values = Array.from({ length: ROWS }, () => `('2026-01-01 00:00:00', '${code}-${written++}')`);
        await admin.ask(`INSERT INTO ${table} (changed, sku) VALUES ${values.join(', ')}`);
        const dead = await workerKilledAt(bench, line, {
            into: /(INSERT INTO|UPDATE) ["`]flow_checkpoint["`]/,
            behind: /INSERT INTO ["`]tag["`]/,
        });
        const { id } = await shop.start(code);
        await dead();
        runs.push(await shop.ended(id, PATIENCE_MS));
        runs.push(await shop.ended((await shop.start(code)).id, PATIENCE_MS));
    }
    await admin.end();
    return { runs, records: written, differences: await differencesOf(bench, code, written) };
}

/** Records that were lost, or loaded more than once. */
async function differencesOf(bench: CrashBench, code: string, count: number): Promise<readonly string[]> {
    const tags = await tagged(bench, `${code}-`);
    return Array.from({ length: count }, (_, i) => `${code}-${i}`)
        .filter(sku => tags.get(sku) !== 1)
        .map(sku => `${sku} was loaded ${tags.get(sku) ?? 0} times`);
}

async function makeTable({ shop }: CrashBench, admin: Writer, table: string): Promise<void> {
    const moment = shop.connection.type === 'postgres' ? 'timestamptz(6)' : 'TIMESTAMP(6)';
    const key = shop.connection.type === 'postgres' ? 'bigserial' : 'BIGINT AUTO_INCREMENT';
    await admin.ask(
        `CREATE TABLE ${table} (id ${key} PRIMARY KEY, changed ${moment} NOT NULL, sku VARCHAR(60) NOT NULL)`,
    );
    await admin.ask(`CREATE INDEX ${table}_changes ON ${table} (changed, id)`);
}

async function writerOf({ shop: { connection } }: CrashBench): Promise<Writer> {
    const { url } = connection as { readonly url: string };
    if (connection.type === 'postgres') {
        const client = new Client({ connectionString: url });
        await client.connect();
        return { ask: sql => client.query(sql), end: () => client.end() };
    }
    const client = await createConnection({ uri: url });
    return { ask: sql => client.query(sql), end: () => client.end() };
}

interface Writing {
    readonly code: string;
    readonly table: string;
    readonly changes: number;
}

/** Returns how long the longest transaction was open. */
async function written(bench: CrashBench, { code, table, changes }: Writing): Promise<number> {
    let next = 0;
    let longest = 0;
    const one = async (): Promise<void> => {
        const writer = await writerOf(bench);
        const now = bench.shop.connection.type === 'postgres' ? 'clock_timestamp()' : 'SYSDATE(6)';
        while (next < changes) {
            const from = next;
            next = Math.min(next + ROWS, changes);
            const values = Array.from({ length: next - from }, (_, i) => `(${now}, '${code}-${from + i}')`);
            const begunAt = Date.now();
            await writer.ask('BEGIN');
            await writer.ask(`INSERT INTO ${table} (changed, sku) VALUES ${values.join(', ')}`);
            await sleep(Math.random() ** 4 * OPEN_MS);
            await writer.ask('COMMIT');
            longest = Math.max(longest, Date.now() - begunAt);
        }
        await writer.end();
    };
    await Promise.all(Array.from({ length: WRITERS }, one));
    return longest;
}

interface Polled {
    readonly code: string;
    readonly table: string;
    readonly batchSize: number;
    readonly lagSeconds: number;
}

async function publish(
    { shop: { adminClient, connection } }: CrashBench,
    { code, table, batchSize, lagSeconds }: Polled,
): Promise<void> {
    const { url, type } = connection as { readonly url: string; readonly type: string };
    const { hostname: host, port, username, pathname } = new URL(url);
    const isPostgres = type === 'postgres';
    const settings = { host, port: Number(port || (isPostgres ? 5432 : 3306)), username, database: pathname.slice(1) };
    await connectionsOf(adminClient).create({ code, type: isPostgres ? 'POSTGRES' : 'MYSQL', settings });
    const source = {
        adapterCode: 'cdc',
        connectionCode: code,
        databaseType: isPostgres ? 'POSTGRES' : 'MYSQL',
        table,
        trackingColumn: 'changed',
        trackingType: 'TIMESTAMP',
        primaryKey: 'id',
        columns: ['sku'],
        batchSize,
        lagSeconds,
    };
    const pipelines = as(adminClient);
    const step = (key: string, kind: string, config: JsonObject): JsonObject => ({ key, kind, config });
    const pipeline = await pipelines.create({
        code,
        definition: {
            version: 1,
            throughput: { batchSize: Math.min(100, Math.ceil(batchSize / 5)), concurrency: 2 },
            steps: [
                step('start', 'TRIGGER', { type: 'MANUAL' }),
                step('in', 'EXTRACT', source),
                step('tags', 'LOAD', { adapterCode: 'appendTags' }),
            ],
            edges: [
                { from: 'start', to: 'in' },
                { from: 'in', to: 'tags' },
            ],
        },
    });
    await pipelines.publish(pipeline);
}
