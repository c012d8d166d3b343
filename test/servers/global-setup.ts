import type { Config } from 'jest';
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildDashboard } from '../../demo/dashboard';
import { endOrphans } from './process';
import { type Missing, type Provided, SERVERS, provision } from './provision';
import { dropScratch, isStale, mariadbDatabases, postgresDatabases } from './scratch-databases';
import { SERVER_FACTS, type ServerName } from './server';

type GlobalConfig = Pick<Config, 'rootDir'> & { testPathPatterns?: { patterns: readonly string[] } };

const RUN_VARIABLE = 'FLOW_TEST_RUN';
const DAY_MS = 24 * 60 * 60 * 1000;
let mine: readonly Provided[] = [];
let released: Promise<void> | undefined;

/** Prepares the servers that the chosen suites need, once for all projects, and passes their addresses to the suites in environment variables. */
export default async function globalSetup({ rootDir = process.cwd(), testPathPatterns }: GlobalConfig): Promise<void> {
    if (process.env[RUN_VARIABLE]) return;
    process.env[RUN_VARIABLE] = `${process.pid}`;
    const data = join(rootDir, '.test-data');
    mkdirSync(join(data, 'bases'), { recursive: true });
    process.env.FLOW_TEST_NOT_RUN = join(data, 'not-run.jsonl');
    rmSync(process.env.FLOW_TEST_NOT_RUN, { force: true });
    endOrphans();
    removeStaleFiles(join(data, 'bases'));
    const needed = serversNeeded(rootDir, testPathPatterns?.patterns ?? []);
    const results = await Promise.all(needed.map(provision));
    const missing = results.filter((result): result is Missing => 'reason' in result);
    mine = results.filter((result): result is Provided => 'url' in result);
    for (const { name, url } of mine) process.env[SERVER_FACTS[name].variable] = url;
    process.env.FLOW_TEST_MISSING = JSON.stringify(
        Object.fromEntries(missing.map(({ name, reason }) => [name, reason])),
    );
    const found = [
        ...mine.map(({ name, how }) => `${SERVER_FACTS[name].title} ${how}`),
        ...missing.map(({ name }) => `${SERVER_FACTS[name].title} missing`),
    ];
    if (found.length > 0) console.log(`\nTest servers: ${found.join(', ')}.`);
    await dropDatabases(isStale);
    if (mine.some(({ name }) => name === 'chromium')) {
        process.env.FLOW_TEST_DASHBOARD = join(data, 'dashboard');
        const how = await buildDashboard(process.env.FLOW_TEST_DASHBOARD);
        if (how === 'built') console.log('The dashboard was built.');
    }
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
        process.once(signal, () => {
            void releaseServers().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143));
        });
    }
    (globalThis as { releaseTestServers?: () => Promise<void> }).releaseTestServers = releaseServers;
}

/** Drops this run's databases and stops the servers that it started. On Ctrl-C both jest's teardown and our handler call it. */
function releaseServers(): Promise<void> {
    released ??= (async () => {
        const run = process.env[RUN_VARIABLE] ?? '';
        await dropDatabases(name => name.split('_')[3] === run);
        await Promise.all(mine.map(({ started }) => started?.stop()));
    })();
    return released;
}

/** Only on servers that this run has not started: those that it started are deleted with all their data. */
async function dropDatabases(goes: (name: string) => boolean): Promise<void> {
    for (const { name, url } of mine.filter(
        server => !server.started && (server.name === 'postgres' || server.name === 'mariadb'),
    )) {
        const server = await (name === 'postgres' ? postgresDatabases(url) : mariadbDatabases(url));
        await dropScratch(server, goes).finally(() => server.close());
    }
}

/** Which suites need servers: those that call `needs('redis', …)`, and some functions that imply a server. */
const SAYS: ReadonlyArray<readonly [RegExp, (said: string) => readonly ServerName[]]> = [
    [
        /\bneeds\(\s*(\[[^\]]*\]|'[a-z]+')/g,
        list => Object.keys(SERVERS).filter(name => list.includes(`'${name}'`)) as ServerName[],
    ],
    [/\bonEach(?:Database|Server)\b/g, () => ['postgres', 'mariadb']],
    [/\b(?:onLoaderShop|onOneDatabase|sharedShop)\(/g, () => ['postgres']],
    [/\bbrowserShop\(/g, () => ['postgres', 'chromium']],
];

/** Servers that no chosen suite needs are not looked for, and cost nothing. */
function serversNeeded(rootDir: string, patterns: readonly string[]): ServerName[] {
    const chosen = ['e2e', 'test/contract']
        .flatMap(folder => filesBelow(join(rootDir, folder)))
        .filter(
            file =>
                /\.(e2e|contract)\.ts$/.test(file) &&
                (patterns.length === 0 || patterns.some(pattern => new RegExp(pattern).test(file))),
        );
    const needed = new Set<ServerName>();
    for (const text of [...chosen, ...chosen.flatMap(suitesOf)].map(file => readFileSync(file, 'utf8'))) {
        for (const [says, servers] of SAYS) {
            for (const [, said = ''] of text.matchAll(says)) servers(said).forEach(name => needed.add(name));
        }
    }
    return [...needed];
}

/** The suites that share the shop of a file. */
function suitesOf(file: string): readonly string[] {
    const suites = readFileSync(file, 'utf8').matchAll(/ from '(\.\/suites\/[\w-]+\.suite)'/g);
    return [...suites].map(([, suite]) => join(dirname(file), `${suite!}.ts`));
}

function filesBelow(folder: string): string[] {
    try {
        return readdirSync(folder, { recursive: true }).map(name => join(folder, String(name)));
    } catch {
        return []; // The folder of the contract suites may be missing.
    }
}

function removeStaleFiles(folder: string): void {
    for (const file of readdirSync(folder).map(name => join(folder, name))) {
        if (Date.now() - statSync(file).mtimeMs > DAY_MS) rmSync(file, { recursive: true, force: true });
    }
}
