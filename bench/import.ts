import { type INestApplicationContext } from '@nestjs/common';
import { FastImporterService, LanguageCode, RequestContextService, TransactionalConnection } from '@vendure/core';
import { FulltextSearchService } from '@vendure/core/dist/plugin/default-search-plugin/fulltext-search.service';
import { measure, type Measured } from './meter';
import { changePipeline, importPipeline } from './pipelines';
import { changed, series } from './products';
import { openRaw, type RawShop } from './raw';
import type { Row } from './report';
import { run, untilIdle } from './runs';
import { type BenchDatabase, type BenchShop, openShop } from './shop';
import { benchSideBySide, sideBySidePipelines } from './side-by-side';

const BATCH = 500;
/** Vendure's importer is measured on fewer: its rate does not depend on their number. */
const VENDURE_RECORDS = 300;

/** Import, the same file again, the nightly change; each beside the same in raw SQL, the import beside Vendure's importer. */
export async function benchImport(database: BenchDatabase, records: number): Promise<readonly Row[]> {
    const pipelines = [
        importPipeline({ code: 'bench-import', series: 'FLOW', records, batchSize: BATCH }),
        changePipeline(records, BATCH),
        ...sideBySidePipelines(records),
    ];
    const shop = await openShop(database, { pipelines });
    const raw = await openRaw(shop.target);
    try {
        const rawInsert = await measure(() => rawImport(raw, records));
        const rawCompare = await measure(() =>
            inBatches(records, (from, to) => raw.compare(series('RAW', from, to)).then(expectNone)),
        );
        const rawChange = await measure(() =>
            inBatches(records, (from, to) => raw.change(series('RAW', from, to).map(changed))),
        );
        const vendure = await measure(() => fastImport(shop.app));
        const vendureRate = VENDURE_RECORDS / vendure.seconds;
        await shop.queues.start();
        await untilIdle(shop.app);

        const first = await measure(() => run(shop.app, 'bench-import'));
        const indexed = await measure(() => untilFound(shop, lastSku(records)));
        await untilIdle(shop.app);
        const again = await measure(() => run(shop.app, 'bench-import'));
        const change = await measure(() => run(shop.app, 'bench-change'));
        const row = (bench: string, m: Measured<unknown>, seconds: number, rawSeconds: number | null): Row => ({
            bench,
            database,
            records,
            recordsPerSecond: records / seconds,
            statementsPerRecord: m.statements / records,
            peakRssMb: m.peakRssMb,
            ratioToRaw: rawSeconds === null ? null : rawSeconds / seconds,
            ratioToVendure: bench === 'import' ? records / seconds / vendureRate : null,
        });
        return [
            row('raw insert', rawInsert, rawInsert.seconds, null),
            {
                ...row('FastImporterService', vendure, vendure.seconds, null),
                records: VENDURE_RECORDS,
                recordsPerSecond: vendureRate,
                statementsPerRecord: vendure.statements / VENDURE_RECORDS,
            },
            row('import', first, first.value, rawInsert.seconds),
            row('import until last SKU is found', indexed, first.seconds + indexed.seconds, null),
            row('raw read and compare', rawCompare, rawCompare.seconds, null),
            row('same file again', again, again.value, rawCompare.seconds),
            row('raw price and stock', rawChange, rawChange.seconds, null),
            row('price and stock', change, change.value, rawChange.seconds),
            // SQLite has one writer.
            ...(database === 'postgres' ? await benchSideBySide(shop, records) : []),
        ];
    } finally {
        await raw.close();
        await shop.close();
    }
}

const lastSku = (records: number): string => series('FLOW', records - 1, records)[0]!.sku;

async function inBatches(records: number, work: (from: number, to: number) => Promise<unknown>): Promise<void> {
    for (let from = 0; from < records; from += BATCH) await work(from, Math.min(records, from + BATCH));
}

const rawImport = (raw: RawShop, records: number): Promise<void> =>
    inBatches(records, (from, to) => raw.insert(series('RAW', from, to)));

function expectNone(different: number): void {
    if (different > 0) throw new Error(`The raw comparison found ${different} differences where there are none.`);
}

const SEARCH_LIMIT_MS = 30 * 60_000;

/** Waits until the shop's search finds a SKU, that is until the index jobs before it are done. */
async function untilFound({ app }: BenchShop, sku: string): Promise<void> {
    const ctx = await app.get(RequestContextService).create({ apiType: 'admin', languageCode: LanguageCode.en });
    for (const start = Date.now(); Date.now() - start < SEARCH_LIMIT_MS;) {
        const pending = (await app
            .get(TransactionalConnection)
            .rawConnection.query(`SELECT count(*) AS n FROM search_index_item WHERE sku = '${sku}'`)) as ReadonlyArray<{
            n: string | number;
        }>;
        if (
            Number(pending[0]!.n) > 0 &&
            (await app.get(FulltextSearchService).search(ctx, { term: sku, take: 1 })).totalItems > 0
        )
            return;
        await new Promise(resolve => setTimeout(resolve, 250));
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
