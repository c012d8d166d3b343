import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { CrashOrder } from './crash-shop';

/** A worker that can be killed. */
export interface WorkerProcess {
    /** Works its queue from now on. */
    begin(): Promise<void>;
    kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

const ROOT = join(__dirname, '../..');

/** Boots a worker that does not work yet, so that the seconds of its start can pass while another one works. */
export async function standBy(order: CrashOrder): Promise<WorkerProcess> {
    const args = ['-r', '@swc-node/register', join(__dirname, 'worker.ts'), JSON.stringify(order)];
    const env = { ...process.env, NODE_OPTIONS: '', VENDURE_DISABLE_TELEMETRY: 'true' };
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['pipe', 'pipe', 'pipe'], env });
    const ended = new Promise<void>(resolve => child.once('exit', () => resolve()));
    await said(child, 'ready');
    return {
        begin: () => {
            const working = said(child, 'working');
            child.stdin?.write('begin\n');
            return working;
        },
        kill: signal => {
            child.kill(signal);
            return ended;
        },
    };
}

/** Starts a worker and waits until it works its queue. */
export async function startWorker(order: CrashOrder): Promise<WorkerProcess> {
    const worker = await standBy(order);
    await worker.begin();
    return worker;
}

function said(child: ChildProcess, word: string): Promise<void> {
    return new Promise((resolve, reject) => {
        let output = '';
        for (const stream of [child.stdout, child.stderr]) {
            stream?.on('data', chunk => {
                output = (output + String(chunk)).slice(-8000);
                if (output.includes(`${word}\n`)) resolve();
            });
        }
        child.once('error', reject);
        child.once('exit', code => reject(new Error(`The worker ended with ${code}:\n${output}`)));
    });
}
