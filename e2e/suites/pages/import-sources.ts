import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type FtpServer, startFtp } from '../../../test/servers/ftp-server';
import { scratchFolder } from '../../../test/servers/process';
import { type SftpServer, startSftp } from '../../../test/servers/sftp-server';
import { judgePage, type Visit } from '../../config/browser';
import type { BrowserShop } from '../../config/browser-shop';
import { itInTier as it } from '../../config/matrix';
import { connectionsOf, makeSecret } from '../../fixtures/resource-api';

const PRICES = 'sku,name,price,stock\nSRC-1,Jug,12.50,4\nSRC-2,Bowl,8.00,9\nSRC-3,Plate,5.25,0\n';
const WITH_PASSWORD = `Basic ${Buffer.from('shop:right').toString('base64')}`;

/** Sources that another server has: folders of SFTP and FTP, addresses, and a schedule that reads them again. */
export function importSources(open: () => BrowserShop): void {
    let sftp: SftpServer;
    let ftp: FtpServer;
    let web: Server;
    let base: string;

    beforeAll(async () => {
        const folder = scratchFolder();
        mkdirSync(join(folder, 'out'), { recursive: true });
        writeFileSync(join(folder, 'out/prices-11.csv'), PRICES);
        sftp = await startSftp({ folder });
        ftp = await startFtp({ folder });
        web = createServer((request, response) => {
            const isOpen = request.url === '/prices.csv';
            const isAllowed = request.url === '/closed.csv' && request.headers.authorization === WITH_PASSWORD;
            response.statusCode = isOpen || isAllowed ? 200 : request.url === '/closed.csv' ? 401 : 404;
            response.end(response.statusCode === 200 ? PRICES : 'no');
        }).listen(0, '127.0.0.1');
        await new Promise(resolve => web.once('listening', resolve));
        base = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
        const { adminClient } = open().shop;
        const { create } = connectionsOf(adminClient);
        for (const [code, value] of [
            ['right-password', 'secret'],
            ['wrong-password', 'forgotten'],
            ['web-password', 'right'],
        ] as const)
            await makeSecret(adminClient, code, value, '127.0.0.1');
        const server = { host: '127.0.0.1', port: sftp.port, username: 'shop', hostKeyFingerprint: sftp.fingerprint };
        for (const [name, passwordSecretCode] of [
            ['Supplier', 'right-password'],
            ['Old supplier', 'wrong-password'],
        ] as const)
            await create({
                code: name.toLowerCase().replace(' ', '-'),
                name,
                type: 'SFTP',
                settings: { ...server, passwordSecretCode },
            });
        await create({
            code: 'warehouse',
            name: 'Warehouse',
            type: 'FTP',
            settings: {
                host: '127.0.0.1',
                port: ftp.port,
                username: 'shop',
                passwordSecretCode: 'right-password',
            },
        });
        await create({
            code: 'portal',
            name: 'Portal',
            type: 'HTTP',
            settings: {
                baseUrl: base,
                auth: { type: 'BASIC', username: 'shop', secretCode: 'web-password' },
            },
        });
    });
    afterAll(async () => {
        await sftp?.close();
        await ftp?.close();
        web?.close();
    });

    const tab = async (name: string): Promise<Visit> => {
        const visit = await open().visit('/flow/import');
        await visit.page.getByRole('tab', { name }).click();
        return visit;
    };
    const isRead = (page: Page) => page.getByRole('columnheader', { name: /^stock/ }).waitFor();

    it.each(['Supplier', 'Warehouse'])('takes a file of a folder of the server %s', async name => {
        const { page } = await tab('Server');
        await page.getByLabel('Connection').selectOption({ label: name });
        const files = page.getByRole('list', { name: 'Files of the server' });
        await files.getByRole('button', { name: 'out' }).click();
        await page.getByText('prices-11.csv').waitFor();
        await page.getByRole('button', { name: 'Use this file: prices-11.csv' }).click();
        await isRead(page);
    });

    it('says at the connection that its password is wrong', async () => {
        const visit = await tab('Server');
        const { page } = visit;
        const connection = page.getByLabel('Connection');
        await connection.selectOption({ label: 'Old supplier' });
        await page
            .getByRole('alert')
            .getByText(/127\.0\.0\.1/)
            .waitFor();
        expect(await connection.getAttribute('aria-invalid')).toBe('true');
        await page.getByRole('link', { name: 'Open the connection' }).waitFor();
        await visit.expectFault(/^api: .*127\.0\.0\.1/);
        expect(await judgePage(visit, 'import-server-error')).toEqual([]);
        await connection.selectOption({ label: 'Supplier' });
        await page.getByRole('button', { name: 'out' }).waitFor();
        expect(await connection.getAttribute('aria-invalid')).toBe('false');
    });

    it('says at the address why it cannot be read, and reads it with a connection', async () => {
        const visit = await tab('URL');
        const { page } = visit;
        const address = page.getByLabel('Address of the file');
        const error = page.getByRole('alert');
        const read = () => page.getByRole('button', { name: 'Read the file' }).click();
        for (const [url, text] of [
            [`${base}/none.csv`, '404'],
            [`${base}/closed.csv`, '401'],
            ['http://10.0.0.1/prices.csv', '10.0.0.1'],
        ] as const) {
            await address.fill(url);
            await read();
            await error.getByText(text).waitFor();
            expect(await address.getAttribute('aria-invalid')).toBe('true');
            await visit.expectFault(/^api: /);
        }
        expect(await judgePage(visit, 'import-url-error')).toEqual([]);
        await address.fill(`${base}/closed.csv`);
        await page.getByLabel('Connection').selectOption({ label: 'Portal' });
        await read();
        await isRead(page);
    });

    it('imports with the keyboard, and every night from a folder that was tried before', async () => {
        const visit = await tab('Server');
        const { page } = visit;
        await page.getByLabel('Connection').selectOption({ label: 'Supplier' });
        await page.getByRole('button', { name: 'out' }).click();
        await page.getByRole('checkbox', { name: 'Read it again at every import' }).click();
        await page.getByRole('button', { name: 'Use this file: prices-11.csv' }).click();
        await isRead(page);
        await page.getByText('Draft saved').waitFor();
        for (const heading of ['Mapping', 'Check']) {
            await page.keyboard.press('Control+Enter');
            await page.getByRole('heading', { name: heading, exact: true }).waitFor();
        }
        await page.getByRole('button', { name: 'Import 3 products' }).waitFor();
        await page.keyboard.press('Control+Enter');
        await page.getByTestId('flow-import-result').getByText('3 entries imported').waitFor();

        await page.getByRole('button', { name: 'Every night from a folder' }).click();
        expect(await page.getByLabel('Folder').inputValue()).toBe('/out');
        const names = page.getByLabel('File names');
        expect(await names.inputValue()).toBe('prices-*.csv');
        await page.getByLabel('Connection').selectOption({ label: 'Old supplier' });
        await page.getByRole('button', { name: 'Publish the schedule' }).click();
        await page
            .getByRole('alert')
            .getByText(/127\.0\.0\.1/)
            .waitFor();
        await visit.expectFault(/^api: .*127\.0\.0\.1/);
        expect(await page.getByLabel('Connection').getAttribute('aria-invalid')).toBe('true');
        expect(await judgePage(visit, 'import-schedule-error')).toEqual([]);
        await page.getByLabel('Connection').selectOption({ label: 'Supplier' });
        await page.getByLabel('Time', { exact: true }).fill('04:30');
        await page.getByRole('button', { name: 'Publish the schedule' }).click();
        await page.getByText(/Active: runs daily at 04:30/).waitFor();
        expect(await page.getByText('No file with such a name').count()).toBe(0);
        await names.fill('stock-*.csv');
        await page.getByRole('button', { name: 'Publish the schedule' }).click();
        await page.getByText(/Active: runs daily at 04:30.*No file with such a name/).waitFor();
        const { shop } = open();
        const run = await shop.perform(await codeOfNewest(open()));
        expect(run.status).toBe('COMPLETED');
    });

    it('imports every night from an address, and says at the address that it is wrong', async () => {
        const visit = await tab('URL');
        const { page } = visit;
        await page.getByLabel('Address of the file').fill(`${base}/prices.csv`);
        await page.getByRole('checkbox', { name: 'Read it again at every import' }).click();
        await page.getByRole('button', { name: 'Read the file' }).click();
        await isRead(page);
        await page.getByText('Draft saved').waitFor();
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.getByRole('button', { name: 'Check 3 rows' }).click();
        await page.getByTestId('flow-import-counts').getByText('3 unchanged').waitFor();
        await page.getByText('Nothing to import.').waitFor();
    });
}

async function codeOfNewest({ shop }: BrowserShop): Promise<string> {
    const rows = await shop.dataSource.query<Array<{ code: string }>>(
        'SELECT code FROM flow_pipeline WHERE hidden = false ORDER BY id DESC LIMIT 1',
    );
    return rows[0]!.code;
}
