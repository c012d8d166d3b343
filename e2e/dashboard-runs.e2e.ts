import gql from 'graphql-tag';
import { demoPipelines } from '../demo/pipelines';
import { makeAdministrator } from './config/administrators';
import { judgePage, takePictures, type Visit } from './config/browser';
import { browserShop } from './config/browser-shop';
import { until } from './config/flow-server';
import { itInTier as it } from './config/matrix';
import { as } from './fixtures/authoring-api';
import { connectionsOf } from './fixtures/resource-api';

/** The demo's price list is in two languages. */
const TWO_LANGUAGES = gql`
    mutation {
        updateGlobalSettings(input: { availableLanguages: [en, de] }) {
            __typename
        }
        updateChannel(input: { id: "T_1", availableLanguageCodes: [en, de] }) {
            __typename
        }
    }
`;

/** Reads changed rows of a database to which this test never connects. */
const POLLING = {
    version: 1,
    steps: [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        {
            key: 'rows',
            kind: 'EXTRACT',
            config: {
                adapterCode: 'cdc',
                connectionCode: 'erp',
                databaseType: 'POSTGRES',
                table: 'articles',
                trackingColumn: 'changed_at',
                trackingType: 'TIMESTAMP',
                primaryKey: 'id',
            },
        },
        { key: 'out', kind: 'LOAD', config: { adapterCode: 'productUpsert' } },
    ],
    edges: [
        { from: 'start', to: 'rows' },
        { from: 'rows', to: 'out' },
    ],
};

browserShop('what runs did, and what is to be done about it', { pipelines: demoPipelines }, open => {
    let imported: string;
    let failed: string;
    let waiting: string;
    let planned: string;

    beforeAll(async () => {
        const { shop } = open();
        await shop.adminClient.query(TWO_LANGUAGES);
        planned = (await shop.perform('supplier-import', 'dryRunFlowPipeline')).id;
        imported = (await shop.perform('supplier-import')).id;
        failed = (await shop.perform('weekend-feed')).id;
        waiting = (await shop.start('approved-prices')).id;
        await until(
            async () => (await shop.run(waiting)).status,
            status => status === 'PAUSED',
        );
    });

    /** Takes its picture, and checks its accessibility and keyboard use. */
    const judged = async (invocation: Visit, name: string): Promise<void> => {
        expect(await judgePage(invocation, name)).toEqual([]);
    };

    it('appears on the overview, and on the page that the dashboard opens with', async () => {
        const visit = await open().visit('/flow');
        const { page } = visit;
        await page.getByText('items need attention').waitFor();
        await page.getByRole('link', { name: /Weekend feed failed/ }).waitFor();
        await page.getByRole('link', { name: /Prices to be approved waits for approval/ }).waitFor();
        await judged(visit, 'overview');
        const insights = await open().visit('/');
        await insights.page.getByText(/rejected records to review/).waitFor();
        await takePictures(insights, 'insights');
    });

    it('is shown for a failed run, with what to do', async () => {
        const visit = await open().visit('/flow/overview');
        await visit.page.getByRole('link', { name: /Weekend feed failed/ }).click();
        await visit.page.waitForURL(`**/flow/runs/${failed}`);
        await visit.page.getByText('What to do:').waitFor();
        await judged(visit, 'run-failed');
    });

    it('is found among all runs, and the filters are kept on the way back', async () => {
        const visit = await open().visit('/flow/runs');
        const { page } = visit;
        await page.getByRole('row').filter({ hasText: 'Supplier price list' }).first().waitFor();
        await judged(visit, 'runs');
        await page.getByLabel('Status').selectOption('FAILED');
        await page.getByRole('row').filter({ hasText: 'Supplier price list' }).first().waitFor({ state: 'detached' });
        await page.getByLabel('Started by').selectOption('REPLAY');
        await page.getByText('No runs match these filters').waitFor();
        await page.getByLabel('Started by').selectOption('');
        await page.getByLabel('Time').selectOption('week');
        await page.getByLabel('Pipeline').selectOption({ label: 'Weekend feed' });
        await page.getByRole('link', { name: failed, exact: true }).click();
        await page.getByText('What to do:').waitFor();
        // The menu is open at the page's entry.
        await page.locator('[data-slot=sidebar]').getByRole('link', { name: 'Runs', exact: true }).waitFor();
        await page.getByRole('tab', { name: 'Log' }).click();
        await page.getByLabel('Level').selectOption('ERROR');
        await page.getByRole('link', { name: 'Weekend feed' }).first().click();
        await page.getByRole('tab', { name: 'Numbers' }).waitFor();
        await page.goBack();
        await page.waitForFunction(`document.querySelector('[aria-label="Level"]')?.value === 'ERROR'`);
        await page.goBack();
        await page.waitForFunction(`document.querySelector('[aria-label="Status"]')?.value === 'FAILED'`);
    });

    it('is a failed import whose records are corrected and replayed', async () => {
        const visit = await open().visit('/flow/overview');
        const { page } = visit;
        await page.getByRole('link', { name: /rejected records to review/ }).click();
        const price = page.getByRole('navigation', { name: 'Causes' }).getByText('to-product · price');
        await price.click();
        await judged(visit, 'record-errors');
        // One value is "on request", one is empty. Both are in the column of the price list that the field is made of.
        for (const field of await page.getByRole('textbox', { name: /^RRP EUR of line/ }).all())
            await field.fill('89.00');
        await page.getByRole('button', { name: 'Try', exact: true }).click();
        await page.getByText('2 would succeed, 0 would be rejected again.').waitFor();
        await takePictures(visit, 'record-errors-tried');
        await page.getByRole('button', { name: 'Replay 2 records' }).click();
        await page.getByText('2 loaded').waitFor();
        await price.waitFor({ state: 'detached' });
        await page.getByRole('combobox', { name: 'Status' }).selectOption('LOADED');
        await page
            .getByTestId('flow-refused-record')
            .getByRole('button', { name: /^Open / })
            .first()
            .click();
        await page.getByRole('tab', { name: 'Before and after' }).click();
        await page.getByRole('dialog').getByText('89.00').first().waitFor();
        await takePictures(visit, 'record-errors-loaded');
    });

    it('is a record that is not needed, ignored with the reason and opened again', async () => {
        const { page } = await open().visit(`/flow/record-errors?runId=${imported}`);
        await page
            .getByRole('checkbox', { name: /^Choose / })
            .first()
            .click();
        await page.getByRole('button', { name: 'Try', exact: true }).click();
        await page.getByText('0 would succeed, 1 would be rejected again.').waitFor();
        await page.getByRole('button', { name: 'Ignore…' }).click();
        await page.getByLabel('Reason').fill('The supplier has taken it out');
        await page.getByRole('button', { name: 'Ignore 1 record' }).click();
        await page.getByRole('region', { name: 'Result of the test' }).waitFor({ state: 'detached' });
        await page.getByRole('combobox', { name: 'Status' }).selectOption('IGNORED');
        await page.getByText('The supplier has taken it out').waitFor();
        await page
            .getByRole('checkbox', { name: /^Choose / })
            .first()
            .click();
        await page.getByRole('button', { name: 'Reopen 1 record' }).click();
        await page.getByText('No such record').waitFor();
    });

    it('is a gate that is approved after a look at its records', async () => {
        const visit = await open().visit('/flow/overview');
        const { page } = visit;
        await page.getByRole('link', { name: /waits for approval/ }).click();
        await page.getByText('12 records wait here').waitFor();
        await page.getByText('update', { exact: true }).first().waitFor();
        await judged(visit, 'run-gate');
        await page.getByLabel('Comment, kept with the decision').fill('As agreed');
        await page.getByRole('button', { name: 'Approve 12 records' }).click();
        await page.getByText('As agreed').waitFor();
        await page.getByText('completed', { exact: true }).waitFor();
        expect((await open().shop.run(waiting)).status).toBe('COMPLETED');
        expect(await page.getByText('worker stopped').count()).toBe(0);
    });

    it('is a run that paused after its workers stopped, and is resumed', async () => {
        const { shop, visit: look } = open();
        const { id } = await shop.start('approved-prices');
        const status = async (): Promise<string> => (await shop.run(id)).status;
        await until(status, now => now === 'PAUSED');
        // The state after the third worker in a row.
        await shop.dataSource.query(`
            UPDATE flow_pipeline_run SET gate_step_key = NULL, error_code = 'NO_PROGRESS', error_message = 'Three workers stopped.'
            WHERE id = '${id.replace(/^T_/, '')}'`);
        const visit = await look(`/flow/runs/${id}`);
        const { page } = visit;
        await page.getByText('Paused until someone resumes it').first().waitFor();
        await page.getByText('Three workers stopped.').first().waitFor();
        await judged(visit, 'run-paused');
        await page.getByRole('button', { name: 'Resume' }).dblclick();
        await page.getByText('12 records wait here').waitFor();
        expect(await page.getByText('Three workers stopped.').count()).toBe(0);
        await page.getByRole('button', { name: 'Approve 12 records' }).click();
        await until(status, now => now === 'COMPLETED');
    });

    it('is shown for a run by steps, as a picture, in its log and by record', async () => {
        const visit = await open().visit(`/flow/runs/${imported}`);
        const { page } = visit;
        await page.getByTestId('flow-sum').getByText('1,000').waitFor();
        await page.getByRole('cell', { name: /into-catalogue/ }).waitFor();
        await judged(visit, 'run-steps');
        for (const [tab, name] of [
            ['Graph', 'run-graph'],
            ['Rejected records', 'run-records'],
            ['Log', 'run-log'],
        ] as const) {
            await page.getByRole('tab', { name: tab }).click();
            await judged(visit, name);
        }
    });

    it('is written in the language of the user: the log of an import with rejected records, and that of a failed run', async () => {
        for (const run of [imported, failed]) {
            const { page } = await open().visit(`/flow/runs/${run}?tab=log`, { language: 'de' });
            await page.getByText(/^Der (Probelauf|Lauf) hat begonnen/).waitFor();
            const lines = await page.getByRole('row').allInnerTexts();
            expect(lines.length).toBeGreaterThan(3);
            // What is quoted is data.
            const words = lines.map(line => line.replace(/"[^"]*"|„[^“]*“/g, ''));
            expect(words.filter(line => /\b(the|is|are|has|not|of|and|record|rejected|run)\b/i.test(line))).toEqual([]);
        }
    });

    it('is what a dry run would change, by action and by field', async () => {
        const visit = await open().visit(`/flow/runs/${planned}?tab=differences`);
        await visit.page.getByRole('combobox', { name: 'Action' }).selectOption('CREATE');
        await visit.page.getByText(/1–20 of/).waitFor();
        await judged(visit, 'run-differences');
    });

    it('is shown for a pipeline, with what starts it, what it is and its numbers', async () => {
        const { shop, visit: look } = open();
        const id = await shop.pipelineId('supplier-import');
        const visit = await look(`/flow/pipelines/${id}`);
        await visit.page.getByRole('link', { name: imported, exact: true }).waitFor();
        await judged(visit, 'pipeline-runs');
        for (const tab of ['Definition', 'Revisions', 'Triggers', 'Numbers']) {
            await visit.page.getByRole('tab', { name: tab }).click();
            await judged(visit, `pipeline-${tab.toLowerCase()}`);
        }
    });

    it('is a source whose next run starts at another position', async () => {
        const { shop, visit: look } = open();
        const settings = { host: 'erp.example.com', database: 'erp', username: 'shop' };
        await connectionsOf(shop.adminClient).create({ code: 'erp', type: 'POSTGRES', settings });
        const pipelines = as(shop.adminClient);
        const made = await pipelines.create({ code: 'erp-changes', name: 'ERP changes', definition: POLLING });
        const { id } = await pipelines.publish(made);
        const visit = await look(`/flow/pipelines/${id}`);
        const { page } = visit;
        await page.getByRole('tab', { name: 'Positions' }).click();
        await page.getByText('from the beginning', { exact: true }).waitFor();
        expect(await page.getByRole('button', { name: 'Read from the beginning…' }).count()).toBe(0);

        await page.getByRole('button', { name: 'Continue after a row…' }).click();
        const begin = page.getByRole('dialog').getByRole('button', { name: 'Start there' });
        await page.getByLabel('Value of the tracking column').fill('2026-01-31 00:00:00.000001');
        expect(await begin.isDisabled()).toBe(true);
        await page.getByLabel('Value of the primary key').fill('4711');
        await judged(visit, 'pipeline-position-dialog');
        await begin.click();
        await page.getByText('after the row 2026-01-31 00:00:00.000001, 4711').waitFor();
        await page.getByText('set manually').waitFor();
        await judged(visit, 'pipeline-positions');

        await page.getByRole('button', { name: 'Read from the beginning…' }).click();
        await page.getByLabel('Reason (kept in the history)').fill('the prices were wrong');
        await page.getByRole('button', { name: 'Remove the position' }).click();
        await page.getByText('from the beginning', { exact: true }).waitFor();
        await page.getByRole('tab', { name: 'Revisions' }).click();
        await page.getByRole('listitem').filter({ hasText: 'position removed' }).waitFor();
        await page.getByText(/the prices were wrong/).waitFor();

        const onlooker = await makeAdministrator(shop, { name: 'looker', permissions: ['ReadFlowPipeline'] });
        const theirs = await look(`/flow/pipelines/${id}?tab=positions`, { token: onlooker.getAuthToken() });
        await theirs.page.getByText('from the beginning', { exact: true }).waitFor();
        expect(await theirs.page.getByRole('button', { name: 'Continue after a row…' }).count()).toBe(0);
        // Runs and their statistics need a separate permission.
        expect(await theirs.page.getByRole('tab').allTextContents()).toEqual([
            'Definition',
            'Revisions',
            'Triggers',
            'Positions',
        ]);
    });

    it('has no positions if its source is always read completely', async () => {
        const { shop, visit } = open();
        const { page } = await visit(`/flow/pipelines/${await shop.pipelineId('weekend-feed')}`);
        await page.getByRole('tab', { name: 'Numbers' }).waitFor();
        expect(await page.getByRole('tab', { name: 'Positions' }).count()).toBe(0);
    });

    it('is only offered to users who may do it', async () => {
        const { shop, visit } = open();
        const onlooker = await makeAdministrator(shop, {
            name: 'onlooker',
            permissions: ['ReadFlowRun', 'ReadFlowPipeline'],
        });
        const { page } = await visit('/flow/record-errors', { token: onlooker.getAuthToken() });
        await page.getByTestId('flow-refused-record').first().waitFor();
        expect(await page.getByRole('button', { name: /Replay|Ignore|Try/ }).count()).toBe(0);
        await page.goto(page.url().replace(/record-errors.*/, `runs/${imported}?tab=records`));
        await page.getByRole('cell', { name: 'to-product' }).first().waitFor();
        expect(await page.getByText('Correct and replay').count()).toBe(0);
    });
});
