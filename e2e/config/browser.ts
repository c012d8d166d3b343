import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { CHROMIUM_ARGS } from '../../test/servers/chromium';

const SCREENS = join(__dirname, '../../.test-data/screens');
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;
/** Much longer than anything that a test waits for. */
const PATIENCE_MS = 120_000;
const LOOK_MS = 50;
/** `npm test` checks the same pages without the pictures, which are for people. */
const TAKES_PICTURES = process.env.FLOW_TEST_TIER !== 'test';

/** A page, and the user who opens it. */
export interface Look {
    /** Below `/dashboard`. */
    readonly path: string;
    /** The session token of the admin API. Without one, the sign-in page is shown. */
    readonly token?: string;
    readonly size?: keyof typeof SIZES;
    /** The language of the dashboard; default: English. */
    readonly language?: string;
}

/** A page that a user visits, and the problems during the visit. */
export interface Visit {
    readonly page: Page;
    /** Errors of the console, requests that failed or were rejected, and errors of the admin API. */
    readonly faults: readonly string[];
    /**
     * Removes a problem that the test expects. Waits for it, since the page may show it before it is reported here. Fails if it does not
     * occur.
     */
    expectFault(words: string | RegExp): Promise<void>;
}

/**
 * A browser. A context is used again when its visits have ended: the dashboard's files in its cache save the server half of its work for a
 * page. What a page or a session has stored is deleted.
 */
export class TestBrowser {
    private readonly open = new Map<BrowserContext, string[]>();
    private readonly free: BrowserContext[] = [];
    private visits = 0;

    private constructor(
        private readonly browser: Browser,
        private readonly base: string,
    ) {}

    static async launch(program: string, base: string): Promise<TestBrowser> {
        const browser = await chromium.launch({
            executablePath: fileURLToPath(program),
            headless: true,
            args: [...CHROMIUM_ARGS],
        });
        return new TestBrowser(browser, base);
    }

    async visit({ path, token, size = 'desktop', language = 'en' }: Look): Promise<Visit> {
        const context = this.free.pop() ?? (await this.browser.newContext({ locale: 'en-GB', acceptDownloads: true }));
        context.setDefaultTimeout(PATIENCE_MS);
        const settings = {
            displayLanguage: language,
            contentLanguage: 'en',
            theme: 'light',
            mainNavExpanded: true,
            hasSeenOnboarding: true,
        };
        const stored = {
            'vendure-user-settings': JSON.stringify(settings),
            ...(token && { 'vendure-session-token': token }),
        };
        const issues: string[] = [];
        this.open.set(context, issues);
        const page = await context.newPage();
        await page.setViewportSize(SIZES[size]);
        // Only once for each visit: a user who signs out in the test stays signed out.
        await page.addInitScript(`if (localStorage.getItem('flow-test') !== '${++this.visits}') {
            localStorage.clear();
            localStorage.setItem('flow-test', '${this.visits}');
            for (const [key, value] of Object.entries(${JSON.stringify(stored)})) localStorage.setItem(key, value);
        }`);
        listen(page, issues);
        await page.goto(`${this.base}/dashboard${path}`);
        return {
            page,
            faults: issues,
            async expectFault(words) {
                const isMeant = (issue: string): boolean =>
                    typeof words === 'string' ? issue.includes(words) : words.test(issue);
                for (let left = PATIENCE_MS; !issues.some(isMeant); left -= LOOK_MS) {
                    if (left <= 0)
                        throw new Error(
                            `No problem matches ${String(words)}; the problems are: ${issues.join('; ') || 'nothing'}`,
                        );
                    await page.waitForTimeout(LOOK_MS);
                }
                for (let i = issues.length - 1; i >= 0; i--) if (isMeant(issues[i]!)) issues.splice(i, 1);
            },
        };
    }

    /** Ends all visits and returns the problems of each. The last screens are kept as `last-0.png` and so on. */
    async leave(): Promise<readonly string[]> {
        const issues = [...this.open.values()].flat();
        const contexts = [...this.open.keys()];
        for (const [place, page] of contexts.flatMap(context => context.pages()).entries())
            await page.screenshot({ path: join(SCREENS, `last-${place}.png`) });
        for (const context of contexts) {
            await Promise.all(context.pages().map(page => page.close()));
            await context.clearCookies();
            await context.clearPermissions();
        }
        this.open.clear();
        this.free.push(...contexts);
        return issues;
    }

    close(): Promise<void> {
        return this.browser.close();
    }
}

function listen(page: Page, issues: string[]): void {
    page.on('console', message => {
        // A missing translation is only a warning, but users would see the key.
        if (message.type() === 'error' || message.text().includes('Uncompiled message'))
            issues.push(`console: ${message.text()}`);
    });
    page.on('pageerror', error => issues.push(`page: ${error.message}`));
    page.on('requestfailed', request => {
        const { errorText = '' } = request.failure() ?? {};
        // The page itself cancels these requests when the user leaves it.
        if (errorText !== 'net::ERR_ABORTED') issues.push(`request: ${request.url()} ${errorText}`);
    });
    page.on('response', async response => {
        // On every page the host sends requests that may be rejected if the user has few permissions. The host handles that.
        const isOurs = /flow/i.test(response.request().postData() ?? '');
        if (response.status() >= 400) issues.push(`answer: ${response.status()} ${response.url()}`);
        if (!isOurs || !response.url().includes('/admin-api') || response.status() !== 200) return;
        const text = await response.text().catch(() => '');
        const { errors } = JSON.parse(text || '{}') as { errors?: ReadonlyArray<{ readonly message: string }> };
        for (const { message } of errors ?? []) issues.push(`api: ${message}`);
    });
}

/**
 * Pictures of the page in light and dark mode, on a desktop and a phone (where the host builds the page again and closes what is open):
 * `.test-data/screens/<name>-<theme>-<size>.png`.
 */
export async function takePictures(
    { page }: Visit,
    name: string,
    sizes: ReadonlyArray<keyof typeof SIZES> = ['desktop', 'phone'],
    look?: (size: keyof typeof SIZES, theme: 'light' | 'dark') => Promise<void>,
): Promise<void> {
    if (!TAKES_PICTURES && !look) return;
    mkdirSync(SCREENS, { recursive: true });
    for (const size of sizes) {
        await page.setViewportSize(SIZES[size]);
        // Light comes last, since the page was light before.
        for (const theme of ['dark', 'light'] as const) {
            await page.evaluate(
                `document.documentElement.classList.remove('light', 'dark'); document.documentElement.classList.add('${theme}')`,
            );
            await settled(page);
            if (TAKES_PICTURES)
                await page.screenshot({ path: join(SCREENS, `${name}-${size}-${theme}.png`), animations: 'disabled' });
            await look?.(size, theme);
        }
    }
    await page.setViewportSize(SIZES.desktop);
}

/** Waits until nothing on the page is loading or in a transition. */
async function settled(page: Page): Promise<void> {
    await page.waitForLoadState('networkidle');
    await page.evaluate('document.fonts.ready.then(() => undefined)');
    await page.evaluate('new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))');
    await page.evaluate(`Promise.all(${RUNNING_ANIMATIONS}.map(one => one.finished.catch(() => undefined)))`);
}

/** Only animations that end: a loading indicator does not. A cancelled animation ends in an error. */
const RUNNING_ANIMATIONS =
    "document.getAnimations().filter(one => one.playState === 'running' && Number.isFinite(one.effect.getComputedTiming().endTime))";

/**
 * Takes pictures of the page and returns the serious problems that axe finds below the host's header: with all rules on a desktop in light
 * mode, with the rules about colours in dark mode, and with those about the layout on a phone.
 */
export async function judgePage(
    invocation: Visit,
    name: string,
    sizes: ReadonlyArray<keyof typeof SIZES> = ['desktop', 'phone'],
): Promise<readonly string[]> {
    const issues: string[] = [];
    const { page } = invocation;
    await takePictures(invocation, name, sizes, async (size, theme) => {
        if (size === 'desktop' && theme === 'dark') issues.push(...(await axeFaults(page, COLOURS)));
        if (size === 'phone' && theme === 'light') issues.push(...(await axeFaults(page, ALL_BUT_COLOURS)));
    });
    return [...issues, ...(await accessFaults(invocation))];
}

const COLOURS = "{ runOnly: ['color-contrast'] }";
const ALL_BUT_COLOURS = "{ rules: { 'color-contrast': { enabled: false } } }";

/** The problems below the host's header that axe calls serious or worse. */
export async function accessFaults({ page }: Visit): Promise<readonly string[]> {
    await settled(page);
    return axeFaults(page, '{}');
}

async function axeFaults(page: Page, options: string): Promise<readonly string[]> {
    if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
    const results = await page.evaluate<AxeResults>(
        `axe.run({ include: [['main']], exclude: [['header']] }, ${options})`,
    );
    return results.violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 300)}`));
}
