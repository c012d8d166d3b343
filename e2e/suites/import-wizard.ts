import gql from 'graphql-tag';
import type { Page } from 'playwright-core';
import { judgePage, takePictures, type Visit } from '../config/browser';
import type { BrowserShop } from '../config/browser-shop';
import { itInTier as it } from '../config/matrix';
import { priceList } from '../fixtures/price-list';

/** Drops a file on the page as a user does. */
export async function drop(page: Page, name: string, content: Buffer): Promise<void> {
    const zone = page.getByTestId('flow-import-drop');
    await zone.waitFor();
    const files = await page.evaluateHandle(
        `(() => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([new Uint8Array(${JSON.stringify([...content])})], ${JSON.stringify(name)}));
            return transfer;
        })()`,
    );
    await zone.dispatchEvent('drop', { dataTransfer: files });
}

async function judged(visit: Visit, name: string): Promise<void> {
    expect(await judgePage(visit, name)).toEqual([]);
}

const step = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Steps of the import' }).getByRole('link', { name });

/** The import wizard: which file, what is in it. */
export function importWizard(open: () => BrowserShop): void {
    it('reads a German price list as it was sent, and knows that it contains products', async () => {
        const visit = await open().visit('/flow/import');
        const { page } = visit;
        await page.getByRole('button', { name: 'Choose file' }).waitFor();
        await judged(visit, 'import-file-none');
        await drop(page, 'gruen.csv', priceList(60));
        await page.getByText('gruen.csv').waitFor();
        expect(await page.getByLabel('Encoding').inputValue()).toBe('windows-1252');
        expect(await page.getByLabel('Separator').inputValue()).toBe(';');
        expect(await page.getByLabel('Decimals').inputValue()).toBe('COMMA');
        expect(await page.getByLabel('Column names').inputValue()).toBe('2');
        await page.getByText('Preisliste Grün & Söhne – gültig ab 01.12.').first().waitFor();
        await page.getByText('First 50 of 65 rows').waitFor();
        await page.getByRole('columnheader', { name: /^UVP € price, EUR/ }).waitFor();
        await page.getByRole('columnheader', { name: /^Lagerbestand .*Stk/ }).waitFor();
        await page.getByRole('cell', { name: 'Süße Tür Nr. 3', exact: true }).waitFor();
        await page.getByText('Draft saved').waitFor();
        await judged(visit, 'import-file');

        await step(page, 'Target').click();
        const heading = page.getByRole('heading', { name: 'What does the file contain?' });
        await heading.waitFor();
        expect(await heading.evaluate(element => element.matches(':focus'))).toBe(true);
        await page
            .getByText(/Art\.-Nr\..*UVP €/)
            .first()
            .waitFor();
        await judged(visit, 'import-target');
        await page.getByRole('radio', { name: 'Products and variants', checked: true }).waitFor();
    });

    it('takes another row for the names of columns, and shows the change in place', async () => {
        const { page } = await open().visit('/flow/import');
        await drop(page, 'rows.csv', Buffer.from('Supplier list\nsku,name\nno.,text\nA-1,Shirt\nA-2,Hat\n'));
        await page.getByRole('columnheader', { name: /^sku/ }).waitFor();
        await page.getByRole('button', { name: 'Row 1', exact: true }).click();
        await page.getByRole('menuitem', { name: 'Column names are here' }).click();
        await page.getByRole('columnheader', { name: /^Supplier list/ }).waitFor();
        await page.getByLabel('Column names').selectOption('2');
        await page.getByRole('columnheader', { name: /^sku/ }).waitFor();
    });

    it('is continued where it was left, from the overview too, and can be discarded', async () => {
        const { page } = await open().visit('/flow/import');
        await drop(page, 'left.csv', priceList(60));
        await page.getByText('Draft saved').waitFor();
        await step(page, 'Target').click();
        await page.getByRole('heading', { name: 'What does the file contain?' }).waitFor();
        await page.getByText('Draft saved').waitFor();
        await page.reload();
        await page.getByRole('heading', { name: 'What does the file contain?' }).waitFor();
        await page.keyboard.press('Alt+ArrowLeft');
        await page.getByText('left.csv').waitFor();
        expect(await page.getByLabel('Encoding').inputValue()).toBe('windows-1252');

        const overview = await open().visit('/flow/overview');
        const line = overview.page.getByRole('listitem').filter({ hasText: 'left.csv' });
        await line.getByRole('button', { name: 'Continue with left.csv' }).click();
        await overview.page.waitForURL(/\/flow\/import\?.*draft=/);
        await overview.page.getByLabel('Separator').waitFor();
        const again = await open().visit('/flow/import');
        const left = again.page.getByRole('listitem').filter({ hasText: 'left.csv' });
        await takePictures(again, 'import-unfinished');
        await left.getByRole('button', { name: 'Discard left.csv' }).click();
        await left.waitFor({ state: 'detached' });
    });

    it('says what is wrong with a file, and keeps the place for another one', async () => {
        const visit = await open().visit('/flow/import');
        const { page } = visit;
        await drop(page, 'mueller.xls', Buffer.from([0xd0, 0xcf, 0x11, 0xe0]));
        await page.getByText('mueller.xls: Excel 97 files cannot be read. Save it as .xlsx.').waitFor();
        await judged(visit, 'import-file-error');
        await drop(page, 'photo.png', Buffer.from([0x89, 0x50]));
        await page.getByText('photo.png: images cannot be imported here.').waitFor();
        await drop(page, 'empty.csv', Buffer.alloc(0));
        await page.getByText('empty.csv: the file is empty. Choose another file.').waitFor();
        await drop(page, 'broken.csv', Buffer.from('sku,name\nA-1,"Shirt\n'));
        await page.getByText(/a quote is opened and never closed/).waitFor();
        await visit.expectFault('api: The source is malformed at line 2');
        await drop(page, 'good.csv', Buffer.from('sku,price\nA-1,1.50\nA-2,2.50\nA-3,3.50\n'));
        await page.getByRole('columnheader', { name: /^sku/ }).waitFor();
    });

    it('takes a pasted text and an uploaded file', async () => {
        const { page } = await open().visit('/flow/import');
        await page.getByRole('tab', { name: 'Paste' }).click();
        await page.getByLabel('Text').fill('sku\tstock\nA-1\t3\nA-2\t4\nA-3\t5\n');
        await page.getByRole('button', { name: 'Use this text' }).click();
        await page.getByRole('columnheader', { name: /^stock/ }).waitFor();
        await page.getByRole('button', { name: 'Other file' }).click();
        await page.getByRole('tab', { name: 'Uploaded files' }).click();
        await page.getByLabel('Search files').fill('Pasted');
        await page.getByRole('button', { name: 'Use this file: Pasted text.csv' }).first().click();
        await page.getByRole('columnheader', { name: /^stock/ }).waitFor();
    });

    it('is opened from the lists of the shop, with their target', async () => {
        for (const [list, target] of [
            ['products', 'PRODUCTS'],
            ['customers', 'CUSTOMERS'],
            ['collections', 'COLLECTIONS'],
            ['facets', 'FACETS'],
        ] as const) {
            const { page } = await open().visit(`/${list}`);
            await page.locator('a').filter({ hasText: 'Import file' }).click();
            await page.waitForURL(new RegExp(`/flow/import\\?target=${target}`));
            await page.getByRole('button', { name: 'Choose file' }).waitFor();
        }
    });

    it('imports a German price list with at most 12 clicks and without typing', async () => {
        await useEuros(open().shop);
        const visit = await open().visit('/flow/overview');
        const { page } = visit;
        const made = await countInput(page);
        await page.locator('a').filter({ hasText: 'Import file' }).click();
        await page.getByRole('button', { name: 'Choose file' }).waitFor();
        await drop(page, 'mueller.csv', priceList(60));
        await page.getByText('Draft saved').waitFor();
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.getByTestId('flow-import-field-price').getByText('€1,100.00').waitFor();
        await page.getByText('5 of 5 columns used').waitFor();
        await judged(visit, 'import-mapping');

        await page.getByRole('button', { name: 'Check 65 rows' }).click();
        const primary = page.getByRole('button', { name: /^Import \d+ products$/ });
        await primary.waitFor();
        expect(await primary.innerText()).toBe('Import 60 products');
        const causes = page.getByTestId('flow-import-cause');
        expect((await causes.allInnerTexts()).map(text => text.split('\n')[0]).sort()).toEqual([
            'Name: empty.',
            'Price: empty. New products need one.',
            expect.stringContaining('auf Anfrage'),
            'SKU: empty.',
            expect.stringContaining('ca. 20 Stk'),
        ]);
        await judged(visit, 'import-check');
        const cause = (text: string) => causes.filter({ hasText: text });
        for (const [text, remedy] of [
            ['ca. 20 Stk', 'Use 20'],
            ['Name: empty', 'Use the field SKU'],
            ['SKU: empty', 'Skip this row'],
        ] as const) {
            await cause(text).getByRole('button', { name: remedy }).click();
            await cause(text).waitFor({ state: 'detached' });
        }
        await page
            .getByRole('list', { name: 'Your decisions' })
            .getByText('Stock: Use the number in the text')
            .waitFor();
        await page.getByRole('button', { name: 'Import 62 products' }).click();
        await page.getByTestId('flow-import-result').getByText('62 entries imported, 2 rows rejected').waitFor();
        await judged(visit, 'import-result');
        const { clicks, keys } = await made();
        expect(clicks).toBeLessThanOrEqual(12);
        expect(keys).toBe(0);
        expect(await pricesOf(open().shop, ['PL-1000', 'PL-0013', 'PL-0014'])).toEqual({
            'PL-1000': 110000,
            'PL-0013': 349,
            'PL-0014': 800,
        });

        // The next list of the supplier needs no mapping.
        await page.getByRole('button', { name: 'Next file' }).click();
        await drop(page, 'mueller-12.csv', priceList(60));
        await page.getByRole('button', { name: 'Check with this mapping' }).click();
        await page.getByTestId('flow-import-counts').getByText('62 unchanged').waitFor();
        await page
            .getByText('Nothing changes. The shop already has the data of the file.')
            .waitFor({ state: 'detached' });
    });
}

/** The channel of the tests has euros from now on. */
export async function useEuros({ adminClient }: BrowserShop['shop']): Promise<void> {
    const { activeChannel } = await adminClient.query<{ activeChannel: { id: string } }>(gql`
        query {
            activeChannel {
                id
            }
        }
    `);
    await adminClient.query(
        gql`
            mutation ($id: ID!) {
                updateChannel(
                    input: {
                        id: $id
                        defaultCurrencyCode: EUR
                        availableCurrencyCodes: [EUR, USD]
                        pricesIncludeTax: true
                    }
                ) {
                    ... on Channel {
                        id
                    }
                }
            }
        `,
        { id: activeChannel.id },
    );
}

/** Counts the clicks and keys from now on, across pages of the dashboard. */
export async function countInput(page: Page): Promise<() => Promise<{ clicks: number; keys: number }>> {
    await page.evaluate(`(() => {
        globalThis.flowInput = { clicks: 0, keys: 0 };
        addEventListener('click', event => { if (event.isTrusted) globalThis.flowInput.clicks++; }, true);
        addEventListener('keydown', () => globalThis.flowInput.keys++, true);
    })()`);
    return () => page.evaluate('globalThis.flowInput') as Promise<{ clicks: number; keys: number }>;
}

async function pricesOf(
    { adminClient }: BrowserShop['shop'],
    skus: readonly string[],
): Promise<Readonly<Record<string, number>>> {
    const { productVariants } = await adminClient.query<{
        productVariants: { items: ReadonlyArray<{ sku: string; priceWithTax: number }> };
    }>(
        gql`
            query ($skus: [String!]!) {
                productVariants(options: { filter: { sku: { in: $skus } } }) {
                    items {
                        sku
                        priceWithTax
                    }
                }
            }
        `,
        { skus },
    );
    return Object.fromEntries(productVariants.items.map(({ sku, priceWithTax }) => [sku, priceWithTax]));
}
