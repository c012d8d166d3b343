import { ProductVariant } from '@vendure/core';
import type { SimpleGraphQLClient } from '@vendure/testing';
import gql from 'graphql-tag';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FlowPlugin } from '../../src';
import { ImportDrafts } from '../../src/plugin/imports/import-drafts';
import { HiddenPipelines } from '../../src/plugin/imports/hidden-pipelines';
import type { ImportPlan, Remedy } from '../../src/core/import/import-plan';
import {
    inChannel,
    makeAdministrator,
    type MadeChannel,
    makeChannel,
    quickPasswords,
    refusal,
} from '../config/administrators';
import type { Database } from '../config/databases';
import { type FlowServer, flowServer, until } from '../config/flow-server';
import { priceList, PROBLEMS } from '../fixtures/price-list';
import { connectionsOf, makeSecret } from '../fixtures/resource-api';
import { scratchFolder } from '../../test/servers/process';
import { startSftp } from '../../test/servers/sftp-server';

const directory = mkdtempSync(join(tmpdir(), 'flow-imports-'));
const plugin = FlowPlugin.init({
    files: { storage: { type: 'local', directory } },
    importSynonyms: { sku: ['hausnummer'] },
    security: { allowedHostnames: ['127.0.0.1'] },
});
/** Everything that a user of imports needs. */
const IMPORTER = [
    'ManageFlowFiles',
    'CreateFlowPipeline',
    'ReadFlowPipeline',
    'UpdateFlowPipeline',
    'PublishFlowPipeline',
    'RunFlowPipeline',
    'ReadFlowRun',
    'ReadFlowRecord',
    'ReadCatalog',
    'CreateCatalog',
    'UpdateCatalog',
] as const;

const PROFILE = `id fileId filename size rows knownExport language headNumbers head
    facts { format encoding delimiter decimals headerRow skipAfterHeader footerRows }
    alternatives { encodings delimiters headerRows recordPaths }
    columns { index name type exceptions filled empties distinct examples unit currency }
    sheets { name rows isHidden } warnings { code column args }`;
const CHECK = `runId isCurrent rows totalRows created updated unchanged rejected warnings isCausesComplete applied
    run { id status pipelineId pipeline { code } } unusual { code args }
    causes { id code field column value rows places groupId remedies examples { id } }`;
const DRAFT = `id version step filename plan expiresAt pipeline { code } check { ${CHECK} }`;

interface Profile {
    readonly id: string;
    readonly fileId: string;
    readonly rows: number;
    readonly knownExport: string | null;
    readonly head: readonly (readonly string[])[];
    readonly facts: Readonly<Record<string, unknown>>;
    readonly columns: ReadonlyArray<{
        readonly name: string;
        readonly type: string;
        readonly examples: readonly string[];
    }>;
}
interface Suggestion {
    readonly isTargetClear: boolean;
    readonly plan: ImportPlan;
    readonly targets: ReadonlyArray<{
        readonly target: string;
        readonly score: number;
        readonly missingPermissions: readonly string[];
    }>;
    readonly fields: ReadonlyArray<{
        readonly field: string;
        readonly columns: readonly string[];
        readonly confidence: string;
        readonly reasonCode: string;
    }>;
    readonly unused: ReadonlyArray<{ readonly column: string; readonly uses: readonly string[] }>;
}
interface Check {
    readonly runId: string;
    readonly isCurrent: boolean;
    readonly rows: number;
    readonly totalRows: number;
    readonly created: number;
    readonly updated: number;
    readonly unchanged: number;
    readonly rejected: number;
    readonly applied: readonly Remedy[];
    readonly run: {
        readonly status: string;
        readonly pipelineId: string;
        readonly pipeline: { readonly code: string };
    };
    readonly unusual: ReadonlyArray<{ readonly code: string }>;
    readonly causes: ReadonlyArray<{
        readonly code: string;
        readonly field: string | null;
        readonly value: string | null;
        readonly rows: number;
        readonly remedies: readonly Remedy[];
    }>;
}
interface Draft {
    readonly id: string;
    readonly version: number;
    readonly plan: ImportPlan;
    readonly step: string;
    readonly check: Check | null;
}

/** Imports through the API: from the file to products. */
export function imports(database: Database): void {
    let shop: FlowServer;
    let other: MadeChannel;
    let importer: SimpleGraphQLClient;

    beforeAll(async () => {
        shop = await flowServer(database, plugin, { config: quickPasswords });
        await shop.adminClient.query(gql`
            mutation {
                updateChannel(input: { id: "T_1", availableCurrencyCodes: [EUR, USD], defaultCurrencyCode: EUR, pricesIncludeTax: true }) {
                    __typename
                }
            }
        `);
        other = await makeChannel(shop, 'imports-b');
        importer = await makeAdministrator(shop, { name: 'importer', permissions: IMPORTER });
    });
    afterAll(async () => {
        await shop?.destroy();
        rmSync(directory, { recursive: true, force: true });
    });

    const upload = async (content: Buffer | string, filename = 'preise.csv', client = importer): Promise<string> => {
        const form = new FormData();
        form.append('file', new Blob([content as never]), filename);
        const answer = await fetch(`${shop.url}/flow/upload`, {
            method: 'POST',
            body: form,
            headers: { Authorization: `Bearer ${client.getAuthToken()}` },
        });
        const body = (await answer.json()) as { readonly file: { readonly id: string } };
        expect(answer.status).toBe(201);
        return body.file.id;
    };
    const profile = async (fileId: string, facts: object | null = null, client = importer): Promise<Profile> => {
        const { flowImportProfile } = await client.query(
            gql`query Profile($fileId: ID!, $facts: FlowImportFactsInput) { flowImportProfile(fileId: $fileId, facts: $facts) { ${PROFILE} } }`,
            { fileId, facts },
        );
        return flowImportProfile as Profile;
    };
    const suggestion = async (profileId: string, more: object = {}, client = importer): Promise<Suggestion> => {
        const { flowImportSuggestion } = await client.query(
            gql`
                query Suggestion($profileId: String!, $target: FlowImportTarget, $plan: FlowJSON) {
                    flowImportSuggestion(profileId: $profileId, target: $target, plan: $plan) {
                        isTargetClear
                        plan
                        targets { target score columns missingPermissions existing }
                        fields { field label isRequired columns score confidence reasonCode reasonArgs conversions alternatives { column score } }
                        unused { column uses }
                        shop { languages currencies defaultCurrency pricesIncludeTax taxCategories { name percent } facets customFields { field label type } }
                    }
                }
            `,
            { profileId, ...more },
        );
        return flowImportSuggestion as Suggestion;
    };
    const save = async (input: object, client = importer): Promise<Draft> => {
        const { saveFlowImportDraft } = await client.query(
            gql`mutation Save($input: SaveFlowImportDraftInput!) { saveFlowImportDraft(input: $input) { ${DRAFT} } }`,
            { input },
        );
        return saveFlowImportDraft as Draft;
    };
    const draftOf = async (id: string, client = importer): Promise<Draft | null> => {
        const { flowImportDraft } = await client.query(
            gql`query Draft($id: ID!) { flowImportDraft(id: $id) { ${DRAFT} } }`,
            { id },
        );
        return flowImportDraft as Draft | null;
    };
    const begin = async (draftId: string, client = importer): Promise<Check> => {
        const { checkFlowImport } = await client.query(
            gql`mutation Check($draftId: ID!) { checkFlowImport(draftId: $draftId) { ${CHECK} } }`,
            { draftId },
        );
        return checkFlowImport as Check;
    };
    /** Waits for the end of a check, which the user of the import alone sees. */
    const endOf = async (runId: string, client = importer) => {
        const run = async () => {
            const { flowPipelineRun } = await client.query(
                gql`query Run($id: ID!) { flowPipelineRun(id: $id) { status recordsRead error { code } } }`,
                { id: runId },
            );
            return flowPipelineRun as {
                readonly status: string;
                readonly recordsRead: number;
                readonly error: { readonly code: string } | null;
            };
        };
        return until(run, ({ status }) => ['COMPLETED', 'FAILED', 'CANCELLED'].includes(status));
    };
    const checked = async (draftId: string, client = importer): Promise<Check> => {
        const { runId } = await begin(draftId, client);
        await endOf(runId, client);
        const { flowImportCheck } = await client.query(
            gql`query Checked($draftId: ID!) { flowImportCheck(draftId: $draftId) { ${CHECK} } }`,
            { draftId },
        );
        return flowImportCheck as Check;
    };
    const remedy = async (draft: Pick<Draft, 'id' | 'version'>, given: Remedy, how = 'apply'): Promise<Draft> => {
        const name = `${how}FlowImportRemedy`;
        const answer = await importer.query(
            gql`mutation Remedy($draftId: ID!, $version: Int!, $remedy: FlowJSON!) { ${name}(draftId: $draftId, version: $version, remedy: $remedy) { ${DRAFT} } }`,
            { draftId: draft.id, version: draft.version, remedy: given },
        );
        return answer[name] as Draft;
    };
    const create = async (input: object, client = importer) => {
        const { createFlowImportPipeline } = await client.query(
            gql`
                mutation Create($input: CreateFlowImportPipelineInput!) {
                    createFlowImportPipeline(input: $input) {
                        pipeline { id code name version revision { number triggers { type text } } status }
                        run { id }
                    }
                }
            `,
            { input },
        );
        return createFlowImportPipeline as {
            readonly pipeline: {
                readonly id: string;
                readonly code: string;
                readonly name: string;
                readonly version: number;
                readonly status: string;
                readonly revision: { readonly number: number } | null;
            };
            readonly run: { readonly id: string } | null;
        };
    };
    const listed = async (): Promise<readonly string[]> => {
        const { flowPipelines } = await importer.query(gql`query { flowPipelines { items { code } } }`);
        return (flowPipelines.items as ReadonlyArray<{ readonly code: string }>).map(({ code }) => code);
    };
    const variant = (sku: string) =>
        shop.dataSource.getRepository(ProductVariant).findOne({
            where: { sku },
            relations: { product: { translations: true }, productVariantPrices: true },
        });
    /** A draft of a new price list. */
    const newDraft = async (rows: number, problems?: readonly string[]) => {
        const found = await profile(await upload(priceList(rows, problems), 'preisliste_grün.csv'));
        const { plan } = await suggestion(found.id);
        const draft = await save({ profileId: found.id, plan, step: 'MAPPING' });
        return { found, plan, draft };
    };

    it('profiles a price list in Windows-1252 with a title, comma decimals and units', async () => {
        const found = await profile(await upload(priceList(60)));
        expect(found.facts).toMatchObject({
            format: 'CSV',
            encoding: 'windows-1252',
            delimiter: ';',
            decimals: 'COMMA',
            headerRow: 2,
        });
        expect(found.rows).toBe(65);
        expect(found.columns.map(({ name, type }) => [name, type])).toEqual([
            ['Art.-Nr.', 'CODE'],
            ['Bezeichnung', expect.any(String)],
            ['Warengruppe', expect.any(String)],
            ['UVP €', 'PRICE'],
            ['Lagerbestand', 'INTEGER'],
        ]);
        expect(found.head[2]![1]).toBe('Süße Tür Nr. 1');
    });

    it('reads a file again with facts that a user has set, and names what is allowed', async () => {
        const fileId = await upload('sku|name\nA|"x, y"\nB|z\n');
        const found = await profile(fileId, { delimiter: ',' });
        expect(found.facts['delimiter']).toBe(',');
        const { message } = await refusal(profile(fileId, { encoding: 'utf-7' }));
        expect(message).toContain('facts.encoding is "utf-7"; allowed: utf-8');
    });

    it('suggests target, mapping and conversions, and shows values before and after', async () => {
        const found = await profile(await upload(priceList(60)));
        const { plan, targets, fields } = await suggestion(found.id);
        expect(targets[0]).toMatchObject({ target: 'PRODUCTS', missingPermissions: [] });
        expect(targets.find(({ target }) => target === 'CUSTOMERS')!.missingPermissions).not.toEqual([]);
        expect(plan.source).toEqual({ kind: 'FILE', fileId: found.fileId });
        const columns = Object.fromEntries(fields.map(one => [one.field, one.columns[0]]));
        expect(columns).toMatchObject({ sku: 'Art.-Nr.', name: 'Bezeichnung', price: 'UVP €', stock: 'Lagerbestand' });

        const { flowImportSamples: samples } = await importer.query(
            gql`
                query Samples($profileId: String!, $plan: FlowJSON!, $fields: [String!]) {
                    flowImportSamples(profileId: $profileId, plan: $plan, fields: $fields) {
                        field
                        total
                        samples { row kind before after causeCode }
                    }
                }
            `,
            { profileId: found.id, plan, fields: ['price', 'stock'] },
        );
        expect(samples[0].total).toBe(65);
        expect(samples[0].samples).toContainEqual(
            expect.objectContaining({
                kind: 'REJECTED',
                before: ['auf Anfrage'],
                after: null,
                causeCode: 'NOT_A_NUMBER',
            }),
        );
        const [usual] = samples[0].samples as ReadonlyArray<{
            readonly before: readonly string[];
            readonly after: number;
        }>;
        expect(usual!.after).toBe(Math.round(Number(usual!.before[0]!.replace(/[ €.]/g, '').replace(',', '.')) * 100));

        const { flowImportMatches: matches } = await importer.query(
            gql`
                query Matches($profileId: String!, $plan: FlowJSON!) {
                    flowImportMatches(profileId: $profileId, plan: $plan) { field column existing missing empty isSample }
                }
            `,
            { profileId: found.id, plan },
        );
        // The rows with "auf Anfrage" and "ca. 20 Stk" have no record to match.
        expect(matches).toEqual({
            field: 'sku',
            column: 'Art.-Nr.',
            existing: 0,
            missing: 62,
            empty: 1,
            isSample: false,
        });
    });

    it('recognises a known export, which needs no question', async () => {
        const file = readFileSync(join(__dirname, '../fixtures/shopify-export.csv'));
        const found = await profile(await upload(file, 'products_export.csv'));
        expect(found.knownExport).toBe('shopify-products');
        const { plan, isTargetClear } = await suggestion(found.id);
        expect([plan.knownExport, plan.target, isTargetClear]).toEqual(['shopify-products', 'PRODUCTS', true]);
    });

    it('uses the synonyms of the plugin options', async () => {
        const found = await profile(
            await upload('Hausnummer;Bezeichnung;Preis\nH-1;Tür;1,00\nH-2;Tor;2,00\nH-3;Tisch;3,50\n'),
        );
        const { fields } = await suggestion(found.id);
        expect(fields.find(({ field }) => field === 'sku')!.columns).toEqual(['Hausnummer']);
    });

    it('imports products: check, remedies, pipeline, run', async () => {
        const { draft: saved, found } = await newDraft(60);
        let draft = saved;
        const before = await listed();
        const first = await checked(draft.id);
        expect(first).toMatchObject({ isCurrent: true, rows: 65, totalRows: 65, created: 60, rejected: 5 });
        expect(first.run.status).toBe('COMPLETED');
        expect(await listed()).toEqual(before);
        const cause = (check: Check, code: string, field: string) =>
            check.causes.find(one => one.code === code && one.field === field);
        expect(cause(first, 'NOT_A_NUMBER', 'price')).toMatchObject({ value: 'auf Anfrage', rows: 1 });
        expect(cause(first, 'NO_PRICE', 'price')).toMatchObject({ rows: 1 });
        expect(cause(first, 'NOT_A_NUMBER', 'stock')).toMatchObject({ value: 'ca. 20 Stk', rows: 1 });
        expect(cause(first, 'EMPTY', 'name')).toMatchObject({ rows: 1 });
        expect(cause(first, 'EMPTY', 'sku')).toMatchObject({ rows: 1 });

        for (const [code, field, type] of [
            ['NOT_A_NUMBER', 'price', 'CREATE_HIDDEN'],
            ['NOT_A_NUMBER', 'stock', 'NUMBER_IN_TEXT'],
            ['EMPTY', 'name', 'USE_FIELD'],
            ['EMPTY', 'sku', 'SKIP_ROWS'],
        ] as const) {
            const offered = cause(first, code, field)!.remedies.find(one => one.type === type);
            expect(offered).toBeDefined();
            draft = await remedy(draft, offered!);
        }
        expect((await draftOf(draft.id))!.check!.isCurrent).toBe(false);
        const second = await checked(draft.id);
        expect(second).toMatchObject({ isCurrent: true, created: 64, rejected: 0, causes: [] });
        expect(second.applied).toHaveLength(4);
        const undone = await remedy(draft, { type: 'SKIP_ROWS', field: 'sku', when: 'EMPTY' }, 'undo');
        expect(undone.plan.remedies).toHaveLength(3);
        draft = await remedy(undone, { type: 'SKIP_ROWS', field: 'sku', when: 'EMPTY' });

        const { pipeline, run } = await create({ draftId: draft.id, version: draft.version, outcome: 'STARTED' });
        expect(pipeline).toMatchObject({ code: 'preisliste-grun', name: 'preisliste grün', revision: { number: 1 } });
        const ended = await shop.ended(run!.id);
        expect(ended).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', recordsLoaded: 64 });
        expect(await listed()).toContain('preisliste-grun');
        expect(await draftOf(draft.id)).toBeNull();
        // A pipeline may read its file at any time.
        const kept = await fetch(`${shop.url}/flow/files/${found.fileId}`, {
            headers: { Authorization: `Bearer ${importer.getAuthToken()}` },
        });
        expect(await kept.json()).toMatchObject({ file: { expiresAt: null } });
        const imported = await variant('PL-1001');
        expect(imported!.product.translations[0]!.name).toBe('Süße Tür Nr. 2');
        expect(imported!.productVariantPrices.map(({ price, currencyCode }) => [price, currencyCode])).toEqual([
            [10107, 'EUR'],
        ]);
        expect((await variant('PL-0011'))!.enabled).toBe(false);

        // The next file with the same columns needs no mapping.
        const next = await profile(await upload(priceList(60, []), 'preisliste_neu.csv'));
        const { flowImportFits: fits } = await importer.query(
            gql`
                query Fits($profileId: String!) {
                    flowImportFits(profileId: $profileId) {
                        pipeline { id code }
                        score
                        isExact
                        isEdited
                        differences { code column field suggestion args }
                        plan
                    }
                }
            `,
            { profileId: next.id },
        );
        expect(fits[0]).toMatchObject({
            pipeline: { code: 'preisliste-grun' },
            score: 1,
            isExact: true,
            isEdited: false,
            differences: [],
        });
        const again = await save({
            profileId: next.id,
            plan: fits[0].plan,
            step: 'CHECK',
            pipelineId: fits[0].pipeline.id,
        });
        const repeated = await checked(again.id);
        expect(repeated).toMatchObject({ created: 0, unchanged: 60, rejected: 0 });
        expect(repeated.run.pipelineId).toBe(pipeline.id);
        const result = await create({ draftId: again.id, version: again.version, outcome: 'STARTED' });
        expect(result.pipeline).toMatchObject({ id: pipeline.id, revision: { number: 1 } });
        expect((await shop.ended(result.run!.id)).recordsUnchanged).toBe(60);
        expect(found.rows).toBe(65);
    });

    it('keeps drafts private, and lets no change undo another one', async () => {
        const { draft, found, plan } = await newDraft(12);
        const colleague = await makeAdministrator(shop, { name: 'colleague', permissions: IMPORTER });
        expect(await draftOf(draft.id, colleague)).toBeNull();
        const { flowImportDrafts } = await colleague.query(gql`query { flowImportDrafts { id } }`);
        expect(flowImportDrafts).toEqual([]);
        const input = { id: draft.id, version: draft.version, profileId: found.id, plan, step: 'CHECK' };
        expect((await refusal(save(input, colleague))).code).toBe('IMPORT_DRAFT_NOT_FOUND');
        expect((await refusal(begin(draft.id, colleague))).code).toBe('IMPORT_DRAFT_NOT_FOUND');
        expect((await save(input)).version).toBe(draft.version + 1);
        expect((await refusal(save(input))).code).toBe('REVISION_CONFLICT');
        const { discardFlowImportDraft } = await importer.query(
            gql`mutation Discard($id: ID!) { discardFlowImportDraft(id: $id) }`,
            { id: draft.id },
        );
        expect(discardFlowImportDraft).toBe(true);
        expect(await draftOf(draft.id)).toBeNull();
    });

    it('shows checks, and the pipelines that they run on, to the user of the import alone', async () => {
        const found = await profile(await upload(pricesOf('SEEN', 12, Object.values(PROBLEMS)), 'seen.csv'));
        const { plan } = await suggestion(found.id);
        const draft = await save({ profileId: found.id, plan, step: 'CHECK' });
        const check = await checked(draft.id);
        const { pipelineId } = check.run;
        const nosy = await makeAdministrator(shop, {
            name: 'nosy',
            permissions: [...IMPORTER, 'DeleteFlowPipeline'],
        });
        const seenBy = async (client: SimpleGraphQLClient) => {
            const seen = await client.query(
                gql`
                    query Seen($runId: ID!, $pipelineId: ID!) {
                        flowPipelineRuns(options: { take: 100 }) { totalItems items { id } }
                        ofPipeline: flowPipelineRuns(pipelineId: $pipelineId) { totalItems }
                        flowPipelineRun(id: $runId) { id }
                        flowPipeline(id: $pipelineId) { id }
                        flowLogs(runId: $runId) { totalItems }
                        flowDryRunDifferences(runId: $runId) { totalItems }
                        flowDryRunDifferenceGroups(runId: $runId) { records }
                        flowRecordErrors(runId: $runId) { totalItems }
                    }
                `,
                { runId: check.runId, pipelineId },
            );
            const runs = seen.flowPipelineRuns as {
                readonly totalItems: number;
                readonly items: ReadonlyArray<{ readonly id: string }>;
            };
            return {
                listed: runs.items.some(({ id }) => id === check.runId),
                isCounted: runs.totalItems === runs.items.length,
                ofPipeline: seen.ofPipeline.totalItems as number,
                run: seen.flowPipelineRun as object | null,
                pipeline: seen.flowPipeline as object | null,
                lines: seen.flowLogs.totalItems > 0,
                differences: seen.flowDryRunDifferences.totalItems as number,
                groups: (seen.flowDryRunDifferenceGroups as readonly unknown[]).length > 0,
                errors: seen.flowRecordErrors.totalItems as number,
            };
        };
        expect(await seenBy(importer)).toEqual({
            listed: true,
            isCounted: true,
            ofPipeline: 1,
            run: { id: check.runId },
            pipeline: { id: pipelineId },
            lines: true,
            differences: 12,
            groups: true,
            errors: 5,
        });
        const nothing = {
            listed: false,
            isCounted: true,
            ofPipeline: 0,
            run: null,
            pipeline: null,
            lines: false,
            differences: 0,
            groups: false,
            errors: 0,
        };
        expect(await seenBy(nosy)).toEqual(nothing);
        expect(await seenBy(shop.adminClient)).toEqual(nothing);

        const rejects = async (client: SimpleGraphQLClient): Promise<number> => {
            const headers = { Authorization: `Bearer ${client.getAuthToken()}` };
            return (await fetch(`${shop.url}/flow/runs/${check.runId}/rejects.csv`, { headers })).status;
        };
        expect([await rejects(importer), await rejects(nosy)]).toEqual([200, 404]);
        const start = gql`mutation Start($id: ID!) { dryRunFlowPipeline(pipelineId: $id, workingCopy: true) { id } }`;
        expect((await refusal(nosy.query(start, { id: pipelineId }))).code).toBe('PIPELINE_NOT_FOUND');
        const cancel = gql`mutation Cancel($id: ID!) { cancelFlowPipelineRun(id: $id) { id } }`;
        expect((await refusal(nosy.query(cancel, { id: check.runId }))).code).toBe('RUN_NOT_FOUND');
        const change = gql`mutation Change($input: UpdateFlowPipelineInput!) { updateFlowPipeline(input: $input) { id } }`;
        const input = { id: pipelineId, version: 1, name: 'Mine' };
        expect((await refusal(nosy.query(change, { input }))).code).toBe('PIPELINE_NOT_FOUND');
        const remove = gql`mutation Remove($id: ID!) { deleteFlowPipeline(id: $id, version: 1) { result } }`;
        expect((await refusal(nosy.query(remove, { id: pipelineId }))).code).toBe('PIPELINE_NOT_FOUND');
    });

    it('imports a pipeline again only if an import has made it and the user may edit it', async () => {
        const { found, plan } = await newDraft(12, []);
        const own = await save({ profileId: found.id, plan, step: 'CHECK' });
        const made = await create({ draftId: own.id, version: own.version, name: 'Repeatable', outcome: 'CREATED' });
        const again = (pipelineId: string, client = importer) =>
            save({ profileId: found.id, plan, step: 'CHECK', pipelineId }, client);
        expect((await again(made.pipeline.id)).version).toBe(1);

        const editless = await makeAdministrator(shop, {
            name: 'editless',
            permissions: IMPORTER.filter(one => one !== 'UpdateFlowPipeline'),
        });
        expect((await refusal(again(made.pipeline.id, editless))).message).toContain('UpdateFlowPipeline');
        const { createFlowPipeline: byHand } = await importer.query(
            gql`mutation { createFlowPipeline(input: { code: "by-hand" }) { id } }`,
        );
        expect((await refusal(again(byHand.id))).code).toBe('PIPELINE_STATE_CONFLICT');
        const foreign = await inChannel(shop.adminClient, other.token, async () => {
            const answer = await shop.adminClient.query(
                gql`mutation { createFlowPipeline(input: { code: "elsewhere" }) { id } }`,
            );
            return answer.createFlowPipeline as { readonly id: string };
        });
        expect((await refusal(again(foreign.id))).code).toBe('PIPELINE_NOT_FOUND');
        const { run } = await checked((await newDraft(12, [])).draft.id);
        expect((await refusal(again(run.pipelineId))).code).toBe('PIPELINE_NOT_FOUND');
        await importer.query(gql`mutation Archive($id: ID!) { archiveFlowPipeline(id: $id) { id } }`, {
            id: made.pipeline.id,
        });
        expect((await refusal(again(made.pipeline.id))).code).toBe('PIPELINE_STATE_CONFLICT');
    });

    it('rejects profiles of other channels, invalid ids of profiles, and invalid plans', async () => {
        const { found, plan } = await newDraft(12);
        const admin = shop.adminClient;
        const foreign = await inChannel(admin, other.token, () => refusal(suggestion(found.id, {}, admin)));
        expect(foreign.code).toBe('FILE_NOT_FOUND');
        expect((await refusal(suggestion('nothing'))).message).toContain('profileId is "nothing"');
        const wrong = {
            ...plan,
            fields: [{ field: 'sku', columns: ['Art.-Nr.'], conversions: [{ type: 'EXPLODE' }] }],
        };
        const { message } = await refusal(save({ profileId: found.id, plan: wrong, step: 'MAPPING' }));
        expect(message).toContain('plan.fields.0.conversions.0.type');
        const unread = { ...plan, facts: { ...plan.facts, encoding: 'utf-7' } };
        const { message: encoding } = await refusal(save({ profileId: found.id, plan: unread, step: 'MAPPING' }));
        expect(encoding).toContain('facts.encoding is "utf-7"; allowed: utf-8');
    });

    it('needs the permissions that it names, and masks values without ReadFlowRecord', async () => {
        const without = (...names: string[]) => IMPORTER.filter(one => !names.includes(one));
        const blind = await makeAdministrator(shop, { name: 'blind', permissions: without('ReadFlowRecord') });
        const { found, plan, draft } = await newDraft(12);
        const masked = await profile(found.fileId, null, blind);
        expect(masked.head[1]).toEqual(found.head[1]);
        expect(masked.head[2]).toEqual(found.head[2]!.map(() => '•••'));
        expect(masked.columns[0]!.examples.every(example => example === '•••')).toBe(true);
        const own = await save({ profileId: found.id, plan, step: 'CHECK' }, blind);
        const check = await checked(own.id, blind);
        expect(check.causes.map(({ value }) => value).filter(value => value !== null && value !== '•••')).toEqual([]);

        const reader = await makeAdministrator(shop, { name: 'file-reader', permissions: ['ReadFlowFiles'] });
        expect((await profile(found.fileId, null, reader)).rows).toBe(17);
        expect((await refusal(suggestion(found.id, {}, reader))).code).toBe('FORBIDDEN');
        const unfiled = await makeAdministrator(shop, { name: 'unfiled', permissions: ['CreateFlowPipeline'] });
        expect((await refusal(suggestion(found.id, {}, unfiled))).code).toBe('FORBIDDEN');
        const unpublishing = await makeAdministrator(shop, {
            name: 'unpublishing',
            permissions: without('PublishFlowPipeline'),
        });
        const theirs = await save({ profileId: found.id, plan, step: 'CHECK' }, unpublishing);
        const input = { draftId: theirs.id, version: theirs.version, name: 'Submitted' };
        const { message } = await refusal(create({ ...input, outcome: 'STARTED' }, unpublishing));
        expect(message).toContain('PublishFlowPipeline');
        const { pipeline } = await create({ ...input, outcome: 'SUBMITTED' }, unpublishing);
        const notRunning = await makeAdministrator(shop, {
            name: 'not-running',
            permissions: without('RunFlowPipeline'),
        });
        const { id: draftId, version } = await save({ profileId: found.id, plan, step: 'CHECK' }, notRunning);
        const started = await refusal(create({ draftId, version, outcome: 'STARTED' }, notRunning));
        expect(started.message).toContain('RunFlowPipeline');
        expect(pipeline).toMatchObject({ name: 'Submitted', status: 'REVIEW', revision: null });
        expect(draft.version).toBe(1);
    });

    it('cancels a running check when the next one starts, and deletes what a discarded draft leaves', async () => {
        // The first article again, after more than a dry run remembers.
        const again = Buffer.from('\r\nBIG-1000;Noch einmal;Garten;5,00;1 Stk');
        const found = await profile(await upload(Buffer.concat([pricesOf('BIG', 12_000), again]), 'big.csv'));
        const { plan } = await suggestion(found.id);
        const draft = await save({ profileId: found.id, plan, step: 'CHECK' });
        const first = await begin(draft.id);
        const second = await begin(draft.id);
        expect(second.run.pipelineId).toBe(first.run.pipelineId);
        expect((await endOf(first.runId)).status).toBe('CANCELLED');
        expect(await endOf(second.runId)).toMatchObject({ status: 'COMPLETED', recordsRead: 12_001 });
        expect((await draftOf(draft.id))!.check).toMatchObject({ created: 12_000, updated: 1, rejected: 0 });
        await importer.query(gql`mutation Discard($id: ID!) { discardFlowImportDraft(id: $id) }`, { id: draft.id });
        const { flowPipeline } = await importer.query(
            gql`query One($code: String!) { flowPipeline(code: $code) { id } }`,
            {
                code: second.run.pipeline.code,
            },
        );
        expect(flowPipeline).toBeNull();
    });

    it('keeps one check of several that start at once', async () => {
        const { draft } = await newDraft(20_000, []);
        const statuses = async (): Promise<readonly string[]> => {
            const rows = await shop.dataSource.query(
                `SELECT status FROM flow_pipeline_run WHERE id > ${last ?? 0} ORDER BY id`,
            );
            return (rows as ReadonlyArray<{ readonly status: string }>).map(({ status }) => status);
        };
        const [{ last }] = await shop.dataSource.query(`SELECT MAX(id) AS last FROM flow_pipeline_run`);
        const checks = await Promise.all([begin(draft.id), begin(draft.id), begin(draft.id)]);
        const { check } = (await draftOf(draft.id))!;
        expect(checks.map(({ runId }) => runId)).toContain(check!.runId);
        expect(await endOf(check!.runId)).toMatchObject({ status: 'COMPLETED', recordsRead: 20_000 });
        const ended = await until(statuses, all => all.every(one => ['COMPLETED', 'CANCELLED'].includes(one)));
        // A pipeline that no draft names is deleted with its runs.
        expect(ended.filter(one => one === 'COMPLETED')).toHaveLength(1);
    });

    it('deletes drafts and hidden pipelines after 30 days', async () => {
        const { draft } = await newDraft(12, []);
        const { run } = await checked(draft.id);
        await shop.dataSource.query(`UPDATE flow_import_draft SET updated_at = '2020-01-01 00:00:00'`);
        await shop.dataSource.query(
            `UPDATE flow_pipeline SET updated_at = '2020-01-01 00:00:00' WHERE code = '${run.pipeline.code}'`,
        );
        expect(await shop.app.get(ImportDrafts).purge(Date.now())).toBeGreaterThan(0);
        await shop.app.get(HiddenPipelines).purge();
        expect(await draftOf(draft.id)).toBeNull();
        const left = await until(
            () => shop.dataSource.query(`SELECT id FROM flow_pipeline WHERE code = '${run.pipeline.code}'`),
            rows => (rows as unknown[]).length === 0,
        );
        expect(left).toEqual([]);
    });

    const store = async (input: object, client = importer) => {
        const { storeFlowImportSource } = await client.query(
            gql`
                mutation Store($input: FlowImportSourceInput!) {
                    storeFlowImportSource(input: $input) {
                        id
                        filename
                    }
                }
            `,
            { input },
        );
        return storeFlowImportSource as { readonly id: string; readonly filename: string };
    };

    it('stores a pasted text, and says what is wrong with other sources', async () => {
        const file = await store({ text: 'sku,name,price\nT-1,Table,9.50\nT-2,Chair,4\n' });
        expect(file.filename).toBe('import.csv');
        expect((await profile(file.id)).rows).toBe(2);
        expect((await refusal(store({ text: 'a', url: 'https://shop.test' }))).message).toContain('text');
        expect((await refusal(store({ url: 'ftp://shop.test/a.csv' }))).message).toContain(
            'url is "ftp://shop.test/a.csv"',
        );
        expect((await refusal(store({ url: 'http://10.0.0.1/a.csv' }))).code).toBe('OUTBOUND_BLOCKED');
        expect((await refusal(store({ path: '/a.csv' }))).message).toContain('connectionCode is missing');
        expect((await refusal(store({ path: '/a.csv', connectionCode: 'none' }))).code).toBe('CONNECTION_NOT_FOUND');
    });

    it('reads an address once, through the gateway for outgoing connections', async () => {
        const server = createServer((request, response) => {
            response.statusCode = request.url === '/prices.csv' ? 200 : 403;
            response.end('sku,price\nA-1,9.50\n');
        });
        await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
        const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        try {
            const file = await store({ url: `${base}/prices.csv` });
            expect(file.filename).toBe('prices.csv');
            expect((await profile(file.id)).columns.map(({ name }) => name)).toEqual(['sku', 'price']);
            expect((await refusal(store({ url: `${base}/other.csv` }))).message).toContain('403');
            const careful = await makeAdministrator(shop, {
                name: 'careful',
                permissions: ['ManageFlowFiles', 'CreateFlowPipeline'],
            });
            expect((await refusal(store({ url: `${base}/prices.csv` }, careful))).code).toBe('OUTBOUND_BLOCKED');
            const uploader = await makeAdministrator(shop, { name: 'uploader', permissions: ['ManageFlowFiles'] });
            expect((await refusal(store({ url: `${base}/prices.csv` }, uploader))).code).toBe('FORBIDDEN');
        } finally {
            await new Promise(resolve => server.close(resolve));
        }
    });

    it('reads two sources of a user at a time, keeps some waiting, and rejects the others', async () => {
        let [reading, most] = [0, 0];
        const held: Array<() => void> = [];
        const server = createServer((_, response) => {
            most = Math.max(most, ++reading);
            held.push(() => {
                reading--;
                response.end('sku,price\nA-1,9.50\n');
            });
        });
        await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slow.csv`;
        try {
            const codes: string[] = [];
            const all = Array.from({ length: 9 }, () =>
                store({ url }).catch(async (error: unknown) =>
                    codes.push((await refusal(Promise.reject(error as Error))).code ?? ''),
                ),
            );
            await until(
                () => Promise.resolve(codes.length),
                count => count === 3,
            );
            expect(codes).toEqual(Array(3).fill('IMPORT_SOURCES_OF_USER_BUSY'));
            let isOver = false;
            const over = Promise.all(all).then(() => void (isOver = true));
            while (!isOver) {
                held.splice(0).forEach(end => end());
                await new Promise(resolve => setTimeout(resolve, 20));
            }
            await over;
            expect(most).toBe(2);
        } finally {
            await new Promise(resolve => server.close(resolve));
        }
    });

    it('lists folders of a saved connection and stores a file of it', async () => {
        const folder = scratchFolder();
        mkdirSync(join(folder, 'in/old'), { recursive: true });
        writeFileSync(join(folder, 'in/prices.csv'), 'sku,price\nA-1,9.50\n');
        writeFileSync(join(folder, 'in/old/prices.csv'), 'sku,price\n');
        const server = await startSftp({ folder });
        try {
            await makeSecret(shop.adminClient, 'import-password', 'secret', '127.0.0.1');
            await connectionsOf(shop.adminClient).create({
                code: 'supplier',
                type: 'SFTP',
                settings: {
                    host: '127.0.0.1',
                    port: server.port,
                    username: 'shop',
                    passwordSecretCode: 'import-password',
                    hostKeyFingerprint: server.fingerprint,
                },
            });
            const { listFlowImportFolder } = await importer.query(
                gql`
                    mutation List($path: String) {
                        listFlowImportFolder(connectionCode: "supplier", path: $path) {
                            folders
                            files { path name size }
                            isCut
                        }
                    }
                `,
                { path: '/in' },
            );
            expect(listFlowImportFolder).toEqual({
                folders: ['/in/old'],
                files: [{ path: '/in/prices.csv', name: 'prices.csv', size: 19 }],
                isCut: false,
            });
            const file = await store({ connectionCode: 'supplier', path: '/in/prices.csv' });
            expect((await profile(file.id)).rows).toBe(1);
            const missing = await refusal(store({ connectionCode: 'supplier', path: '/in/none.csv' }));
            expect(missing.code).toBe('REMOTE_FILE_NOT_FOUND');
        } finally {
            await server.close();
        }
    });

    const schedule = async (input: object, client = importer) => {
        const { scheduleFlowImport } = await client.query(
            gql`
                mutation Schedule($input: ScheduleFlowImportInput!) {
                    scheduleFlowImport(input: $input) { id code version revision { number triggers { type text } } }
                }
            `,
            { input },
        );
        return scheduleFlowImport as {
            readonly version: number;
            readonly revision: { readonly number: number; readonly triggers: ReadonlyArray<{ readonly type: string }> };
        };
    };
    /** Waits for the first run that the schedule has started. */
    const scheduledRun = async (pipelineId: string) => {
        const runs = async () => {
            const { flowPipelineRuns } = await importer.query(
                gql`
                    query Runs($pipelineId: ID!) {
                        flowPipelineRuns(pipelineId: $pipelineId, options: { filter: { triggerType: { eq: "SCHEDULE" } }, sort: { id: ASC } }) {
                            items { id }
                        }
                    }
                `,
                { pipelineId },
            );
            return flowPipelineRuns.items as ReadonlyArray<{ readonly id: string }>;
        };
        const [first] = await until(runs, found => found.length > 0);
        return shop.ended(first!.id);
    };
    /** A published import of a file, which is not started. */
    const published = async (content: Buffer | string, name: string) => {
        const found = await profile(await upload(content, `${name}.csv`));
        const { plan } = await suggestion(found.id, { target: 'PRODUCTS' });
        const draft = await save({ profileId: found.id, plan, step: 'CHECK' });
        const made = await create({ draftId: draft.id, version: draft.version, name, outcome: 'PUBLISHED' });
        expect(made.pipeline.revision).toMatchObject({ number: 1 });
        return made.pipeline;
    };
    /** A price list whose articles begin with a code. */
    const pricesOf = (code: string, rows: number, problems: readonly string[] = []) =>
        Buffer.from(priceList(rows, problems).toString('latin1').replaceAll('PL-', `${code}-`), 'latin1');
    const variants = (code: string) =>
        shop.dataSource
            .getRepository(ProductVariant)
            .createQueryBuilder('one')
            .where('one.sku LIKE :sku', { sku: `${code}-%` })
            .getCount();
    const SHIRTS = [
        'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Variant Inventory Qty',
        'shirt,Shirt,Size,S,CODE-S,20.00,3',
        'shirt,,,M,CODE-M,20.00,4',
        'hat,Hat,Title,Default Title,CODE-HAT,9.50,1',
    ].join('\n');
    const EACH_MINUTE = { cron: '* * * * *', timezone: 'Europe/Berlin' };

    describe('repeats an import on a schedule', () => {
        const folder = scratchFolder();
        let server: Awaited<ReturnType<typeof startSftp>>;
        let files: Record<string, Buffer | string>;
        let web: ReturnType<typeof createServer>;
        const requested: string[] = [];
        const address = (path: string) => `http://127.0.0.1:${(web.address() as AddressInfo).port}${path}`;
        const inFolder = (path: string, pattern: string) => ({
            ...EACH_MINUTE,
            folder: { connectionCode: 'nightly', path, pattern },
        });

        beforeAll(async () => {
            files = {};
            server = await startSftp({ folder });
            await makeSecret(shop.adminClient, 'nightly-password', 'secret', '127.0.0.1');
            await connectionsOf(shop.adminClient).create({
                code: 'nightly',
                type: 'SFTP',
                settings: {
                    host: '127.0.0.1',
                    port: server.port,
                    username: 'shop',
                    passwordSecretCode: 'nightly-password',
                    hostKeyFingerprint: server.fingerprint,
                },
            });
            web = createServer((request, response) => {
                const content = files[request.url ?? ''];
                requested.push(request.url ?? '');
                response.statusCode = content === undefined ? 404 : 200;
                response.setHeader('Content-Type', 'text/csv');
                response.end(content);
            });
            await new Promise<void>(resolve => web.listen(0, '127.0.0.1', resolve));
        });
        afterAll(async () => {
            await server?.close();
            await new Promise(resolve => web.close(resolve));
        });

        it('with the files of a folder', async () => {
            const { id, version } = await published(pricesOf('FO', 3), 'From a folder');
            mkdirSync(join(folder, 'nightly'), { recursive: true });
            writeFileSync(join(folder, 'nightly/preise-1.csv'), pricesOf('FO', 5));
            writeFileSync(join(folder, 'nightly/other.csv'), pricesOf('OT', 5));
            const changed = await schedule({ pipelineId: id, version, trigger: inFolder('/nightly', 'preise-*.csv') });
            expect(changed.revision.number).toBe(2);
            expect(changed.revision.triggers.map(({ type }) => type).sort()).toEqual(['MANUAL', 'SCHEDULE']);
            const run = await scheduledRun(id);
            expect(run).toMatchObject({ status: 'COMPLETED', recordsLoaded: 5, recordsRejected: 0, error: null });
            expect(run.startedBy).toEqual({ identifier: expect.stringContaining('importer') });
            expect([await variants('FO'), await variants('OT')]).toEqual([5, 0]);
            expect((await variant('FO-1001'))!.product.translations[0]!.name).toBe('Süße Tür Nr. 2');
        });

        it('from an address, read as the file was', async () => {
            const { id, version } = await published(pricesOf('AD', 3), 'From an address');
            files['/prices.csv'] = pricesOf('AD', 6);
            await schedule({ pipelineId: id, version, trigger: EACH_MINUTE, url: address('/prices.csv') });
            const run = await scheduledRun(id);
            expect(run).toMatchObject({ status: 'COMPLETED', recordsLoaded: 6, recordsRejected: 0, error: null });
            expect(requested).toContain('/prices.csv');
            expect((await variant('AD-1001'))!.product.translations[0]!.name).toBe('Süße Tür Nr. 2');
        });

        it('with variants in rows of files, but not of an address', async () => {
            const text = SHIRTS.replaceAll('CODE', 'VF');
            const { id, version } = await published(text, 'Variants');
            mkdirSync(join(folder, 'variants'), { recursive: true });
            writeFileSync(join(folder, 'variants/shirts.csv'), text);
            files['/shirts.csv'] = text;
            const ofAddress = schedule({ pipelineId: id, version, trigger: EACH_MINUTE, url: address('/shirts.csv') });
            expect((await refusal(ofAddress)).code).toBe('INPUT_INVALID');
            const trigger = inFolder('/variants', 'shirts*.csv');
            expect((await schedule({ pipelineId: id, version, trigger })).revision.number).toBe(2);
            const { startFlowPipelineRun: run } = await importer.query(
                gql`mutation Start($id: ID!) { startFlowPipelineRun(pipelineId: $id, triggerKey: "start") { id } }`,
                { id },
            );
            expect(await shop.ended(run.id)).toMatchObject({ status: 'COMPLETED', recordsLoaded: 2, error: null });
            const [small, medium] = [await variant('VF-S'), await variant('VF-M')];
            expect(small!.product.id).toBe(medium!.product.id);
            expect(await variants('VF')).toBe(3);
        });

        it('again with another time, and never with an older version or without the permissions', async () => {
            const { id, version } = await published(pricesOf('AG', 2), 'Again');
            const trigger = inFolder('/nightly', 'again*.csv');
            const refused = async (input: object, client = importer) =>
                refusal(schedule({ pipelineId: id, version, trigger, ...input }, client));
            expect((await refused({ trigger: EACH_MINUTE })).code).toBe('INPUT_INVALID');
            expect((await refused({ trigger: { ...trigger, cron: '0 25 * * *' } })).code).toBe('DEFINITION_INVALID');
            const unknown = { ...trigger, folder: { ...trigger.folder, connectionCode: 'constructor' } };
            expect((await refused({ trigger: unknown })).message).toContain('"constructor"');
            const careful = await makeAdministrator(shop, {
                name: 'scheduler',
                permissions: IMPORTER.filter(one => one !== 'PublishFlowPipeline'),
            });
            expect((await refused({}, careful)).code).toBe('FORBIDDEN');
            const first = await schedule({ pipelineId: id, version, trigger: { ...trigger, cron: '0 3 * * *' } });
            expect((await refused({})).code).toBe('REVISION_CONFLICT');
            const second = await schedule({
                pipelineId: id,
                version: first.version,
                trigger: { ...trigger, cron: '0 4 * * *' },
            });
            expect(second.revision.number).toBe(first.revision.number + 1);
            const { createFlowPipeline: other } = await importer.query(
                gql`mutation { createFlowPipeline(input: { code: "no-import" }) { id version } }`,
            );
            expect((await refused({ pipelineId: other.id, version: other.version })).code).toBe(
                'PIPELINE_STATE_CONFLICT',
            );
        });
    });

    it('learns what a user has corrected', async () => {
        const text = 'Kennung;Anzeige;Preis\nK-1;Tür;1,00\nK-2;Tor;2,00\nK-3;Tisch;3,50\n';
        const found = await profile(await upload(text, 'kennung.csv'));
        const { plan } = await suggestion(found.id, { target: 'PRODUCTS' });
        const mapped = [
            { field: 'sku', columns: ['Kennung'], conversions: [{ type: 'TRIM' }] },
            { field: 'name', columns: ['Anzeige'], conversions: [{ type: 'TRIM' }] },
            ...plan.fields.filter(({ field }) => field === 'price'),
        ];
        const draft = await save({
            profileId: found.id,
            plan: { ...plan, matchBy: 'sku', fields: mapped },
            step: 'CHECK',
        });
        await create({ draftId: draft.id, version: draft.version, outcome: 'CREATED' });
        const next = await profile(await upload(text, 'kennung2.csv'));
        const { fields } = await suggestion(next.id, { target: 'PRODUCTS' });
        expect(fields.find(({ field }) => field === 'name')).toMatchObject({
            columns: ['Anzeige'],
            reasonCode: 'LEARNED',
        });
    });

    /** Fields without conversions, each filled by a column with its name. */
    const fieldsNamed = (...names: readonly string[]) =>
        names.map(field => ({ field, columns: [field], conversions: [] }));

    it.each([
        ['PRODUCTS', { fields: fieldsNamed('sku', 'name', 'price', 'collections', 'assets', 'facet:Brand') }],
        ['PRICES', { fields: fieldsNamed('sku', 'price') }],
        ['STOCK', { fields: fieldsNamed('sku', 'stock') }],
        ['COLLECTIONS', { matchBy: 'name', fields: fieldsNamed('name', 'parent') }],
        ['FACETS', { matchBy: 'name', fields: fieldsNamed('facet', 'name') }],
        ['ASSETS', { fields: fieldsNamed('sku', 'assets') }],
        ['ASSETS', { fields: fieldsNamed('url') }],
        [
            'CUSTOMERS',
            {
                matchBy: 'emailAddress',
                fields: fieldsNamed('emailAddress', 'groups'),
                remedies: [{ type: 'CREATE_GROUPS' }],
            },
        ],
        ['ORDERS', { matchBy: 'code', fields: fieldsNamed('code') }],
    ] as const)('publishes an import of %s with the permissions that it names (%#)', async (target, given) => {
        const found = await profile(await upload('sku;name\nA;B\n', 'rights.csv'));
        const { plan, targets } = await suggestion(found.id);
        const catalogue = ['PRODUCTS', 'PRICES', 'STOCK', 'COLLECTIONS', 'FACETS', 'ASSETS'].includes(target);
        const missing = targets.find(one => one.target === target)!.missingPermissions;
        if (catalogue) expect(missing).toEqual([]);
        const client = await makeAdministrator(shop, {
            name: `rights-${target.toLowerCase()}-${given.fields.length}`,
            permissions: [
                ...IMPORTER,
                ...missing.map(names => names.split(' or ')[0]!),
                // The wizard does not know yet that groups will be created.
                ...(target === 'CUSTOMERS' ? ['CreateCustomerGroup', 'UpdateCustomerGroup'] : []),
            ],
        });
        const more = { ...plan, remedies: [], ...given, target };
        const draft = await save({ profileId: found.id, plan: more, step: 'CHECK' }, client);
        const input = { draftId: draft.id, version: draft.version, name: `Rights ${target}` };
        const { pipeline } = await create({ ...input, outcome: 'PUBLISHED' }, client);
        expect(pipeline.revision).toEqual(expect.objectContaining({ number: 1 }));
    });

    it('creates one pipeline, even if it is requested twice at once', async () => {
        const { draft } = await newDraft(12, []);
        const input = { draftId: draft.id, version: draft.version, name: 'Clicked twice', outcome: 'CREATED' };
        const results = await Promise.allSettled([create(input), create(input), create(input)]);
        expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        expect((await listed()).filter(code => code.startsWith('clicked-twice'))).toEqual(['clicked-twice']);
        expect(await draftOf(draft.id)).toBeNull();
    });

    it('lists no pipeline that could not be published, and uses it for the next attempt', async () => {
        const without = IMPORTER.filter(one => one !== 'UpdateCatalog');
        const client = await makeAdministrator(shop, { name: 'no-catalogue', permissions: without });
        const { found, plan } = await newDraft(12, []);
        const draft = await save({ profileId: found.id, plan, step: 'CHECK' }, client);
        const input = { draftId: draft.id, version: draft.version, name: 'Second attempt' };
        for (const outcome of ['PUBLISHED', 'STARTED'])
            expect((await refusal(create({ ...input, outcome }, client))).code).toBe('FORBIDDEN');
        const attempts = async () => (await listed()).filter(code => code.startsWith('second-attempt'));
        expect(await attempts()).toEqual([]);
        const { pipeline } = await create({ ...input, outcome: 'CREATED' }, client);
        expect(pipeline.code).toBe('second-attempt');
        expect(await attempts()).toEqual(['second-attempt']);
    });

    it('shows a draft whose file was deleted, which an unfinished import does not prevent', async () => {
        const { draft, found } = await newDraft(12, []);
        await checked(draft.id);
        const { status } = await fetch(`${shop.url}/flow/files/${found.fileId}`, {
            method: 'DELETE',
            headers: { Authorization: `Bearer ${importer.getAuthToken()}` },
        });
        expect(status).toBe(200);
        const left = await draftOf(draft.id);
        expect(left!.check).toMatchObject({ rejected: 0, totalRows: 12 });
        const { flowImportDraft } = await importer.query(
            gql`query File($id: ID!) { flowImportDraft(id: $id) { profile { id } } }`,
            { id: draft.id },
        );
        expect(flowImportDraft).toEqual({ profile: null });
        expect((await refusal(begin(draft.id))).code).toBe('FILE_NOT_FOUND');
        const input = { draftId: draft.id, version: draft.version, outcome: 'CREATED' };
        expect((await refusal(create(input))).code).toBe('FILE_NOT_FOUND');
    });

    it('shows plans of pipelines and matches only to users who may read them', async () => {
        const text = 'sku,name,email\nRD-1,Table,ann@shop.test\nRD-2,Chair,bob@shop.test\n';
        const found = await profile(await upload(text, 'readers.csv'));
        const { plan } = await suggestion(found.id, { target: 'PRODUCTS' });
        const draft = await save({ profileId: found.id, plan, step: 'CHECK' });
        await create({ draftId: draft.id, version: draft.version, outcome: 'CREATED' });
        const fits = async (client: SimpleGraphQLClient) =>
            (
                await client.query(gql`query Fits($id: String!) { flowImportFits(profileId: $id) { plan } }`, {
                    id: found.id,
                })
            ).flowImportFits as readonly unknown[];
        expect(await fits(importer)).not.toEqual([]);
        const writer = await makeAdministrator(shop, {
            name: 'writer',
            permissions: ['ManageFlowFiles', 'CreateFlowPipeline'],
        });
        expect(await fits(writer)).toEqual([]);
        const matches = (target: string, client: SimpleGraphQLClient) =>
            client.query(
                gql`query Matches($id: String!, $plan: FlowJSON!) { flowImportMatches(profileId: $id, plan: $plan) { existing missing } }`,
                {
                    id: found.id,
                    plan: {
                        ...plan,
                        target,
                        matchBy: 'emailAddress',
                        fields: [{ field: 'emailAddress', columns: ['email'], conversions: [] }],
                    },
                },
            );
        expect((await refusal(matches('CUSTOMERS', importer))).message).toContain('ReadCustomer');
        expect((await refusal(matches('PRODUCTS', writer))).message).toContain('ReadCatalog or ReadProduct');
        expect(await matches('CUSTOMERS', shop.adminClient)).toEqual({
            flowImportMatches: { existing: 0, missing: 2 },
        });
    });

    it('keeps plans within their limits when remedies are applied', async () => {
        const { found, plan } = await newDraft(12, []);
        const remedies = Array.from({ length: 200 }, (_, i) => ({
            type: 'LOOKUP',
            field: 'name',
            values: { [`Old ${i}`]: 'New' },
        }));
        const draft = await save({ profileId: found.id, plan: { ...plan, remedies }, step: 'CHECK' });
        const { message } = await refusal(remedy(draft, { type: 'LOOKUP', field: 'name', values: { more: 'New' } }));
        expect(message).toContain('plan.remedies');
        expect((await draftOf(draft.id))!.plan.remedies).toHaveLength(200);
    });

    it('learns no names that are too long to store, and imports nevertheless', async () => {
        const found = await profile(await upload('Kürzel;Langes\nL-1;x\nL-2;y\n', 'lang.csv'));
        const { plan } = await suggestion(found.id, { target: 'PRODUCTS' });
        const field = `customFields.${'long'.repeat(80)}`;
        const fields = [
            { field: 'sku', columns: ['Kürzel'], conversions: [] },
            { field, columns: ['Langes'], conversions: [] },
        ];
        const draft = await save({ profileId: found.id, plan: { ...plan, matchBy: 'sku', fields }, step: 'CHECK' });
        await create({ draftId: draft.id, version: draft.version, outcome: 'CREATED' });
        const rows = await shop.dataSource.query(`SELECT header FROM flow_import_mapping WHERE header = 'langes'`);
        expect(rows).toEqual([]);
    });

    it('lists the permissions that imports need, and those that a user lacks', async () => {
        const access = async (client: SimpleGraphQLClient) =>
            (await client.query(gql`query { flowImportAccess { permissions missing } }`)).flowImportAccess as object;
        expect(await access(importer)).toEqual({ permissions: [...IMPORTER], missing: [] });
        const half = await makeAdministrator(shop, { name: 'half', permissions: IMPORTER.slice(0, 4) });
        expect(await access(half)).toEqual({ permissions: [...IMPORTER], missing: IMPORTER.slice(4) });
    });
}
