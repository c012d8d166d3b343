import { pipeline, type PipelineSource } from '../src';
import { supplierCsv, warehouseCsv } from './supplier';

/** The id of the first file that is uploaded after the demo has stored its own file. */
const NEXT_FILE = '2';

/** A price list of the outdoor supplier, from any source. */
function started(code: string) {
    return pipeline(code)
        .capabilities({ requires: ['UpdateCatalog'] })
        .throughput({ batchSize: 250 })
        .trigger('start', { type: 'MANUAL' });
}

function intoCatalogue(builder: ReturnType<typeof started>): PipelineSource {
    return builder
        .transform('to-product', [
            {
                op: 'map',
                args: {
                    mapping: {
                        sku: 'Article No',
                        name: 'Name EN',
                        description: 'Description EN',
                        'translations.de.name': 'Name DE',
                        'translations.de.description': 'Description DE',
                        brand: 'Brand',
                        category: 'Category',
                        colour: 'Colour',
                        price: 'RRP EUR',
                        stock: 'On hand',
                        taxCategory: 'Tax',
                    },
                },
            },
            { op: 'trim', args: { path: 'sku' } },
            { op: 'trim', args: { path: 'name' } },
            { op: 'validateRequired', args: { fields: ['sku', 'name', 'price'] } },
            { op: 'slugify', args: { source: 'name', target: 'slug' } },
            { op: 'toCents', args: { source: 'price', target: 'price' } },
            { op: 'toNumber', args: { source: 'stock' } },
            {
                op: 'template',
                args: { template: 'brand:${brand}|category:${category}|colour:${colour}', target: 'facetValues' },
            },
            { op: 'split', args: { source: 'facetValues', target: 'facetValues', delimiter: '|' } },
            { op: 'remove', args: { path: 'brand' } },
            { op: 'remove', args: { path: 'category' } },
            { op: 'remove', args: { path: 'colour' } },
        ])
        .load('into-catalogue', {
            adapterCode: 'productUpsert',
            matchBy: 'sku',
            createMissingFacetValues: true,
            // The page of each product shows which run has written it.
            history: true,
        })
        .build();
}

/** A whole price list: names in two languages, three facets, price, stock, tax. */
const supplierImport = intoCatalogue(
    started('supplier-import')
        .name('Supplier price list')
        .description(
            "Imports the outdoor supplier's price list: products in English and German with facets, prices and stock.",
        )
        .extract('price-list', { adapterCode: 'csv', csvText: supplierCsv(1_000) }),
);

/** The same for an uploaded file. It is stored in the database, since users change which file it reads. */
export const uploadedPriceList = intoCatalogue(
    started('uploaded-price-list')
        .name('Uploaded price list')
        .description('Imports an uploaded file.')
        .extract('price-list', { adapterCode: 'csv', fileId: NEXT_FILE, resetCheckpoint: true }),
);

/** The small nightly change: prices and stock of existing products. */
const nightlyStock = pipeline('nightly-stock')
    .name('Nightly prices and stock')
    .description("Takes the warehouse's evening file and sets prices and stock levels.")
    .capabilities({ requires: ['UpdateCatalog'] })
    .throughput({ batchSize: 250 })
    .trigger('start', { type: 'MANUAL' })
    .extract('evening-file', { adapterCode: 'csv', csvText: warehouseCsv(300), delimiter: ';' })
    .transform('to-minor-units', [
        { op: 'toCents', args: { source: 'price', target: 'price' } },
        { op: 'toNumber', args: { source: 'on_hand', target: 'stock' } },
    ])
    .load('prices', { adapterCode: 'priceUpdate', history: true })
    .load('levels', { adapterCode: 'stockAdjust', history: true })
    .build();

/** Generated products, for experiments. */
const sampleProducts = pipeline('sample-products')
    .name('Sample products')
    .description('Makes fifty gift cards to try things on.')
    .capabilities({ requires: ['UpdateCatalog'] })
    .trigger('start', { type: 'MANUAL' })
    .extract('numbers', {
        adapterCode: 'generator',
        count: 50,
        template: {
            sku: 'GIFT-{{index}}',
            name: 'Gift card {{index}} of {{total}}',
            price: 2500,
            trackInventory: false,
        },
    })
    .transform('slug', [{ op: 'slugify', args: { source: 'name', target: 'slug' } }])
    .load('into-catalogue', { adapterCode: 'productUpsert' })
    .build();

/** A feed that is cut off in the middle of a row: its run fails, and the dashboard explains what to do. */
const weekendFeed = pipeline('weekend-feed')
    .name('Weekend feed')
    .description("Takes the supplier's weekend offers. The file is broken.")
    .capabilities({ requires: ['UpdateCatalog'] })
    .trigger('start', { type: 'MANUAL' })
    .extract('offers', { adapterCode: 'csv', csvText: 'sku,price\nOUT-00001,39.00\n"OUT-00002,29.00\n' })
    .load('prices', { adapterCode: 'priceUpdate', history: true })
    .build();

/** New prices that a user has to approve before they reach the shop. */
const approvedPrices = pipeline('approved-prices')
    .name('Prices to be approved')
    .description("Holds purchasing's new prices until someone approves them.")
    .capabilities({ requires: ['UpdateCatalog'] })
    .trigger('start', { type: 'MANUAL' })
    .extract('proposals', { adapterCode: 'csv', csvText: warehouseCsv(12, 11), delimiter: ';' })
    .transform('to-minor-units', [{ op: 'toCents', args: { source: 'price', target: 'price' } }])
    .gate('approval', { approvalType: 'MANUAL' })
    .load('prices', { adapterCode: 'priceUpdate', history: true })
    .build();

/** The pipelines in the shop's code. */
export const demoPipelines: readonly PipelineSource[] = [
    supplierImport,
    nightlyStock,
    sampleProducts,
    weekendFeed,
    approvedPrices,
];
