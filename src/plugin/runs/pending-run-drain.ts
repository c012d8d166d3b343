import { Logger } from '@vendure/core';
import type { FlowOptions } from '../options/options';
import type { ClaimedRun, RunLeases } from '../stores/leases';
import { LOG_CONTEXT } from '../tokens';
import type { RunAttempt } from './run-attempt';
import type { FinishedRun, RunFinalizer } from './run-finalizer';

type Attempt = Pick<RunAttempt, 'run'>;
type WorkOn = (run: ClaimedRun) => { readonly attempt: Attempt; readonly answer: Promise<string> };

/** The changes of this number of runs are published together, or of the runs that ended in this time if they are fewer. */
const TOLD_TOGETHER = 10;
const TOLD_AFTER_MS = 250;
/**
 * The maximum time for consecutive runs while others wait for the queue slot, for example a user's run of another pipeline after hundreds of
 * webhooks.
 */
const ROW_MS = 5_000;
/** The maximum number of runs with unpublished changes before the next one starts. */
const MOST_UNTOLD = 20;

/** Ended runs of one pipeline whose remaining notices are not published yet. */
class Untold {
    private waiting: FinishedRun[] = [];
    /** The runs whose events are still stored. */
    private stored: FinishedRun[] = [];
    private takingAway: Promise<unknown> = Promise.resolve();
    private telling: Promise<void> | undefined;
    private timer: NodeJS.Timeout | undefined;

    constructor(private readonly closer: Pick<RunFinalizer, 'markPublished' | 'publishRemaining'>) {}

    add(ended: FinishedRun): void {
        this.waiting.push(ended);
        this.stored.push(ended);
        if (this.waiting.length >= TOLD_TOGETHER && !this.telling) this.begin();
        else this.timer ??= setTimeout(() => this.begin(), TOLD_AFTER_MS);
    }

    /** Resolves as soon as few enough runs wait to be published. */
    async room(): Promise<void> {
        while (this.waiting.length >= MOST_UNTOLD) await this.telling;
    }

    /** Resolves when everything is published. */
    async rest(): Promise<void> {
        while (this.waiting.length > 0 || this.telling) {
            this.begin();
            await this.telling;
        }
    }

    private begin(): void {
        this.takeAway();
        this.telling ??= this.tell();
    }

    /**
     * Does not wait: subscribers may process earlier changes for minutes, and an event that is still stored after one minute is published again.
     */
    private takeAway(): void {
        clearTimeout(this.timer);
        this.timer = undefined;
        if (this.stored.length === 0) return;
        this.takingAway = Promise.all([this.takingAway, this.closer.markPublished(this.stored)]);
        this.stored = [];
    }

    /** The runs that ended during one publication are published together next; runs without a timer are published at once. */
    private async tell(): Promise<void> {
        do {
            const these = this.waiting;
            this.waiting = [];
            this.takeAway();
            await this.takingAway;
            await this.closer.publishRemaining(these);
        } while (this.waiting.length >= TOLD_TOGETHER || (this.waiting.length > 0 && !this.timer));
        this.telling = undefined;
    }
}

/**
 * The runs that wait after one that has ended. The worker that ended it continues with the next run of its pipeline for some seconds. Runs of one
 * record, for example of webhooks, arrive by the hundred, and a queue that polls would start only a few of them a second.
 */
export class PendingRunDrain {
    /** The time until which other runs may follow those that started with a job. */
    private readonly slices = new WeakMap<Attempt, number>();
    /** The unpublished notices of each series of runs. */
    private readonly unpublished = new WeakMap<Attempt, Untold>();
    /** The runs after which this worker takes the next one. */
    private readonly followed = new WeakSet<Attempt>();
    /** The work that a shut-down waits for. */
    private readonly rows = new Set<Promise<string>>();

    constructor(
        private readonly leases: Pick<RunLeases, 'claimNext'>,
        private readonly closer: Pick<RunFinalizer, 'markPublished' | 'wakeNextRunOf' | 'publishRemaining'>,
        private readonly worker: {
            readonly options: { readonly runtime: Pick<FlowOptions['runtime'], 'sliceMs'> };
            /** Aborted when the process shuts down. */
            readonly stopped: AbortSignal;
        },
    ) {}

    /**
     * Processes a run, and one after another those that wait for it; returns the result of the last one. The changes of runs are published while
     * later ones are in progress, several together (ADR 11). When this resolves, the changes of the last run are published too.
     */
    async drainSequentially(first: ClaimedRun, work: WorkOn): Promise<string> {
        const row = this.processRow(first, work);
        this.rows.add(row);
        try {
            return await row;
        } finally {
            this.rows.delete(row);
        }
    }

    /** Resolves when all started work has ended. */
    async rest(): Promise<void> {
        await Promise.allSettled(this.rows);
    }

    private async processRow(first: ClaimedRun, work: WorkOn): Promise<string> {
        const endsAt = performance.now() + Math.min(ROW_MS, this.worker.options.runtime.sliceMs);
        const unpublished = new Untold(this.closer);
        try {
            for (let run = first; ;) {
                const { attempt, answer } = work(run);
                this.slices.set(attempt, endsAt);
                this.unpublished.set(attempt, unpublished);
                const ended = await answer;
                await unpublished.room();
                const next = this.followed.has(attempt) ? await this.next(attempt) : undefined;
                if (!next) return ended;
                run = next;
            }
        } finally {
            await unpublished.rest();
        }
    }

    /** Whether this worker takes the run after this one, so that it needs no job. */
    areTaken(attempt: Attempt): boolean {
        return performance.now() < (this.slices.get(attempt) ?? 0) && !this.worker.stopped.aborted;
    }

    /** The run has ended, and no other process was notified of the next one. */
    due(attempt: Attempt, ended: FinishedRun): void {
        this.followed.add(attempt);
        this.unpublished.get(attempt)!.add(ended);
    }

    /** The next run, claimed by this worker. Undefined if there is none, or if another worker has it or gets it with its job. */
    private async next(attempt: Attempt): Promise<ClaimedRun | undefined> {
        const { pipelineId, runId } = attempt.run;
        if (!this.areTaken(attempt)) {
            await this.closer.wakeNextRunOf(attempt.run);
            return undefined;
        }
        try {
            return (await this.leases.claimNext(pipelineId)).run;
        } catch (error) {
            Logger.warn(`The run that waits for run ${runId} is left to a sweep: ${String(error)}`, LOG_CONTEXT);
            return undefined;
        }
    }
}
