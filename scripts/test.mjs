// The checks of the project, one after the other, with one sum at the end. Which ones: all (npm test), or one of the names below.
//
//   node scripts/test.mjs [all | check | unit | contract | e2e] [paths and options for jest]
//
// A check that is not a test of jest (lint, types, docs) counts as one test.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import './install.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const data = join(root, '.test-data');
const notRunList = join(data, 'not-run.jsonl');
const [set = 'all', ...jestArguments] = process.argv.slice(2);

const bin = (name, ...args) => [join(root, 'node_modules', name), ...args];
const PLAIN_CHECKS = {
    lint: bin('eslint/bin/eslint.js', '.', '--max-warnings', '0'),
    types: bin(
        'typescript/bin/tsc',
        '-p',
        'tsconfig.json',
        '--noEmit',
        '--incremental',
        '--tsBuildInfoFile',
        join(data, 'types.tsbuildinfo'),
    ),
    docs: ['-r', '@swc-node/register', join('scripts', 'docs.ts'), '--check'],
};
const hasContracts =
    existsSync(join(root, 'test/contract')) &&
    readdirSync(join(root, 'test/contract'), { recursive: true }).some(name => String(name).endsWith('.contract.ts'));
const SETS = {
    all: { plain: ['lint', 'types', 'docs'], projects: ['unit', ...(hasContracts ? ['contract'] : []), 'e2e'] },
    check: { plain: ['lint', 'types'], projects: ['unit'] },
    unit: { plain: [], projects: ['unit'] },
    contract: { plain: [], projects: ['contract'] },
    e2e: { plain: [], projects: ['e2e'] },
};
const chosen = SETS[set];
if (!chosen) {
    console.error(`There is no set of checks "${set}". Known: ${Object.keys(SETS).join(', ')}.`);
    process.exit(1);
}

// Ctrl-C reaches jest as well, which stops its servers; we wait for it rather than leave it alone with them.
let running;
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
        interrupted = true;
        if (signal === 'SIGTERM') running?.kill(signal);
    });
}

function node(args) {
    return new Promise((resolve, reject) => {
        running = spawn(process.execPath, args, {
            cwd: root,
            stdio: 'inherit',
            env: { ...process.env, VENDURE_DISABLE_TELEMETRY: 'true' },
        });
        running.once('error', reject);
        running.once('exit', (code, signal) => resolve(signal ? 1 : code));
    });
}

async function plainCheck(name) {
    const started = Date.now();
    const code = await node(PLAIN_CHECKS[name]);
    console.log(`${code === 0 ? 'passed' : 'FAILED'}: ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
    return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** Jest's own count; a file that does not even load fails no test, so it counts as one. */
async function jest(projects) {
    const results = join(data, `jest-${projects.join('-')}.json`);
    rmSync(results, { force: true });
    const code = await node([
        '--experimental-vm-modules',
        '--disable-warning=ExperimentalWarning',
        ...bin('jest/bin/jest.js'),
        '--selectProjects',
        ...projects,
        '--json',
        `--outputFile=${results}`,
        '--testLocationInResults=false',
        ...jestArguments,
    ]);
    if (!existsSync(results)) return { passed: 0, failed: 1 };
    const {
        numPassedTests: passed,
        numFailedTests,
        numRuntimeErrorTestSuites,
    } = JSON.parse(readFileSync(results, 'utf8'));
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    // Jest also fails for reasons that are no test, say a server that did not stop: never a green sum above a red exit code.
    return { passed, failed: code !== 0 && failed === 0 ? 1 : failed };
}

/** One line a suite, and what would bring its server. */
function suitesNotRun() {
    if (!existsSync(notRunList)) return [];
    return readFileSync(notRunList, 'utf8')
        .trim()
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line))
        .map(({ file, suite, reason, bring }) => `  ${file}: ${suite}\n    because ${reason}\n    to run it: ${bring}`);
}

mkdirSync(data, { recursive: true });
rmSync(notRunList, { force: true });
const started = Date.now();
const sums = { passed: 0, failed: 0 };
const steps = [...chosen.plain.map(name => () => plainCheck(name)), () => jest(chosen.projects)];
for (const step of steps) {
    if (interrupted) break;
    const { passed, failed } = await step();
    sums.passed += passed;
    sums.failed += failed;
}
const notRun = suitesNotRun();
if (notRun.length > 0) {
    console.log(`\nNot run, for want of a server: ${notRun.length}\n${notRun.join('\n')}`);
    if (process.env.FLOW_TEST_REQUIRE === 'all') sums.failed += notRun.length;
}
console.log(`\n${interrupted ? 'Interrupted after' : 'Done in'} ${Math.round((Date.now() - started) / 1000)} s.`);
console.log(`${sums.passed} passed, ${sums.failed} failed`);
process.exitCode = interrupted ? 130 : sums.failed > 0 ? 1 : 0;
