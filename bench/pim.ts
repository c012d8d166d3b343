import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
    ChannelService,
    GlobalSettingsService,
    LanguageCode,
    RequestContextService,
    TransactionalConnection,
} from '@vendure/core';
import { pimConnector } from '../src';
import { queryFor } from '../src/connectors/pim/queries';
import { readPimOptions } from '../src/connectors/pim/options';
import { readPimDocument } from '../src/adapters/extractors/pim-document';
import { PimCatalogue } from '../test/kit/pim/catalogue';
import {
    heldCollections,
    heldProducts,
    shownCollections,
    type ShownProducts,
    shownProducts,
    visible,
} from '../test/kit/pim/compare';
import { PIM_KEY } from '../test/kit/pim/server';
import { peakRssMb } from './peak';
import { changePim } from './pim-changes';
import { FolderStorage, SmallPreviews } from './pictures';
import { run, untilIdle } from './runs';
import { type BenchDatabase, openShop } from './shop';

const USUAL_PRODUCTS = 5_000;
const FIRST_SECONDS = 20;
const AGAIN_SECONDS = 5;
const LANGUAGES = [LanguageCode.en, LanguageCode.de, LanguageCode.fr];
const OPTIONS = { connectionCode: 'pim' };

/**
 * Syncs the three pipelines of the PIM connector, unchanged, with a simulated PIM in a separate process: a first sync,
 * a second one, and a day's changes. After each sync the catalogue is compared. Bare paging of the same listing is the
 * comparison. Returns whether the limits were kept.
 */
export async function benchPim(database: BenchDatabase, products = USUAL_PRODUCTS): Promise<boolean> {
    const size = {
        products,
        variantsEvery: 10,
        categories: 500,
        depth: 6,
        assets: 2_000,
        prefix: 'bench',
        languages: LANGUAGES,
    };
    const catalogue = new PimCatalogue(size);
    const child = fork(join(__dirname, 'pim-child.ts'), [JSON.stringify(size)], {
        execArgv: ['-r', '@swc-node/register'],
    });
    const told = (): Promise<unknown> => new Promise(resolve => child.once('message', resolve));
    const endpoint = (await told()) as string;
    const folder = mkdtempSync(join(tmpdir(), 'flow-bench-pim-'));
    const shop = await openShop(
        database,
        {
            connectors: [pimConnector(OPTIONS)],
            connections: [
                {
                    code: 'pim',
                    type: 'GRAPHQL',
                    settings: {
                        baseUrl: endpoint,
                        auth: { type: 'API_KEY', headerName: 'apikey', secretCode: 'pim-key' },
                    },
                },
            ],
            secrets: [
                { code: 'pim-key', provider: 'INLINE', value: PIM_KEY },
                { code: 'pim-webhook-key', provider: 'INLINE', value: 'hook-key' },
            ],
            security: { allowedHostnames: ['127.0.0.1'] },
        },
        { assets: { assetStorageStrategy: new FolderStorage(folder), assetPreviewStrategy: new SmallPreviews() } },
    );
    const { app } = shop;
    try {
        const ctx = await app.get(RequestContextService).create({ apiType: 'admin' });
        await app.get(GlobalSettingsService).updateSettings(ctx, { availableLanguages: LANGUAGES });
        await app.get(ChannelService).update(ctx, { id: ctx.channelId, availableLanguageCodes: LANGUAGES });
        await shop.queues.start();
        await untilIdle(app);
        const { rawConnection } = app.get(TransactionalConnection);
        const token = ctx.channel.token;
        const line = (title: string, seconds: number, count: number): void =>
            console.log(
                `${title.padEnd(44)} ${seconds.toFixed(2).padStart(7)} s  ${(count / seconds).toFixed(0).padStart(6)}/s`,
            );
        const equal = async (): Promise<void> =>
            assert.deepEqual(plain(await shownProducts(rawConnection, token)), plain(heldProducts(catalogue)));
        console.log(`${products} products in ${LANGUAGES.length} languages, 500 categories, 2,000 assets; ${database}`);
        line('bare paging of the products', await timed(() => bare(endpoint)), products);
        line('categories, first sync', await run(app, 'pim-category-sync'), 500);
        const collections = await shownCollections(rawConnection, token);
        const own = new Map([...collections].filter(([slug]) => slug.startsWith('bench-')));
        assert.deepEqual(visible(own), visible(heldCollections(catalogue)));
        const first = await run(app, 'pim-product-sync');
        line('products, first sync', first, products);
        await untilIdle(app);
        await equal();
        const again = await run(app, 'pim-product-sync');
        line('products, second sync', again, products);
        changePim(catalogue);
        child.send('change');
        await told();
        line('products, 100 changed, 20 deleted, 50 hidden', await run(app, 'pim-product-sync'), products);
        await untilIdle(app);
        await equal();
        line('assets, first sync', await run(app, 'pim-asset-sync'), 2_000);
        line('assets, second sync', await run(app, 'pim-asset-sync'), 2_000);
        line('categories, second sync', await run(app, 'pim-category-sync'), 500);
        const isHeld = products > USUAL_PRODUCTS || (first <= FIRST_SECONDS && again <= AGAIN_SECONDS);
        console.log(`The catalogue is equal to the PIM; peak RSS ${peakRssMb().toFixed(0)} MB`);
        console.log(isHeld ? 'The limits were kept.' : 'THE LIMITS WERE NOT KEPT.');
        return isHeld;
    } finally {
        await shop.close();
        child.disconnect();
        rmSync(folder, { recursive: true, force: true });
    }
}

/** Pictures are left out: no field of the products is mapped to them here. */
function plain(products: ShownProducts): object {
    return Object.entries(visible(products)).map(([slug, { pictures: _, ...product }]) => [slug, product]);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
    const start = performance.now();
    await work();
    return (performance.now() - start) / 1_000;
}

/** Reads the same pages with the same query and ignores them, to measure the PIM and the network alone. */
async function bare(endpoint: string): Promise<number> {
    const document = readPimDocument(queryFor('product', readPimOptions(OPTIONS)), 'getProductListing');
    assert.ok(!('problem' in document));
    // The simulated PIM has no field for slugs of products, and none that can serve as a SKU.
    const gap = { fields: new Set(['slug', 'urlKey', 'itemNumber']), unlocalised: new Set<string>() };
    const query = document.text(LANGUAGES, gap);
    let read = 0;
    for (let after = 0; ; after += 100) {
        const variables = {
            first: 100,
            after,
            sortBy: ['id'],
            sortOrder: ['ASC'],
            published: true,
            defaultLanguage: 'en',
        };
        // The cost without Flow's HTTP gateway.
        const response = await fetch(endpoint, {
            method: 'POST',
            headers: { 'content-type': 'application/json', apikey: PIM_KEY },
            body: JSON.stringify({ query, variables }),
        });
        const { data } = (await response.json()) as {
            readonly data: {
                readonly getProductListing: { readonly totalCount: number; readonly edges: readonly unknown[] };
            };
        };
        read += data.getProductListing.edges.length;
        if (after + 100 >= data.getProductListing.totalCount) return read;
    }
}
