import type { JsonObject } from '../../src';
import type { BrowserShop } from '../config/browser-shop';
import { itInTier as it } from '../config/matrix';

interface Ways {
    create(code: string, definition: JsonObject): Promise<string>;
    /** The stored configuration of the step at this place. */
    configAt(id: string, index: number): Promise<JsonObject>;
}

/** From sample data to the user's file, whose cells are not what was expected. */
export function ownFile(open: () => BrowserShop, { create, configAt }: Ways): void {
    it("replaces the sample data by the user's file, and shows errors at the step that causes them", async () => {
        const id = await create('own-file', {
            version: 1,
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'file', kind: 'EXTRACT', config: { adapterCode: 'csv', csvText: 'sku,name\nS-1,Sample\n' } },
                {
                    key: 'shape',
                    kind: 'TRANSFORM',
                    config: { operators: [{ op: 'toCents', args: { source: 'price', target: 'price' } }] },
                },
                { key: 'load', kind: 'LOAD', config: { adapterCode: 'productUpsert', matchBy: 'sku' } },
            ],
            edges: [
                { from: 'start', to: 'file' },
                { from: 'file', to: 'shape' },
                { from: 'shape', to: 'load' },
            ],
        });
        const { page } = await open().visit(`/flow/pipelines/${id}/edit`);
        const panel = page.getByRole('complementary', { name: 'Selection' });
        const step = (key: string): Promise<void> => page.locator(`.react-flow__node[data-id="${key}"]`).click();
        await step('file');
        const mimeType = 'text/csv';
        const buffer = Buffer.from('sku;name;price\n A-1 ;Lamp;dear\nA-2;;dearer\n');
        await panel.getByLabel('A file to upload').setInputFiles({ name: 'own.csv', mimeType, buffer });
        await panel.getByLabel('The chosen file').getByText('own.csv').waitFor();
        // The file replaces the sample text, and is found again in the list of files.
        expect(await panel.getByLabel('CSV text').inputValue()).toBe('');
        await panel.getByRole('button', { name: 'Remove the file' }).click();
        await panel.getByRole('button', { name: 'Choose a file' }).click();
        await page.getByLabel('Search for a file').fill('own');
        await page
            .getByRole('dialog')
            .getByRole('button', { name: /^own\.csv/ })
            .click();
        await panel.getByLabel('The chosen file').getByText('own.csv').waitFor();
        await page.getByText('No problems found').waitFor();
        // No records can be given to a source: it reads its file.
        await panel.getByRole('tab', { name: 'Try' }).click();
        const ways = panel.getByLabel('Sample records');
        expect(await ways.locator('option[value="source"], option[value="lastRun"]').count()).toBe(2);
        expect(await ways.locator('option').count()).toBe(2);

        await step('shape');
        await panel.getByRole('button', { name: 'Preview' }).click();
        await panel.getByText(/set delimiter to ";"/).waitFor();
        await step('file');
        await panel.getByLabel('Delimiter').fill(';');
        // The records that the step before has returned for the samples are outdated.
        await step('shape');
        await panel.getByRole('button', { name: 'Preview' }).click();
        await panel.getByText('Sample: 2 in, 0 out, 2 rejected').waitFor();
        await panel.getByText(/^Record 2 rejected: .*dearer/).waitFor();
        await step('file');
        await panel.getByRole('tab', { name: 'Try' }).click();
        await panel.getByRole('button', { name: 'Test' }).click();
        // Blanks around a text are visible.
        await panel.getByRole('cell', { name: '" A-1 "' }).waitFor();

        await page.getByRole('button', { name: 'Dry run' }).click();
        await page.getByRole('button', { name: 'See why 2 records would be rejected' }).click();
        await page
            .getByText(/dearer/)
            .first()
            .waitFor();
        await page.getByRole('link', { name: 'draft' }).click();
        await page.waitForURL(`**/flow/pipelines/${id}/edit`);
    });

    it('shows conditions in words, and keeps a text that looks like a number', async () => {
        const route: JsonObject = { key: 'route', kind: 'ROUTE', config: { branches: [{ name: 'tens', when: [] }] } };
        const id = await create('in-words', { version: 1, steps: [route], edges: [] });
        const { page } = await open().visit(`/flow/pipelines/${id}/edit`);
        const panel = page.getByRole('complementary', { name: 'Selection' });
        await page.locator('.react-flow__node[data-id="route"]').click();
        await panel.getByRole('button', { name: 'Condition', exact: true }).click();
        // The field has the focus.
        await page.keyboard.type('sku');
        await panel.getByLabel('Comparison').selectOption({ label: 'starts with' });
        await panel.getByLabel('Value').fill('10');
        await panel.getByRole('button', { name: 'Group', exact: true }).click();
        await page.keyboard.type('name');
        await panel.getByLabel('Comparison').nth(1).selectOption({ label: 'is at least' });
        await page
            .getByText(/"gte" needs a value/)
            .first()
            .waitFor();
        expect(await panel.getByLabel('Value').nth(0).getAttribute('aria-invalid')).toBe('false');
        expect(await panel.getByLabel('Value').nth(1).getAttribute('aria-invalid')).toBe('true');
        await panel.getByLabel('Value').nth(1).fill('10');
        await page.keyboard.press('Control+s');
        await page.getByText('Saved', { exact: true }).waitFor();
        expect(await configAt(id, 0)).toEqual({
            branches: [
                {
                    name: 'tens',
                    when: [
                        { field: 'sku', cmp: 'startsWith', value: '10' },
                        { any: [{ field: 'name', cmp: 'gte', value: 10 }] },
                    ],
                },
            ],
        });
    });
}
