import type { Locator, Page } from 'playwright-core';
import type { BrowserShop } from '../config/browser-shop';
import { itInTier as it } from '../config/matrix';

/** Presses Tab until the element has the focus, like a user without a mouse. */
async function tabTo(page: Page, target: Locator): Promise<void> {
    await target.first().waitFor();
    for (let pressed = 0; pressed < 120; pressed++) {
        if (await target.first().evaluate(element => element.matches(':focus'))) return;
        await page.keyboard.press('Tab');
    }
    throw new Error(`No Tab leads to ${String(target)}`);
}

async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
    await tabTo(page, target);
    await page.keyboard.press(key);
}

/** The main tasks of each page, with the keyboard alone; `imported` returns a run with rejected records. */
export function withoutMouse(open: () => BrowserShop, imported: () => string): void {
    it('get from the overview to a failed run, and through its details', async () => {
        const { shop, visit } = open();
        const { id } = await shop.perform('weekend-feed');
        const { page } = await visit('/flow/overview');
        await press(page, page.getByRole('link', { name: /Weekend feed failed/ }));
        await page.waitForURL(`**/flow/runs/${id}`);
        await tabTo(page, page.getByRole('tab', { name: 'Steps' }));
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('Enter');
        await page.getByText('The run has started.').waitFor();
    });

    it('correct a record, try it and replay it', async () => {
        const { page } = await open().visit(`/flow/record-errors?runId=${imported()}`);
        await press(page, page.getByRole('button', { name: /into-catalogue · stock/ }));
        await tabTo(page, page.getByRole('textbox', { name: /^stock of line/ }));
        await page.keyboard.press('Control+A');
        await page.keyboard.type('4');
        await press(page, page.getByRole('button', { name: 'Try', exact: true }));
        await page.getByText('1 would succeed, 0 would be rejected again.').waitFor();
        await press(page, page.getByRole('button', { name: 'Replay 1 record' }));
        await page.getByText(/1 loaded/).waitFor();
    });

    it('find a pipeline, and start it', async () => {
        const { page } = await open().visit('/flow/pipelines');
        await press(page, page.getByRole('link', { name: 'Nightly prices and stock' }));
        await press(page, page.getByRole('button', { name: 'Dry run' }));
        await page.waitForURL(/\/flow\/runs\/T_\d+/);
        await page.getByText('Dry run: nothing is written').waitFor();
    });

    it('set a secret, create a connection, find an adapter, and read the log', async () => {
        const { visit } = open();
        const secrets = (await visit('/flow/secrets')).page;
        await press(secrets, secrets.getByRole('button', { name: 'New secret' }));
        await secrets.getByLabel('Code').waitFor();
        await tabTo(secrets, secrets.getByLabel('Code'));
        await secrets.keyboard.type('typed-key');
        await tabTo(secrets, secrets.getByLabel('Secret', { exact: true }));
        await secrets.keyboard.type('abcdefgh');
        await secrets.keyboard.press('Enter');
        await secrets.getByRole('row').filter({ hasText: 'typed-key' }).waitFor();

        const connections = (await visit('/flow/connections')).page;
        await press(connections, connections.locator('a').filter({ hasText: 'New connection' }));
        await tabTo(connections, connections.getByLabel('Type', { exact: true }));
        await connections.keyboard.type('HTTP');
        await press(connections, connections.getByRole('button', { name: 'Create' }));
        await connections.getByLabel('Base URL').waitFor();

        const adapters = (await visit('/flow/adapters')).page;
        await tabTo(adapters, adapters.getByLabel('Search adapters'));
        await adapters.keyboard.type('slug');
        await press(adapters, adapters.getByRole('button', { name: /Slugify/ }));
        await adapters.getByRole('heading', { name: 'Slugify' }).waitFor();

        const logs = (await visit('/flow/logs')).page;
        await tabTo(logs, logs.getByLabel('Level'));
        await logs.keyboard.type('errors');
        await logs.getByRole('row').filter({ hasText: 'Info' }).first().waitFor({ state: 'detached' });

        const files = (await visit('/flow/files')).page;
        const [chooser] = await Promise.all([
            files.waitForEvent('filechooser'),
            press(files, files.getByRole('button', { name: 'choose files' })),
        ]);
        await chooser.setFiles([{ name: 'typed.csv', mimeType: 'text/csv', buffer: Buffer.from('sku\nA-1\n') }]);
        await files.getByRole('row').filter({ hasText: 'typed.csv' }).waitFor();
    });

    it('find a setting, and create a pipeline from a template', async () => {
        const { visit } = open();
        const settings = (await visit('/flow/settings')).page;
        await tabTo(settings, settings.getByLabel('Search settings'));
        await settings.keyboard.type('retention');
        await settings.getByRole('heading', { name: 'security' }).waitFor({ state: 'detached' });
        await settings.getByRole('heading', { name: 'retention' }).waitFor();

        const begun = (await visit('/flow/overview')).page;
        await press(begun, begun.locator('a').filter({ hasText: 'New pipeline' }));
        await tabTo(begun, begun.getByLabel('Name', { exact: true }));
        await begun.keyboard.type('Typed prices');
        await press(begun, begun.getByRole('button', { name: /^Graph of its steps Products from a price list/ }));
        await press(begun, begun.getByRole('button', { name: 'Create pipeline' }));
        await begun.waitForURL(/\/flow\/pipelines\/T_\d+\/edit/);
        await begun.getByRole('heading', { name: 'Typed prices' }).waitFor();
    });
}
