/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { filesWithout, type Tier } from './e2e/tiers';

// Three projects by what they need: `unit` needs nothing, `contract` holds the suites that run over the registry on one shop or server,
// `e2e` boots Vendure servers. One project, one path: `npm run test:unit -- src/core/data`.

type Project = Exclude<NonNullable<Config['projects']>[number], string>;

const IGNORED = ['/node_modules/', '<rootDir>/dist/'];
const shared: Project = {
    // One for all projects: by default, each of them keeps its own copies of the same transpiled files.
    id: 'flow',
    rootDir: __dirname,
    // Writes down how long each file took, and how much of that its tests did: `scripts/test.mjs` holds it against e2e/budget.json.
    testEnvironment: '<rootDir>/test/servers/measured-environment.ts',
    setupFiles: ['<rootDir>/test/servers/graphql-as-in-production.cjs'],
    transform: {
        '^.+\\.tsx?$': [
            '@swc/jest',
            {
                jsc: {
                    parser: { syntax: 'typescript', decorators: true },
                    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
                    target: 'es2021',
                    keepClassNames: true,
                },
                // `ignoreDynamic` keeps `import()` as it is: rewritten to `require` it could not load packages that are ESM only.
                module: { type: 'commonjs', ignoreDynamic: true },
                sourceMaps: 'inline',
            },
        ],
    },
    modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.test-data/', '<rootDir>/.flow-demo/'],
    testPathIgnorePatterns: IGNORED,
};

// Where all of them run, they do so in groups, which scripts/group-specs.mjs writes.
const areGrouped = process.env.FLOW_TEST_GROUPED !== undefined;
const unit: Project = {
    ...shared,
    displayName: 'unit',
    testMatch: areGrouped
        ? ['<rootDir>/grouped-specs/*.spec.js']
        : ['<rootDir>/{src,test,scripts,bench,demo,dashboard-ui}/**/*.spec.ts'],
};

/** `npm test` and `npm run test:release` take a tier each; a run of chosen paths takes all of a file. */
const tier = process.env.FLOW_TEST_TIER as Tier | undefined;

const withServers: Project = {
    ...shared,
    testPathIgnorePatterns: [
        ...IGNORED,
        ...(tier ? filesWithout(tier).map(file => `<rootDir>/${file.replaceAll('.', '\\.')}$`) : []),
    ],
    globalSetup: '<rootDir>/test/servers/global-setup.ts',
    globalTeardown: '<rootDir>/test/servers/global-teardown.ts',
};

const contract: Project = {
    ...withServers,
    displayName: 'contract',
    testMatch: ['<rootDir>/test/contract/**/*.contract.ts'],
};

const e2e: Project = {
    ...withServers,
    displayName: 'e2e',
    testMatch: ['<rootDir>/e2e/**/*.e2e.ts'],
};

/** A project without files would need `passWithNoTests`, which would hide a mistyped path just as well. */
const hasFiles = (folder: string, suffix: string): boolean =>
    existsSync(join(__dirname, folder)) &&
    readdirSync(join(__dirname, folder), { recursive: true }).some(name => String(name).endsWith(suffix));

const config: Config = {
    projects: [unit, ...(hasFiles('test/contract', '.contract.ts') ? [contract] : []), e2e],
    // Every e2e file evaluates the whole of Vendure (0.6 GB a worker): three at a time is what a small machine bears. They wait for half of their time, for
    // processes, leases and limits, so that three of them keep two processors busy.
    maxWorkers: 3,
    testSequencer: '<rootDir>/scripts/heaviest-first.mjs',
    workerIdleMemoryLimit: '1GB',
    // No test measures time by this; it only ends those that hang, also on a machine with many times more work than processors. Within a project it would be passed over.
    testTimeout: 600_000,
};

export default config;
