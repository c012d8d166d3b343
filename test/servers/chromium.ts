import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findOnPath } from './process';
import type { ServerKind } from './server';

/** The browser in which the dashboard's pages are tried: a program, which each file starts for itself. Its address is that of a file. */
export const chromium: ServerKind = { usual: [], probe, start };

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
