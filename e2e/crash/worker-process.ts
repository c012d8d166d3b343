import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { CrashOrder } from './crash-shop';

/** A worker process that anything may happen to. */
export interface WorkerProcess {
    /** Works its queue from now on. */
    begin(): Promise<void>;
    /** Ends it; resolves when it is gone. SIGTERM asks it to go by itself. */
    kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
    /** Stands still, as if its machine did, until it is thawed. */
    freeze(): void;
    thaw(): void;
    readonly isGone: boolean;
    /** How it ended, when it did so without being killed. */
    readonly death: string | undefined;
}

const ROOT = join(__dirname, '../..');

/** Boots a worker that does not work yet, so that the seconds of its start can pass while another one works; or another process that is begun like one. */
export async function standBy(order: CrashOrder, script = 'worker.ts'): Promise<WorkerProcess> {
    const args = ['-r', '@swc-node/register', join(__dirname, script), JSON.stringify(order)];
    const env = { ...process.env, NODE_OPTIONS: '', VENDURE_DISABLE_TELEMETRY: 'true' };
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['pipe', 'pipe', 'pipe'], env });
    // A worker must not outlive whoever started it.
    const killNow = () => void child.kill('SIGKILL');
    process.once('exit', killNow);
    let output = '';
    let death: string | undefined;
    let [isKilled, isGone] = [false, false];
    for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', chunk => {
            output = (output + String(chunk)).slice(-8000);
        });
    }
    const ended = new Promise<void>(resolve =>
        child.once('exit', (code, signal) => {
            process.removeListener('exit', killNow);
            isGone = true;
            if (!isKilled) death = `ended with ${code ?? signal}: ${output}`;
            resolve();
        }),
    );
    await said(child, 'ready');
    return {
        begin: async () => {
            const working = said(child, 'working');
            child.stdin.write('begin\n');
            await working;
        },
        kill: signal => {
            isKilled = true;
            child.kill(signal);
            return ended;
        },
        freeze: () => void child.kill('SIGSTOP'),
        thaw: () => void child.kill('SIGCONT'),
        get isGone() {
            return isGone;
        },
        get death() {
            return death;
        },
    };
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
