import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { Product } from '@vendure/core';
import gql from 'graphql-tag';
import { parse, unparse } from 'papaparse';
import type { Locator, Page } from 'playwright-core';
import { countStatements, watchStatements } from '../bench/meter';
import { demoPipelines } from '../demo/pipelines';
import { createPipelineBuilder, type BuiltinCatalogue, pipeline } from '../src';
import { inChannel, makeAdministrator } from './config/administrators';
import { judgePage, takePictures, type Visit } from './config/browser';
import { browserShop } from './config/browser-shop';
import { until } from './config/flow-server';
import { itInTier as it } from './config/matrix';
import { slowNumbers, tagLoader } from './config/tag-loader';
import { as } from './fixtures/authoring-api';
import { withoutMouse } from './suites/without-mouse';

countStatements();

const shell = promisify(execFile);
const KEY = 'a-key-that-the-other-side-has';

const built = createPipelineBuilder<
    Omit<BuiltinCatalogue, 'extractors' | 'loaders'> & {
        readonly extractors: readonly [typeof slowNumbers];
        readonly loaders: readonly [typeof tagLoader];
    }
>();
const endless = built('endless')
    .name('Endless numbers')
    .throughput({ batchSize: 20 })
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'slowNumbers', count: 100_000, pageSize: 20, pageMs: 50 })
    .load('out', { adapterCode: 'tags' })
    .build();
const posted = pipeline('posted-stock')
    .name('Posted stock')
    .trigger('post', { type: 'WEBHOOK', authentication: 'HMAC', secretCode: 'post-key' })
    .extract('in', { adapterCode: 'csv', csvText: 'sku,stock\n' })
    .load('out', { adapterCode: 'stockAdjust' })
    .build();

browserShop(
    'people at work with the dashboard',
    {
        pipelines: [...demoPipelines, endless, posted],
        adapters: [slowNumbers, tagLoader],
        secrets: [{ code: 'post-key', provider: 'INLINE', value: KEY }],
    },
    open => {
        let imported: string;

        beforeAll(async () => {
            const { shop } = open();
            await shop.adminClient.query(gql`
                mutation {
                    updateGlobalSettings(input: { availableLanguages: [en, de] }) {
                        __typename
                    }
                    updateChannel(input: { id: "T_1", availableLanguageCodes: [en, de] }) {
                        __typename
                    }
                }
            `);
            imported = (await shop.perform('supplier-import')).id;
        });

        const judged = async (invocation: Visit, name: string): Promise<void> => {
            expect(await judgePage(invocation, name)).toEqual([]);
        };
        const cause = async (page: Page, name: string): Promise<Locator> => {
            const found = page.getByRole('navigation', { name: 'Causes' }).getByText(name);
            await found.click();
            return found;
        };

        it('watch a run in progress, cancel it, and run it again', async () => {
            const { shop, visit } = open();
            const looked = await visit(`/flow/pipelines/${await shop.pipelineId('endless')}`);
            const { page } = looked;
            // A double click starts only one run.
            await page.getByRole('button', { name: 'Run', exact: true }).dblclick();
            await page.waitForURL(/\/flow\/runs\/T_\d+/);
            await page.getByText('running', { exact: true }).waitFor();
            const loaded = async (): Promise<number> => {
                const told = await page.getByTestId('flow-sum').textContent();
                return Number(/^([\d,]+)/.exec(told?.trim() ?? '')?.[1]?.replaceAll(',', '') ?? 0);
            };
            const before = await until(loaded, count => count > 0);
            await until(loaded, count => count > before);
            await judged(looked, 'run-live');
            const first = page.url();
            await page.getByRole('button', { name: 'Cancel the run' }).click();
            await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel the run' }).click();
            await page.getByText('cancelled', { exact: true }).waitFor();
            const { flowPipelineRuns } = await shop.adminClient.query(
                gql`query Runs($id: ID!) { flowPipelineRuns(pipelineId: $id) { totalItems } }`,
                { id: await shop.pipelineId('endless') },
            );
            expect(flowPipelineRuns.totalItems).toBe(1);
            await page.getByRole('button', { name: 'Run again' }).click();
            await page.waitForURL(url => url.href !== first);
            await page.getByText('running', { exact: true }).waitFor();
            await page.getByRole('button', { name: 'Cancel the run' }).click();
            await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel the run' }).click();
            await page.getByText('cancelled', { exact: true }).waitFor();
        });

        it('decide together: a rejection is visible to the other one, and watching costs little', async () => {
            const { shop, visit } = open();
            const { id } = await shop.start('approved-prices');
            await until(
                async () => (await shop.run(id)).status,
                status => status === 'PAUSED',
            );
            const buyer = await makeAdministrator(shop, {
                name: 'buyer',
                permissions: ['ReadFlowRun', 'ReadFlowRecord', 'ReadFlowPipeline', 'ApproveFlowGate', 'ReadCatalog'],
            });
            const [one, other] = [
                await visit(`/flow/runs/${id}`),
                await visit(`/flow/runs/${id}`, { token: buyer.getAuthToken() }),
            ];
            await one.page.getByText('12 records wait here').waitFor();
            await other.page.getByText('12 records wait here').waitFor();
            // A request that the page polls, repeated unchanged.
            const requested = await one.page.waitForRequest(request =>
                /query FlowRunPage\b/.test(request.postData() ?? ''),
            );
            const { authorization = '' } = await requested.allHeaders();
            const headers = { authorization, 'content-type': 'application/json' };
            const counts: number[] = [];
            for (let times = 0; times < 5; times++) {
                let statements = 0;
                const stop = watchStatements(() => statements++);
                const answer = await fetch(requested.url(), {
                    method: 'POST',
                    headers,
                    body: requested.postData(),
                });
                stop();
                expect(await answer.json()).toMatchObject({ data: { flowPipelineRun: { status: 'PAUSED' } } });
                counts.push(statements);
            }
            // The session, the run, its steps, what it waits for, and its warnings. Periodic work of the shop may be counted as well.
            expect(Math.min(...counts)).toBeLessThan(6);
            await other.page.getByLabel('Comment, kept with the decision').fill('Too dear');
            await other.page.getByRole('button', { name: 'Reject and cancel the run' }).click();
            for (const { page } of [other, one]) {
                await page.getByText('Too dear').waitFor();
                await page.getByText('cancelled', { exact: true }).waitFor();
            }
            expect(await one.page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
        });

        it('correct all records of a cause at once, by replacing and by setting a field', async () => {
            const { page } = await open().visit(`/flow/record-errors?runId=${imported}`);
            const stock = await cause(page, 'to-product · stock');
            await page.getByRole('button', { name: /with this cause/ }).click();
            await page.getByRole('button', { name: 'Replace…' }).click();
            await page.getByLabel('Text to find').fill('approx. ');
            await page.getByRole('button', { name: 'Use this change' }).click();
            await page.getByRole('button', { name: 'Replay 1 record' }).dblclick();
            await page.getByText(/1 loaded/).waitFor();
            await stock.waitFor({ state: 'detached' });
            expect(await page.getByText('No record is replayed').count()).toBe(0);
            const sku = await cause(page, 'to-product · sku');
            await page.getByRole('button', { name: /with this cause/ }).click();
            await page.getByRole('button', { name: 'Set field…' }).click();
            await page.getByLabel('Value: a text, or JSON').fill('OUT-99999');
            await page.getByRole('button', { name: 'Use this change' }).click();
            await page.getByRole('button', { name: 'Replay 1 record' }).click();
            await page.getByText(/1 loaded/).waitFor();
            await sku.waitFor({ state: 'detached' });
        });

        it('correct records in a table, download them as CSV and upload them again', async () => {
            const { page } = await open().visit('/flow/record-errors');
            const price = await cause(page, 'to-product · price');
            const [download] = await Promise.all([
                page.waitForEvent('download'),
                page.getByRole('button', { name: 'Download CSV' }).click(),
            ]);
            const text = readFileSync((await download.path())!, 'utf8');
            const { data } = parse<Record<string, string>>(text.replace(/^\uFEFF/, ''), {
                header: true,
                skipEmptyLines: true,
            });
            expect(data).toHaveLength(2);
            const corrected = unparse(data.map(row => ({ ...row, 'RRP EUR': '77.00' })));
            await page
                .getByLabel('Corrected CSV')
                .setInputFiles({ name: 'corrected.csv', mimeType: 'text/csv', buffer: Buffer.from(corrected) });
            await page.getByText('2 rows: 2 corrected').waitFor();
            await page.getByRole('dialog').getByRole('button', { name: 'Replay 2 records' }).dblclick();
            await page.getByText('2 loaded').waitFor();
            await price.waitFor({ state: 'detached' });
            expect(await page.getByText('No record is replayed').count()).toBe(0);
        });

        it('copy a signed post for a webhook, which the server takes', async () => {
            const { shop, visit } = open();
            const looked = await visit(`/flow/pipelines/${await shop.pipelineId('posted-stock')}?tab=triggers`);
            const { page } = looked;
            await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
            const address = page.getByRole('group', { name: 'Sample request for the webhook' });
            await address.waitFor();
            await judged(looked, 'pipeline-webhook');
            await address.locator('..').getByRole('button', { name: 'Copy' }).click();
            await page.getByRole('button', { name: 'Copied' }).waitFor();
            const copied = await page.evaluate<string>('navigator.clipboard.readText()');
            expect(copied).not.toContain(KEY);
            const { stdout } = await shell('bash', ['-c', copied], { env: { ...process.env, FLOW_SECRET: KEY } });
            const { runId, ...answer } = JSON.parse(stdout) as Record<string, unknown>;
            expect(answer).toMatchObject({ accepted: true, pipelineCode: 'posted-stock', recordCount: 1 });
            await page.getByRole('tab', { name: 'Runs' }).click();
            await page.getByRole('link', { name: String(runId), exact: true }).waitFor();
            await page.getByText('Webhook').waitFor();
        });

        it('compare revisions, and select an earlier one', async () => {
            const { shop, visit } = open();
            const { exportFlowPipeline } = await shop.adminClient.query(
                gql`query Export($id: ID!) { exportFlowPipeline(id: $id) { content } }`,
                { id: await shop.pipelineId('sample-products') },
            );
            let version: number | undefined;
            for (const price of [2_600, 2_700]) {
                const document = (exportFlowPipeline.content as string)
                    .replace('"sample-products"', '"vouchers"')
                    .replace('"Sample products"', '"Vouchers"')
                    .replace(/"price": *2500/, `"price": ${price}`);
                const { importFlowPipeline } = await shop.adminClient.query(
                    gql`mutation Take($document: String!, $version: Int) {
                        importFlowPipeline(document: $document, format: JSON, version: $version) { id version }
                    }`,
                    { document, version },
                );
                const { publishFlowPipeline } = await shop.adminClient.query(
                    gql`mutation Publish($id: ID!, $version: Int!) {
                        publishFlowPipeline(id: $id, version: $version) { version }
                    }`,
                    importFlowPipeline,
                );
                version = publishFlowPipeline.version as number;
            }
            const looked = await visit(`/flow/pipelines/${await shop.pipelineId('vouchers')}?tab=revisions`);
            const { page } = looked;
            const difference = page.getByRole('row').filter({ hasText: 'price' });
            await difference.getByText('2600').waitFor();
            await difference.getByText('2700').waitFor();
            await judged(looked, 'pipeline-compared');
            const picture = page.getByRole('group', { name: 'Differences as a graph' });
            await picture
                .getByRole('button', { name: / changed$/ })
                .first()
                .click();
            await page.getByText('Only differences in').waitFor();
            await difference.getByText('2700').waitFor();
            await page.getByRole('button', { name: 'Make live' }).click();
            await page.getByRole('alertdialog').getByRole('button', { name: 'Make live' }).click();
            await page.getByText('Revision 1 (live)').first().waitFor();
        });

        it('publish, enable, select and restore what sends a secret to a new host only as an owner, who confirms the host', async () => {
            const { shop, visit } = open();
            const setHosts = gql`
                mutation SetHosts($input: UpdateFlowSecretInput!) {
                    updateFlowSecret(input: $input) {
                        id
                    }
                }
            `;
            const secretOf = async () =>
                (await shop.adminClient.query(gql`{ flowSecret(code: "crm-key") { id version allowedHosts } }`))
                    .flowSecret as { readonly id: string; readonly version: number; readonly allowedHosts: string[] };
            const forget = async (): Promise<void> => {
                const { id, version } = await secretOf();
                await shop.adminClient.query(setHosts, { input: { id, version, allowedHosts: [] } });
            };
            await shop.adminClient.query(
                gql`mutation Make($input: CreateFlowSecretInput!) { createFlowSecret(input: $input) { id } }`,
                { input: { code: 'crm-key', provider: 'INLINE', value: 'not-to-be-seen' } },
            );
            const sending = (batchSize: number) => ({
                version: 1,
                steps: [
                    { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                    { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'inMemory', data: [{ id: 'a' }] } },
                    {
                        key: 'send',
                        kind: 'LOAD',
                        config: {
                            adapterCode: 'restPost',
                            endpoint: 'https://crm.example.com/items',
                            bearerTokenSecretCode: 'crm-key',
                        },
                    },
                ],
                edges: [
                    { from: 'start', to: 'in' },
                    { from: 'in', to: 'send' },
                ],
                throughput: { batchSize },
            });
            const admin = as(shop.adminClient);
            const draft = await admin.create({ code: 'to-the-crm', name: 'To the CRM', definition: sending(10) });
            const editing = ['CreateFlowPipeline', 'ReadFlowPipeline', 'UpdateFlowPipeline', 'ReadFlowRun'];
            const tokenOf = async (name: string, permissions: readonly string[]): Promise<string> =>
                (await makeAdministrator(shop, { name, permissions })).getAuthToken();
            const publisher = await tokenOf('crm-publisher', [...editing, 'PublishFlowPipeline', 'RunFlowPipeline']);
            const editPath = `/flow/pipelines/${draft.id}/edit`;
            const path = `/flow/pipelines/${draft.id}`;
            const why = 'Secret crm-key may not be sent to crm.example.com';

            const asEditor = await visit(editPath, { token: await tokenOf('crm-editor', editing) });
            await asEditor.page.getByRole('button', { name: 'Submit for review' }).waitFor();
            expect(await asEditor.page.getByRole('button', { name: 'Publish', exact: true }).count()).toBe(0);
            await takePictures(asEditor, 'secret-host-editor');

            const asPublisher = await visit(editPath, { token: publisher, size: 'phone' });
            await asPublisher.page.getByRole('button', { name: 'Publish', exact: true }).click();
            await asPublisher.page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
            await asPublisher.page.getByRole('dialog').getByText(why).waitFor();
            expect(await asPublisher.page.getByRole('button', { name: /^Allow/ }).count()).toBe(0);
            await takePictures(asPublisher, 'secret-host-publisher', ['phone']);
            await asPublisher.expectFault(why);

            const asOwner = await visit(editPath);
            const { page } = asOwner;
            const confirm = async (
                name: string,
                on = asOwner,
                size: 'desktop' | 'phone' = 'desktop',
            ): Promise<void> => {
                const dialog = on.page.getByRole('dialog').filter({ hasText: 'Secrets are sent to new hosts' });
                await dialog.getByText('crm.example.com:443').waitFor();
                await on.expectFault(why);
                expect((await secretOf()).allowedHosts).toEqual([]);
                await takePictures(on, `secret-host-${name.toLowerCase().replaceAll(' ', '-')}`, [size]);
                await dialog.getByRole('button', { name, exact: true }).click();
                await dialog.waitFor({ state: 'detached' });
                expect((await secretOf()).allowedHosts).toEqual(['crm.example.com:443']);
                await forget();
            };
            const publish = async (): Promise<void> => {
                await page.getByRole('button', { name: 'Publish', exact: true }).click();
                await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click();
                await page.getByText('Secrets are sent to new hosts').waitFor();
            };
            await publish();
            await asOwner.expectFault(why);
            // A user who closes the dialog has to confirm again.
            await page.keyboard.press('Escape');
            await page.getByRole('dialog').waitFor({ state: 'detached' });
            await publish();
            await confirm('Allow and publish');
            await page.getByText('Revision 1 published').waitFor();

            const first = (await admin.read(draft))!;
            const allowSecretHosts = [{ secretCode: 'crm-key', host: 'crm.example.com:443' }];
            await admin.publish(await admin.update(first, { definition: sending(20) }), { allowSecretHosts });
            await forget();
            await page.goto(page.url().replace(/\/edit.*$/, ''));
            await page.getByRole('button', { name: 'Disable' }).click();
            await page.getByRole('button', { name: 'Enable' }).waitFor();
            const onPhone = await visit(path, { size: 'phone' });
            await onPhone.page.getByRole('button', { name: 'Enable' }).click();
            await confirm('Allow and enable', onPhone, 'phone');
            await onPhone.page.getByRole('button', { name: 'Disable' }).waitFor();

            await page.getByRole('tab', { name: 'Revisions' }).click();
            await page.getByRole('button', { name: 'Make live' }).click();
            await page.getByRole('alertdialog').getByRole('button', { name: 'Make live' }).click();
            await confirm('Allow and make live');
            await page.getByText('Revision 1 (live)').first().waitFor();

            await admin.archive(draft);
            await page.reload();
            await page.getByRole('button', { name: 'Restore' }).click();
            await confirm('Allow and restore');
            await page.getByRole('button', { name: 'Disable' }).waitFor();

            await page.getByRole('button', { name: 'Disable' }).click();
            await page.getByRole('button', { name: 'Enable' }).waitFor();
            const late = await visit(path, { token: publisher });
            await late.page.getByRole('button', { name: 'Enable' }).click();
            await late.page.getByText(why).waitFor();
            expect(await late.page.getByRole('dialog').count()).toBe(0);
            await takePictures(late, 'secret-host-publisher-enables', ['desktop']);
            await late.expectFault(why);
        });

        it('see on the page of a product which run has written it', async () => {
            const { shop, visit } = open();
            const { id } = await shop.dataSource
                .getRepository(Product)
                .createQueryBuilder('product')
                .innerJoin('product.variants', 'variant')
                .where('variant.sku = :sku', { sku: 'OUT-00001' })
                .getOneOrFail();
            const looked = await visit(`/products/T_${id}`);
            const told = looked.page.getByTestId('flow-product-history');
            await told.getByText('created', { exact: true }).waitFor();
            await told.scrollIntoViewIfNeeded();
            await takePictures(looked, 'product');
            await told.getByRole('link', { name: 'Supplier price list' }).click();
            await looked.page.waitForURL(`**/flow/runs/${imported}`);
        });

        it('see which settings are active', async () => {
            const looked = await open().visit('/flow/settings');
            await looked.page.getByText('retention').first().waitFor();
            await judged(looked, 'settings');
        });

        it('whose session ends while they work have to sign in', async () => {
            const { shop, visit } = open();
            const leaver = await makeAdministrator(shop, {
                name: 'leaver',
                permissions: ['ReadFlowPipeline', 'ReadFlowRun'],
            });
            const left = await visit('/flow/pipelines', { token: leaver.getAuthToken() });
            await left.page.getByRole('link', { name: 'Supplier price list' }).waitFor();
            await inChannel(leaver, 'e2e-default-channel', async () => {
                await leaver.query(gql`mutation { logout { success } }`);
            });
            await left.page.getByRole('link', { name: 'Supplier price list' }).click();
            await left.page.getByText('Your session has ended').waitFor();
            await takePictures(left, 'session-ended', ['desktop']);
            await left.expectFault('api: You are not currently authorized');
            const { pathname } = new URL(left.page.url());
            await left.page.getByRole('button', { name: 'Sign in again' }).click();
            await left.page.locator('input[name=username]').fill('leaver@shop.test');
            await left.page.locator('input[type=password]').fill('secret');
            await left.page.locator('button[type=submit]').click();
            // They return to the page where they were.
            await left.page.getByRole('heading', { name: 'Supplier price list' }).waitFor();
            expect(new URL(left.page.url()).pathname).toBe(pathname);
        });

        describe('without a mouse', () => withoutMouse(open, () => imported));
    },
);
