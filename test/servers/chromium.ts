import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findOnPath } from './process';
import type { ServerKind } from './server';

/** The browser that tests the pages of the dashboard: a program that each file starts for itself. Its address is that of a file. */
export const chromium: ServerKind = { usual: [], probe, start };

/**
 * Chromium uses only the last list of this option. It contains the features that Playwright disables, and the one that keeps a hidden page loaded in
 * each window for suggestions of the address bar, which took more than a second of processor time per window.
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

/** Its command line. */
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
