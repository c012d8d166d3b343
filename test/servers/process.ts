import { type ChildProcess, spawn } from 'node:child_process';
import {
    accessSync,
    constants,
    existsSync,
    mkdtempSync,
    readFileSync,
    readdirSync,
    readlinkSync,
    rmSync,
    writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server that the tests have started, and therefore stop. */
export interface StartedServer {
    readonly url: string;
    stop(): Promise<void>;
}

/**
 * How long the server keeps a session that is idle within a transaction, as the guide recommends to shops. While Vendure's SQL job queue looks for
 * the next job, it locks the jobs; if a worker freezes there, no other worker gets one. This is longer than recommended, since suites freeze a worker
 * on purpose until others have done its runs, and a busy machine is slow.
 */
export const IDLE_TRANSACTION_SEC = 120;

/** A server that may be interrupted, with all its data. */
export interface InterruptibleServer extends StartedServer {
    /** Ends it like a restart: every connection is cut, and every open transaction is rolled back. */
    interrupt(): Promise<void>;
    /** Starts it again at the same address. */
    resume(): Promise<void>;
}

/** The command of a server process. */
export interface Launch {
    readonly command: string;
    readonly args: readonly string[];
    /** Its scratch folder: working directory and home of all its files, removed at the end. */
    readonly folder: string;
    readonly env?: NodeJS.ProcessEnv;
    readonly account?: { readonly uid: number; readonly gid: number };
    readonly stopSignal?: NodeJS.Signals;
}

const FOLDER_PREFIX = 'flow-test-server-';
const STOP_PATIENCE_MS = 15_000;
/** The limit for its first answer: a busy machine needs many times as long. */
const PATIENCE_MS = 300_000;

/** An empty folder with a short path, since socket paths may not exceed about 100 characters. */
export function scratchFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), FOLDER_PREFIX));
    noteOwner(folder);
    return folder;
}

/** A port that was not in use a moment ago, at or above `from` (any, if 0). */
export async function freePort(from = 0): Promise<number> {
    const port = await new Promise<number | undefined>(resolve => {
        const probe = createServer();
        probe.once('error', () => resolve(undefined));
        probe.listen(from, '127.0.0.1', () => {
            const address = probe.address();
            probe.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
        });
    });
    return port ?? freePort(from + 1);
}

/**
 * The first of forty ports for this process alone, so that two processes do not choose the same free one. They are below the range that systems
 * assign, and above 10080, which `fetch` does not allow.
 */
export const FIRST_PORT = 10_100 + (process.pid % 500) * 40;

/** The full path of a program on the PATH, or in an sbin folder, where servers often are although users do not have it on their PATH. */
export function findOnPath(program: string): string | undefined {
    const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
    return folders
        .map(folder => join(folder, program))
        .find(path => {
            try {
                accessSync(path, constants.X_OK);
                return true;
            } catch {
                return false; // Missing or not executable: the next folder may have it.
            }
        });
}

/** A server's process. */
export interface Launched {
    /** Ends it and keeps its folder, for a server that is started again. */
    halt(): Promise<void>;
    /** Ends it and removes its folder. */
    stop(): Promise<void>;
}

/** A server at a fixed address, with one process after another. */
export async function interruptible(url: string, serve: () => Promise<Launched>): Promise<InterruptibleServer> {
    let serving = await serve();
    return {
        url,
        interrupt: () => serving.halt(),
        resume: async () => {
            serving = await serve();
        },
        stop: () => serving.stop(),
    };
}

/** Starts a server process and waits until `ready` no longer throws. */
export async function launch(launching: Launch, ready: () => Promise<void>): Promise<Launched> {
    const { command, args, folder, env, account, stopSignal = 'SIGTERM' } = launching;
    // A separate process group: Ctrl-C reaches only this process, so the server and its children can be stopped in order.
    const child = spawn(command, args, {
        cwd: folder,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...env },
        ...account,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
        stream.on('data', chunk => {
            output = (output + chunk).slice(-4000);
        });
    const ended = new Promise<string>(resolve => {
        child.once('error', error => resolve(error.message));
        child.once('exit', (code, signal) => resolve(`ended with ${code ?? signal}`));
    });
    const killNow = () => {
        killGroup(child, 'SIGKILL');
    };
    process.once('exit', killNow);
    const halt = async () => {
        process.removeListener('exit', killNow);
        child.kill(stopSignal);
        await Promise.race([ended, sleep(STOP_PATIENCE_MS, undefined, { ref: false })]);
        killNow();
    };
    const stop = async () => {
        await halt();
        rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    };
    noteOwner(folder, child.pid);
    try {
        await Promise.race([
            becomes(ready),
            ended.then(how => {
                throw new Error(`${command} ${how}: ${output.trim()}`);
            }),
        ]);
    } catch (error) {
        await stop();
        throw error;
    }
    return { halt, stop };
}

/** Runs a program to its end. If it fails, the error contains its output. */
export async function run(launching: Launch): Promise<void> {
    const { command, args, folder, env, account } = launching;
    const child = spawn(command, args, {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...env },
        ...account,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
        stream.on('data', chunk => {
            output = (output + chunk).slice(-4000);
        });
    const code = await new Promise<number | null>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', resolve);
    });
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${output.trim()}`);
}

/** Ends servers whose test run was killed before it could stop them; their scratch folders identify them. Other servers are never touched. */
export function endOrphans(): void {
    for (const name of readdirSync(tmpdir()).filter(entry => entry.startsWith(FOLDER_PREFIX))) {
        const folder = join(tmpdir(), name);
        const note = join(folder, 'owner.json');
        if (!existsSync(note)) continue;
        const { owner, server } = JSON.parse(readFileSync(note, 'utf8')) as { owner: number; server?: number };
        if (isAlive(owner)) continue;
        if (server && workingFolderOf(server)?.startsWith(folder)) process.kill(-server, 'SIGKILL');
        rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    }
}

/** So that a later run can find out who owns the folder. */
function noteOwner(folder: string, server?: number): void {
    writeFileSync(join(folder, 'owner.json'), JSON.stringify({ owner: process.pid, server }));
}

async function becomes(ready: () => Promise<void>): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
        try {
            return await ready();
        } catch (error) {
            if (Date.now() > deadline) throw error;
            await sleep(50);
        }
    }
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
    try {
        if (child.pid) process.kill(-child.pid, signal);
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // If the process has ended already, nothing is to be done.
    }
}

function isAlive(pid: number): boolean {
    try {
        return process.kill(pid, 0);
    } catch (error) {
        return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
}

/** A pid may belong to another process by now, so the working folder is compared. */
function workingFolderOf(pid: number): string | undefined {
    try {
        return readlinkSync(`/proc/${pid}/cwd`);
    } catch {
        return undefined; // Ended, or a system without /proc, where it is better to keep a leftover than to end the wrong process.
    }
}
