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

/** A server that the tests started themselves, and therefore stop. */
export interface StartedServer {
    readonly url: string;
    stop(): Promise<void>;
}

/**
 * As the guide advises shops: so long the server bears a session of anybody's that stands still within a transaction. Vendure's SQL job queue
 * holds locks on the jobs while it looks for the next one, and nobody else gets any while a worker stands still in between. Longer than
 * advised, since suites let a worker stand still on purpose until others have done its runs, and a busy machine takes its time.
 */
export const IDLE_TRANSACTION_SEC = 120;

/** A server that may be away for a while, with all that it holds. */
export interface InterruptibleServer extends StartedServer {
    /** Ends it as a restart does: every connection is cut, every transaction in hand is rolled back. */
    interrupt(): Promise<void>;
    /** Brings it back at the same address. */
    resume(): Promise<void>;
}

/** What a server process is started with. */
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
/** To answer for the first time: on a busy machine that takes many times as long as by itself. */
const PATIENCE_MS = 300_000;

/** An empty folder with a short path, since socket paths may not exceed about 100 characters. */
export function scratchFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), FOLDER_PREFIX));
    noteOwner(folder);
    return folder;
}

/** A port that nobody listened on a moment ago, at or above `from` (any, when 0). */
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
 * The first of forty ports that are this process's own, so that two do not race for the same free one; below those that systems give out
 * themselves, and above 10080, which `fetch` refuses to call.
 */
export const FIRST_PORT = 10_100 + (process.pid % 500) * 40;

/** The full path of a program on the PATH, where servers often hide in an sbin folder that users do not list. */
export function findOnPath(program: string): string | undefined {
    const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
    return folders
        .map(folder => join(folder, program))
        .find(path => {
            try {
                accessSync(path, constants.X_OK);
                return true;
            } catch {
                return false; // Not there or not ours to run: the next folder may have it.
            }
        });
}

/** A server's process. */
export interface Launched {
    /** Ends it and leaves its folder, for a server that is to come back. */
    halt(): Promise<void>;
    /** Ends it and removes its folder. */
    stop(): Promise<void>;
}

/** A server at an address, and each process that it is brought back by. */
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
    // A group of its own: Ctrl-C reaches us, not the server, so that it is stopped in order, with whatever it spawned.
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

/** Runs a program to its end; its output is in the error when it fails. */
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

/** Ends servers whose test run was killed before it could, told by their scratch folders. Others' servers are never touched. */
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

/** So that a later run can tell whose the folder is. */
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
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // Already gone is what we wanted.
    }
}

function isAlive(pid: number): boolean {
    try {
        return process.kill(pid, 0);
    } catch (error) {
        return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
}

/** A pid may have passed to a stranger since it was noted; the working folder tells. */
function workingFolderOf(pid: number): string | undefined {
    try {
        return readlinkSync(`/proc/${pid}/cwd`);
    } catch {
        return undefined; // Gone, or a system without /proc, where a leftover is better than a stranger's process ended.
    }
}
