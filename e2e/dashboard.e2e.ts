import gql from 'graphql-tag';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { demoPipelines } from '../demo/pipelines';
import { pipeline } from '../src';
import { inChannel, makeAdministrator } from './config/administrators';
import { judgePage, takePictures, type Visit } from './config/browser';
import { browserShop } from './config/browser-shop';
import { itInTier as it } from './config/matrix';
import { exportWizard } from './suites/export-wizard';
import { importWizard, useEuros } from './suites/import-wizard';
import { exportAgain } from './suites/pages/export-again';
import { importSources } from './suites/pages/import-sources';
import { importWindows } from './suites/pages/import-windows';
import { knownExports } from './suites/pages/known-exports';

const broken = pipeline('broken-source')
    .name('Broken source')
    .trigger('start', { type: 'MANUAL' })
    .trigger('nightly', { type: 'SCHEDULE', cron: '0 6 * * *', timezone: 'Europe/Berlin' })
    .extract('in', { adapterCode: 'csv', csvText: 'a,b\n"1,2\n' })
    .load('out', { adapterCode: 'productUpsert' })
    .build();

const SECRET = 'n0body-reads-this';

browserShop('the pages of the dashboard', { pipelines: [...demoPipelines, broken] }, open => {
    let system: Server;

    beforeAll(async () => {
        system = createServer((_request, response) => response.end('sku,price\n')).listen(0, '127.0.0.1');
        await new Promise(resolve => system.once('listening', resolve));
        const { shop } = open();
        await shop.perform('supplier-import');
        await shop.perform('broken-source');
    });
    afterAll(() => system?.close());

    /** Takes its picture, and checks its accessibility and keyboard use. */
    const judged = async (invocation: Visit, name: string): Promise<void> => {
        expect(await judgePage(invocation, name)).toEqual([]);
    };

    describe('pipelines', () => {
        it('are listed with their results and what to do next', async () => {
            const visit = await open().visit('/flow/pipelines');
            const row = (name: string) => visit.page.getByRole('row').filter({ hasText: name });
            await row('Supplier price list').getByText('partial').waitFor();
            await row('Supplier price list')
                .getByText(/^Correct [\d,]+ records$/)
                .waitFor();
            await row('Broken source').getByText('See why it failed').waitFor();
            await row('Broken source').getByText('daily at 06:00').waitFor();
            await row('Sample products').getByText('never ran').waitFor();
            await judged(visit, 'pipelines');
        });

        it('are found by name and code, and by what starts them', async () => {
            // The dashboard stores filters for each user.
            const { shop, visit } = open();
            const searcher = await makeAdministrator(shop, {
                name: 'searcher',
                permissions: ['ReadFlowPipeline', 'ReadFlowRun'],
            });
            const { page } = await visit('/flow/pipelines', { token: searcher.getAuthToken() });
            await page.getByRole('row').filter({ hasText: 'Sample products' }).waitFor();
            await page.getByPlaceholder('Filter...').fill('nightly-st');
            await page.getByRole('row').filter({ hasText: 'Sample products' }).waitFor({ state: 'detached' });
            expect(await page.locator('tbody tr').count()).toBe(1);
            await page.getByPlaceholder('Filter...').fill('');
            await page.getByRole('button', { name: 'Starts' }).first().click();
            await page.getByRole('option', { name: 'Schedule' }).click();
            await page.getByRole('row').filter({ hasText: 'Sample products' }).waitFor({ state: 'detached' });
            await page.getByRole('row').filter({ hasText: 'Broken source' }).waitFor();
        });

        it('are disabled and enabled, several at once', async () => {
            const { shop, visit } = open();
            // Pipelines of the shop's code are switched on and off there.
            const { exportFlowPipeline } = await shop.adminClient.query(
                gql`query Export($id: ID!) { exportFlowPipeline(id: $id) { content } }`,
                { id: await shop.pipelineId('sample-products') },
            );
            for (const [code, name] of [
                ['at-noon', 'At noon'],
                ['at-night', 'At night'],
            ] as const)
                await shop.adminClient.query(
                    gql`mutation Take($document: String!) { importFlowPipeline(document: $document, format: JSON) { id } }`,
                    {
                        document: (exportFlowPipeline.content as string)
                            .replace('"sample-products"', JSON.stringify(code))
                            .replace('"Sample products"', JSON.stringify(name)),
                    },
                );
            const { page } = await visit('/flow/pipelines');
            const choose = async (action: string): Promise<void> => {
                for (const name of ['At noon', 'At night'])
                    await page.getByRole('row').filter({ hasText: name }).getByRole('checkbox').click();
                const toolbar = page.getByRole('toolbar', { name: 'Bulk actions' });
                await toolbar.getByRole('button', { name: 'Actions' }).click();
                await page.getByRole('menu').getByText(action, { exact: true }).click();
            };
            await choose('Disable');
            await page.getByRole('button', { name: 'Continue' }).click();
            await page.getByText('2 pipelines were disabled').waitFor();
            await expect(shop.perform('at-noon')).rejects.toThrow();
            await choose('Enable');
            await page.getByText('2 pipelines were enabled').waitFor();
        });

        it('are imported from a document, and an existing one only after a confirmation', async () => {
            const { shop, visit } = open();
            const { page } = await visit('/flow/pipelines');
            const { exportFlowPipeline } = await shop.adminClient.query(
                gql`query Export($id: ID!) { exportFlowPipeline(id: $id) { content } }`,
                { id: await shop.pipelineId('sample-products') },
            );
            const document = (exportFlowPipeline.content as string)
                .replace('"sample-products"', '"from-a-file"')
                .replace('"Sample products"', '"From a file"');
            const paste = async (): Promise<void> => {
                await page.getByRole('button', { name: 'Import JSON or YAML' }).click();
                await page.getByLabel('Document').fill(document);
                await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
            };
            await paste();
            await page.waitForURL(/\/flow\/pipelines\/T_\d+/);
            await page.goto(page.url().replace(/T_\d+$/, ''));
            await page.getByRole('row').filter({ hasText: 'From a file' }).waitFor();
            await paste();
            await page.getByText('already uses this code').waitFor();
            await page.getByRole('button', { name: 'Replace the draft' }).click();
            await page.waitForURL(/\/flow\/pipelines\/T_\d+/);
        });
    });

    describe('connections and secrets', () => {
        it('are created, tested and used, and a secret is never shown', async () => {
            const { shop, visit } = open();
            const secrets = await visit('/flow/secrets');
            await secrets.page.getByText('No secrets yet').waitFor();
            await judged(secrets, 'secrets-none');
            await secrets.page.getByRole('button', { name: 'New secret' }).click();
            await secrets.page.getByLabel('Code').fill('pim-key');
            await secrets.page.getByLabel('Secret', { exact: true }).fill(SECRET);
            await takePictures(secrets, 'secret', ['desktop']);
            await secrets.page.getByRole('button', { name: 'Save' }).dblclick();
            await secrets.page.getByRole('row').filter({ hasText: 'pim-key' }).getByText('none yet').waitFor();

            const made = await visit('/flow/connections/new');
            await made.page.getByLabel('Type', { exact: true }).first().selectOption({ label: 'HTTP' });
            await made.page.getByRole('button', { name: 'Create' }).click();
            await made.page.getByLabel('Code').fill('pim');
            await made.page.getByLabel('Name', { exact: true }).fill('Product information');
            const { port } = system.address() as AddressInfo;
            await made.page.getByLabel('Base URL').fill(`http://127.0.0.1:${port}`);
            const authentication = made.page.getByRole('group', { name: 'Authentication' });
            await authentication.getByLabel('Type').selectOption('API_KEY');
            await authentication.getByLabel('Header').fill('X-Api-Key');
            await authentication.getByLabel('Secret').fill('pim-key');
            await made.page.getByText('The secret is set').waitFor();
            await made.page.getByRole('button', { name: 'Create' }).dblclick();
            await made.page.waitForURL(/\/flow\/connections\/T_\d+/);
            // A double click must not report a conflict with itself.
            expect(await made.page.getByText('CODE_TAKEN').count()).toBe(0);
            await made.page.getByRole('button', { name: 'Test the connection' }).click();
            await made.page.getByText('Works').waitFor();
            await judged(made, 'connection');

            await secrets.page.reload();
            const row = secrets.page.getByRole('row').filter({ hasText: 'pim-key' });
            await row.getByText('pim', { exact: true }).waitFor();
            await judged(secrets, 'secrets');
            expect(await secrets.page.content()).not.toContain(SECRET);

            // A pipeline that reads from it.
            const document = JSON.stringify({
                flow: 1,
                code: 'from-the-pim',
                name: 'From the PIM',
                definition: pipeline('from-the-pim')
                    .trigger('start', { type: 'MANUAL' })
                    .extract('in', { adapterCode: 'httpApi', connectionCode: 'pim', url: '/prices.csv', format: 'CSV' })
                    .load('out', { adapterCode: 'priceUpdate' })
                    .build().definition,
            });
            const { importFlowPipeline: reader } = await shop.adminClient.query(
                gql`mutation Take($document: String!) {
                    importFlowPipeline(document: $document, format: JSON) { id version }
                }`,
                { document },
            );
            await shop.adminClient.query(
                gql`mutation Publish($id: ID!, $version: Int!) { publishFlowPipeline(id: $id, version: $version) { id } }`,
                reader,
            );
            expect((await shop.perform('from-the-pim')).status).toBe('COMPLETED');
            const connections = await visit('/flow/connections');
            const used = connections.page.getByRole('row').filter({ hasText: 'Product information' });
            await used.getByText('from-the-pim').waitFor();
            await judged(connections, 'connections');
        });

        it('keep what a choice hides until the form is left, but do not send it', async () => {
            const { shop, visit } = open();
            const { page } = await visit('/flow/connections');
            await page.getByRole('link', { name: 'Product information' }).click();
            const authentication = page.getByRole('group', { name: 'Authentication' });
            await authentication.getByLabel('Type').selectOption('NONE');
            await authentication.getByLabel('Header').waitFor({ state: 'detached' });
            await authentication.getByLabel('Type').selectOption('API_KEY');
            expect(await authentication.getByLabel('Header').inputValue()).toBe('X-Api-Key');
            await authentication.getByLabel('Type').selectOption('NONE');
            await page.getByRole('button', { name: 'Save' }).dblclick();
            await page.getByText('The connection was saved').waitFor();
            expect(await page.getByText('REVISION_CONFLICT').count()).toBe(0);
            const settings = await shop.adminClient.query(gql`query { flowConnection(code: "pim") { settings } }`);
            expect(settings.flowConnection.settings.auth).toEqual({ type: 'NONE' });
        });

        it('report what is missing before anything is sent', async () => {
            const { page } = await open().visit('/flow/connections/new');
            await page.getByLabel('Type', { exact: true }).first().selectOption({ label: 'FTP' });
            await page.getByRole('button', { name: 'Create' }).click();
            await page.getByText('Required.').first().waitFor();
        });
    });

    describe('files', () => {
        it('are uploaded, viewed and deleted', async () => {
            const visit = await open().visit('/flow/files');
            const { page } = visit;
            await page.getByLabel('Files to upload').setInputFiles([
                { name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.from('sku,price\nA-1,19.90\nA-2,5.00\n') },
                { name: 'picture.csv', mimeType: 'text/csv', buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]) },
            ]);
            await page.getByText('uploaded', { exact: true }).waitFor();
            const long = `${'A very long name '.repeat(12)}.csv`;
            await page
                .getByLabel('Files to upload')
                .setInputFiles([{ name: long, mimeType: 'text/csv', buffer: Buffer.from('sku\nA-1\n') }]);
            // Its buttons stay visible.
            const drop = page.getByRole('button', { name: `Delete ${long}` });
            await drop.waitFor();
            const { x, width } = (await drop.boundingBox())!;
            expect(x + width).toBeLessThan(1440);
            await page.getByRole('row').filter({ hasText: 'prices.csv' }).waitFor();
            await judged(visit, 'files');
            await page.getByRole('button', { name: 'Preview prices.csv' }).click();
            await page.getByRole('cell', { name: '19.90' }).waitFor();
            await takePictures(visit, 'file-preview', ['desktop']);
            await page.keyboard.press('Escape');
            await page.getByRole('button', { name: 'Delete prices.csv' }).click();
            await page.getByRole('button', { name: 'Delete', exact: true }).click();
            await page.getByText('The file was deleted').waitFor();
            await visit.expectFault(/answer: 415 .*upload/);
            await visit.expectFault('415 (Unsupported Media Type)');
        });
    });

    describe('the import wizard', () => importWizard(open));

    describe('feeds', () => {
        it('are created, show their address once, are fetched there and revoked', async () => {
            const visit = await open().visit('/flow/feeds');
            const { page } = visit;
            await page.getByText('No feeds yet').waitFor();
            await judged(visit, 'feeds-none');
            await page.getByRole('button', { name: 'New feed' }).click();
            const dialog = page.getByRole('dialog');
            await dialog.getByLabel('Recipient').fill('Google');
            await dialog.getByLabel('Export').fill('not a code');
            await dialog.getByRole('button', { name: 'Create' }).click();
            await dialog.getByText(/exportCode/).waitFor();
            await visit.expectFault('api: exportCode is');
            await dialog.getByLabel('Export').fill('products');
            await takePictures(visit, 'feed', ['desktop']);
            await dialog.getByRole('button', { name: 'Create' }).click();
            const address = (await dialog.getByLabel('Feed URL').textContent())!;
            expect(address).toMatch(/^http:\/\/[^/]+\/flow\/feeds\/[A-Za-z0-9_-]{43}$/);
            await takePictures(visit, 'feed-address', ['desktop']);
            // Nothing has been exported yet, and a guessed address gets the same response.
            expect((await fetch(address)).status).toBe(404);
            await dialog.getByRole('button', { name: 'Done' }).click();
            const line = page.getByRole('row').filter({ hasText: 'Google' });
            await line.getByText('Waiting for the first file').waitFor();
            expect(await page.content()).not.toContain(address.split('/').at(-1));
            await judged(visit, 'feeds');
            await page.getByRole('button', { name: 'Revoke the feed of Google' }).click();
            await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke', exact: true }).click();
            await line.getByText('revoked', { exact: true }).waitFor();
            await takePictures(visit, 'feed-revoked', ['desktop']);
        });
    });

    // After the feeds: a shop without exports has no list of them to choose from.
    describe('the export wizard', () => exportWizard(open));
    describe('the wizards in further situations', () => {
        beforeAll(() => useEuros(open().shop));
        describe('an import in two windows', () => importWindows(open));
        describe('sources of the import wizard', () => importSources(open));
        describe('known exports in the import wizard', () => knownExports(open));
        describe('an export', () => exportAgain(open));
    });

    describe('logs and analytics', () => {
        it('show the results of runs, and find a line', async () => {
            const visit = await open().visit('/flow/logs');
            const { page } = visit;
            await page.getByRole('row').filter({ hasText: 'Broken source' }).waitFor();
            await judged(visit, 'logs');
            await page.getByLabel('Level').selectOption('ERROR');
            await page.getByRole('row').filter({ hasText: 'Info' }).first().waitFor({ state: 'detached' });
            await page.getByLabel('Pipeline').selectOption({ label: 'Sample products' });
            await page.getByText('No lines match').waitFor();
        });
    });

    describe('the reference of adapters', () => {
        it('is searched', async () => {
            const visit = await open().visit('/flow/adapters');
            await visit.page.getByLabel('Search adapters').fill('semver');
            await visit.page.getByText('No results').waitFor();
            await visit.page.getByLabel('Search adapters').fill('slug');
            await visit.page.getByRole('heading', { name: 'Slug' }).first().waitFor();
            await judged(visit, 'adapters');
        });
    });

    describe('people', () => {
        it('see only what their roles let them', async () => {
            const { shop, visit } = open();
            const reader = await makeAdministrator(shop, { name: 'reader', permissions: ['ReadFlowPipeline'] });
            const look = { token: reader.getAuthToken() };
            const { page } = await visit('/flow/pipelines', look);
            await page.getByRole('row').filter({ hasText: 'Supplier price list' }).waitFor();
            expect(await page.getByRole('button', { name: 'Import JSON or YAML' }).count()).toBe(0);
            expect(await page.getByText('Import file').count()).toBe(0);
            expect(await page.getByRole('link', { name: 'Files' }).count()).toBe(0);
            const files = await visit('/flow/files', look);
            await files.page.getByText('You do not have access to this page').waitFor();
            await takePictures(files, 'not-allowed');
        });

        it('reload a page whose parts no longer exist, as after an update of the shop', async () => {
            const visit = await open().visit('/flow/pipelines');
            const { page } = visit;
            await page.getByRole('heading', { name: 'Pipelines', level: 1 }).waitFor();
            await page.route('**/dashboard/assets/**', route => route.fulfill({ status: 404 }));
            await page.getByRole('link', { name: 'Adapters', exact: true }).click();
            await page.getByText('This page could not be displayed').waitFor();
            await page.unroute('**/dashboard/assets/**');
            await page.getByRole('button', { name: 'Reload the page' }).click();
            await page.getByRole('heading', { name: 'Adapters', level: 1 }).waitFor();
            await visit.expectFault(/404|dynamically imported/);
        });

        it('whose session has ended have to sign in', async () => {
            const { shop, visit } = open();
            const leaver = await makeAdministrator(shop, { name: 'leaver', permissions: ['ReadFlowPipeline'] });
            const left = await visit('/flow/pipelines', { token: leaver.getAuthToken() });
            await left.page.getByRole('row').filter({ hasText: 'Supplier price list' }).waitFor();
            await inChannel(leaver, 'e2e-default-channel', async () => {
                await leaver.query(gql`mutation { logout { success } }`);
            });
            await left.page.reload();
            await left.page.locator('input[name=username]').waitFor();
        });

        it('see them in German, including plurals', async () => {
            const { shop, visit } = open();
            const reader = await makeAdministrator(shop, {
                name: 'leserin',
                permissions: ['ReadFlowPipeline', 'ReadFlowRun', 'ManageFlowConnections'],
            });
            const { page } = await visit('/flow/pipelines', { token: reader.getAuthToken(), language: 'de' });
            await page
                .getByText(/^[\d.]+ Datensätze korrigieren$/)
                .first()
                .waitFor();
            await page.getByRole('link', { name: 'Verbindungen' }).waitFor();
        });

        it('see each language completely when they switch, and the first one when they switch back', async () => {
            const { shop, visit } = open();
            const changer = await makeAdministrator(shop, {
                name: 'changer',
                permissions: ['ReadFlowPipeline', 'ReadFlowRun'],
            });
            const { page } = await visit('/flow/pipelines', { token: changer.getAuthToken() });
            const speak = async (code: string): Promise<void> => {
                await page.getByRole('button', { name: 'changer' }).click();
                await page.getByText(/^(Language|Sprache)$/).click();
                await page.getByRole('dialog').getByRole('combobox').first().click();
                await page.getByRole('option', { name: new RegExp(`^${code} `, 'i') }).click();
                await page.keyboard.press('Escape');
            };
            const english = page.getByText(/^Correct [\d,]+ records$/).first();
            await english.waitFor();
            await speak('de');
            await page
                .getByText(/^[\d.]+ Datensätze korrigieren$/)
                .first()
                .waitFor();
            await speak('en');
            await english.waitFor();
        });

        it('see English if a language does not exist, and no keys', async () => {
            const { shop, visit } = open();
            const reader = await makeAdministrator(shop, { name: 'lectrice', permissions: ['ReadFlowPipeline'] });
            const { page } = await visit('/flow/pipelines', { token: reader.getAuthToken(), language: 'fr' });
            await page.getByRole('heading', { name: 'Pipelines' }).waitFor();
            await page.getByText('Defined in code').first().waitFor();
        });
    });
});
