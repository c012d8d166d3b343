import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join, parse } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { onAbort } from '../../core/concurrency/abort';

/** How long the script process may take to start, and for work outside of a script. */
const START_MS = 30_000;
const OWN_WORK_MS = 60_000;
/** The process keeps the script's time itself; when it does not answer for this much longer, it is killed. */
const SLACK_MS = 150;
/** More than it ever sends: one batch's answer. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;
/** In addition to the engine's memory, which is not part of the heap. */
const FLAGS = ['--max-old-space-size=128', '--no-addons', '--disallow-code-generation-from-strings'];

/** One piece of work for the process; `script` and `records` are what the guest reads, as JSON text. */
export interface ScriptJob {
    readonly script: string;
    readonly records: string;
    /** How often the script is called: once for each record, or once. */
    readonly calls: number;
    /** For each call. */
    readonly timeoutMs: number;
    /** The time after which it returns the results so far; there is always at least one. */
    readonly sliceMs: number;
    readonly maxChars: number;
}

/**
 * `done` and `slice` are successful. `late`, `pending` and `spoiled`: the call after the last result failed. `lost`, `killed` and `crashed`: one of
 * the calls after it did. `invalid`: the script does not compile.
 */
export type ScriptJobEnd =
    'done' | 'slice' | 'invalid' | 'late' | 'pending' | 'spoiled' | 'lost' | 'killed' | 'crashed';

export interface ScriptJobReport {
    readonly end: ScriptJobEnd;
    /** The guest's report on each call, and on the console. */
    readonly lines: readonly string[];
}

/** What a process that scripts run in is started with. */
export interface ProcessSettings {
    readonly node: string;
}

/**
 * A process of Node with no environment, no descriptors but two pipes and a bound on its heap, in which QuickJS runs scripts. It
 * takes one order at a time, and keeps this process alive only while it works.
 */
export class ScriptProcess {
    private readonly child: ChildProcessByStdio<Writable, Readable, null>;
    private received: Buffer[] = [];
    private receivedBytes = 0;
    private waiting: ((frame: string | undefined) => void) | undefined;
    private readonly frames: string[] = [];
    private fault = 'it ended before it was ready';
    private isLate = false;
    private isAsked = true;
    isAlive = true;

    private constructor({ node }: ProcessSettings) {
        this.child = spawn(node, [...FLAGS, join(__dirname, 'child.cjs'), String(process.pid)], {
            env: {},
            cwd: parse(process.execPath).root,
            stdio: ['pipe', 'pipe', 'ignore'],
            windowsHide: true,
        });
        const { child } = this;
        child.on('error', error => {
            this.fault = error.message;
            this.end();
        });
        child.on('exit', (code, signal) => {
            this.fault = `it ended before it was ready, ${signal ? `by ${signal}` : `with exit code ${code}`}`;
            this.end();
        });
        // An error of a pipe is an error of the process, which is reported separately.
        child.stdin.on('error', () => this.kill());
        child.stdout.on('error', () => this.kill());
        child.stdout.on('data', (bytes: Buffer) => this.receive(bytes));
    }

    /** Throws an Error where it cannot be started. */
    static async start(settings: ProcessSettings): Promise<ScriptProcess> {
        const own = new ScriptProcess(settings);
        if ((await own.frame(START_MS)) !== undefined) {
            own.hold(false);
            return own;
        }
        own.kill();
        throw new Error(own.fault);
    }

    /** Never throws. A process that has been killed or has crashed is not alive afterwards. */
    async perform(job: ScriptJob, signal?: AbortSignal): Promise<ScriptJobReport> {
        const { script, records, ...settings } = job;
        const kill = (): void => this.kill();
        const leave = signal && onAbort(signal, kill);
        this.hold(true);
        try {
            for (const text of [JSON.stringify(settings), script, records]) this.send(text);
            const first = await this.frame(OWN_WORK_MS);
            const isStarted = first === 'started';
            const answer = isStarted ? await this.frame(job.sliceMs + job.timeoutMs + SLACK_MS) : first;
            if (answer === undefined) return { end: isStarted && this.isLate ? 'killed' : 'crashed', lines: [] };
            const [end, ...lines] = answer.split('\n');
            if (isStarted || end === 'invalid' || end === 'lost') return { end: end as ScriptJobEnd, lines };
            this.kill();
            return { end: 'crashed', lines: [] };
        } finally {
            leave?.();
            if (this.frames.length > 0 || this.receivedBytes > 0) this.kill();
            this.hold(false);
        }
    }

    kill(): void {
        this.frames.length = 0;
        this.child.kill('SIGKILL');
        this.end();
    }

    private send(text: string): void {
        if (!this.isAlive) return;
        const body = Buffer.from(text, 'utf8');
        const head = Buffer.allocUnsafe(4);
        head.writeUInt32BE(body.length, 0);
        this.child.stdin.write(head);
        this.child.stdin.write(body);
    }

    /** The next frame; undefined when none comes any more, because the process ended or was killed for its silence. */
    private frame(withinMs: number): Promise<string | undefined> {
        const ready = this.frames.shift();
        if (ready !== undefined || !this.isAlive) return Promise.resolve(ready);
        return new Promise(resolve => {
            const late = setTimeout(() => {
                this.isLate = true;
                this.kill();
            }, withinMs);
            this.waiting = frame => {
                clearTimeout(late);
                this.waiting = undefined;
                resolve(frame);
            };
        });
    }

    private receive(bytes: Buffer): void {
        // Unrequested output would be read as the response to the next order.
        if (!this.isAsked) this.kill();
        this.received.push(bytes);
        this.receivedBytes += bytes.length;
        for (let size = this.nextSize(); this.isAlive; size = this.nextSize()) {
            if (size > MAX_FRAME_BYTES && size < Infinity) this.kill();
            if (this.receivedBytes < size || !this.isAlive) return;
            const all = this.received.length === 1 ? this.received[0]! : Buffer.concat(this.received);
            const text = all.toString('utf8', 4, size);
            this.received = all.length > size ? [all.subarray(size)] : [];
            this.receivedBytes -= size;
            if (this.waiting) this.waiting(text);
            else this.frames.push(text);
        }
    }

    /** The size of the next frame with its header; infinite if too little of it has arrived. */
    private nextSize(): number {
        if (this.receivedBytes < 4) return Infinity;
        if (this.received[0]!.length < 4) this.received = [Buffer.concat(this.received)];
        return this.received[0]!.readUInt32BE(0) + 4;
    }

    private hold(isWorking: boolean): void {
        this.isAsked = isWorking;
        const { stdin, stdout } = this.child as unknown as Record<'stdin' | 'stdout', { ref(): void; unref(): void }>;
        for (const held of [this.child, stdin, stdout]) {
            if (isWorking) held.ref();
            else held.unref();
        }
    }

    private end(): void {
        this.isAlive = false;
        this.waiting?.(undefined);
    }
}
