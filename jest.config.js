const { existsSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

// Plain JavaScript, since Node 20 cannot read a TypeScript configuration without one more loader.
//
// Three projects by what they need: `unit` needs nothing, `contract` runs the suites of `test/contract` over the registry, `e2e`
// boots Vendure servers. One project, one path: `npm run test:unit -- src/core/data`.

/** @typedef {Exclude<NonNullable<import('jest').Config['projects']>[number], string>} Project */

const shared = {
    rootDir: __dirname,
    testEnvironment: 'node',
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
    testPathIgnorePatterns: ['/node_modules/', '<rootDir>/dist/'],
};

/** @type {Project} */
const unit = { ...shared, displayName: 'unit', testMatch: ['<rootDir>/{src,test,scripts,bench,demo}/**/*.spec.ts'] };

const withServers = {
    ...shared,
    globalSetup: '<rootDir>/test/servers/global-setup.ts',
    globalTeardown: '<rootDir>/test/servers/global-teardown.ts',
};

/** @type {Project} */
const contract = { ...withServers, displayName: 'contract', testMatch: ['<rootDir>/test/contract/**/*.contract.ts'] };

/** @type {Project} */
const e2e = {
    ...withServers,
    displayName: 'e2e',
    testMatch: ['<rootDir>/e2e/**/*.e2e.ts'],
    setupFilesAfterEnv: ['<rootDir>/e2e/config/setup.ts'],
};

/** A project without files would need `passWithNoTests`, which would hide a mistyped path just as well. */
const hasFiles = (folder, suffix) =>
    existsSync(join(__dirname, folder)) &&
    readdirSync(join(__dirname, folder), { recursive: true }).some(name => String(name).endsWith(suffix));

/** @type {import('jest').Config} */
module.exports = {
    projects: [unit, ...(hasFiles('test/contract', '.contract.ts') ? [contract] : []), e2e],
    // Every e2e file evaluates the whole of Vendure (0.6 GB a worker): two at a time is what a small machine bears.
    maxWorkers: 2,
    workerIdleMemoryLimit: '1GB',
    // No test measures time by this; it only ends those that hang, also on a slow machine. Within a project it would be passed over.
    testTimeout: 60_000,
};
