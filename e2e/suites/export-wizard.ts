import gql from 'graphql-tag';
import { pipeline } from '../../src';
import { judgePage, takePictures, type Visit } from '../config/browser';
import type { BrowserShop } from '../config/browser-shop';
import { itInTier as it } from '../config/matrix';

async function judged(visit: Visit, name: string): Promise<void> {
    expect(await judgePage(visit, name)).toEqual([]);
}

const filling = pipeline('export-fill')
    .trigger('start', { type: 'MANUAL' })
    .extract('in', {
        adapterCode: 'inMemory',
        data: ['Desk lamp', 'Floor lamp', 'Shelf'].map((name, i) => ({
            name,
            slug: `for-export-${i}`,
            description: `<p>${name} of oak</p>`,
            sku: `EXP-${i}`,
            price: 4995 + i,
            stock: 12,
            facetValues: [`brand:${i === 2 ? 'Nordfjell' : 'Lumen'}`],
        })),
    })
    .load('out', { adapterCode: 'productUpsert', createMissingFacetValues: true })
    .build();

/** Loads the products that are exported, by a pipeline with this code. */
export async function fillShop({ shop }: BrowserShop, code: string): Promise<void> {
    const { name, definition } = filling;
    const { importFlowPipeline: stored } = await shop.adminClient.query(
        gql`mutation Take($document: String!) { importFlowPipeline(document: $document, format: JSON) { id version } }`,
        { document: JSON.stringify({ flow: 1, code, name, definition }) },
    );
    await shop.adminClient.query(
        gql`mutation Publish($id: ID!, $version: Int!) { publishFlowPipeline(id: $id, version: $version) { id } }`,
        stored,
    );
    expect((await shop.perform(code)).status).toBe('COMPLETED');
}

/** The export wizard: what, in which format, where and when. */
export function exportWizard(open: () => BrowserShop): void {
    beforeAll(() => fillShop(open(), 'export-fill'));

    it('exports what is chosen, with a preview, downloads the file, and is opened from where exports are needed', async () => {
        const list = await open().visit('/products');
        await list.page.locator('a').filter({ hasText: 'Export file' }).click();
        await list.page.waitForURL(/\/flow\/export\?entity=VARIANTS/);
        for (const path of ['/flow/pipelines', '/flow/files', '/flow/feeds']) {
            const { page: place } = await open().visit(path);
            await place
                .getByRole('button', { name: 'Export file' })
                .or(place.locator('a[href*="/flow/export"]'))
                .first()
                .waitFor();
        }

        const visit = await open().visit('/flow/export');
        const { page } = visit;
        await page.getByRole('columnheader', { name: 'slug', exact: true }).waitFor();
        await page.getByRole('columnheader', { name: 'facet:brand', exact: true }).waitFor();
        await page.getByLabel('Facet', { exact: true }).selectOption('brand');
        expect(await page.getByRole('button', { name: 'Continue' }).isDisabled()).toBe(true);
        await page.getByLabel('Facet value', { exact: true }).selectOption({ label: 'Nordfjell' });
        await page.getByRole('cell', { name: 'Lumen', exact: true }).first().waitFor({ state: 'detached' });
        await page.getByRole('cell', { name: '49.97', exact: true }).waitFor();
        const group = page.getByRole('group', { name: 'Variant', exact: true });
        await group.getByRole('checkbox', { name: /^Stock/ }).click();
        await page.getByRole('columnheader', { name: 'stock', exact: true }).waitFor({ state: 'detached' });
        await judged(visit, 'export-what');

        await page.keyboard.press('Control+Enter');
        await page.getByRole('heading', { name: 'In which format?' }).waitFor();
        await page.getByRole('radio', { name: 'Google Merchant Center' }).click();
        await page.getByLabel('Address of a product').waitFor();
        expect(await page.getByRole('button', { name: 'Continue' }).isDisabled()).toBe(true);
        await judged(visit, 'export-format-feed');
        await page.getByRole('radio', { name: 'CSV' }).click();
        await takePictures(visit, 'export-format');
        await page.getByRole('button', { name: 'Continue' }).click();

        await page.getByRole('heading', { name: 'Where does the file go, and when?' }).waitFor();
        await page.getByRole('radio', { name: 'SFTP or FTP' }).click();
        expect(await page.getByRole('button', { name: 'Create the export' }).isDisabled()).toBe(true);
        await page.getByRole('radio', { name: 'Download' }).click();
        await page.getByLabel('Repeat').selectOption('DAILY');
        await page.getByLabel('Name of the export').fill('Catalogue for editing');
        await judged(visit, 'export-where');
        const download = page.waitForEvent('download');
        await page.getByRole('button', { name: 'Create the export' }).dblclick();
        await page.getByText('1 row exported').waitFor();
        expect((await download).suggestedFilename()).toMatch(/^catalogue-for-editing.*\.csv$/);
        await page.getByText(/Active: runs daily at 03:00/).waitFor();
        await judged(visit, 'export-result');

        // A double click makes one pipeline.
        const { flowPipelines } = await open().shop.adminClient.query(gql`
            {
                flowPipelines(options: { filter: { code: { contains: "catalogue-for-editing" } } }) {
                    items {
                        code
                        status
                        revision {
                            number
                        }
                    }
                }
            }
        `);
        expect(flowPipelines.items).toEqual([expect.objectContaining({ revision: { number: 1 } })]);
    });
}
