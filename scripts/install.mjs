// Brings node_modules in line with package-lock.json when run or imported. Uses nothing but Node, since a fresh clone has nothing else.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [OLDEST_MAJOR, OLDEST_MINOR] = [20, 19];

function assertNodeVersion() {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    if (major < OLDEST_MAJOR || (major === OLDEST_MAJOR && minor < OLDEST_MINOR)) {
        throw new Error(`Flow needs Node ${OLDEST_MAJOR}.${OLDEST_MINOR} or newer; this is ${process.versions.node}.`);
    }
}

/** Why an installation is due, or undefined. npm writes `.package-lock.json` last, so its age is that of a finished installation. */
function reasonToInstall() {
    const installed = join(root, 'node_modules', '.package-lock.json');
    if (!existsSync(installed)) return 'node_modules is missing or incomplete';
    const lock = join(root, 'package-lock.json');
    if (statSync(lock).mtimeMs <= statSync(installed).mtimeMs) return undefined;
    // A checkout renews the time of an unchanged lock file: what counts then is whether the packages are the same.
    return packagesOf(lock) === packagesOf(installed)
        ? undefined
        : 'package-lock.json has changed since the last installation';
}

function packagesOf(lockFile) {
    const { packages } = JSON.parse(readFileSync(lockFile, 'utf8'));
    const installedHere = Object.entries(packages).filter(
        ([path, entry]) => path !== '' && !entry.optional && !entry.peer && !entry.devOptional,
    );
    return JSON.stringify(installedHere.map(([path, { version }]) => `${path}@${version}`).sort());
}

/** How many packages of the lock file are unpacked. npm makes all folders first, and fills them one by one. */
function unpacked() {
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    const paths = Object.keys(packages).filter(path => path !== '');
    return `${paths.filter(path => existsSync(join(root, path, 'package.json'))).length} of ${paths.length} packages`;
}

/** Two minutes without a word look like a program that hangs. */
function showProgress(started) {
    const { isTTY } = process.stdout;
    const timer = setInterval(
        () => {
            const text = `  ${unpacked()}, ${Math.round((Date.now() - started) / 1000)} s`;
            if (isTTY) process.stdout.write(`\r\u001b[K${text}`);
            else console.log(text);
        },
        isTTY ? 1000 : 5_000,
    );
    return () => {
        clearInterval(timer);
        if (isTTY) process.stdout.write('\r\u001b[K');
    };
}

/** npm warns about engines and scripts of packages that we cannot change, so only its errors are shown. */
function npmCi() {
    return new Promise((resolve, reject) => {
        const child = spawn('npm', ['ci', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error'], {
            cwd: root,
            stdio: 'inherit',
            shell: process.platform === 'win32',
        });
        child.once('error', reject);
        child.once('exit', resolve);
    });
}

async function install() {
    assertNodeVersion();
    const reason = reasonToInstall();
    if (reason === undefined) return;
    console.log(`Installing: ${reason}. This takes about three minutes the first time (npm ci).`);
    const started = Date.now();
    const endProgress = showProgress(started);
    const status = await npmCi().finally(endProgress);
    if (status !== 0) throw new Error(`npm ci ended with exit code ${status}; its output is above.`);
    installationMs = Date.now() - started;
    console.log(`Installed in ${Math.round(installationMs / 1000)} s.`);
}

/** How long the installation took; 0 if nothing was missing. */
export let installationMs = 0;

try {
    await install();
} catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
}
