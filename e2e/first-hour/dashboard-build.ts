import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { write } from './shop';

const run = promisify(execFile);

/** The result of a build of the shop's dashboard, in bytes of JavaScript without compression. */
export interface DashboardBuild {
    /** Everything that is loaded for the first page. */
    readonly first: number;
    /** How much of that is Flow's. */
    readonly firstOfFlow: number;
    /** Flow's part that is loaded with its pages. */
    readonly laterOfFlow: number;
    /** The pages of Flow that are loaded when they are opened. */
    readonly pages: readonly string[];
    /** Libraries of the editor that are loaded with the first page, and those that are loaded later. */
    readonly drawing: { readonly first: readonly string[]; readonly later: readonly string[] };
}

/** The file of `@vendure/create`, with a plugin that counts. */
const CONFIG = `import { vendureDashboardPlugin } from '@vendure/dashboard/vite';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'path';
import { pathToFileURL } from 'url';
import { defineConfig } from 'vite';

/** Whether a module belongs to the package. */
const isFlow = id => id.includes('/vendure-plugin-flow/');
/** The libraries that draw graphs and texts. */
const drawingIn = chunks => [...new Set(chunks.flatMap(({ modules }) => Object.keys(modules)).flatMap(id =>
    /\\/node_modules\\/((?:@xyflow|@dagrejs|@codemirror|@lezer)\\/[^/]+)\\//.exec(id)?.[1] ?? []))].sort();
const counted = {
    name: 'counted',
    generateBundle(_options, bundle) {
        const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
        const first = new Set();
        const follow = chunk => {
            if (!chunk || first.has(chunk)) return;
            first.add(chunk);
            for (const name of chunk.imports) follow(bundle[name]);
        };
        // The extensions are loaded when the dashboard starts, on every page.
        const begins = chunk => chunk.isEntry || Object.keys(chunk.modules).some(id => isFlow(id) && id.endsWith('/dashboard-ui/index.tsx'));
        for (const chunk of chunks) if (begins(chunk)) follow(chunk);
        // Modules are measured before they are minified. Their share of the chunk is assumed to stay the same.
        const ofFlow = chunk => {
            const modules = Object.entries(chunk.modules);
            const sum = some => some.reduce((total, [, { renderedLength }]) => total + renderedLength, 0);
            const whole = sum(modules);
            return whole === 0 ? 0 : (chunk.code.length * sum(modules.filter(([id]) => isFlow(id)))) / whole;
        };
        const total = (some, size) => Math.round(some.reduce((sum, chunk) => sum + size(chunk), 0));
        const [now, later] = [[...first], chunks.filter(chunk => !first.has(chunk))];
        // A page that shares modules with later chunks is not the facade of its chunk.
        const pages = later.flatMap(({ modules }) => Object.keys(modules)).flatMap(id =>
            /vendure-plugin-flow\\/.*\\/pages\\/([^/]+)\\/page\\.tsx$/.exec(id)?.[1] ?? []);
        writeFileSync(join(__dirname, 'counted.json'), JSON.stringify({
            first: total(now, chunk => chunk.code.length),
            firstOfFlow: total(now, ofFlow),
            laterOfFlow: total(later, ofFlow),
            pages: pages.sort(),
            drawing: { first: drawingIn(now), later: drawingIn(later) },
        }));
    },
};

export default defineConfig({
    base: '/dashboard',
    build: { outDir: join(__dirname, 'dist/dashboard') },
    plugins: [
        vendureDashboardPlugin({
            vendureConfigPath: pathToFileURL('./src/vendure-config.ts'),
            api: { host: 'auto', port: 'auto' },
            gqlOutputPath: './src/gql',
            // The default only finds packages in the shop's own folder. Here they are linked.
            pluginPackageScanner: { nodeModulesRoot: join(__dirname, 'node_modules') },
        }),
        counted,
    ],
    resolve: { alias: { '@/gql': resolve(__dirname, './src/gql/graphql.ts') } },
});
`;

/** Builds the dashboard of a shop as its owner does. This takes one to two minutes. */
export async function buildDashboardOf(folder: string): Promise<DashboardBuild> {
    write(join(folder, 'vite.config.mts'), CONFIG.replaceAll('__dirname', 'import.meta.dirname'));
    const env = { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '--max-old-space-size=3072' };
    const vite = join(folder, 'node_modules/vite/bin/vite.js');
    await run(process.execPath, [vite, 'build'], { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 });
    return JSON.parse(readFileSync(join(folder, 'counted.json'), 'utf8')) as DashboardBuild;
}
