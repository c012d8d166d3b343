// Brings node_modules in line with package-lock.json when run or imported. Uses nothing but Node, since a fresh clone has nothing else.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

function install() {
    assertNodeVersion();
    const reason = reasonToInstall();
    if (reason === undefined) return;
    console.log(`Installing: ${reason}. This takes about three minutes the first time (npm ci).`);
    const started = Date.now();
    const { status, error } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
        cwd: root,
        stdio: 'inherit',
        shell: process.platform === 'win32',
    });
    if (error) throw error;
    if (status !== 0) throw new Error(`npm ci ended with exit code ${status}; its output is above.`);
    console.log(`Installed in ${Math.round((Date.now() - started) / 1000)} s.`);
}

try {
    install();
} catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
}
