import gql from 'graphql-tag';
import { compileExport, exportCodeOf } from '../../dashboard-ui/pages/export/compile-export';
import { defaultFields } from '../../dashboard-ui/pages/export/export-fields';
import type { ExportPlan, ExportShop } from '../../dashboard-ui/pages/export/export-plan';
import { newPlan } from '../../dashboard-ui/pages/export/new-plan';
import { FlowPlugin, type JsonObject } from '../../src';
import { pictureOfText } from '../../test/kit/pictures-outbound';
import { StubServers } from '../../test/kit/stub-server';
import type { Database } from '../config/databases';
import { type FlowServer, flowServer, type RunAnswer } from '../config/flow-server';
import { itInTier as it } from '../config/matrix';
import { scratchFolder } from '../config/scratch-folder';

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
    const runOf = async (pipelineId: string): Promise<RunAnswer> => {
        const { startFlowPipelineRun: run } = await query(
            `mutation Start($id: ID!) { startFlowPipelineRun(pipelineId: $id) { id } }`,
            { id: pipelineId },
        );
        const ended = await shop.ended(run.id as string);
        expect(ended.error).toBeNull();
        expect(ended).toMatchObject({ status: 'COMPLETED', recordsRejected: 0 });
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
        const { facets } = await query(`{ facets { items { code name } } }`);
        return {
            languages: ['en', 'de'],
            defaultLanguage: 'en',
            currency: 'USD',
            pricesIncludeTax: false,
            moneyDecimals: 2,
            facets: facets.items,
            customFields: [],
            pictureUrl: '',
        };
    };
    const exported = async (code: string, more: Partial<ExportPlan> = {}): Promise<{ id: string; text: string }> => {
        const facts = await shopOf();
        const language = more.language ?? 'en';
        const plan = {
            ...newPlan(facts, 'UTC'),
            fields: defaultFields('VARIANTS', facts, language),
            ...more,
        };
        await runOf(await pipelineOf(code, compileExport(plan, facts)));
        const { flowFiles } = await query(
            `query Files($code: String!) { flowFiles(options: { filter: { exportCode: { eq: $code } } }) { items { id path } } }`,
            { code: exportCodeOf(code) },
        );
        const [file] = flowFiles.items as ReadonlyArray<{ readonly id: string; readonly path: string }>;
        const response = await fetch(`${shop.url}${file!.path}/download`, {
            headers: { authorization: `Bearer ${shop.adminClient.getAuthToken()}`, 'vendure-token': shop.channelToken },
        });
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

    it('1,000 products that were not edited are unchanged', async () => {
        await filled(1000);
        await unchanged(1000);
    });
}
