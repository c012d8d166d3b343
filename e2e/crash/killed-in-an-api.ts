import { DEFAULT_CHANNEL_CODE } from '@vendure/common/lib/shared-constants';
import { Channel, LanguageCode, Product, ProductTranslation } from '@vendure/core';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../src';
import { ApiServer, faulty, type Play, PLAYED_CONFIGS, PLAYS } from '../../test/kit/api-plays';
import { answerGraphql } from '../../test/kit/example-graphql';
import { PimCatalogue } from '../../test/kit/pim/catalogue';
import { PIM_PATH, PimServer } from '../../test/kit/pim/server';
import { type RunAnswer, until } from '../config/flow-server';
import { as } from '../fixtures/authoring-api';
import { connectionsOf } from '../fixtures/resource-api';
import type { CrashBench } from './crash-bench';
import { BATCH, CONCURRENCY } from './crash-shop';
import { PATIENCE_MS } from './import';
import { tagged } from './killed-at-a-line';

/** Requested records per page. */
const PAGE = 10;
/** Pages that are served between two deaths, one of them ahead. */
const PAGES_BETWEEN = 4;
/** Longer than the batches of a page take. */
const ANYTIME_MS = 60;

/** For a Vendure shop: how many products it has, how many are requested per page, and the batch size. */
const OWN = { records: 10_000, page: 100, batch: 50 };

interface PlayedApi {
    readonly play: (records: readonly JsonObject[], bench: CrashBench) => Play | Promise<Play>;
    /** By the name with which its records begin. */
    readonly config: (code: string) => JsonObject;
    /** Default: the usual size. */
    readonly size?: typeof OWN;
}

const shop =
    (records: readonly JsonObject[]): Play =>
    async ({ body }) => ({ body: await answerGraphql(body, { products: records, customers: records }) });
const rest = (name: keyof typeof PLAYS, more: JsonObject = {}): PlayedApi => {
    const { pagination, ...config } = PLAYED_CONFIGS[name];
    return {
        play: PLAYS[name],
        config: () => ({
            adapterCode: 'httpApi',
            ...config,
            pagination: { ...(pagination as JsonObject), ...more },
        }),
    };
};
const graphql = (query: string, dataPath: string, pagination: JsonObject): PlayedApi => ({
    play: shop,
    config: () => ({ adapterCode: 'graphql', query, dataPath, pagination }),
});

/** An API of the shop's own server, which has a product for each record. */
const own = (api: 'shop-api' | 'admin-api'): PlayedApi => ({
    async play(records, { shop: { dataSource, adminClient, url } }) {
        const channels = await dataSource.getRepository(Channel).findBy({ code: DEFAULT_CHANNEL_CODE });
        const products = records.map(() => new Product({ enabled: true, channels }));
        await dataSource.getRepository(Product).save(products, { chunk: 500 });
        const texts = records.map(
            ({ sku }, i) =>
                new ProductTranslation({
                    languageCode: LanguageCode.en,
                    name: String(sku),
                    slug: String(sku),
                    description: '',
                    base: products[i]!,
                }),
        );
        await dataSource.getRepository(ProductTranslation).save(texts, { chunk: 500 });
        const headers = {
            'content-type': 'application/json',
            ...(api === 'admin-api' && { authorization: `Bearer ${adminClient.getAuthToken()}` }),
        };
        return async ({ body }) => {
            const answer = await fetch(`${url}/${api}`, { method: 'POST', headers, body });
            return { status: answer.status, body: await answer.text() };
        };
    },
    config: code => ({
        adapterCode: 'graphql',
        query: `query ($skip: Int, $take: Int) {
            products(options: { skip: $skip, take: $take, sort: { id: ASC }, filter: { slug: { contains: "${code}-" } } }) { items { sku: slug } totalItems }
        }`,
        dataPath: 'data.products.items',
        pagination: { type: 'OFFSET', totalCountPath: 'data.products.totalItems' },
    }),
    size: OWN,
});

/** The PIM with a product for each record. Workers are other processes and have no key. */
const pim = (records: readonly JsonObject[]): Play => {
    const catalogue = new PimCatalogue({ products: records.length });
    for (const product of catalogue.products.values()) product.sku = String(records[product.id - 1]!['sku']);
    const server = new PimServer(catalogue);
    server.key = undefined;
    return request => server.answer(request);
};

/** The APIs that are read while workers die: one for each kind of paging. */
export const PLAYED_APIS = {
    shopify: rest('shopify'),
    woocommerce: rest('woocommerce'),
    stripe: rest('stripe'),
    // As in the guide: Magento returns its last page again at the end, and its total marks the end.
    magento: rest('magento', { totalPath: 'total_count' }),
    offset: rest('offset'),
    'graphql-offset': graphql(
        'query ($skip: Int, $take: Int) { products(options: { skip: $skip, take: $take }) { items { sku } totalItems } }',
        'data.products.items',
        { type: 'OFFSET', totalCountPath: 'data.products.totalItems' },
    ),
    'graphql-cursor': graphql(
        'query ($take: Int, $after: String) { feed(take: $take, after: $after) { items { sku } next } }',
        'data.feed.items',
        { type: 'CURSOR', cursorPath: 'data.feed.next' },
    ),
    'graphql-relay': graphql(
        'query ($first: Int!, $after: String) { customers(first: $first, after: $after) { edges { node { sku: email } } pageInfo { hasNextPage endCursor } } }',
        'data.customers.edges',
        { type: 'RELAY' },
    ),
    pim: {
        play: pim,
        config: () => ({
            adapterCode: 'pimGraphQL',
            entityType: 'product',
            first: PAGE,
            query: 'query ($first: Int, $after: Int) { getProductListing(first: $first, after: $after, sortBy: "id") { totalCount edges { node { id sku } } } }',
        }),
    },
} as const satisfies Readonly<Record<string, PlayedApi>>;

/** APIs of a Vendure shop with ten thousand products. */
export const OWN_APIS = {
    'shop-api': own('shop-api'),
    'admin-api': own('admin-api'),
} as const satisfies Readonly<Record<string, PlayedApi>>;

const ALL_APIS: Readonly<Record<keyof typeof PLAYED_APIS | keyof typeof OWN_APIS, PlayedApi>> = {
    ...PLAYED_APIS,
    ...OWN_APIS,
};

/** The result of an API whose readers died. */
export interface ReadByTheDead {
    readonly run: RunAnswer;
    readonly records: number;
    /** Records that were lost, or loaded more than once. */
    readonly differences: readonly string[];
    readonly standstillsMs: readonly number[];
}

let made = 0;

/**
 * Kills workers while they read an API, each somewhere between two pages. Every seventh request fails in one way or
 * another.
 */
export async function killedInAnApi(
    bench: CrashBench,
    { name, kills }: { readonly name: keyof typeof ALL_APIS; readonly kills: number },
): Promise<ReadByTheDead> {
    const { crew, shop: flow } = bench;
    const code = `api-of-the-dead-${++made}`;
    const { play, config, size } = ALL_APIS[name];
    const {
        records: count,
        page,
        batch,
    } = size ?? {
        records: (kills + 1) * PAGES_BETWEEN * PAGE,
        page: PAGE,
        batch: BATCH,
    };
    const all = Array.from({ length: count }, (_, i) => ({
        id: i + 1,
        sku: `${code}-${i + 1}`,
        email: `${code}-${i + 1}`,
    }));
    const answers = faulty(await play(all, bench));
    let allowed = PAGES_BETWEEN;
    const server = await new ApiServer(async request => {
        // A dead worker does not wait for a response. Its successor requests the page again.
        await until(
            () => Promise.resolve(allowed),
            now => request.number <= now,
            PATIENCE_MS,
        );
        return answers(request);
    }).listen();
    try {
        const at: JsonObject =
            name === 'pim' ? { connectionCode: await connected(bench, server) } : { url: `${server.url}/products` };
        // The shop's own server is slower than a simulated API.
        const timeoutMs = size ? 5_000 : 1_000;
        await publish(bench, { code, source: { ...config(code), ...at, timeoutMs }, page, batch });
        await crew.working();
        crew.bootAhead();
        const { id } = await flow.start(code);
        const standstillsMs: number[] = [];
        for (let kill = 0; kill < kills; kill++) {
            await crew.ready();
            const due = allowed;
            await until(
                () => Promise.resolve(server.seen.length),
                seen => seen >= due,
                PATIENCE_MS,
            );
            await sleep(Math.random() * ANYTIME_MS);
            const worker = await crew.working();
            await worker.kill('SIGKILL');
            const diedAt = Date.now();
            await bench.endLeases();
            allowed = server.seen.length + PAGES_BETWEEN;
            const requested = server.seen.length;
            await crew.relieve();
            if (kill + 1 < kills) crew.bootAhead();
            await until(
                () => Promise.resolve(server.seen.length),
                seen => seen > requested,
                PATIENCE_MS,
            );
            standstillsMs.push(Date.now() - diedAt);
        }
        allowed = Infinity;
        const run = await flow.ended(id, PATIENCE_MS);
        const tags = await tagged(bench, `${code}-`);
        const differences = all
            .filter(({ sku }) => tags.get(sku) !== 1)
            .map(({ sku }) => `${sku} was loaded ${tags.get(sku) ?? 0} times`);
        return { run, records: count, differences, standstillsMs };
    } finally {
        await server.close();
    }
}

/** Creates a connection to this PIM. */
async function connected({ shop: { adminClient } }: CrashBench, { url }: ApiServer): Promise<string> {
    const code = `pim-of-the-dead-${made}`;
    await connectionsOf(adminClient).create({ code, type: 'GRAPHQL', settings: { baseUrl: url + PIM_PATH } });
    return code;
}

interface Published {
    readonly code: string;
    readonly source: JsonObject;
    readonly page: number;
    readonly batch: number;
}

async function publish({ shop: { adminClient } }: CrashBench, { code, source, page, batch }: Published): Promise<void> {
    const pipelines = as(adminClient);
    const { pagination } = source as { readonly pagination?: JsonObject };
    const paged = pagination && { pagination: { ...pagination, limit: page } };
    const step = (key: string, kind: string, config: JsonObject): JsonObject => ({ key, kind, config });
    const pipeline = await pipelines.create({
        code,
        definition: {
            version: 1,
            throughput: { batchSize: batch, concurrency: CONCURRENCY },
            steps: [
                step('start', 'TRIGGER', { type: 'MANUAL' }),
                step('in', 'EXTRACT', { ...source, ...paged }),
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
