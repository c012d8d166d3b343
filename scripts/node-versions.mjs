// Runs the unit specs, the contracts, the demo and one e2e file on other versions of Node. Each version has a copy of the project with its own
// installation, because native packages are built for one version. The copies are outside of the project: jest looks through all that is in it.
//
//   node scripts/node-versions.mjs [major version …]     default: all supported versions except the one that runs this
//
// Node comes from npm: its platform packages hold the program and the headers that native packages are built with.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The major versions that Flow supports; `engines` of package.json and the docs name the same ones. */
export const SUPPORTED = ['20', '22', '24'];

const [running] = process.versions.node.split('.');
/** The supported versions that `npm test` does not use here. */
export const OTHERS = SUPPORTED.filter(major => major !== running);

/** What runs on each version, by the arguments of scripts/test.mjs. */
const PARTS = [['unit'], ['contract'], ['e2e', 'e2e/demo.e2e.ts', 'e2e/shared-runs.e2e.ts']];

const children = new Set();

/** Resolves with the exit code. */
function run(command, args, { cwd, env, stdio = 'inherit' }) {
    return new Promise((resolve, reject) => {
        const child = spawn(command, args, { cwd, env, stdio });
        children.add(child);
        child.once('error', reject);
        child.once('close', (code, signal) => {
            children.delete(child);
            resolve(signal ? 1 : code);
        });
    });
}

/** What a command prints. */
function read(command, args, cwd) {
    return new Promise((resolve, reject) => {
        const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
        let output = '';
        child.stdout.setEncoding('utf8').on('data', text => (output += text));
        child.once('error', reject);
        child.once('close', code =>
            code === 0 ? resolve(output) : reject(new Error(`${command} ended with ${code}`)),
        );
    });
}

/** Installs a version of Node below a folder. Returns the folder with its `bin` and `include`. */
async function installNode(major, folder) {
    const name = `node-${process.platform}-${process.arch}`;
    const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
    const code = await run('npm', [...args, `${name}@${major}`], { cwd: root, env: process.env });
    if (code !== 0) throw new Error(`npm install ${name}@${major} ended with exit code ${code}.`);
    return join(folder, 'node_modules', name);
}

/** Copies what belongs to the project, and keeps an installation that is there. */
async function copyProject(folder) {
    mkdirSync(folder, { recursive: true });
    for (const entry of readdirSync(folder))
        if (entry !== 'node_modules') rmSync(join(folder, entry), { recursive: true });
    const files = await read('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], root);
    for (const file of files.split('\0').filter(name => name !== '' && existsSync(join(root, name))))
        cpSync(join(root, file), join(folder, file));
}

/** The environment of a version: `node` is that one, also for npm, and native packages are built with its headers. */
function environmentOf(node) {
    const env = {
        ...process.env,
        PATH: `${join(node, 'bin')}${delimiter}${process.env.PATH}`,
        npm_config_nodedir: node,
    };
    // These settings of the tests that started this process do not apply to the tests of another version.
    for (const name of ['FLOW_TEST_TIER', 'FLOW_TEST_GROUPED', 'NODE_OPTIONS']) delete env[name];
    return env;
}

async function testOn(major) {
    const base = join(tmpdir(), `flow-node-${major}`);
    const node = await installNode(major, join(base, 'node'));
    const project = join(base, 'flow');
    await copyProject(project);
    const env = environmentOf(node);
    let failed = 0;
    for (const args of PARTS) {
        if (interrupted) return failed;
        const code = await run(join(node, 'bin', 'node'), [join('scripts', 'test.mjs'), ...args], {
            cwd: project,
            env,
        });
        console.log(`${code === 0 ? 'passed' : 'FAILED'}: Node ${major}, ${args.join(' ')}`);
        if (code !== 0) failed += 1;
    }
    return failed;
}

let interrupted = false;

async function main(majors) {
    for (const signal of ['SIGINT', 'SIGTERM']) {
        process.on(signal, () => {
            interrupted = true;
            if (signal === 'SIGTERM') for (const child of children) child.kill(signal);
        });
    }
    const unknown = majors.filter(major => !SUPPORTED.includes(major));
    if (unknown.length > 0)
        throw new Error(`Node ${unknown.join(', ')} is not supported. Supported: ${SUPPORTED.join(', ')}.`);
    let failed = 0;
    for (const major of majors) failed += await testOn(major);
    process.exitCode = interrupted ? 130 : failed > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const [, , ...given] = process.argv;
    try {
        await main(given.length > 0 ? given : OTHERS);
    } catch (error) {
        console.error(error instanceof Error ? error.message : error);
        process.exit(1);
    }
}
