import { type INestApplicationContext } from '@nestjs/common';
import { FastImporterService, LanguageCode, RequestContextService, TransactionalConnection } from '@vendure/core';
import { FulltextSearchService } from '@vendure/core/dist/plugin/default-search-plugin/fulltext-search.service';
import { measure, type Measured, median } from './meter';
import type { PipelineSource } from '../src';
import { applyCollectionFilters } from '../src/platform/effects/collection-filters';
import { RunPlatform } from '../src/plugin/run-platform';
import { changePipeline, importPipeline } from './pipelines';
import { changed, series } from './products';
import { openRaw, type RawShop } from './raw';
import type { Row } from './report';
import { run, untilIdle } from './runs';
import { type BenchDatabase, type BenchShop, openShop } from './shop';

const BATCH = 500;
/** Larger batches exclude each other, since they lock all products and not only those of the batch. */
const BATCH_OF_TWO = 250;
/** Vendure's importer is measured with fewer products: its rate does not depend on their number. */
const VENDURE_RECORDS = 300;

/**
 * The number of turns. Import and yardstick take turns, and the median counts: in the first turn the worker has not
 * compiled anything yet.
 */
const TURNS = 3;

const codesOf = (turn: number) => ({
    first: `bench-import-${turn}`,
    two: `bench-import-two-${turn}`,
    change: `bench-change-${turn}`,
    series: `FLOW${turn}`,
});

const turns = Array.from({ length: TURNS }, (_, turn) => turn);

/** What `benchImport` executes. */
export function importPipelines(records: number): readonly PipelineSource[] {
    return turns.flatMap(turn => {
        const { first, two, change, series } = codesOf(turn);
        const shape = { series, records, batchSize: BATCH };
        return [
            importPipeline({ code: first, ...shape }),
            importPipeline({ code: two, ...shape, series: `TWO${turn}`, batchSize: BATCH_OF_TWO, concurrency: 2 }),
            changePipeline({ code: change, ...shape }),
        ];
    });
}

/**
 * Measures an import, the same file again, and the nightly change. Each is compared with the same in raw SQL, and the
 * import also with Vendure's importer.
 */
export async function benchImport(
    database: BenchDatabase,
    records: number,
    pipelines: readonly PipelineSource[],
): Promise<readonly Row[]> {
    const shop = await openShop(database, { pipelines });
    const raw = await openRaw(shop.target);
    try {
        const vendure = await measure(() => fastImport(shop.app));
        const vendureRate = VENDURE_RECORDS / vendure.seconds;
        await shop.queues.start();
        const done: Turn[] = [];
        for (const turn of turns) done.push(await takeTurn(shop, raw, { turn, records }));

        const row = (bench: string, measured: readonly Timed[], rawTurns: readonly Timed[] = []): Row => ({
            bench,
            database,
            records,
            recordsPerSecond: records / median(measured.map(({ seconds }) => seconds)),
            statementsPerRecord: median(measured.map(({ statements }) => statements)) / records,
            peakRssMb: Math.max(...measured.map(({ peakRssMb }) => peakRssMb)),
            ratioToRaw:
                rawTurns.length === 0 ? null : median(rawTurns.map((one, i) => one.seconds / measured[i]!.seconds)),
            ratioToVendure: null,
        });
        const all = (what: keyof Turn): readonly Timed[] => done.map(turn => turn[what]);
        const imported = row('import', all('first'), all('rawInsert'));
        return [
            row('raw insert', all('rawInsert')),
            {
                ...row('FastImporterService', [vendure]),
                records: VENDURE_RECORDS,
                recordsPerSecond: vendureRate,
                statementsPerRecord: vendure.statements / VENDURE_RECORDS,
            },
            { ...imported, ratioToVendure: imported.recordsPerSecond / vendureRate },
            row('import, two batches at a time', all('two'), all('rawInsert')),
            // Otherwise the time of Vendure's own search grows with the shop.
            row('import until last SKU is in the index', all('indexed')),
            row('import until last SKU is found', all('found')),
            // The first turn sees no products but the yardstick's. The worker has compiled little by then.
            row('the same, in a new shop', [done[0]!.found]),
            row('raw read and compare', all('rawCompare')),
            row('same file again', all('again'), all('rawCompare')),
            row('raw price and stock', all('rawChange')),
            row('price and stock', all('change'), all('rawChange')),
        ];
    } finally {
        await raw.close();
        await shop.close();
    }
}

type Timed = Pick<Measured<unknown>, 'seconds' | 'statements' | 'peakRssMb'>;

type Turn = Readonly<
    Record<'rawInsert' | 'first' | 'two' | 'indexed' | 'found' | 'rawCompare' | 'again' | 'rawChange' | 'change', Timed>
>;

/** Measures everything once, with products that only this turn uses. Nothing else runs during a measurement. */
async function takeTurn(
    shop: BenchShop,
    raw: RawShop,
    { turn, records }: { readonly turn: number; readonly records: number },
): Promise<Turn> {
    const { first, two, change, series: ownSeries } = codesOf(turn);
    const rawSeries = `RAW${turn}`;
    const quietly = async <T>(work: () => Promise<T>): Promise<Measured<T>> => {
        await untilIdle(shop.app);
        return measure(work);
    };
    const timed = async (code: string): Promise<Timed> => {
        const measured = await quietly(() => run(shop.app, code));
        return { ...measured, seconds: measured.value };
    };
    const inRaw = (work: (from: number, to: number) => Promise<unknown>): Promise<Timed> =>
        quietly(() => inBatches(records, work));

    const rawInsert = await inRaw((from, to) => raw.insert(series(rawSeries, from, to)));
    await gatherInCollections(shop);
    const imported = await timed(first);
    const { value: isIn, ...search } = await measure(() =>
        untilFound(shop, series(ownSeries, records - 1, records)[0]!.sku),
    );
    const withTwo = await timed(two);
    await untilIdle(shop.app);
    await raw.gather();
    return {
        rawInsert,
        first: imported,
        two: withTwo,
        indexed: { ...search, seconds: imported.seconds + isIn },
        found: { ...search, seconds: imported.seconds + search.seconds },
        rawCompare: await inRaw((from, to) => raw.compare(series(rawSeries, from, to)).then(expectNone)),
        again: await timed(first),
        rawChange: await inRaw((from, to) => raw.change(series(rawSeries, from, to).map(changed))),
        change: await timed(change),
    };
}

async function inBatches(records: number, work: (from: number, to: number) => Promise<unknown>): Promise<void> {
    for (let from = 0; from < records; from += BATCH) await work(from, Math.min(records, from + BATCH));
}

function expectNone(different: number): void {
    if (different > 0) throw new Error(`The raw comparison found ${different} differences in equal data.`);
}

const SEARCH_LIMIT_MS = 30 * 60_000;

/** Otherwise the import would also put the yardstick's products into collections and the index. */
async function gatherInCollections({ app }: BenchShop): Promise<void> {
    await applyCollectionFilters(app.get(RunPlatform).shop, function* () {
        yield* [];
    });
}

/**
 * Waits until the shop's search finds a SKU, that is until all earlier index jobs have finished. Returns after how many
 * seconds the index had it.
 */
async function untilFound({ app }: BenchShop, sku: string): Promise<number> {
    const ctx = await app.get(RequestContextService).create({ apiType: 'admin', languageCode: LanguageCode.en });
    for (const start = Date.now(); Date.now() - start < SEARCH_LIMIT_MS;) {
        const requested = Date.now();
        const pending = (await app
            .get(TransactionalConnection)
            .rawConnection.query(`SELECT count(*) AS n FROM search_index_item WHERE sku = '${sku}'`)) as ReadonlyArray<{
            n: string | number;
        }>;
        if (
            Number(pending[0]!.n) > 0 &&
            (await app.get(FulltextSearchService).search(ctx, { term: sku, take: 1 })).totalItems > 0
        )
            return (requested - start) / 1_000;
        await new Promise(resolve => setTimeout(resolve, 100));
    }
    throw new Error(`Search has not found ${sku} after ${SEARCH_LIMIT_MS / 60_000} minutes.`);
}

async function fastImport(app: INestApplicationContext): Promise<void> {
    const importer = app.get(FastImporterService);
    await importer.initialize();
    const database = app.get(TransactionalConnection).rawConnection;
    const tax = (
        (await database.query(`SELECT id FROM tax_category WHERE name = 'Standard Tax'`)) as ReadonlyArray<{
            id: number;
        }>
    )[0]!.id;
    const rows = (await database.query(
        `SELECT v.id AS id, f.code AS facet, v.code AS code FROM facet_value v JOIN facet f ON f.id = v."facetId"`,
    )) as ReadonlyArray<{ id: number; facet: string; code: string }>;
    const facetIds = new Map(rows.map(row => [`${row.facet}:${row.code}`, row.id]));
    for (const product of series('VEND', 0, VENDURE_RECORDS)) {
        const productId = await importer.createProduct({
            enabled: true,
            facetValueIds: product.facets.map(facet => facetIds.get(facet)!),
            customFields: {},
            translations: [
                {
                    languageCode: LanguageCode.en,
                    name: product.name,
                    slug: product.slug,
                    description: product.description,
                    customFields: {},
                },
            ],
        });
        await importer.createProductVariant({
            productId,
            sku: product.sku,
            price: product.price,
            stockOnHand: product.stock,
            taxCategoryId: tax,
            facetValueIds: [],
            optionIds: [],
            translations: [{ languageCode: LanguageCode.en, name: product.name, customFields: {} }],
            customFields: {},
        });
    }
}
