import gql from 'graphql-tag';
import type { Page } from 'playwright-core';
import type { JsonObject } from '../../src';
import { takePictures } from '../config/browser';
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
