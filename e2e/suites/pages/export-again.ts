import { readFileSync } from 'node:fs';
import { judgePage } from '../../config/browser';
import type { BrowserShop } from '../../config/browser-shop';
import { itInTier as it } from '../../config/matrix';
import { fillShop } from '../export-wizard';
import { drop } from '../import-wizard';

/** An export that is left and continued, and one that is edited and imported. */
export function exportAgain(open: () => BrowserShop): void {
    beforeAll(() => fillShop(open(), 'export-again'));

    it('is kept when the page is reloaded, and begins again on request', async () => {
        const visit = await open().visit('/flow/export');
        const { page } = visit;
        await page.getByRole('radio', { name: 'Customers' }).click();
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.getByRole('radio', { name: 'NDJSON' }).click();
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.getByLabel('Name of the export').fill('Newsletter list');
        await page.reload();
        await page.getByText('Your unfinished export was restored.').waitFor();
        expect(await page.getByLabel('Name of the export').inputValue()).toBe('Newsletter list');
        expect(await judgePage(visit, 'export-restored')).toEqual([]);
        await page.keyboard.press('Alt+ArrowLeft');
        await page.getByRole('radio', { name: 'NDJSON', checked: true }).waitFor();
        await page.getByRole('link', { name: 'Pipelines', exact: true }).click();
        await page.getByRole('heading', { name: 'Pipelines', level: 1 }).waitFor();
        await page
            .getByRole('link', { name: 'Export file' })
            .or(page.locator('a[href*="/flow/export"]'))
            .first()
            .click();
        await page.getByText('Your unfinished export was restored.').waitFor();
        await page.getByRole('button', { name: 'Start over' }).click();
        await page.getByRole('radio', { name: 'Products and variants', checked: true }).waitFor();
        await page.reload();
        await page.getByRole('radio', { name: 'Products and variants', checked: true }).waitFor();
        expect(await page.getByText('Your unfinished export was restored.').count()).toBe(0);
    });

    it('is edited and imported again: only the changed product changes', async () => {
        const { page } = await open().visit('/flow/export');
        await page.getByRole('columnheader', { name: 'sku', exact: true }).waitFor();
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.getByRole('button', { name: 'Continue' }).click();
        const download = page.waitForEvent('download');
        await page.getByRole('button', { name: 'Create the export' }).click();
        const text = readFileSync(await (await download).path(), 'utf8');
        expect(text).toContain('49.95');

        await page.goto(page.url().replace(/\/flow\/export.*/, '/flow/import'));
        await drop(page, 'edited.csv', Buffer.from(text.replace('49.95', '44.90')));
        await page.getByText('Draft saved').waitFor();
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.getByRole('button', { name: /^Check [\d,]+ rows$/ }).click();
        const counts = page.getByTestId('flow-import-counts');
        await page.getByRole('button', { name: 'Import 1 product', exact: true }).waitFor();
        await counts.getByText('1 updated').waitFor();
        await counts.getByText('0 created').waitFor();
        await counts.getByText('0 rejected').waitFor();
        await page.getByRole('button', { name: 'Import 1 product', exact: true }).click();
        await page.getByTestId('flow-import-result').getByText('1 entry imported').waitFor();
    });
}
