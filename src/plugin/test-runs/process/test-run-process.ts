import { type ChildProcess, fork } from 'node:child_process';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import type { JsonObject, JsonValue } from '../../../core/value/json';
import { sizeOfValue } from '../../../core/data/weight';
import { flowError } from '../../../core/errors/flow-error';
import { EventLoopYield } from '../../../core/concurrency/event-loop-yield';
import { type JobResponse, type Job, readError, type JobMessage } from './messages';

/** The limit of the process's heap. Beyond it the process ends, and the server continues. */
export const MAX_MIB = 512;
const START_MS = 60_000;
/** In the sources, the code of the process is compiled on demand. In the package it is compiled already. */
const COMPILER = __filename.endsWith('.ts') ? ['-r', '@swc-node/register'] : [];
/** After about this number of characters the sender waits for the process to receive them, so that the event loop can do other work. */
const SENT_AT_ONCE = 128 * 1024;
/** The same as `nice -n 10`, so that tests do not slow down the server. */
const PRIORITY = 10;

/** The input of a job, and the receiver of its results. */
export interface JobCall {
    readonly items?: readonly JsonValue[];
    onItem?(item: JsonObject): void;
    readonly signal: AbortSignal;
}

/** The end of a job: its result, or how the process had ended before it got the job. */
export type JobEnd = { readonly done: JsonObject } | { readonly gone: string };

/** A process without environment variables and with limited memory. It executes one job at a time, and does not keep the server from shutting down. */
export class TestRunProcess {
    private readonly child: ChildProcess;
    private answered: ((answer: JobResponse | undefined) => void) | undefined;
    /** How it has ended. Undefined while it is running. */
    private how: string | undefined;

    private constructor(script: string) {
        this.child = fork(script, [String(process.pid)], {
            env: {},
            execArgv: [...COMPILER, `--max-old-space-size=${MAX_MIB}`, '--disable-warning=ExperimentalWarning'],
            stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
            serialization: 'json',
        });
        this.lower();
        this.child.on('message', (answer: JobResponse) => this.answered?.(answer));
        this.child.on('error', error => this.kill(error.message));
        this.child.on('exit', (code, signal) =>
            this.end(`it ended ${signal ? `by ${signal}` : `with exit code ${code}`}`),
        );
        // It is about to end. The exit event reports how.
        this.child.on('disconnect', () => void this.child.kill('SIGKILL'));
    }

    get isAlive(): boolean {
        return this.how === undefined && this.child.connected;
    }

    /** Throws TRIAL_PROCESS_FAILED, immediately if the process ends while it starts. */
    static async start(script = join(__dirname, 'child.cjs')): Promise<TestRunProcess> {
        const own = new TestRunProcess(script);
        const late = setTimeout(() => own.kill(`it did not answer within ${START_MS} ms`), START_MS);
        const first = await new Promise<JobResponse | undefined>(resolve => {
            own.answered = resolve;
        });
        clearTimeout(late);
        own.answered = undefined;
        if (!first) throw flowError('TRIAL_PROCESS_FAILED', { problem: own.how ?? '' });
        own.hold(false);
        return own;
    }

    /**
     * Throws the job's error, the signal's reason, and TRIAL_PROCESS_LOST if the process ended while it executed the job. The process is then no longer alive.
     */
    async perform(job: Job, { items = [], onItem, signal }: JobCall): Promise<JobEnd> {
        signal.throwIfAborted();
        this.hold(true);
        const kill = (): void => this.kill();
        signal.addEventListener('abort', kill, { once: true });
        try {
            let isTaken = false;
            const end = this.ended(
                item => onItem?.(item),
                () => {
                    isTaken = true;
                },
            );
            await this.hand(job, items);
            const answer = await end;
            signal.throwIfAborted();
            const how = this.how ?? '';
            if (!answer && !isTaken) return { gone: how };
            if (!answer) throw flowError('TRIAL_PROCESS_LOST', { mib: MAX_MIB, how });
            if ('failed' in answer) throw readError(answer.failed);
            return { done: 'done' in answer ? answer.done : {} };
        } catch (error) {
            // Results that are still in transit would be taken for those of the next job.
            if (this.answered) this.kill();
            throw error;
        } finally {
            signal.removeEventListener('abort', kill);
            this.hold(false);
        }
    }

    /** `how` is the reported reason of its end. */
    kill(how = 'it ended because it was not needed'): void {
        this.child.kill('SIGKILL');
        this.end(how);
    }

    private ended(onItem: (item: JsonObject) => void, taken: () => void): Promise<JobResponse | undefined> {
        return new Promise((resolve, reject) => {
            this.answered = answer => {
                try {
                    if (answer && 'taken' in answer) return taken();
                    if (answer && 'item' in answer) return onItem(answer.item);
                    this.answered = undefined;
                    resolve(answer);
                } catch (error) {
                    reject(error as Error);
                }
            };
            if (this.how !== undefined) this.answered(undefined);
        });
    }

    private async hand(job: Job, items: readonly JsonValue[]): Promise<void> {
        await this.send({ job });
        const turns = new EventLoopYield();
        let since = 0;
        for (const item of items) {
            const isSent = this.send({ item });
            since += sizeOfValue(item, SENT_AT_ONCE);
            if (since < SENT_AT_ONCE) continue;
            await isSent;
            await turns.turn();
            since = 0;
        }
        await this.send({ go: true });
    }

    /** Resolves when the process has received it or has ended. */
    private send(message: JobMessage): Promise<void> {
        return new Promise(resolve => {
            if (this.isAlive) this.child.send(message as unknown as JsonObject, () => resolve());
            else resolve();
        });
    }

    private hold(isWorking: boolean): void {
        if (isWorking) {
            this.child.ref();
            this.child.channel?.ref();
        } else {
            this.child.unref();
            this.child.channel?.unref();
        }
    }

    private lower(): void {
        const { pid } = this.child;
        if (pid === undefined) return;
        try {
            setPriority(pid, PRIORITY);
        } catch {
            // The process has ended already, or the system has no priorities. Then it runs with the usual one.
        }
    }

    private end(how: string): void {
        this.how ??= how;
        this.answered?.(undefined);
    }
}
