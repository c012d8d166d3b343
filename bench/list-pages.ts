import type { Locator, Page } from 'playwright-core';
import { dashboardFolder } from '../demo/config';
import { buildDashboard } from '../demo/dashboard';
import { hasBrowser, medianMs, openBrowser, signedIn } from './browser';

const ROUNDS = 7;
/** From the click on its line in the navigation until a user sees the rows. */
const BAR_MS = 1_000;

/** The page from which the measured page is opened. */
const ELSEWHERE = '/flow/adapters';

/**
 * The measured pages: a line of the navigation, found by the end of its address, and an element that is there once the
 * rows are.
 */
const PAGES: ReadonlyArray<{ readonly name: string; readonly path: string; readonly rows: string }> = [
    { name: 'overview', path: '/flow/overview', rows: 'main a[href*="/flow/runs/"]' },
    { name: 'pipelines', path: '/flow/pipelines', rows: 'main tbody a[href*="/flow/runs/"]' },
    { name: 'record errors', path: '/flow/record-errors', rows: '[data-testid=flow-refused-record]' },
    { name: 'logs and analytics', path: '/flow/logs', rows: 'main tbody tr:has-text("Record 12345")' },
    { name: 'runs of a pipeline', path: '/flow/pipelines/7', rows: 'main tbody a[href*="/flow/runs/"]' },
    { name: 'log of a run', path: '/flow/runs/50000?tab=log', rows: 'main tbody tr' },
];

/** Returns the folder of the built dashboard for a shop whose pages are measured, or undefined without a Chromium. */
export async function dashboardToLookAt(): Promise<string | undefined> {
    if (!hasBrowser()) return undefined;
    await buildDashboard(dashboardFolder);
    return dashboardFolder;
}

/**
 * Measures how long a user waits for the rows of the pages, within the dashboard and when the page is opened by its
 * address.
 */
export async function benchListPages(base: string): Promise<void> {
    const browser = await openBrowser();
    try {
        const page = await signedIn(browser, base);
        console.log(`\n${'page'.padEnd(20)}  from a click, ms  by its address, ms`);
        for (const { name, path, rows } of PAGES) {
            const [clicked, opened]: [number[], number[]] = [[], []];
            for (let round = 0; round < ROUNDS; round++) {
                opened.push(await openedMs(page, `${base}/dashboard${path}`, rows));
                if (await lineOf(page, ELSEWHERE).isVisible()) clicked.push(await clickedMs(page, path, rows));
            }
            const [click, address] = [clicked.length > 0 ? medianMs(clicked) : undefined, medianMs(opened)];
            const told = [String(click ?? '–').padStart(16), String(address).padStart(18)].join('  ');
            console.log(`${name.padEnd(20)}  ${told}${(click ?? 0) > BAR_MS ? `  above ${BAR_MS} ms` : ''}`);
        }
    } finally {
        await browser.close();
    }
}

async function openedMs(page: Page, address: string, rows: string): Promise<number> {
    const begun = performance.now();
    await page.goto(address);
    await page.locator(rows).first().waitFor();
    return performance.now() - begun;
}

/**
 * Opens a page from the navigation. A page without a line in the navigation is returned to from another page, and
 * requests again what it had loaded before.
 */
async function clickedMs(page: Page, path: string, rows: string): Promise<number> {
    await lineOf(page, ELSEWHERE).click();
    await page.getByLabel('Search adapters').waitFor();
    await page.waitForLoadState('networkidle');
    const begun = performance.now();
    if (await lineOf(page, path).isVisible()) await lineOf(page, path).click();
    else await page.goBack();
    await page.locator(rows).first().waitFor();
    return performance.now() - begun;
}

/** Returns a line of the navigation. On some pages the host folds its section. */
function lineOf(page: Page, path: string): Locator {
    return page.locator(`a[href$="/dashboard${path}"]`).first();
}
