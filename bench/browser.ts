import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { CHROMIUM_ARGS } from '../test/servers/chromium';
import { median } from './meter';

const PROGRAM = process.env['FLOW_BENCH_CHROMIUM'] ?? '/usr/bin/chromium';

/** Whether there is a Chromium. FLOW_BENCH_CHROMIUM names one in another place. */
export function hasBrowser(): boolean {
    return existsSync(PROGRAM);
}

/** Starts Chromium. */
export function openBrowser(): Promise<Browser> {
    return chromium.launch({ executablePath: PROGRAM, args: [...CHROMIUM_ARGS] });
}

/** Opens the dashboard of the shop at an address and signs in as its superadmin. */
export async function signedIn(browser: Browser, base: string): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${base}/dashboard`);
    await page.locator('input[name=username]').fill('superadmin');
    await page.locator('input[type=password]').fill('superadmin');
    await page.keyboard.press('Enter');
    // The form disappears before the response arrives.
    await page.locator('[data-slot=sidebar-footer]').waitFor();
    return page;
}

/** The median, in whole ms. */
export const medianMs = (values: readonly number[]): number => Math.round(median(values));
