import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '../../test/servers/process';
import { startSftp } from '../../test/servers/sftp-server';
import { makeAdministrator } from '../config/administrators';
import { takePictures } from '../config/browser';
import type { BrowserShop } from '../config/browser-shop';
import { itInTier as it } from '../config/matrix';
import type { JsonObject } from '../../src';
import { connectionsOf, makeSecret } from '../fixtures/resource-api';

interface Ways {
    create(code: string, definition: JsonObject): Promise<string>;
    /** The stored configuration of its first step. */
    firstConfig(id: string): Promise<JsonObject>;
}

/** The panels of triggers, generated from their schemas: filled, saved, opened again, and described in words. */
export function triggerPanels(open: () => BrowserShop, { create, firstConfig }: Ways): void {
    const started = (config: JsonObject): JsonObject => ({
        version: 1,
        steps: [
            { key: 'start', kind: 'TRIGGER', config },
            { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'csv', csvText: 'sku\nA-1\n' } },
            { key: 'load', kind: 'LOAD', config: { adapterCode: 'productUpsert', matchBy: 'sku' } },
        ],
        edges: [
            { from: 'start', to: 'in' },
            { from: 'in', to: 'load' },
        ],
    });

    it('changes a trigger to remote files, and another one to messages', async () => {
        const id = await create('watched', started({ type: 'MANUAL' }));
        const visit = await open().visit(`/flow/pipelines/${id}/edit`);
        const { page } = visit;
        const panel = page.getByRole('complementary', { name: 'Selection' });
        const box = page.locator('.react-flow__node[data-id="start"]');
        const save = async (): Promise<void> => {
            const stored = page.waitForResponse(answer => /FlowEditorSave/.test(answer.request().postData() ?? ''));
            await page.keyboard.press('Control+s');
            await stored;
        };
        await box.click();
        await panel.getByText('Manual', { exact: true }).waitFor();
        await panel.getByLabel('Type').selectOption({ label: 'File elsewhere' });
        await panel.getByLabel(/^Connection/).fill('supplier');
        await panel.getByLabel(/^Folder/).fill('/out/stock');
        await panel.getByLabel(/^(Pattern|Names)/).fill('stock-*.csv');
        await panel.getByRole('switch', { name: 'With folders within it' }).click();
        await panel.getByLabel(/^Minimum age/).fill('60');
        await panel.getByText('files in /out/stock (supplier)').waitFor();
        await takePictures(visit, 'editor-trigger-file', ['desktop']);
        await save();
        const watching = {
            type: 'FILE',
            fileWatch: {
                connectionCode: 'supplier',
                path: '/out/stock',
                pattern: 'stock-*.csv',
                recursive: false,
                minFileAge: 60,
            },
        };
        expect(await firstConfig(id)).toEqual(watching);
        await page.reload();
        await box.click();
        await panel.getByText('files in /out/stock (supplier)').waitFor();
        expect(await panel.getByLabel(/^Minimum age/).inputValue()).toBe('60');

        await panel.getByLabel('Type').selectOption({ label: 'Messages' });
        await panel.getByLabel(/^Kind of queue/).selectOption('REDIS_STREAMS');
        await panel.getByLabel(/^Connection/).fill('streams');
        await panel.getByLabel(/^Queue/).fill('stock');
        await panel.getByLabel(/^Consumer group/).fill('shop');
        // The form shows only fields that apply to the kind of queue.
        expect(await panel.getByLabel(/^Prefetch/).count()).toBe(0);
        await panel.getByLabel(/^Messages of a run/).fill('25');
        await panel.getByText('messages of stock (streams)').waitFor();
        await takePictures(visit, 'editor-trigger-message', ['desktop']);
        await save();
        expect(await firstConfig(id)).toEqual({
            type: 'MESSAGE',
            message: {
                queueType: 'REDIS_STREAMS',
                connectionCode: 'streams',
                queueName: 'stock',
                consumerGroup: 'shop',
                batchSize: 25,
            },
        });
    });

    it('tests a trigger that supports it: it shows the files that are in its folder now', async () => {
        const { shop, visit } = open();
        const folder = scratchFolder();
        for (const name of ['stock-1.csv', 'stock-2.csv', 'prices.csv']) writeFileSync(join(folder, name), 'sku\n');
        const server = await startSftp({ folder });
        try {
            await makeSecret(shop.adminClient, 'looked-at-password', 'secret');
            const settings = {
                host: '127.0.0.1',
                port: server.port,
                username: 'shop',
                passwordSecretCode: 'looked-at-password',
            };
            await connectionsOf(shop.adminClient).create({ code: 'looked-at', type: 'SFTP', settings });
            const fileWatch = { connectionCode: 'looked-at', path: '/', pattern: 'stock-*' };
            const id = await create('looked-at', started({ type: 'FILE', fileWatch }));
            const { page } = await visit(`/flow/pipelines/${id}/edit`);
            const panel = page.getByRole('complementary', { name: 'Selection' });
            await page.locator('.react-flow__node[data-id="start"]').click();
            await panel.getByRole('tab', { name: 'Try' }).click();
            // A trigger receives no records, so there are no samples to choose.
            expect(await panel.getByLabel('Sample records').count()).toBe(0);
            await panel.getByLabel('Count').selectOption('5');
            await panel.getByRole('button', { name: 'Test' }).click();
            await panel.getByText('2 entries found').waitFor();
            const rows = panel.getByRole('row');
            await rows.getByText('/stock-1.csv').waitFor();
            await rows.getByText('/stock-2.csv').waitFor();
            expect(await rows.getByText('prices').count()).toBe(0);

            await panel.getByRole('tab', { name: 'Settings' }).click();
            const isTried: Record<string, boolean> = {};
            for (const type of ['MESSAGE', 'MANUAL', 'WEBHOOK', 'SCHEDULE', 'EVENT', 'FILE']) {
                await panel.getByLabel('Type').selectOption(type);
                isTried[type] = (await panel.getByRole('tab', { name: 'Try' }).count()) > 0;
            }
            const [MANUAL, WEBHOOK, SCHEDULE, EVENT] = [false, false, false, false];
            expect(isTried).toEqual({ MESSAGE: true, FILE: true, MANUAL, WEBHOOK, SCHEDULE, EVENT });
        } finally {
            await server.close();
        }
    });

    it('shows schedules in the language of the page', async () => {
        const cron = { type: 'SCHEDULE', cron: '0 6 * * 1', timezone: 'Europe/Berlin' };
        const id = await create('montags', started(cron));
        const drawer = await makeAdministrator(open().shop, {
            name: 'montagszeichner',
            permissions: ['ReadFlowPipeline', 'UpdateFlowPipeline'],
        });
        const look = { token: drawer.getAuthToken(), language: 'de' };
        const { page } = await open().visit(`/flow/pipelines/${id}/edit`, look);
        await page.locator('.react-flow__node[data-id="start"]').click();
        await page.getByText('jeden Montag um 06:00 (Europe/Berlin)').waitFor();
        await page.getByLabel(/^Cron/).fill('*/15 * * * *');
        await page.getByText('alle 15 Minuten (Europe/Berlin)').waitFor();
        await page.getByLabel(/^Cron/).fill('0 6 1 * *');
        await page.getByText('bei 0 6 1 * * (Europe/Berlin)').waitFor();
    });
}
