import gql from 'graphql-tag';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../src';
import { MeilisearchServer } from '../../test/kit/engines/meilisearch';
import { Receiver } from '../../test/kit/engines/receiver';
import { type RunAnswer, until } from '../config/flow-server';
import { as } from '../fixtures/authoring-api';
import type { CrashBench } from './crash-bench';
import { PATIENCE_MS } from './import';
import { tagged } from './killed-at-a-line';

/** Records for each worker that is killed, and how many of them are a batch. */
const RECORDS_A_KILL = 120;
const BATCH = 10;
/** So slow that runs last as long as workers are killed: some 20 records per second. */
const REQUESTS_A_SECOND = 10;
/**
 * A worker is killed at a random moment within this time, whether it has committed a batch by then, has a run at all,
 * or not.
 */
const LIFE_MS = 3_000;

/** The deliveries of workers that were killed at random. */
export interface DeliveredByTheDead {
    readonly runs: readonly RunAnswer[];
    /** Records that were lost, were rejected, or were written twice where they must be unique. */
    readonly differences: readonly string[];
    /** How often a run paused after its workers died at one batch, and was resumed. */
    readonly pauses: number;
    /** How many workers were killed before the runs had ended. */
    readonly kills: number;
}

let made = 0;

/**
 * Two runs on one worker at a time, which is killed at random moments. One run delivers each record to a file, a search
 * index and an API; the other one writes it into the shop. A paused run is resumed, as a user would.
 */
export async function killedWhileDelivering(bench: CrashBench, kills: number): Promise<DeliveredByTheDead> {
    const { crew, shop } = bench;
    const code = `delivered-by-the-dead-${++made}`;
    const count = Math.max(2, kills) * RECORDS_A_KILL;
    const skus = Array.from({ length: count }, (_, i) => `${code}-${i}`);
    const search = new MeilisearchServer();
    const api = new Receiver();
    const other = new Receiver();
    const [searchAt, apiAt, otherAt] = await Promise.all([search.listen(), api.listen(), other.listen()]);
    const postedTo = (port: number): JsonObject => ({
        ...{ adapterCode: 'restPost', endpoint: `http://127.0.0.1:${port}/` },
        ...{ batchSize: 4, idField: 'sku', deliveryIdField: 'delivery' },
    });
    try {
        await publish(
            bench,
            code,
            {
                file: ['SINK', { adapterCode: 'fileExport', format: 'NDJSON', exportCode: code }],
                index: ['SINK', { adapterCode: 'meilisearch', ...indexAt(searchAt.port, code) }],
                post: ['LOAD', postedTo(apiAt.port)],
            },
            count,
        );
        const inShop = {
            tags: ['LOAD', { adapterCode: 'appendTags' }],
            post: ['LOAD', postedTo(otherAt.port)],
        } as const;
        await publish(bench, `${code}-shop`, inShop, count);
        await crew.working();
        crew.bootAhead();
        const ids = [(await shop.start(code)).id, (await shop.start(`${code}-shop`)).id];
        let pauses = 0;
        const open = async (): Promise<boolean> => {
            const states = await Promise.all(ids.map(id => shop.run(id)));
            for (const { id, status, error } of states) {
                if (status !== 'PAUSED' || error?.code !== 'NO_PROGRESS') continue;
                pauses++;
                await shop.adminClient.query(
                    gql`mutation Resume($id: ID!) { resumeFlowPipelineRun(id: $id) { status } }`,
                    { id },
                );
            }
            return states.some(({ status }) => ['PENDING', 'RUNNING', 'PAUSED'].includes(status));
        };
        let kill = 0;
        for (; kill < kills && (await open()); kill++) {
            await crew.ready();
            await sleep(Math.random() * LIFE_MS);
            const worker = await crew.working();
            await worker.kill('SIGKILL');
            await bench.endLeases();
            await crew.relieve();
            if (kill + 1 < kills) crew.bootAhead();
        }
        await until(
            async () => {
                await crew.working();
                return open();
            },
            isOpen => !isOpen,
            PATIENCE_MS + count * 120,
        );
        const runs = await Promise.all(ids.map(id => shop.run(id)));
        const tags = await tagged(bench, `${code}-`);
        const lines = (await exported(bench, code)).split('\n').filter(Boolean);
        const inFile = lines.map(line => String((JSON.parse(line) as JsonObject)['sku']));
        const posted = new Set(api.records.map(({ sku }) => String(sku)));
        const indexed = new Set([...search.documents(code).values()].map(({ sku }) => String(sku)));
        return {
            runs,
            pauses,
            kills: kill,
            differences: [
                ...missing('the file', skus, new Set(inFile)),
                ...(inFile.length === count ? [] : [`the file has ${inFile.length} lines of ${count}`]),
                ...missing('the search index', skus, indexed),
                ...missing('the API', skus, posted),
                ...missing('the API of the other run', skus, new Set(other.records.map(({ sku }) => String(sku)))),
                ...skus
                    .filter(sku => tags.get(sku) !== 1)
                    .slice(0, 3)
                    .map(sku => `${sku} was loaded ${tags.get(sku) ?? 0} times`),
                ...runs.flatMap(run => countersOf(run, count)),
            ],
        };
    } finally {
        await Promise.all([searchAt.close(), apiAt.close(), otherAt.close()]);
    }
}

function indexAt(port: number, indexName: string): JsonObject {
    const host = `http://127.0.0.1:${port}`;
    return { host, indexName, apiKeySecretCode: 'test', primaryKey: 'sku', batchSize: 4 };
}

function missing(where: string, skus: readonly string[], there: ReadonlySet<string>): readonly string[] {
    const lost = skus.filter(sku => !there.has(sku));
    return lost.length === 0 ? [] : [`${where} lacks ${lost.length} of ${skus.length} records, ${lost[0]} for example`];
}

/** The report of a completed run must match its work. */
function countersOf(
    { id, status, recordsRead, recordsRejected, counters, error }: RunAnswer,
    count: number,
): readonly string[] {
    if (status !== 'COMPLETED') return [`run ${id} is ${status}: ${error?.code ?? ''} ${error?.message ?? ''}`];
    const wrong = counters.filter(step => step.in !== count || step.out !== count);
    return [
        ...(recordsRead === count && recordsRejected === 0
            ? []
            : [`run ${id} read ${recordsRead} of ${count} records and rejected ${recordsRejected}`]),
        ...wrong.map(step => `step ${step.stepKey} of run ${id} counted ${step.in} in and ${step.out} out of ${count}`),
    ];
}

async function exported({ shop }: CrashBench, exportCode: string): Promise<string> {
    const { flowFiles } = await shop.adminClient.query(
        gql`
            query Exported($exportCode: String!) {
                flowFiles(options: { filter: { exportCode: { eq: $exportCode } } }) {
                    items {
                        path
                    }
                }
            }
        `,
        { exportCode },
    );
    const path = flowFiles.items[0]?.path as string | undefined;
    if (path === undefined) return '';
    const headers = { authorization: `Bearer ${shop.adminClient.getAuthToken()}` };
    return (await fetch(`${shop.url}${path}/download`, { headers })).text();
}

/** Publishes a pipeline that sends all records of a generator to each of these steps. */
async function publish(
    { shop: { adminClient } }: CrashBench,
    code: string,
    targets: Readonly<Record<string, readonly [kind: string, config: JsonObject]>>,
    count: number,
): Promise<void> {
    const pipelines = as(adminClient);
    const name = code.replace(/-shop$/, '');
    const source = { adapterCode: 'generator', count, template: { sku: `${name}-{{index}}` } };
    const steps = [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'in', kind: 'EXTRACT', config: source },
        ...Object.entries(targets).map(([key, [kind, config]]) => ({ key, kind, config })),
    ];
    const edges = [{ from: 'start', to: 'in' }, ...Object.keys(targets).map(to => ({ from: 'in', to }))];
    const definition = {
        version: 1,
        throughput: { batchSize: BATCH, concurrency: 2, rateLimitRps: REQUESTS_A_SECOND },
        steps,
        edges,
    };
    await pipelines.publish(await pipelines.create({ code, definition }));
}
