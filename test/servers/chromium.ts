import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findOnPath } from './process';
import type { ServerKind } from './server';

/** The browser in which the dashboard's pages are tried: a program, which each file starts for itself. Its address is that of a file. */
export const chromium: ServerKind = { usual: [], probe, start };

/**
 * Of the list that counts, which is the last one: what Playwright turns off, and what keeps a page of its own loaded in each window for suggestions
 * below an address bar that nobody sees. That took more than a second of the processor a window.
 */
const DISABLED_FEATURES = [
    'AvoidUnnecessaryBeforeUnloadCheckSync',
    'DestroyProfileOnBrowserClose',
    'HttpsUpgrades',
    'HttpsFirstBalancedModeAutoEnable',
    'LensOverlay',
    'MediaRouter',
    'PaintHolding',
    'ThirdPartyStoragePartitioning',
    'AvoidCorsURLLoaderRestartOnRedirect',
    'OptimizationHints',
    'NetworkTimeServiceQuerying',
    'AimEnabled',
    'PreconnectToSearch',
    'WebUIOmniboxPopup',
    'WebUIOmniboxAimPopup',
];

/** What it is started with. */
export const CHROMIUM_ARGS: readonly string[] = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--disable-dev-shm-usage',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    `--disable-features=${DISABLED_FEATURES.join(',')}`,
];

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome'];

function probe(url: string): Promise<void> {
    const program = fileURLToPath(url);
    return existsSync(program) ? Promise.resolve() : Promise.reject(new Error(`there is no ${program}`));
}

function start(): ReturnType<ServerKind['start']> {
    const program = PROGRAMS.map(findOnPath).find(found => found !== undefined);
    if (program === undefined) return Promise.reject(new Error(`none of ${PROGRAMS.join(', ')} is on the PATH`));
    return Promise.resolve({ url: pathToFileURL(program).href, stop: () => Promise.resolve() });
}
