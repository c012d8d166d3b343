import type { Page } from 'playwright-core';
import { takePictures } from '../../config/browser';
import type { BrowserShop } from '../../config/browser-shop';
import { itInTier as it } from '../../config/matrix';
import { priceList } from '../../fixtures/price-list';
import { drop } from '../import-wizard';

/** The user comes back to a window. The windows of a test are all visible, so that a browser would not report it. */
const comeBack = (page: Page): Promise<unknown> => page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);

const counts = (page: Page) => page.getByTestId('flow-import-counts');
const primary = (page: Page) => page.getByRole('button', { name: /^Import \d+ products$/ });

/** One import in two windows: both show the same check, and the one with an old state says so. */
export function importWindows(open: () => BrowserShop): void {
    it('shows the same check in two windows, and what the other window has changed', async () => {
        const first = await open().visit('/flow/import');
        await drop(first.page, 'two-windows.csv', priceList(60));
        await first.page.getByText('Draft saved').waitFor();
        await first.page.getByRole('button', { name: 'Continue' }).click();
        await first.page.getByRole('button', { name: 'Check 65 rows' }).click();
        await primary(first.page).waitFor();
        await first.page.getByText('Draft saved').waitFor();

        // A check in the other window replaces the one of this window.
        const { pathname, search } = new URL(first.page.url());
        const second = await open().visit(`${pathname.replace('/dashboard', '')}${search}`);
        await primary(second.page).waitFor();
        await second.page.getByRole('button', { name: 'Check again' }).click();
        await primary(second.page).waitFor();
        await comeBack(first.page);
        await counts(first.page).getByText('60 created').waitFor();
        expect(await primary(first.page).isEnabled()).toBe(true);

        // A decision makes the state of the first window old.
        const causes = second.page.getByTestId('flow-import-cause');
        await causes.filter({ hasText: 'ca. 20 Stk' }).getByRole('button', { name: 'Use 20' }).click();
        await causes.filter({ hasText: 'ca. 20 Stk' }).waitFor({ state: 'detached' });
        await second.page.getByRole('button', { name: 'Import 61 products' }).waitFor();
        await comeBack(first.page);
        await first.page.getByRole('alert').getByText('This import was changed in another window.').waitFor();
        expect(await primary(first.page).count()).toBe(0);
        await takePictures(first, 'import-check-changed', ['desktop', 'phone']);
        await first.page.getByRole('button', { name: 'Load its latest version' }).click();
        await first.page.getByRole('button', { name: 'Import 61 products' }).waitFor();
        await first.page.getByRole('list', { name: 'Your decisions' }).getByText('Stock').waitFor();

        // Only one of them imports.
        await first.page.getByRole('button', { name: 'Import 61 products' }).click();
        await first.page.getByTestId('flow-import-result').getByText('61 entries imported').waitFor();
        await comeBack(second.page);
        await second.page.getByText('This import was started or discarded in another window.').waitFor();
        await second.expectFault('api: You have no unfinished import');
        await second.page.getByRole('button', { name: 'Import another file' }).click();
        await second.page.getByRole('button', { name: 'Choose file' }).waitFor();

        // The result is part of the address.
        await first.page.reload();
        await first.page.getByTestId('flow-import-result').getByText('61 entries imported').waitFor();
        await first.page.goBack();
        await first.page.getByTestId('flow-import-result').waitFor();
    });

    it('says that another window has changed the import when a decision comes too late', async () => {
        const first = await open().visit('/flow/import');
        await drop(first.page, 'too-late.csv', priceList(20));
        await first.page.getByText('Draft saved').waitFor();
        await first.page.getByRole('button', { name: 'Continue' }).click();
        await first.page.getByRole('button', { name: 'Check 25 rows' }).click();
        await first.page.getByTestId('flow-import-cause').first().waitFor();
        await first.page.getByText('Draft saved').waitFor();
        const { pathname, search } = new URL(first.page.url());
        const second = await open().visit(`${pathname.replace('/dashboard', '')}${search}`);
        const decide = (page: Page, name: string) =>
            page
                .getByTestId('flow-import-cause')
                .filter({ hasText: 'Name: empty' })
                .getByRole('button', { name })
                .click();
        await decide(second.page, 'Use the field SKU');
        await second.page.getByRole('list', { name: 'Your decisions' }).waitFor();
        await decide(first.page, 'Skip this row');
        await first.page.getByRole('alert').getByText('This import was changed in another window.').waitFor();
        await first.expectFault('api: Import "too-late.csv"');
        await first.page.getByRole('button', { name: 'Load its latest version' }).click();
        await first.page.getByRole('list', { name: 'Your decisions' }).getByText('Name: Use the field SKU').waitFor();
    });
}
