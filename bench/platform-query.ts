import { Asset, AssetType, LanguageCode, RequestContextService } from '@vendure/core';
import { Client } from 'pg';
import { sinks } from '../src/adapters';
import { noResources } from '../src/core/adapter/no-resources';
import { Registry } from '../src/core/adapter/registry';
import type { JsonObject } from '../src/core/value/json';
import { systemClock } from '../src/core/concurrency/clock';
import { parseDefinition } from '../src/core/pipeline/parse';
import { compilePipeline } from '../src/core/run/compile';
import { executeRun } from '../src/core/run/execute';
import { triggers } from '../src/core/triggers';
import { OutboundGateway } from '../src/io/outbound/gateway';
import type { VendurePlatform } from '../src/platform/context';
import { platformQuery } from '../src/platform/extractors/platform-query';
import { productUpsert } from '../src/platform/loaders/product-upsert';
import { RunPlatform } from '../src/plugin/run-platform';
import { openLoaderTestRun } from '../src/testing/loader-test-run';
import { childUnder } from './child';
import { nowhere } from './nowhere';
import { peakRssMb } from './peak';
import { series } from './products';
import { ratePerSecond } from './rate';
import type { Row } from './report';
import { openShop } from './shop';
import { engineServer } from './sinks';

const PAGE = 500;
const ROUNDS = 5;
const LOADED_AT_ONCE = 500;

/** The factor of records for the memory measurement. Memory must not depend on it. */
const TIMES = 10;
/** What a process with Vendure and Flow needs, and some reserve. */
const HEAP_MB = 384;

/**
 * Reads products with variants, prices, facet values, assets, translations and collections by `platformQuery` through
 * the executor and drops them. The comparison is a loop of hand-written SQL that builds the same objects from the same
 * rows. Also measures the memory of a separate process for these products and for ten times as many.
 */
export async function benchPlatformQuery(records = 10_000): Promise<readonly Row[]> {
    const shop = await openShop('postgres', {});
    const url = (shop.target as { readonly url: string }).url;
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
        const ctx = await shop.app.get(RequestContextService).create({ apiType: 'admin' });
        const platform = shop.app.get(RunPlatform).of(ctxThatMay(ctx));
        await fill({ platform, client }, 0, records);
        const engine = await engineServer();
        const gateway = new OutboundGateway({ allowedHostnames: ['127.0.0.1'] });
        const rates: number[][] = [[], [], []];
        const peaks = [0, 0, 0];
        for (let round = 0; round <= ROUNDS; round++)
            for (const [i, read] of [
                () => byHand(client, String(ctx.channelId)),
                () => throughExecutor(platform),
                () => throughExecutor(platform, { door: gateway, port: engine.port }),
            ].entries()) {
                const start = performance.now();
                const count = await read();
                if (count !== records) throw new Error(`${count} of ${records} records were read.`);
                if (round > 0) rates[i]!.push(performance.now() - start);
                peaks[i] = peakRssMb();
            }
        engine.stop();
        await gateway.close();
        const [raw, flow, sent] = rates.map(times => ratePerSecond(times, records)) as [number, number, number];
        const row = (bench: string, rate: number, peak: number, ratio: number | null): Row => ({
            bench,
            database: 'postgres',
            records,
            recordsPerSecond: rate,
            statementsPerRecord: null,
            peakRssMb: peak,
            ratioToRaw: ratio,
            ratioToVendure: null,
        });
        const rows = [
            row('SQL by hand', raw, peaks[0]!, null),
            row('platformQuery', flow, peaks[1]!, flow / raw),
            row('platformQuery to a webhook, of platformQuery', sent, peaks[2]!, sent / flow),
        ];
        for (const many of [records, TIMES * records]) {
            if (many > records) await fill({ platform, client }, records, many);
            rows.push(alone(url, many));
        }
        return rows;
    } finally {
        await client.end();
        await shop.close();
    }
}

/** Reads in a separate process with a heap that holds a few pages. */
function alone(url: string, records: number): Row {
    const read = childUnder<{ count: number; seconds: number; peakRssMb: number }>({
        script: 'platform-query-child.ts',
        argument: url,
        heapMb: HEAP_MB,
    });
    if (!read) throw new Error(`${records} products need a larger heap than ${HEAP_MB} MB`);
    if (read.count !== records) throw new Error(`${read.count} of ${records} records were read.`);
    return {
        bench: 'platformQuery, a separate process',
        database: 'postgres',
        records,
        recordsPerSecond: records / read.seconds,
        statementsPerRecord: null,
        peakRssMb: read.peakRssMb,
        ratioToRaw: null,
        ratioToVendure: null,
    };
}

/** The user of the measurement may see everything. */
export function ctxThatMay(ctx: VendurePlatform['ctx']): VendurePlatform['ctx'] {
    return Object.assign(ctx, { userHasPermissions: () => true });
}

/** Adds products, with all that belongs to them, until this number is reached. */
async function fill(
    { platform, client }: { readonly platform: VendurePlatform; readonly client: Client },
    before: number,
    records: number,
): Promise<void> {
    const load = await openLoaderTestRun({ loader: productUpsert, platform });
    for (let from = before; from < records; from += LOADED_AT_ONCE) {
        const products = series('Q', from, Math.min(records, from + LOADED_AT_ONCE));
        const { changes } = await load(
            products.map(({ facets, name, slug, description, sku, price, stock }) => ({
                slug,
                sku,
                price,
                stock,
                facetValues: facets,
                name,
                description,
            })),
        );
        const rejected = changes.find(({ action }) => action === 'reject');
        if (rejected?.action === 'reject') throw rejected.error;
    }
    const { id } = await platform.dataSource.getRepository(Asset).save(
        new Asset({
            type: AssetType.IMAGE,
            mimeType: 'image/png',
            fileSize: 1,
            width: 1,
            height: 1,
            source: 'a.png',
            preview: 'a.png',
            channels: [platform.ctx.channel],
            translations: [{ languageCode: LanguageCode.en, name: 'a' } as never],
        }),
    );
    await client.query(
        `INSERT INTO product_translation ("languageCode", name, slug, description, "baseId")
         SELECT 'de', t.name || ' de', t.slug || '-de', t.description, p.id FROM product_translation t
         JOIN product p ON p.id = t."baseId" WHERE p."featuredAssetId" IS NULL`,
    );
    await client.query(
        `INSERT INTO product_asset ("assetId", "productId", position) SELECT $1, id, 0 FROM product WHERE "featuredAssetId" IS NULL`,
        [id],
    );
    await client.query('UPDATE product SET "featuredAssetId" = $1 WHERE "featuredAssetId" IS NULL', [id]);
    await client.query(
        `INSERT INTO collection_product_variants_product_variant ("collectionId", "productVariantId")
         SELECT c.id, v.id FROM product_variant v JOIN collection c ON c.id % 7 = v.id % 7 WHERE NOT c."isRoot" ON CONFLICT DO NOTHING`,
    );
    await client.query('ANALYZE');
}

const registry = Registry.of(triggers, [platformQuery], sinks);

/** Where products are sent. */
interface Receiver {
    readonly door: OutboundGateway;
    readonly port: number;
}

/** Returns how many products were read. The webhook sink sends them to `to`. */
export async function throughExecutor(platform: VendurePlatform, to?: Receiver): Promise<number> {
    const relations = [
        'variants.productVariantPrices',
        'variants.collections',
        'facetValues',
        'assets',
        'featuredAsset',
    ];
    const definition = parseDefinition(
        {
            version: 1,
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                {
                    key: 'read',
                    kind: 'EXTRACT',
                    config: { adapterCode: 'platformQuery', entity: 'PRODUCT', relations, batchSize: PAGE },
                },
                ...(to ? [webhookTo(to)] : []),
            ],
            edges: [{ from: 'start', to: 'read' }, ...(to ? [{ from: 'read', to: 'send' }] : [])],
            throughput: { batchSize: PAGE },
        },
        registry,
    );
    const compiled = compilePipeline(
        definition,
        { runId: '1', mode: 'live', triggerKey: 'start', startedAt: Date.now() },
        {
            registry,
            clock: systemClock,
            platform,
            resources: noResources,
            ...(to && { outbound: to.door.forRun({ scope: 'bench', rateLimitRps: 0 }) }),
        },
    );
    const loads = { ...nowhere.loads, storedVerdicts: async () => undefined, settle: async () => undefined };
    const result = await executeRun(compiled, { ...nowhere, loads }, { signal: new AbortController().signal });
    if (result.end !== 'completed') throw new Error(`The run ended unexpectedly: ${JSON.stringify(result)}`);
    return (to ? result.counters['send']?.updated : result.counters['read']?.out) ?? 0;
}

function webhookTo({ port }: Receiver) {
    const config = { adapterCode: 'webhook', url: `http://127.0.0.1:${port}/hooks`, batchSize: PAGE };
    return { key: 'send', kind: 'SINK', config };
}

interface Raw {
    readonly [column: string]: unknown;
}
type Thing = Record<string, unknown>;

/**
 * Hand-written code for exactly this task: a statement for the page, one for each relation, and code that builds the
 * objects.
 */
async function byHand(client: Client, channelId: string): Promise<number> {
    let [after, count] = [0, 0];
    const ask = async (text: string, values: readonly unknown[]): Promise<readonly Raw[]> =>
        (await client.query<Raw>(text, [...values])).rows;
    for (;;) {
        const products = await ask(
            `SELECT p.*, t."languageCode", t.name, t.slug, t.description FROM
             (SELECT p.* FROM product p JOIN product_channels_channel c ON c."productId" = p.id AND c."channelId" = $1
              WHERE p."deletedAt" IS NULL AND p.id > $2 ORDER BY p.id LIMIT ${PAGE}) p
             LEFT JOIN product_translation t ON t."baseId" = p.id ORDER BY p.id, t.id`,
            [channelId, after],
        );
        const byId = texted(products);
        if (byId.size === 0) return count;
        const ids = [...byId.keys()];
        const variants = texted(
            await ask(
                `SELECT v.*, t."languageCode", t.name, (SELECT price FROM product_variant_price pr WHERE pr."variantId" = v.id AND pr."channelId" = $1 LIMIT 1) AS price
                 FROM product_variant v JOIN product_variant_channels_channel c ON c."productVariantId" = v.id AND c."channelId" = $1
                 LEFT JOIN product_variant_translation t ON t."baseId" = v.id WHERE v."productId" = ANY($2) AND v."deletedAt" IS NULL ORDER BY v.id, t.id`,
                [channelId, ids],
            ),
        );
        for (const variant of variants.values()) add(byId.get(variant['productId'] as number)!, 'variants', variant);
        const variantIds = [...variants.keys()];
        for (const price of await ask(
            'SELECT * FROM product_variant_price WHERE "variantId" = ANY($1) AND "channelId" = $2',
            [variantIds, channelId],
        ))
            add(variants.get(price['variantId'] as number)!, 'productVariantPrices', { ...price });
        const inLists: ReadonlyArray<readonly [string, string, Map<number, Thing>, readonly number[]]> = [
            [
                'collections',
                `SELECT j."productVariantId" AS parent, c.*, t."languageCode", t.name, t.slug, t.description FROM collection_product_variants_product_variant j
                 JOIN collection c ON c.id = j."collectionId" JOIN collection_channels_channel cc ON cc."collectionId" = c.id AND cc."channelId" = $2
                 LEFT JOIN collection_translation t ON t."baseId" = c.id WHERE j."productVariantId" = ANY($1) ORDER BY c.position, c.id`,
                variants,
                variantIds,
            ],
            [
                'facetValues',
                `SELECT j."productId" AS parent, f.*, t."languageCode", t.name FROM product_facet_values_facet_value j JOIN facet_value f ON f.id = j."facetValueId"
                 JOIN facet_value_channels_channel cc ON cc."facetValueId" = f.id AND cc."channelId" = $2
                 LEFT JOIN facet_value_translation t ON t."baseId" = f.id WHERE j."productId" = ANY($1) ORDER BY f.id`,
                byId,
                ids,
            ],
        ];
        for (const [list, text, parents, of] of inLists)
            for (const { parent, ...thing } of await ask(text, [of, channelId]))
                add(parents.get(parent as number)!, list, json(thing));
        for (const entry of await ask('SELECT * FROM product_asset WHERE "productId" = ANY($1) ORDER BY position, id', [
            ids,
        ]))
            add(byId.get(entry['productId'] as number)!, 'assets', json(entry));
        const assets = texted(
            await ask(
                'SELECT a.*, t."languageCode", t.name FROM asset a LEFT JOIN asset_translation t ON t."baseId" = a.id WHERE a.id = ANY($1)',
                [[...new Set([...byId.values()].map(product => product['featuredAssetId']))]],
            ),
        );
        for (const product of byId.values())
            product['featuredAsset'] = assets.get(product['featuredAssetId'] as number) ?? null;
        count += byId.size;
        after = ids[ids.length - 1]!;
    }
}

/** One object for each id, with the English text if there is one. */
function texted(rows: readonly Raw[]): Map<number, Thing> {
    const things = new Map<number, Thing>();
    for (const row of rows) {
        const id = row['id'] as number;
        if (!things.has(id) || row['languageCode'] === 'en') things.set(id, json(row));
    }
    return things;
}

function json(row: Raw): Thing {
    const made: Thing = {};
    for (const [name, value] of Object.entries(row)) made[name] = value instanceof Date ? value.toISOString() : value;
    return made;
}

function add(to: Thing, list: string, thing: Thing | JsonObject): void {
    ((to[list] ??= []) as Thing[]).push(thing);
}
