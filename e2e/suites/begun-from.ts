import gql from 'graphql-tag';
import type { Page } from 'playwright-core';
import type { JsonObject } from '../../src';
import { builtinTemplates } from '../../src/core/templates/builtin-templates';
import { judgePage, takePictures } from '../config/browser';
import type { BrowserShop } from '../config/browser-shop';
import { itInTier as it } from '../config/matrix';

const MIB = 1024 * 1024;

/** New pipelines that are created from a document or another pipeline. */
export function begunFrom(open: () => BrowserShop, stored: (id: string) => Promise<JsonObject>): void {
    const original = async (): Promise<JsonObject> => {
        const { shop } = open();
        const { flowPipeline } = await shop.adminClient.query(
            gql`
                query Original($id: ID!) {
                    flowPipeline(id: $id) {
                        revision {
                            definition
                        }
                    }
                }
            `,
            { id: await shop.pipelineId('sample-products') },
        );
        return flowPipeline.revision.definition as JsonObject;
    };
    const idOf = async (page: Page): Promise<string> => {
        await page.waitForURL(/\/edit$/);
        return /pipelines\/([^/]+)\/edit/.exec(page.url())![1]!;
    };

    it('creates a pipeline from a document in a file, and reports why another document is invalid', async () => {
        const { shop, visit } = open();
        const { exportFlowPipeline } = await shop.adminClient.query(
            gql`
                query Export($id: ID!) {
                    exportFlowPipeline(id: $id, format: YAML) {
                        content
                    }
                }
            `,
            { id: await shop.pipelineId('sample-products') },
        );
        const document = (exportFlowPipeline.content as string)
            .replace(/^code: .*$/m, 'code: lamps-by-document')
            .replace(/^name: .*$/m, 'name: Lamps by document');
        const seen = await visit('/flow/pipelines/new');
        const { page } = seen;
        await page.getByRole('button', { name: /^Import JSON or YAML/ }).click();
        const file = page.getByLabel('Source file');
        const give = (name: string, buffer: Buffer): Promise<void> =>
            file.setInputFiles({ name, mimeType: 'application/json', buffer });
        await give('picture.json', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]));
        await page.getByText('“picture.json” is not a text file').waitFor();
        await give('large.json', Buffer.alloc(2 * MIB + 1, 'x'));
        await page.getByText('“large.json” is too large').waitFor();
        await give('deep.json', Buffer.from(`{"steps": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`));
        await page.getByText('Too deeply nested.').waitFor();
        await give('names.json', Buffer.from('{"steps": [{"__proto__": {"x": 1}}]}'));
        await page.getByText('“__proto__” is not allowed as a field name.').waitFor();
        await give('bomb.yaml', Buffer.from('a: &a [x, x]\nsteps: [*a, *a]\n'));
        await page.getByText('YAML aliases are not supported').waitFor();
        const create = page.getByRole('button', { name: 'Create pipeline' });
        expect(await create.isDisabled()).toBe(true);
        await takePictures(seen, 'new-pipeline-refused', ['desktop']);
        // Dropping the file works as well; the pipeline gets the name from the document.
        await page.evaluate(
            `{
                const dataTransfer = new DataTransfer();
                dataTransfer.items.add(new File([${JSON.stringify(document)}], 'sample.yaml'));
                const drop = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
                document.querySelector('textarea[aria-label="Document"]').dispatchEvent(drop);
            }`,
        );
        await page.waitForFunction(`document.querySelector('#flow-new-code').value === 'lamps-by-document'`);
        expect(await page.getByLabel('Name').inputValue()).toBe('Lamps by document');
        await create.click();
        expect(await stored(await idOf(page))).toEqual(await original());
    });

    it('creates a pipeline from a template that is found by its words', async () => {
        const seen = await open().visit('/flow/pipelines/new');
        const { page } = seen;
        const template = builtinTemplates.find(({ code }) => code === 'products-to-sftp')!;
        for (const group of ['Import', 'Sync', 'Export', 'Feeds', 'Search', 'Automation'])
            await page.getByRole('heading', { name: group, exact: true }).waitFor();
        const cards = page.getByRole('button', { name: /^Graph of its steps/ });
        expect(await cards.count()).toBe(builtinTemplates.length);
        expect(await judgePage(seen, 'templates', ['desktop'])).toEqual([]);
        await page.getByRole('button', { name: 'Export', exact: true }).click();
        await page.getByRole('heading', { name: 'Import', exact: true }).waitFor({ state: 'detached' });
        await page.getByLabel('Search templates').fill('nothing like this');
        await page.getByText('No matches.').waitFor();
        await page.getByLabel('Search templates').fill('Products as SFTP');
        await page.keyboard.press('Enter');
        expect(await cards.count()).toBe(1);
        await cards.click();
        await page.getByText('Becomes active when you publish the pipeline: daily at 02:00.').waitFor();
        await page.getByText('partner-sftp', { exact: true }).waitFor();
        await page.getByText(/^Connection \(.*SFTP/).waitFor();
        await page.getByText('Set the folder and the columns in the step export.').waitFor();
        await page.getByRole('cell', { name: 'LAMP-1' }).waitFor();
        expect(await page.getByLabel('Name').inputValue()).toBe(template.title);
        expect(await page.getByLabel('Code').inputValue()).toBe('products-to-sftp');
        expect(await judgePage(seen, 'template-chosen', ['desktop'])).toEqual([]);
        const create = page.getByRole('button', { name: 'Create pipeline' });
        // It is in sight wherever the page is scrolled to.
        await page.evaluate('window.scrollTo(0, 0)');
        const { y } = (await create.boundingBox())!;
        expect(y).toBeLessThan(page.viewportSize()!.height);
        await create.click();
        expect(await stored(await idOf(page))).toEqual(JSON.parse(JSON.stringify(template.definition)));
    });

    it('shows templates on a phone, and in German', async () => {
        const phone = await open().visit('/flow/pipelines/new', { size: 'phone' });
        await phone.page.getByRole('button', { name: /^Graph of its steps Orders to a webhook/ }).click();
        await phone.page.getByText('erp-signing', { exact: true }).waitFor();
        expect(await judgePage(phone, 'templates', ['phone'])).toEqual([]);
        const german = (await open().visit('/flow/pipelines/new', { language: 'de' })).page;
        await german.getByRole('button', { name: /Produkte aus einer veröffentlichten Google-Tabelle/ }).click();
        await german.getByText(/^Wird aktiv, sobald die Pipeline veröffentlicht ist: täglich/).waitFor();
        await german.getByText('Wer die Adresse kennt, kann eine veröffentlichte Tabelle lesen.').waitFor();
        expect(await german.getByLabel('Name').inputValue()).toBe('Produkte aus einer veröffentlichten Google-Tabelle');
    });

    it('creates a pipeline from another pipeline', async () => {
        const { page } = await open().visit('/flow/pipelines/new');
        await page.getByLabel('Name').fill('Like the nightly one');
        await page.getByRole('button', { name: /^Copy an existing pipeline/ }).click();
        const create = page.getByRole('button', { name: 'Create pipeline' });
        expect(await create.isDisabled()).toBe(true);
        await page.getByLabel('Pipeline').selectOption({ label: 'Sample products (sample-products)' });
        await create.click();
        expect(await stored(await idOf(page))).toEqual(await original());
    });
}
