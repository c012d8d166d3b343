import { randomBytes } from 'node:crypto';
import { DefaultSearchPlugin } from '@vendure/core';
import { DashboardPlugin } from '@vendure/dashboard/plugin';
import { FlowPlugin, type FlowPluginOptions } from '../../src';
import { isMissing, needs } from '../../test/servers/needs';
import { quickPasswords } from './administrators';
import { type Look, TestBrowser, type Visit } from './browser';
import { type FlowServer, flowServer } from './flow-server';
import { scratchFolder } from './scratch-folder';

/** A shop with the built dashboard, and a browser to look at it. */
export interface BrowserShop {
    readonly shop: FlowServer;
    /** Opens a page as the superadmin, or as the user whose token is given. */
    visit(path: string, look?: Partial<Look>): Promise<Visit>;
}

/**
 * Pages in a browser with a real server. The dashboard is built once for all files. A test fails if the console shows an error or a request
 * fails, unless the test expects it (`expectFault`).
 */
export function browserShop(title: string, options: FlowPluginOptions, suite: (open: () => BrowserShop) => void): void {
    needs('chromium', title, ({ chromium }) => {
        let shop: FlowServer;
        let browser: TestBrowser;
        const masterKey = process.env.FLOW_MASTER_KEY;

        beforeAll(async () => {
            process.env.FLOW_MASTER_KEY = randomBytes(32).toString('base64');
            const plugin = FlowPlugin.init({
                security: { allowedHostnames: ['127.0.0.1'] },
                files: { storage: { type: 'local', directory: scratchFolder() } },
                ...options,
            });
            shop = await flowServer(isMissing('postgres') ? 'sqlite' : 'postgres', plugin, {
                config: quickPasswords,
                plugins: [
                    // The dashboard requests its state on every page.
                    DefaultSearchPlugin.init({ indexStockStatus: true }),
                    DashboardPlugin.init({ route: 'dashboard', appDir: process.env.FLOW_TEST_DASHBOARD ?? '' }),
                ],
            });
            browser = await TestBrowser.launch(chromium, shop.url);
        });
        afterEach(async () => expect(await browser.leave()).toEqual([]));
        afterAll(async () => {
            await browser?.close();
            await shop?.destroy();
            if (masterKey === undefined) delete process.env.FLOW_MASTER_KEY;
            else process.env.FLOW_MASTER_KEY = masterKey;
        });

        suite(() => ({
            shop,
            visit: (path, look = {}) => browser.visit({ path, token: shop.adminClient.getAuthToken(), ...look }),
        }));
    });
}
