import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { dashboardFolder, demoFolder } from './config';

const root = path.resolve(__dirname, '..');
const made = path.join(demoFolder, 'dashboard');
const fresh = path.join(demoFolder, 'dashboard.new');
const stamp = path.join(demoFolder, 'dashboard.stamp');
const log = path.join(demoFolder, 'dashboard.log');

/** Builds the dashboard where it is not built yet for what is installed; one to two minutes. Its output goes to a log file. */
export async function buildDashboard(): Promise<'built' | 'there'> {
    const wanted = readFileSync(path.join(root, 'package-lock.json'), 'utf8').length.toString();
    if (existsSync(path.join(made, 'index.html')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted)
        return 'there';
    mkdirSync(demoFolder, { recursive: true });
    await vite();
    rmSync(dashboardFolder, { recursive: true, force: true });
    renameSync(fresh, dashboardFolder);
    writeFileSync(stamp, wanted);
    return 'built';
}

function vite(): Promise<void> {
    const output: string[] = [];
    return new Promise((resolve, reject) => {
        const child = spawn(
            process.execPath,
            [
                path.join(root, 'node_modules/vite/bin/vite.js'),
                'build',
                '--config',
                path.join(root, 'demo/vite.config.mts'),
            ],
            {
                cwd: root,
                env: { ...process.env, NODE_OPTIONS: '--max-old-space-size=3072', NODE_ENV: 'production' },
                stdio: ['ignore', 'pipe', 'pipe'],
            },
        );
        child.stdout.on('data', (text: Buffer) => output.push(text.toString()));
        child.stderr.on('data', (text: Buffer) => output.push(text.toString()));
        const stop = (): void => void child.kill();
        process.once('exit', stop);
        child.once('error', reject);
        child.once('exit', code => {
            process.removeListener('exit', stop);
            writeFileSync(log, output.join(''));
            if (code === 0) resolve();
            else reject(new Error(`The dashboard could not be built; see ${path.relative(root, log)}.`));
        });
    });
}
