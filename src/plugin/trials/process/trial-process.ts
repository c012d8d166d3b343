import { type ChildProcess, fork } from 'node:child_process';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject, JsonValue } from '../../../core/data/json';
import { weightOf } from '../../../core/data/weight';
import { flowError } from '../../../core/errors/flow-error';
import { type Answered, type Job, readError, type Sent } from './messages';

/** What the process may take of the heap; beyond that it ends, and the server goes on. */
export const MAX_MIB = 512;
const START_MS = 60_000;
/** From the sources, what the process works with is compiled on the way; from the package it is compiled already. */
const COMPILER = __filename.endsWith('.ts') ? ['-r', '@swc-node/register'] : [];
/** After about so many characters the event loop turns, and the process has taken what was sent. */
const SENT_AT_ONCE = 128 * 1024;
/** Nobody waits for the server because somebody tries something: as `nice -n 10`. */
const PRIORITY = 10;

/** What a job is given and who hears what it answers. */
export interface Handed {
    readonly items?: Iterable<JsonValue>;
    heard?(item: JsonObject): void;
    readonly signal: AbortSignal;
}

/** A process with no environment and a bound on its memory, which works on one job at a time and keeps nobody waiting who wants to end. */
export class TrialProcess {
    private readonly child: ChildProcess;
    private answered: ((answer: Answered | undefined) => void) | undefined;
    isAlive = true;

    private constructor(script: string) {
        this.child = fork(script, [], {
            env: {},
            execArgv: [...COMPILER, `--max-old-space-size=${MAX_MIB}`, '--disable-warning=ExperimentalWarning'],
            stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
            serialization: 'json',
        });
        this.lower();
        this.child.on('message', (answer: Answered) => this.answered?.(answer));
        this.child.on('error', () => this.end());
        this.child.on('exit', () => this.end());
        this.child.on('disconnect', () => this.end());
    }

    /** Throws TRIAL_PROCESS_FAILED. */
    static async start(script = join(__dirname, 'child.cjs')): Promise<TrialProcess> {
        const own = new TrialProcess(script);
        const late = setTimeout(() => own.kill(), START_MS);
        const first = await new Promise<Answered | undefined>(resolve => {
            own.answered = resolve;
        });
        clearTimeout(late);
        own.answered = undefined;
        if (!first) throw flowError('TRIAL_PROCESS_FAILED', { ms: START_MS });
        own.hold(false);
        return own;
    }

    /** Throws what the job has thrown, the signal's reason, and TRIAL_PROCESS_LOST where the process ended meanwhile; it is not alive then. */
    async perform(job: Job, { items = [], heard, signal }: Handed): Promise<JsonObject> {
        signal.throwIfAborted();
        this.hold(true);
        const kill = (): void => this.kill();
        signal.addEventListener('abort', kill, { once: true });
        try {
            const end = this.ended(heard);
            await this.hand(job, items);
            const answer = await end;
            signal.throwIfAborted();
            if (!answer) throw flowError('TRIAL_PROCESS_LOST', { mib: MAX_MIB });
            if ('failed' in answer) throw readError(answer.failed);
            return 'done' in answer ? answer.done : {};
        } catch (error) {
            // What is still on its way would be taken for the next job's.
            if (this.answered) this.kill();
            throw error;
        } finally {
            signal.removeEventListener('abort', kill);
            this.hold(false);
        }
    }

    kill(): void {
        this.child.kill('SIGKILL');
        this.end();
    }

    private ended(heard: Handed['heard']): Promise<Answered | undefined> {
        return new Promise((resolve, reject) => {
            this.answered = answer => {
                try {
                    if (answer && 'item' in answer) {
                        heard?.(answer.item);
                        return;
                    }
                    this.answered = undefined;
                    resolve(answer);
                } catch (error) {
                    reject(error as Error);
                }
            };
            if (!this.isAlive) this.end();
        });
    }

    private async hand(job: Job, items: Iterable<JsonValue>): Promise<void> {
        await this.send({ job });
        let since = 0;
        for (const item of items) {
            const isSent = this.send({ item });
            since += weightOf(item, SENT_AT_ONCE);
            if (since < SENT_AT_ONCE) continue;
            await isSent;
            await nextTurn();
            since = 0;
        }
        await this.send({ go: true });
    }

    /** Resolves when the process has taken it, or is no more. */
    private send(message: Sent): Promise<void> {
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

    private end(): void {
        this.isAlive = false;
        this.answered?.(undefined);
    }
}
