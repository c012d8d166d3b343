import { type ChildProcess, fork } from 'node:child_process';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import type { JsonObject, JsonValue } from '../../../core/value/json';
import { sizeOfValue } from '../../../core/data/weight';
import { flowError } from '../../../core/errors/flow-error';
import { EventLoopYield } from '../../../core/concurrency/event-loop-yield';
import { type JobResponse, type Job, readError, type JobMessage } from './messages';

/** What the process may take of the heap; beyond that it ends, and the server goes on. */
export const MAX_MIB = 512;
const START_MS = 60_000;
/** From the sources, what the process works with is compiled on the way; from the package it is compiled already. */
const COMPILER = __filename.endsWith('.ts') ? ['-r', '@swc-node/register'] : [];
/** After about so many characters the event loop turns, and the process has taken what was sent. */
const SENT_AT_ONCE = 128 * 1024;
/** Nobody waits for the server because somebody tries something: as `nice -n 10`. */
const PRIORITY = 10;

/** What a job is given and who takes what it answers. */
export interface JobCall {
    readonly items?: readonly JsonValue[];
    onItem?(item: JsonObject): void;
    readonly signal: AbortSignal;
}

/** What has become of a job: what it was done with, or how the process had ended before the job came to it. */
export type JobEnd = { readonly done: JsonObject } | { readonly gone: string };

/** A process with no environment and a bound on its memory, which works on one job at a time and keeps nobody waiting who wants to end. */
export class TestRunProcess {
    private readonly child: ChildProcess;
    private answered: ((answer: JobResponse | undefined) => void) | undefined;
    /** How it has ended; undefined while it has not. */
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
        // It is going: how is told when it has gone.
        this.child.on('disconnect', () => void this.child.kill('SIGKILL'));
    }

    get isAlive(): boolean {
        return this.how === undefined && this.child.connected;
    }

    /** Throws TRIAL_PROCESS_FAILED, at once where the process ends while it starts. */
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
     * Throws what the job has thrown, the signal's reason, and TRIAL_PROCESS_LOST where the process ended while it was at the job; it is not
     * alive then.
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
            // What is still on its way would be taken for the next job's.
            if (this.answered) this.kill();
            throw error;
        } finally {
            signal.removeEventListener('abort', kill);
            this.hold(false);
        }
    }

    /** `how` is what is told of its end. */
    kill(how = 'it ended as nobody needed it'): void {
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

    /** Resolves when the process has taken it, or is no more. */
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
            // It is gone already, or the system has no priorities: then it works at the usual one.
        }
    }

    private end(how: string): void {
        this.how ??= how;
        this.answered?.(undefined);
    }
}
