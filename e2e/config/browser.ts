import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { CHROMIUM_ARGS } from '../../test/servers/chromium';

const SCREENS = join(__dirname, '../../.test-data/screens');
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;
/** Nothing that a test waits for takes nearly as long. */
const PATIENCE_MS = 120_000;
const LOOK_MS = 50;
/** `npm test` judges the same pages without the pictures, which are for people. */
const TAKES_PICTURES = process.env.FLOW_TEST_TIER !== 'test';

/** Who looks at which page. */
export interface Look {
    /** Below `/dashboard`. */
    readonly path: string;
    /** Of a session of the admin API; without one the sign-in page is shown. */
    readonly token?: string;
    readonly size?: keyof typeof SIZES;
    /** Of the dashboard; default: English. */
    readonly language?: string;
}

/** A page that somebody looks at, and what went wrong meanwhile. */
export interface Visit {
    readonly page: Page;
    /** Errors of the console, requests that failed or were refused, and errors of the admin API. */
    readonly faults: readonly string[];
    /** Takes it that this has gone wrong, since the test wants it to; the page may show it before it is heard of here. Fails where it has not. */
    expectFault(words: string | RegExp): Promise<void>;
}

/**
 * A browser. Contexts are gone on with once their visits have ended, since what they have kept of the dashboard's files saves the server half of
 * its work for a page; what a page or a session has stored is not there any more.
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
        // Once a visit: whoever signs out in the test stays signed out.
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
                            `Nothing has gone wrong like ${String(words)}, but: ${issues.join('; ') || 'nothing'}`,
                        );
                    await page.waitForTimeout(LOOK_MS);
                }
                for (let i = issues.length - 1; i >= 0; i--) if (isMeant(issues[i]!)) issues.splice(i, 1);
            },
        };
    }

    /** Ends all visits, and tells what went wrong in them. What was seen last is kept as `last-0.png` and so on. */
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
        // A text without a translation is a warning, and shown to people as a key.
        if (message.type() === 'error' || message.text().includes('Uncompiled message'))
            issues.push(`console: ${message.text()}`);
    });
    page.on('pageerror', error => issues.push(`page: ${error.message}`));
    page.on('requestfailed', request => {
        const { errorText = '' } = request.failure() ?? {};
        // What the page itself gives up when it is left.
        if (errorText !== 'net::ERR_ABORTED') issues.push(`request: ${request.url()} ${errorText}`);
    });
    page.on('response', async response => {
        // What the host asks of its own on every page may be refused to who has few rights; it copes with that.
        const isOurs = /flow/i.test(response.request().postData() ?? '');
        if (response.status() >= 400) issues.push(`answer: ${response.status()} ${response.url()}`);
        if (!isOurs || !response.url().includes('/admin-api') || response.status() !== 200) return;
        const text = await response.text().catch(() => '');
        const { errors } = JSON.parse(text || '{}') as { errors?: ReadonlyArray<{ readonly message: string }> };
        for (const { message } of errors ?? []) issues.push(`api: ${message}`);
    });
}

/** Pictures of the page in light and dark, on a desktop and a phone (where the host builds it anew, and closes what is open): `.test-data/screens/<name>-<theme>-<size>.png`. */
export async function takePictures(
    { page }: Visit,
    name: string,
    sizes: ReadonlyArray<keyof typeof SIZES> = ['desktop', 'phone'],
    look: (size: keyof typeof SIZES, theme: 'light' | 'dark') => Promise<void> = () => Promise.resolve(),
): Promise<void> {
    mkdirSync(SCREENS, { recursive: true });
    for (const size of sizes) {
        await page.setViewportSize(SIZES[size]);
        // Light comes last, as it was.
        for (const theme of ['dark', 'light'] as const) {
            await page.evaluate(
                `document.documentElement.classList.remove('light', 'dark'); document.documentElement.classList.add('${theme}')`,
            );
            await settled(page);
            if (TAKES_PICTURES)
                await page.screenshot({ path: join(SCREENS, `${name}-${size}-${theme}.png`), animations: 'disabled' });
            await look(size, theme);
        }
    }
    await page.setViewportSize(SIZES.desktop);
}

/** Until nothing on the page is loading any more, or on its way from one colour or place to another. */
async function settled(page: Page): Promise<void> {
    await page.waitForLoadState('networkidle');
    await page.evaluate('document.fonts.ready.then(() => undefined)');
    await page.evaluate('new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))');
    await page.evaluate(`Promise.all(${RUNNING_ANIMATIONS}.map(one => one.finished.catch(() => undefined)))`);
}

/** Those that come to an end: what turns for as long as something loads does not. One that is taken back ends in an error. */
const RUNNING_ANIMATIONS =
    "document.getAnimations().filter(one => one.playState === 'running' && Number.isFinite(one.effect.getComputedTiming().endTime))";

/**
 * Pictures of the page, and what axe finds wrong with it below the host's header, serious or worse: all of its rules on a desktop in light;
 * in dark those about colours, on a phone those about what stands there otherwise.
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

/** What axe finds wrong, serious or worse, with the page below the host's header. */
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
