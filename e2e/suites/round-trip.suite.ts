import { GetObjectCommand } from '@aws-sdk/client-s3';
import gql from 'graphql-tag';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileExport, exportCodeOf } from '../../dashboard-ui/pages/export/compile-export';
import { defaultFields, fieldsOf, offeredFields } from '../../dashboard-ui/pages/export/export-fields';
import type { ExportPlan, ExportShop } from '../../dashboard-ui/pages/export/export-plan';
import { newPlan } from '../../dashboard-ui/pages/export/new-plan';
import { FlowPlugin, type JsonObject } from '../../src';
import { pictureOfText } from '../../test/kit/pictures-outbound';
import { StubServers } from '../../test/kit/stub-server';
import { CLOUD_KEYS, startCloud } from '../../test/servers/s3-server';
import { startSftp } from '../../test/servers/sftp-server';
import type { Database } from '../config/databases';
import { type FlowServer, flowServer, type RunAnswer } from '../config/flow-server';
import { itInTier as it } from '../config/matrix';
import { scratchFolder } from '../config/scratch-folder';
import { connectionsOf, makeSecret } from '../fixtures/resource-api';

const BRANDS = ['Nordfjell', 'Löwe & Söhne', '=Sum'];
const SIZES = ['S', 'M', 'L'];
const PICTURES = 7;

/** Products with what a catalogue has: texts that spreadsheets read as formulas, options, facets, pictures, no stock, disabled ones. */
function product(i: number, base: string): JsonObject {
    const common = {
        name: i % 9 === 0 ? `-${i} % "Lamp"` : `Lamp ${i}`,
        slug: `lamp-${i}`,
        description: i % 4 === 0 ? '' : ` <p>Nr. ${i}; first line,\nsecond</p>\n`,
        enabled: i % 6 !== 0,
        facetValues: [`brand:${BRANDS[i % 3]!}`, ...(i % 5 === 0 ? ['season:Summer', 'season:Winter'] : [])],
        ...(i % 3 === 0 && { assets: [`${base}${i % PICTURES}.png`, `${base}${(i + 1) % PICTURES}.png`] }),
    };
    const variant = (n: number) => ({
        sku: `L-${i}-${n}`,
        price: 1000 + i * 7 + n,
        stock: (i + n) % 40,
        taxCategory: i % 8 === 0 ? 'Reduced Tax' : 'Standard Tax',
    });
    if (i % 2 === 0) return { ...common, ...variant(0) };
    return {
        ...common,
        variants: SIZES.map((Size, n): JsonObject => ({
            ...variant(n),
            options: { Size, ...(i % 7 === 0 && { Shade: 'Dark' }) },
        })),
    };
}

interface TaxRateRow {
    readonly value: number;
    readonly category: { readonly name: string };
    readonly zone: { readonly members: ReadonlyArray<{ readonly code: string }> };
}

const step = (key: string, kind: string, config: JsonObject) => ({ key, kind, config });

/** A catalogue that the export wizard writes is read by the import wizard without a change. */
export function roundTrip(database: Database): void {
    const servers = new StubServers();
    let shop: FlowServer;
    let base: string;
    let fills = 0;

    beforeAll(async () => {
        const plugin = FlowPlugin.init({
            security: { allowedHostnames: ['127.0.0.1'] },
            files: { storage: { type: 'local', directory: scratchFolder() } },
        });
        shop = await flowServer(database, plugin);
        await query(
            `mutation { updateGlobalSettings(input: { availableLanguages: [en, de] }) { __typename }
                updateChannel(input: { id: "T_1", availableLanguageCodes: [en, de] }) { __typename } }`,
        );
    });
    beforeEach(async () => {
        const { port } = await servers.serve((request, response) => {
            response.writeHead(200, { 'content-type': 'image/png' }).end(pictureOfText(request.url!));
        });
        base = `http://127.0.0.1:${port}/`;
    });
    afterAll(async () => {
        await shop?.destroy();
    });

    const query = (text: string, variables: object = {}) => shop.adminClient.query(gql(text), variables);
    const pipelineOf = async (code: string, definition: unknown): Promise<string> => {
        const { createFlowPipeline: made } = await query(
            `mutation Create($code: String!, $definition: FlowJSON) {
                createFlowPipeline(input: { code: $code, definition: $definition }) { id version }
            }`,
            { code, definition },
        );
        await query(
            `mutation Publish($id: ID!, $version: Int!) { publishFlowPipeline(id: $id, version: $version) { id } }`,
            made,
        );
        return made.id as string;
    };
    /** Runs a pipeline. No record is rejected, except for one of these fields. */
    const runOf = async (pipelineId: string, rejectable: readonly string[] = []): Promise<RunAnswer> => {
        const { startFlowPipelineRun: run } = await query(
            `mutation Start($id: ID!) { startFlowPipelineRun(pipelineId: $id) { id } }`,
            { id: pipelineId },
        );
        const ended = await shop.ended(run.id as string);
        expect(ended.error).toBeNull();
        const { flowRecordErrors } = await query(
            `query Rejected($id: ID!) { flowRecordErrors(runId: $id, options: { filter: { severity: { eq: "ERROR" } } }) { items { path message } } }`,
            { id: run.id },
        );
        const paths = (flowRecordErrors.items as ReadonlyArray<{ readonly path: string; readonly message: string }>)
            .filter(({ path }) => !rejectable.includes(path))
            .map(({ message }) => message);
        expect(paths).toEqual([]);
        expect(ended.status).toBe('COMPLETED');
        return ended;
    };
    const filled = async (count: number): Promise<void> => {
        for (let from = 0; from < count; from += 250) await filledFrom(from, Math.min(250, count - from));
    };
    const filledFrom = async (from: number, count: number): Promise<void> => {
        const id = await pipelineOf(`fill-${(fills += 1)}`, {
            version: 1,
            steps: [
                step('start', 'TRIGGER', { type: 'MANUAL' }),
                step('in', 'EXTRACT', {
                    adapterCode: 'inMemory',
                    data: Array.from({ length: count }, (_, i) => product(from + i, base)),
                }),
                step('out', 'LOAD', { adapterCode: 'productUpsert', createMissingFacetValues: true }),
            ],
            edges: [
                { from: 'start', to: 'in' },
                { from: 'in', to: 'out' },
            ],
        });
        const { recordsLoaded, recordsUnchanged } = await runOf(id);
        expect(recordsLoaded + recordsUnchanged).toBe(count);
    };
    /** Exports all products, and imports the file as it is. */
    const unchanged = async (count: number): Promise<string> => {
        const { id, text } = await exported(`catalogue-${count}`);
        wanted.differences = [];
        expect(await imported(id)).toMatchObject({
            status: 'COMPLETED',
            recordsLoaded: 0,
            recordsUnchanged: count,
            recordsRejected: 0,
        });
        return text;
    };
    const shopOf = async (): Promise<ExportShop> => {
        const { facets, stockLocations, taxRates } = await query(
            `{
                facets { items { code name } }
                stockLocations(options: { sort: { name: ASC } }) { items { name } }
                taxRates { items { value category { name } zone { members { code } } } }
            }`,
        );
        return {
            languages: ['en', 'de'],
            defaultLanguage: 'en',
            currency: 'USD',
            pricesIncludeTax: false,
            moneyDecimals: 2,
            taxRates: (taxRates.items as readonly TaxRateRow[]).map(({ value, category, zone }) => ({
                category: category.name,
                percent: value,
                countries: zone.members.map(({ code }) => code),
                isDefault: false,
            })),
            facets: facets.items,
            stockLocations: (stockLocations.items as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name),
            customFields: [],
            pictureUrl: '',
        };
    };
    /** Creates the pipeline of a plan as the export wizard does, and runs it. */
    const performed = async (
        code: string,
        more: Partial<ExportPlan> = {},
        rejectable: readonly string[] = [],
    ): Promise<RunAnswer> => {
        const facts = await shopOf();
        const { entity = 'VARIANTS', language = 'en' } = more;
        const plan = {
            ...newPlan(facts, 'UTC'),
            fields: defaultFields(entity, facts, language),
            ...more,
        };
        return runOf(await pipelineOf(code, compileExport(plan, facts)), rejectable);
    };
    const exported = async (
        code: string,
        more: Partial<ExportPlan> = {},
        rejectable: readonly string[] = [],
    ): Promise<{ id: string; text: string }> => {
        await performed(code, more, rejectable);
        const { flowFiles } = await query(
            `query Files($code: String!) { flowFiles(options: { filter: { exportCode: { eq: $code } } }) { items { id path } } }`,
            { code: exportCodeOf(code) },
        );
        const [file] = flowFiles.items as ReadonlyArray<{ readonly id: string; readonly path: string }>;
        const response = await fetch(`${shop.url}${file!.path}/download`, {
            headers: { authorization: `Bearer ${shop.adminClient.getAuthToken()}`, 'vendure-token': shop.channelToken },
        });
        // Without the mark of UTF-8, which fetch removes, too.
        return { id: file!.id, text: await response.text() };
    };
    /** Imports a file with the plan that is suggested for it. */
    const imported = async (fileId: string): Promise<RunAnswer> => {
        const { flowImportProfile: profile } = await query(
            `query Profile($fileId: ID!) { flowImportProfile(fileId: $fileId) { id knownExport } }`,
            { fileId },
        );
        expect(profile.knownExport).toBe('flow-products');
        const { flowImportSuggestion: suggestion } = await query(
            `query Suggestion($id: String!) { flowImportSuggestion(profileId: $id) { isTargetClear plan  } }`,
            { id: profile.id },
        );
        expect(suggestion.isTargetClear).toBe(true);
        const { saveFlowImportDraft: draft } = await query(
            `mutation Save($input: SaveFlowImportDraftInput!) { saveFlowImportDraft(input: $input) { id version } }`,
            { input: { profileId: profile.id, plan: suggestion.plan, step: 'MAPPING' } },
        );
        const { checkFlowImport: check } = await query(
            `mutation Check($id: ID!) { checkFlowImport(draftId: $id) { runId } }`,
            { id: draft.id },
        );
        const ended = await shop.ended(check.runId as string);
        expect(ended.report?.differences.filter(({ action }) => action !== 'UNCHANGED').slice(0, 3)).toEqual(
            wanted.differences,
        );
        const { createFlowImportPipeline: made } = await query(
            `mutation Import($input: CreateFlowImportPipelineInput!) { createFlowImportPipeline(input: $input) { run { id } } }`,
            { input: { draftId: draft.id, version: draft.version, outcome: 'STARTED' } },
        );
        return shop.ended(made.run.id as string);
    };
    const wanted: { differences: unknown } = { differences: [] };
    const upload = async (text: string): Promise<string> => {
        const form = new FormData();
        form.append('file', new Blob([text]), 'edited.csv');
        const response = await fetch(`${shop.url}/flow/upload`, {
            method: 'POST',
            body: form,
            headers: { authorization: `Bearer ${shop.adminClient.getAuthToken()}`, 'vendure-token': shop.channelToken },
        });
        return ((await response.json()) as { readonly file: { readonly id: string } }).file.id;
    };

    it('100 products that were not edited are unchanged, and of others only what was edited changes', async () => {
        await filled(100);
        const text = await unchanged(100);
        expect(text.split('\r\n')[0]).toBe(
            'slug,name,description,enabled,assets,sku,optionGroups,optionValues,price,taxCategory,stock,facet:brand,facet:season',
        );
        // Pictures are in the file.
        expect(text).toMatch(/,[^,\n]+\.png\|[^,\n]+\.png,/);

        // Another price and another name.
        const edited = text.replace(',10.14,', ',12.5,').replace('lamp-4,Lamp 4,', 'lamp-4,Lamp four,');
        wanted.differences = [
            expect.objectContaining({ action: 'UPDATE' }),
            expect.objectContaining({ action: 'UPDATE' }),
        ];
        expect(await imported(await upload(edited))).toMatchObject({
            recordsLoaded: 2,
            recordsUnchanged: 98,
            recordsRejected: 0,
        });
        const { productVariants } = await query(
            `{ productVariants(options: { filter: { sku: { in: ["L-2-0", "L-4-0"] } }, sort: { sku: ASC } }) { items { sku price product { name slug } } } }`,
        );
        expect(productVariants.items).toEqual([
            { sku: 'L-2-0', price: 1250, product: { name: 'Lamp 2', slug: 'lamp-2' } },
            { sku: 'L-4-0', price: 1028, product: { name: 'Lamp four', slug: 'lamp-4' } },
        ]);
    });

    it('products without translations are unchanged in another language', async () => {
        await filled(100);
        const fields = defaultFields('VARIANTS', await shopOf(), 'de');
        const { id, text } = await exported('german', { language: 'de', fields });
        expect(text.split('\r\n')[0]).toMatch(/^slug_de,name_de,description_de,enabled/);
        wanted.differences = [];
        expect(await imported(id)).toMatchObject({ recordsLoaded: 0, recordsUnchanged: 100, recordsRejected: 0 });
    });

    it('products with separators and backslashes in options and facet values are unchanged', async () => {
        const odd = (i: number): JsonObject => ({
            name: `Odd ${i}`,
            slug: `odd-${i}`,
            facetValues: { 'Use | place': ['In|out', 'C:\\|D:\\', 'a\\b'] },
            variants: ['9|10', '11\\12', '13\\'].map((size, n) => ({
                sku: `ODD-${i}-${n}`,
                price: 500 + n,
                stock: n,
                options: { 'Width | height': size, Colour: n === 1 ? 'red|blue' : 'red' },
            })),
        });
        const id = await pipelineOf('fill-odd', {
            version: 1,
            steps: [
                step('start', 'TRIGGER', { type: 'MANUAL' }),
                step('in', 'EXTRACT', { adapterCode: 'inMemory', data: [odd(1), odd(2)] }),
                step('out', 'LOAD', { adapterCode: 'productUpsert', createMissingFacetValues: true }),
            ],
            edges: [
                { from: 'start', to: 'in' },
                { from: 'in', to: 'out' },
            ],
        });
        expect((await runOf(id)).recordsLoaded).toBe(2);
        const { id: fileId, text } = await exported('odd');
        expect(text).toContain('Width \\| height|Colour');
        expect(text).toContain('In\\|out|');
        wanted.differences = [];
        expect(await imported(fileId)).toMatchObject({ recordsLoaded: 0, recordsRejected: 0 });
        const { products } = await query(
            `{ products(options: { filter: { slug: { contains: "odd-" } } }) { items { id } } }`,
        );
        await query(`mutation Delete($ids: [ID!]!) { deleteProducts(ids: $ids) { result } }`, {
            ids: (products.items as ReadonlyArray<{ readonly id: string }>).map(({ id: odd }) => odd),
        });
    });

    it('files go to SFTP, object storage and HTTP servers as they are downloaded', async () => {
        await filled(20);
        const { text } = await exported('to-download', { fileName: 'products.csv' });
        const admin = shop.adminClient;
        const connections = connectionsOf(admin);
        for (const code of ['export-password', 'export-key'])
            await makeSecret(admin, code, code === 'export-key' ? CLOUD_KEYS.accessKeyId : 'secret', '127.0.0.1');
        const whole = (content: string): string => content.replace(/^\ufeff/, '');

        const folder = scratchFolder();
        const sftp = await startSftp({ folder });
        servers.atEnd(() => sftp.close());
        await connections.create({
            code: 'export-sftp',
            type: 'SFTP',
            settings: {
                host: '127.0.0.1',
                port: sftp.port,
                username: 'shop',
                passwordSecretCode: 'export-password',
                hostKeyFingerprint: sftp.fingerprint,
            },
        });
        mkdirSync(join(folder, 'out'));
        await performed('to-sftp', {
            destination: 'SFTP',
            connectionCode: 'export-sftp',
            folder: '/out',
            fileName: 'products-${date}.csv',
        });
        const [name, ...others] = readdirSync(join(folder, 'out'));
        expect([name, others]).toEqual([expect.stringMatching(/^products-\d{4}-?\d\d-?\d\d\.csv$/), []]);
        expect(whole(readFileSync(join(folder, 'out', name!), 'utf8'))).toBe(text);

        const cloud = await startCloud('flow-export');
        servers.atEnd(() => cloud.stop());
        await connections.create({
            code: 'export-s3',
            type: 'OBJECT_STORAGE',
            settings: {
                bucket: 'flow-export',
                endpoint: cloud.endpoint,
                forcePathStyle: true,
                accessKeyIdSecretCode: 'export-key',
                secretAccessKeySecretCode: 'export-key',
            },
        });
        await performed('to-s3', {
            destination: 'S3',
            connectionCode: 'export-s3',
            folder: 'feeds/',
            fileName: 'products.csv',
        });
        const object = await cloud.client.send(
            new GetObjectCommand({ Bucket: 'flow-export', Key: 'feeds/products.csv' }),
        );
        expect(whole(await object.Body!.transformToString())).toBe(text);

        const web = await servers.serve((_, response) => void response.writeHead(201).end());
        await connections.create({
            code: 'export-http',
            type: 'HTTP',
            settings: { baseUrl: `http://127.0.0.1:${web.port}/upload` },
        });
        await performed('to-http', { destination: 'HTTP', connectionCode: 'export-http', fileName: 'products.csv' });
        expect(web.seen.map(({ method, url }) => [method, url])).toEqual([['PUT', '/upload/products.csv']]);
        expect(whole(web.seen[0]!.body)).toBe(text);
    });

    it('feeds of Google and Meta have the products that are visible, at their address', async () => {
        await filled(20);
        const feed = {
            productUrl: 'https://shop.example.com/p/${slug}',
            pictureUrl: 'https://shop.example.com/assets/',
            country: 'DE',
            brandFacet: 'brand',
        };
        const filters = { isEnabled: true, facetValue: { facet: 'season', value: 'summer' } };
        // What a catalogue may demand of an item, and some of these products lack.
        const lacking = ['image_link', 'description'];
        const google = await exported('google', { format: 'GOOGLE', destination: 'FEED', feed, filters }, lacking);
        expect(google.text).toContain('<g:link>https://shop.example.com/p/lamp-15</g:link>');
        expect(google.text).toMatch(/<g:id>L-15-0<\/g:id>/);
        expect(google.text).toMatch(/<g:price>[\d.]+ USD<\/g:price>/);
        expect(google.text).toMatch(/<g:brand>Nordfjell<\/g:brand>/);
        expect(google.text).toMatch(/<g:availability>in_stock<\/g:availability>/);
        // Disabled.
        expect(google.text).not.toContain('/p/lamp-0<');
        const meta = await exported('meta', { format: 'META', destination: 'FEED', feed, filters }, lacking);
        const [header, ...rows] = meta.text.trim().split('\r\n');
        expect(header!.split(',')).toEqual(expect.arrayContaining(['id', 'title', 'link', 'price', 'condition']));
        expect(rows.join('\n')).toMatch(/^L-15-0,[^]*?,new$/m);
        const { createFlowFeed } = await query(
            `mutation Feed($input: CreateFlowFeedInput!) { createFlowFeed(input: $input) { path } }`,
            { input: { exportCode: exportCodeOf('google'), name: 'Google' } },
        );
        const served = await fetch(shop.url + (createFlowFeed.path as string));
        expect([served.status, await served.text()]).toEqual([200, google.text]);
    });

    it('lines of orders are rows', async () => {
        await filled(4);
        const id = await pipelineOf('fill-orders', {
            version: 1,
            steps: [
                step('start', 'TRIGGER', { type: 'MANUAL' }),
                step('in', 'EXTRACT', {
                    adapterCode: 'inMemory',
                    data: [
                        {
                            code: 'OLD-1',
                            orderPlacedAt: '2025-03-01T10:00:00Z',
                            state: 'Delivered',
                            customer: 'kim@example.com',
                            firstName: 'Kim',
                            lastName: 'Berg',
                            lines: [
                                { sku: 'L-2-0', quantity: 2, price: 1014, taxRate: 0 },
                                { sku: 'L-1-1', quantity: 1, price: 1008, taxRate: 0 },
                            ],
                        },
                    ],
                }),
                step('customers', 'TRANSFORM', {
                    operators: [{ op: 'copy', args: { source: 'customer', target: 'emailAddress' } }],
                }),
                step('people', 'LOAD', { adapterCode: 'customerUpsert' }),
                step('out', 'LOAD', { adapterCode: 'orderUpsert', mode: 'HISTORY' }),
            ],
            edges: [
                { from: 'start', to: 'in' },
                { from: 'in', to: 'customers' },
                { from: 'customers', to: 'people' },
                { from: 'people', to: 'out' },
            ],
        });
        await runOf(id);
        const fields = fieldsOf(
            offeredFields('ORDERS', await shopOf(), 'en'),
            ({ column, isDefault }) => isDefault || /^line(Sku|Quantity|Price)$/.test(column),
        );
        const { text } = await exported('orders', { entity: 'ORDERS', fields });
        const [header, ...rows] = text.trim().split('\r\n');
        const names = header!.split(',');
        expect(names.slice(-3)).toEqual(['lineSku', 'lineQuantity', 'linePrice']);
        expect(rows.map(row => row.split(',')).map(row => [row[names.indexOf('code')], ...row.slice(-3)])).toEqual([
            ['OLD-1', 'L-2-0', '2', '10.14'],
            ['OLD-1', 'L-1-1', '1', '10.08'],
        ]);
        const xlsx = await performed('orders-xlsx', { entity: 'ORDERS', fields, format: 'XLSX' });
        expect(xlsx.outcome).toBe('SUCCESS');
    });

    it('stock of each location is a column, and unchanged', async () => {
        await filled(6);
        await query(`mutation { createStockLocation(input: { name: "Outlet, north.west" }) { id } }`);
        const { stockLocations } = await query(`{ stockLocations { items { id name } } }`);
        const [first] = (stockLocations.items as ReadonlyArray<{ readonly name: string }>).filter(
            ({ name }) => !name.startsWith('Outlet'),
        );
        const id = await pipelineOf('fill-outlet', {
            version: 1,
            steps: [
                step('start', 'TRIGGER', { type: 'MANUAL' }),
                step('in', 'EXTRACT', {
                    adapterCode: 'inMemory',
                    data: [
                        { sku: 'L-2-0', stock: { 'Outlet, north.west': 7 } },
                        { sku: 'L-4-0', stock: { 'Outlet, north.west': 0 } },
                    ],
                }),
                step('out', 'LOAD', { adapterCode: 'stockAdjust' }),
            ],
            edges: [
                { from: 'start', to: 'in' },
                { from: 'in', to: 'out' },
            ],
        });
        expect((await runOf(id)).recordsLoaded).toBe(2);
        const { id: fileId, text } = await exported('two-locations');
        expect(text.split('\r\n')[0]).toContain(`taxCategory,stock:${first!.name},"stock:Outlet, north.west",facet:`);
        expect(text).toMatch(/L-2-0,.*Tax,2,7,/);
        wanted.differences = [];
        expect(await imported(fileId)).toMatchObject({ recordsLoaded: 0, recordsRejected: 0 });
        wanted.differences = [expect.objectContaining({ action: 'UPDATE' })];
        const edited = text.replace(/(L-2-0,.*Tax,2,)7,/, '$19,');
        expect(await imported(await upload(edited))).toMatchObject({ recordsLoaded: 1, recordsRejected: 0 });
        const { productVariants } = await query(
            `{ productVariants(options: { filter: { sku: { eq: "L-2-0" } } }) { items { stockLevels { stockOnHand stockLocation { name } } } } }`,
        );
        expect(productVariants.items[0].stockLevels).toContainEqual({
            stockOnHand: 9,
            stockLocation: { name: 'Outlet, north.west' },
        });
    });

    it('1,000 products that were not edited are unchanged', async () => {
        await filled(1000);
        await unchanged(1000);
    });
}
