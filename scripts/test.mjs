// Runs the checks of the project and prints one total at the end: all of them (npm test), or one of the names below.
//
//   node scripts/test.mjs [all | check | unit | contract | e2e | release] [paths and options for jest]
//
// e2e/tiers.ts defines which e2e and contract tests belong to `release` and which to the others. Unit specs run in both, in `release` with more random cases
// (test/kit/cases.ts). A run of chosen paths takes all tests of a file, except with `release`, which keeps to its tier.
//
// A check that is not a test of jest (formatting, lint, types, docs, the time budget) counts as one test. These checks run one after another in parallel with
// jest, in the time that the servers of its suites leave free. Their output is printed when they end.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installationMs } from './install.mjs';
import { faultsOf, report } from './budget.mjs';
import { writeGroups } from './group-specs.mjs';
import { OTHERS } from './node-versions.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const data = join(root, '.test-data');
const notRunList = join(data, 'not-run.jsonl');
const timesList = join(data, 'times.jsonl');
const [set = 'all', ...jestArguments] = process.argv.slice(2);

const bin = (name, ...args) => [join(root, 'node_modules', name), ...args];
const PLAIN_CHECKS = {
    format: bin('prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'),
    lint: bin('oxlint/bin/oxlint', '--type-aware'),
    // Version 7 needs a quarter of the time, and builds the package. With several threads, it infers the same types once for each of them.
    types: bin('typescript-7/bin/tsc', '-p', 'tsconfig.json', '--noEmit', '--singleThreaded'),
    dashboard: [join('scripts', 'dashboard.mjs'), 'check'],
    docs: ['-r', '@swc-node/register', join('scripts', 'docs.ts'), '--check'],
};
const SETS = {
    all: { plain: ['types', 'dashboard', 'lint', 'format', 'docs'], projects: ['unit', 'contract', 'e2e'] },
    check: { plain: ['types', 'dashboard', 'lint', 'format', 'docs'], projects: ['unit'] },
    unit: { plain: [], projects: ['unit'] },
    contract: { plain: [], projects: ['contract'] },
    e2e: { plain: [], projects: ['e2e'] },
    release: { plain: [], projects: ['unit', 'contract', 'e2e'], rows: true, versions: OTHERS },
};
/** The failures that `release` causes for workers and databases after its tests, for one to two hours. Only `test:faults` cuts every statement. */
const ROWS = {
    kills: ['kills', '--kills', '10', '--orders', '300', '--messages', '3000', '--times', 'short'],
    faults: [
        ...['faults', '--cuts', '5', '--commits', '10', '--drops', '10', '--outages', '1', '--seconds', '20'],
        ...['--freezes', '4', '--cancels', '2', '--redis', '1', '--kills', '5', '--statements', '0'],
    ],
};
const chosen = SETS[set];
if (!chosen) {
    console.error(`There is no set of checks "${set}". Known: ${Object.keys(SETS).join(', ')}.`);
    process.exit(1);
}

// A chosen path or name refers to the specs themselves.
const isChosen = jestArguments.length > 0;
const tier = set === 'release' ? 'release' : isChosen ? undefined : 'test';
const isGrouped = chosen.projects.includes('unit') && !isChosen;
if (isGrouped) writeGroups(root);

// Ctrl-C reaches jest as well, which stops its servers. We wait for that before we exit.
const running = new Set();
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
        interrupted = true;
        if (signal === 'SIGTERM') for (const child of running) child.kill(signal);
    });
}

/** Returns the exit code, and the output if it is not shown at once. A patient process leaves the processors to others. */
function node(args, stdio, { isPatient = false } = {}) {
    return new Promise((resolve, reject) => {
        const child = spawn(process.execPath, args, {
            cwd: root,
            stdio,
            env: {
                ...process.env,
                VENDURE_DISABLE_TELEMETRY: 'true',
                ...(isGrouped && { FLOW_TEST_GROUPED: 'true' }),
                ...(tier && { FLOW_TEST_TIER: tier }),
            },
        });
        let output = '';
        for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => (output += chunk));
        if (isPatient && child.pid) setPriority(child.pid, constants.priority.PRIORITY_LOW);
        running.add(child);
        child.once('error', reject);
        child.once('close', (code, signal) => {
            running.delete(child);
            resolve({ code: signal ? 1 : code, output });
        });
    });
}

async function plainChecks(names) {
    const sum = { passed: 0, failed: 0, plainMs: 0 };
    for (const name of names) {
        if (interrupted) break;
        const started = Date.now();
        const { code, output } = await node(PLAIN_CHECKS[name], ['ignore', 'pipe', 'pipe'], { isPatient: true });
        const tookMs = Date.now() - started;
        const took = `(${(tookMs / 1000).toFixed(1)} s)`;
        sum.plainMs += tookMs;
        console.log(code === 0 ? `passed: ${name} ${took}` : `${output}\nFAILED: ${name} ${took}`);
        sum[code === 0 ? 'passed' : 'failed'] += 1;
    }
    return sum;
}

/** Jest's own count. A file that cannot be loaded has no failed test, so it counts as one. */
async function jest(projects) {
    const results = join(data, `jest-${projects.join('-')}.json`);
    rmSync(results, { force: true });
    const { code } = await node(
        [
            '--experimental-vm-modules',
            // Most objects of a test die young: with more room for them, e2e tests spend a twentieth less time on collecting them.
            '--max-semi-space-size=64',
            '--disable-warning=ExperimentalWarning',
            ...bin('jest/bin/jest.js'),
            '--selectProjects',
            ...projects,
            '--json',
            `--outputFile=${results}`,
            '--testLocationInResults=false',
            ...jestArguments,
        ],
        'inherit',
    );
    if (!existsSync(results)) return { passed: 0, failed: 1 };
    const {
        numPassedTests: passed,
        numFailedTests,
        numRuntimeErrorTestSuites,
    } = JSON.parse(readFileSync(results, 'utf8'));
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    // Jest may also fail without a failed test, for example if a server did not stop. The total must not be green if the exit code is not 0.
    return { passed, failed: code !== 0 && failed === 0 ? 1 : failed };
}

/** The long rows of kills and other failures. Each table counts as one test. */
async function longRows() {
    const sum = { passed: 0, failed: 0 };
    for (const [name, args] of Object.entries(ROWS)) {
        if (interrupted) break;
        const { code } = await node([join('scripts', 'faults.mjs'), ...args], 'inherit');
        console.log(code === 0 ? `passed: ${name}` : `FAILED: ${name}`);
        sum[code === 0 ? 'passed' : 'failed'] += 1;
    }
    return sum;
}

/** The tests of other versions of Node. Each version counts as one test. */
async function otherVersions(versions) {
    const sum = { passed: 0, failed: 0 };
    for (const major of versions) {
        if (interrupted) break;
        const { code } = await node([join('scripts', 'node-versions.mjs'), major], 'inherit');
        console.log(code === 0 ? `passed: Node ${major}` : `FAILED: Node ${major}`);
        sum[code === 0 ? 'passed' : 'failed'] += 1;
    }
    return sum;
}

/** Reports the slowest files, and those that exceed their budget. */
function budget(plainMs) {
    const times = linesOf(timesList);
    if (times.length > 0) console.log(`\n${report(times)}`);
    if (plainMs > 0) console.log(`Plain checks: ${(plainMs / 1000).toFixed(1)} s in parallel.`);
    // A chosen part says nothing about the whole: `-t` keeps the set-up and omits tests. The budget applies to `npm test`.
    if (!chosen.projects.includes('e2e') || tier !== 'test') return { passed: 0, failed: 0 };
    const faults = faultsOf(times, JSON.parse(readFileSync(join(root, 'e2e/budget.json'), 'utf8')));
    console.log(faults.length === 0 ? 'passed: budget' : `FAILED: budget (e2e/budget.json)\n  ${faults.join('\n  ')}`);
    return faults.length === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** One line for each suite, and how to provide its server. */
function suitesNotRun() {
    return linesOf(notRunList).map(
        ({ file, suite, reason, bring }) => `  ${file}: ${suite}\n    because ${reason}\n    to run it: ${bring}`,
    );
}

function timeOf(ms) {
    const seconds = Math.round(ms / 1000);
    return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function linesOf(file) {
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line));
}

mkdirSync(data, { recursive: true });
for (const list of [notRunList, timesList]) rmSync(list, { force: true });
const started = Date.now();
const parts = await Promise.all([plainChecks(chosen.plain), jest(chosen.projects)]);
if (!interrupted) parts.push(budget(parts[0].plainMs));
if (!interrupted && chosen.rows && !isChosen) parts.push(await longRows());
if (!interrupted && chosen.versions && !isChosen) parts.push(await otherVersions(chosen.versions));
const sums = { passed: 0, failed: 0 };
for (const { passed, failed } of parts) {
    sums.passed += passed;
    sums.failed += failed;
}
const notRun = suitesNotRun();
if (notRun.length > 0) {
    console.log(`\nNot run, for want of a server: ${notRun.length}\n${notRun.join('\n')}`);
    if (process.env.FLOW_TEST_REQUIRE === 'all') sums.failed += notRun.length;
}
const tookMs = Date.now() - started;
const { FLOW_CI_STARTED } = process.env; // in seconds, from .ci/run, which also installs programs
const withInstallationMs = FLOW_CI_STARTED ? Date.now() - Number(FLOW_CI_STARTED) * 1000 : tookMs + installationMs;
console.log(
    `\n${interrupted ? 'Interrupted after' : 'Done in'} ${timeOf(tookMs)}; ${timeOf(withInstallationMs)} with the installation.`,
);
console.log(`${sums.passed} passed, ${sums.failed} failed`);
process.exitCode = interrupted ? 130 : sums.failed > 0 ? 1 : 0;
