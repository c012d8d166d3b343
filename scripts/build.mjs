// Compiles the package into dist/: dist/src and dist/migrations by tsc (the dashboard finds plugins only in its output), and dashboard-ui as source next to
// them, so that the path in flow.plugin.ts is the same in the source tree and in the package.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import './install.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
rmSync(join(root, 'dist'), { recursive: true, force: true });
const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);
// Code that runs in separate threads and processes is plain JavaScript, since it is not compiled there.
cpSync(join(root, 'src'), join(root, 'dist/src'), {
    recursive: true,
    filter: source => statSync(source).isDirectory() || source.endsWith('.cjs'),
});
if (existsSync(join(root, 'dashboard-ui'))) {
    cpSync(join(root, 'dashboard-ui'), join(root, 'dist/dashboard-ui'), {
        recursive: true,
        filter: source => !/\.(spec|test)\.tsx?$/.test(source),
    });
}
