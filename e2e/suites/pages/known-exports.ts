import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pictureOfText } from '../../../test/kit/pictures-outbound';
import { judgePage } from '../../config/browser';
import type { BrowserShop } from '../../config/browser-shop';
import { itInTier as it } from '../../config/matrix';
import { countInput, drop } from '../import-wizard';

const FILES = join(__dirname, '../../../test/fixtures/imports');

/** Answers each request with a picture that depends on its address. */
async function startPictures(): Promise<Server> {
    const server = createServer((request, response) => {
        response.writeHead(200, { 'content-type': 'image/png' }).end(pictureOfText(request.url!));
    }).listen(0, '127.0.0.1');
    await new Promise(resolve => server.once('listening', resolve));
    return server;
}

/** Exports of other shops are imported by confirming: their system is named, and nothing has to be mapped. */
export function knownExports(open: () => BrowserShop): void {
    it.each([
        { file: 'known-shopify-products.csv', system: 'Shopify', products: 2 },
        { file: 'known-woocommerce-products.csv', system: 'WooCommerce', products: 2 },
        { file: 'known-vendure-products.csv', system: 'Vendure', products: 2 },
        { file: 'known-prestashop-products.csv', system: 'PrestaShop', products: 2 },
        { file: 'known-bigcommerce-products.csv', system: 'BigCommerce', products: 2 },
    ])('imports $file with two clicks', async ({ file, system, products }) => {
        const pictures = await startPictures();
        try {
            const { port } = pictures.address() as AddressInfo;
            const base = `http://127.0.0.1:${port}`;
            const text = readFileSync(join(FILES, file), 'utf8')
                .replace(/https:\/\/[a-z.]+\.example\.com/g, base)
                .replace(/(?<![/\w.-])(?:laptop2?|tablet)\.jpg/g, `${base}/$&`);
            const visit = await open().visit('/flow/import');
            const { page } = visit;
            await page.getByRole('button', { name: 'Choose file' }).waitFor();
            const made = await countInput(page);
            await drop(page, file, Buffer.from(text));
            await page.getByText(`This file is an export of ${system}. Its columns are mapped.`).waitFor();
            await page.getByText('Draft saved').waitFor();
            if (system === 'Shopify') expect(await judgePage(visit, 'import-known-export')).toEqual([]);
            await page.getByRole('button', { name: 'Continue to check' }).click();
            await page.getByTestId('flow-import-counts').getByText('0 rejected').waitFor();
            await page.getByRole('button', { name: `Import ${products} products` }).click();
            await page
                .getByTestId('flow-import-result')
                .getByText(`${products} entries imported`, { exact: true })
                .waitFor();
            expect(await made()).toEqual({ clicks: 2, keys: 0 });
        } finally {
            pictures.close();
        }
    });
}
