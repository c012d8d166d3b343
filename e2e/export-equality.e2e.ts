import gql from 'graphql-tag';
import { type DefinitionInput, FlowPlugin, type JsonObject, pipeline } from '../src';
import { pictureOfText } from '../test/kit/pictures-outbound';
import { StubServers } from '../test/kit/stub-server';
import type { Database } from './config/databases';
import { type FlowServer, flowServer } from './config/flow-server';
import { onOneDatabase } from './config/matrix';
import { scratchFolder } from './config/scratch-folder';
import { as } from './fixtures/authoring-api';

/** The first shop has texts that spreadsheets and other programs often change. */
const CATALOGUE: readonly JsonObject[] = [
    {
        name: 'Löwe "M", blue',
        slug: 'loewe',
        description: 'First line,\nsecond; "line"\t=1+1',
        translations: { de: { name: 'Löwe, blau', slug: 'loewe-de', description: '-5 % günstiger' } },
        facetValues: ['colour:blue', 'kind:toy'],
        assets: ['one.png', 'two.png'],
        optionGroups: ['Size', 'Shade'],
        variants: [
            { sku: 'LW-S', price: 1999, stock: 3, options: { Size: 'S', Shade: 'Light' }, facetValues: ['kind:small'] },
            { sku: 'LW-M', price: 2499, stock: 0, options: { Size: 'M', Shade: 'Light' }, enabled: false },
        ],
    },
    {
        name: '=Sum',
        slug: 'sum',
        description: '',
        sku: '007',
        price: 5,
        stock: 12,
        trackInventory: false,
        taxCategory: 'Reduced Tax',
    },
    { name: 'No variants', slug: 'none', description: ' blanks ', enabled: false, facetValues: ['colour:red'] },
    ...Array.from({ length: 30 }, (_, i) => ({
        name: `Lamp ${i}`,
        slug: `lamp-${i}`,
        description: `Nr ${i}`,
        sku: `L-${i}`,
        price: 1000 + i,
        stock: i,
    })),
];

/** A product in cells, as productUpsert accepts it. */
const SHAPE = `
    const texts = item => Object.fromEntries((item.translations ?? []).map(({ languageCode, name, slug, description }) => [languageCode, { name, slug, description }]));
    const nameOf = item => item.name ?? item.translations[0].name;
    const facets = list => (list ?? []).map(({ code, facet }) => facet.code + ':' + code);
    const { en, ...others } = texts(record);
    return {
        ...en,
        enabled: record.enabled,
        translations: others,
        facetValues: facets(record.facetValues),
        assets: record.assets.map(({ asset }) => nameOf(asset)),
        optionGroups: record.optionGroups.map(nameOf),
        variants: record.variants.map(variant => {
            const { en: own, ...rest } = texts(variant);
            return {
                sku: variant.sku,
                name: own.name,
                price: variant.price,
                enabled: variant.enabled,
                ...(variant.trackInventory !== 'INHERIT' && { trackInventory: variant.trackInventory === 'TRUE' }),
                taxCategory: variant.taxCategory.name,
                stock: Object.fromEntries(variant.stockLevels.map(({ stockOnHand, stockLocation }) => [stockLocation.name, stockOnHand])),
                options: Object.fromEntries(variant.options.map(option => [nameOf(option.group), nameOf(option)])),
                facetValues: facets(variant.facetValues),
                translations: Object.fromEntries(Object.entries(rest).map(([language, { name }]) => [language, { name }])),
            };
        }),
    };`;
const NESTED = ['translations', 'facetValues', 'assets', 'optionGroups', 'variants'];

const filling = pipeline('fill')
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'inMemory', data: [...CATALOGUE] })
    .load('out', {
        adapterCode: 'productUpsert',
        createMissingFacetValues: true,
        pictureBaseUrl: 'http://127.0.0.1:PORT/',
    })
    .build();
const exporting = pipeline('export')
    .throughput({ batchSize: 7 })
    .trigger('start', { type: 'MANUAL' })
    .extract('products', {
        adapterCode: 'platformQuery',
        entity: 'PRODUCT',
        flattenTranslations: false,
        relations: [
            'facetValues.facet',
            'assets.asset',
            'optionGroups',
            'variants.options.group',
            'variants.facetValues.facet',
            'variants.taxCategory',
            'variants.stockLevels.stockLocation',
        ],
    })
    .transform('shape', [{ op: 'script', args: { failOnError: true, code: SHAPE } }])
    .sink('file', { adapterCode: 'fileExport', format: 'CSV', exportCode: 'catalogue', formulaSafe: false })
    .build();

const importing = (csvText: string, port: number): DefinitionInput => ({
    version: 1,
    steps: [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'file', kind: 'EXTRACT', config: { adapterCode: 'csv', csvText, emptyValues: 'TEXT' } },
        {
            key: 'cells',
            kind: 'TRANSFORM',
            config: {
                operators: [
                    ...NESTED.map(source => ({ op: 'parseJson', args: { source } })),
                    { op: 'parseJson', args: { source: 'enabled' } },
                ],
            },
        },
        {
            key: 'products',
            kind: 'LOAD',
            config: {
                adapterCode: 'productUpsert',
                createMissingFacetValues: true,
                pictureBaseUrl: `http://127.0.0.1:${port}/`,
            },
        },
    ],
    edges: [
        { from: 'start', to: 'file' },
        { from: 'file', to: 'cells' },
        { from: 'cells', to: 'products' },
    ],
});

async function speaksGerman({ adminClient }: FlowServer): Promise<void> {
    const { activeChannel } = await adminClient.query(gql`
        {
            activeChannel {
                id
            }
        }
    `);
    await adminClient.query(
        gql`
            mutation Languages($id: ID!) {
                updateGlobalSettings(input: { availableLanguages: [en, de] }) {
                    __typename
                }
                updateChannel(input: { id: $id, availableLanguageCodes: [en, de] }) {
                    __typename
                }
            }
        `,
        { id: activeChannel.id },
    );
}

/** Returns everything that users see of a catalogue, in a fixed order. */
async function catalogueOf({ adminClient }: FlowServer): Promise<unknown> {
    const { products } = await adminClient.query(gql`
        {
            products(options: { sort: { slug: ASC }, take: 100 }) {
                items {
                    name
                    slug
                    description
                    enabled
                    translations {
                        languageCode
                        name
                        slug
                        description
                    }
                    facetValues {
                        code
                        name
                        facet {
                            code
                            name
                        }
                    }
                    featuredAsset {
                        name
                        fileSize
                    }
                    assets {
                        name
                        fileSize
                        mimeType
                    }
                    optionGroups {
                        name
                    }
                    variants {
                        sku
                        name
                        price
                        currencyCode
                        enabled
                        trackInventory
                        taxCategory {
                            name
                        }
                        prices {
                            price
                            currencyCode
                        }
                        stockLevels {
                            stockOnHand
                            stockLocation {
                                name
                            }
                        }
                        options {
                            name
                            group {
                                name
                            }
                        }
                        facetValues {
                            code
                        }
                        translations {
                            languageCode
                            name
                        }
                    }
                }
            }
        }
    `);
    return ordered(products.items);
}

/** Sorts lists, whatever order the database has. */
function ordered(value: unknown): unknown {
    if (Array.isArray(value))
        return value.map(ordered).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, ordered(one)]));
}

onOneDatabase('a catalogue that is exported and imported', database => {
    const servers = new StubServers();
    const ofShop = FlowPlugin.init({
        pipelines: [exporting],
        security: { allowedHostnames: ['127.0.0.1'] },
        files: { storage: { type: 'local', directory: scratchFolder() } },
    });
    const inShop = async <T>(on: Database, work: (shop: FlowServer) => Promise<T>): Promise<T> => {
        const shop = await flowServer(on, ofShop);
        try {
            await speaksGerman(shop);
            return await work(shop);
        } finally {
            await shop.destroy();
        }
    };
    /** Runs a pipeline that must not reject anything. */
    const perform = async (shop: FlowServer, code: string): Promise<void> => {
        const ended = await shop.perform(code);
        const { flowRecordErrors } = await shop.adminClient.query(gql`
            {
                flowRecordErrors {
                    items {
                        message
                    }
                }
            }
        `);
        expect(flowRecordErrors.items).toEqual([]);
        expect(ended).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS' });
    };
    const run = async (shop: FlowServer, code: string, definition: DefinitionInput): Promise<void> => {
        const author = as(shop.adminClient);
        await author.publish(await author.create({ code, definition }));
        await perform(shop, code);
    };

    // On a different database if possible. Both write and read the same files.
    it('is the same catalogue in an empty shop on SQLite', async () => {
        const { port } = await servers.serve((request, response) => {
            response.writeHead(200, { 'content-type': 'image/png' }).end(pictureOfText(request.url!));
        });
        const first = await inShop(database, async shop => {
            const text = JSON.stringify(filling.definition).replace('PORT', String(port));
            await run(shop, 'fill', JSON.parse(text) as DefinitionInput);
            await perform(shop, 'export');
            const { flowFiles } = await shop.adminClient.query(gql`
                {
                    flowFiles {
                        items {
                            path
                            rows
                        }
                    }
                }
            `);
            const [file] = flowFiles.items as ReadonlyArray<{ path: string; rows: number }>;
            expect(file!.rows).toBe(CATALOGUE.length);
            const headers = { authorization: `Bearer ${shop.adminClient.getAuthToken()}` };
            const answer = await fetch(`${shop.url}${file!.path}/download`, { headers });
            return { csv: await answer.text(), catalogue: await catalogueOf(shop) };
        });
        const second = await inShop('sqlite', async shop => {
            expect(await catalogueOf(shop)).toEqual([]);
            await run(shop, 'import', importing(first.csv, port));
            return catalogueOf(shop);
        });
        expect(first.catalogue).toHaveLength(CATALOGUE.length);
        expect(second).toEqual(first.catalogue);
    });
});
