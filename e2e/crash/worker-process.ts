import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { type FaultProxy, faultProxy } from '../config/fault-proxy';
import { scriptArguments } from '../config/script-process';
import type { CrashOrder } from './crash-shop';

/** A worker process that scenarios can disturb. */
export interface WorkerProcess {
    /** Starts to process its queue. */
    begin(): Promise<void>;
    /** Ends it, and resolves when it has ended. With SIGTERM it stops by itself. */
    kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
    /** Freezes it, as if its machine stopped, until it is thawed. */
    freeze(): void;
    thaw(): void;
    readonly isGone: boolean;
    /** Its database proxy, if it has one. */
    readonly proxy: FaultProxy | undefined;
    /** How it ended, if it was not killed. */
    readonly death: string | undefined;
}

/** A process with its own database proxy. */
export type ProxiedProcess = WorkerProcess & { readonly proxy: FaultProxy };

export function isProxied(worker: WorkerProcess): worker is ProxiedProcess {
    return worker.proxy !== undefined;
}

const ROOT = join(__dirname, '../..');

interface Boot {
    /** The script to start. Default: a worker. */
    readonly script?: string;
    /** Whether it has its own database proxy. */
    readonly isProxied?: boolean;
}

/**
 * Boots a worker that does not process its queue yet, so that its start overlaps with the work of another one. Can also
 * start another script.
 */
export async function standBy(
    order: CrashOrder,
    { script = 'worker.ts', isProxied = false }: Boot = {},
): Promise<WorkerProcess> {
    const proxy = isProxied ? await faultProxy(order.connection.url) : undefined;
    const { url } = proxy ?? order.connection;
    const args = scriptArguments(join(__dirname, script), { ...order, connection: { ...order.connection, url } });
    const env = { ...process.env, NODE_OPTIONS: '', VENDURE_DISABLE_TELEMETRY: 'true' };
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['pipe', 'pipe', 'pipe'], env });
    // A worker must not outlive the process that started it.
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
            void proxy?.close().then(resolve);
            if (!proxy) resolve();
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
        proxy,
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
