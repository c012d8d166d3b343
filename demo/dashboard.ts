import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(__dirname, '..');
const ENDS = ['exit', 'SIGINT', 'SIGTERM'] as const;

/** The inputs of the built pages. The schema comes from the plugin's API. */
const INPUTS = [
    'dashboard-ui',
    'src/plugin/api/schema',
    'src/plugin/flow.plugin.ts',
    'demo/vite.config.mts',
    'package-lock.json',
];

/**
 * Builds the dashboard into a folder, unless that contains a build of the current sources. Takes one to two minutes. The output is written to a log file next
 * to it.
 */
export async function buildDashboard(folder: string): Promise<'built' | 'there'> {
    const stamp = `${folder}.stamp`;
    const desired = hashOf(INPUTS);
    if (existsSync(path.join(folder, 'index.html')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === desired)
        return 'there';
    mkdirSync(path.dirname(folder), { recursive: true });
    const fresh = `${folder}.new`;
    await vite(fresh, `${folder}.log`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
    writeFileSync(stamp, desired);
    return 'built';
}

function hashOf(inputs: readonly string[]): string {
    const hash = createHash('sha256');
    for (const file of inputs.flatMap(input => filesOf(path.join(root, input)))) {
        hash.update(path.relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
    }
    return hash.digest('hex');
}

function filesOf(input: string): readonly string[] {
    if (!statSync(input).isDirectory()) return [input];
    return readdirSync(input, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile() && !/\.spec\.tsx?$|\.md$/.test(entry.name))
        .map(entry => path.join(entry.parentPath, entry.name))
        .sort();
}

function vite(outDir: string, log: string): Promise<void> {
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
                env: {
                    ...process.env,
                    NODE_OPTIONS: '--max-old-space-size=3072',
                    NODE_ENV: 'production',
                    FLOW_DASHBOARD: outDir,
                },
                stdio: ['ignore', 'pipe', 'pipe'],
            },
        );
        child.stdout.on('data', (text: Buffer) => output.push(text.toString()));
        child.stderr.on('data', (text: Buffer) => output.push(text.toString()));
        const stop = (): void => void child.kill();
        // A process that is ended by a signal does not run its exit handlers.
        for (const end of ENDS) process.once(end, stop);
        child.once('error', reject);
        child.once('exit', code => {
            for (const end of ENDS) process.removeListener(end, stop);
            writeFileSync(log, output.join(''));
            if (code === 0) resolve();
            else reject(new Error(`The dashboard could not be built; see ${path.relative(root, log)}.`));
        });
    });
}
