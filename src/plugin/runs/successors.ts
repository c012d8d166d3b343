import { Logger } from '@vendure/core';
import type { FlowOptions } from '../options/options';
import type { ClaimedRun, RunLeases } from '../stores/leases';
import { LOG_CONTEXT } from '../tokens';
import type { RunAttempt } from './run-attempt';
import type { EndedHere, RunCloser } from './run-closer';

type Attempt = Pick<RunAttempt, 'run'>;
type WorkOn = (run: ClaimedRun) => { readonly attempt: Attempt; readonly answer: Promise<string> };

/** Of so many runs it is told together what they have changed, or of those that have ended in such a time where they are fewer. */
const TOLD_TOGETHER = 10;
const TOLD_AFTER_MS = 250;
/** So long it goes on at most while others wait for its place in the queue: a person's run of another pipeline, say, behind hundreds of webhooks. */
const ROW_MS = 5_000;
/** Of so many it may still be to be told before another one begins. */
const MOST_UNTOLD = 20;

/** Runs of one pipeline that have ended, of which the rest is still to be told. */
class Untold {
    private waiting: EndedHere[] = [];
    /** Those of them whose events are still stored. */
    private stored: EndedHere[] = [];
    private takingAway: Promise<unknown> = Promise.resolve();
    private telling: Promise<void> | undefined;
    private timer: NodeJS.Timeout | undefined;

    constructor(private readonly closer: Pick<RunCloser, 'areTold' | 'tellRest'>) {}

    add(ended: EndedHere): void {
        this.waiting.push(ended);
        this.stored.push(ended);
        if (this.waiting.length >= TOLD_TOGETHER && !this.telling) this.begin();
        else this.timer ??= setTimeout(() => this.begin(), TOLD_AFTER_MS);
    }

    /** Resolves as soon as those that wait are not too many. */
    async room(): Promise<void> {
        while (this.waiting.length >= MOST_UNTOLD) await this.telling;
    }

    /** Resolves when all is told. */
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

    /** Subscribers may be at what those before have changed for minutes, and an event that is still stored after one is told again: so this does not wait. */
    private takeAway(): void {
        clearTimeout(this.timer);
        this.timer = undefined;
        if (this.stored.length === 0) return;
        this.takingAway = Promise.all([this.takingAway, this.closer.areTold(this.stored)]);
        this.stored = [];
    }

    /** All that have come while those before were told go together; those that no timer will tell of go at once. */
    private async tell(): Promise<void> {
        do {
            const these = this.waiting;
            this.waiting = [];
            this.takeAway();
            await this.takingAway;
            await this.closer.tellRest(these);
        } while (this.waiting.length >= TOLD_TOGETHER || (this.waiting.length > 0 && !this.timer));
        this.telling = undefined;
    }
}

/**
 * The runs that wait behind one that has ended. Whoever has ended it goes on with the next one of its pipeline for some seconds: runs of
 * one record, of webhooks say, come by the hundred, and a queue that polls would begin a few of them a second.
 */
export class Successors {
    /** Until when there may be others behind those that began with a job. */
    private readonly slices = new WeakMap<Attempt, number>();
    /** The rows in which runs are worked, and of each what is still to be told. */
    private readonly untold = new WeakMap<Attempt, Untold>();
    /** Those behind which the next one is for this worker. */
    private readonly followed = new WeakSet<Attempt>();
    /** What a shut-down waits for. */
    private readonly rows = new Set<Promise<string>>();

    constructor(
        private readonly leases: Pick<RunLeases, 'claimNext'>,
        private readonly closer: Pick<RunCloser, 'areTold' | 'startNextOf' | 'tellRest'>,
        private readonly worker: {
            readonly options: { readonly runtime: Pick<FlowOptions['runtime'], 'sliceMs'> };
            /** It shuts down. */
            readonly stopped: AbortSignal;
        },
    ) {}

    /**
     * Works a run, and one behind the other those that wait behind it; answers what became of the last one. What runs have changed is made known while
     * later ones are at work, that of several together (ADR 11); behind the last one it is known when this resolves.
     */
    async oneByOne(first: ClaimedRun, work: WorkOn): Promise<string> {
        const row = this.workRow(first, work);
        this.rows.add(row);
        try {
            return await row;
        } finally {
            this.rows.delete(row);
        }
    }

    /** Resolves when nothing of what was begun is at work any more. */
    async rest(): Promise<void> {
        await Promise.allSettled(this.rows);
    }

    private async workRow(first: ClaimedRun, work: WorkOn): Promise<string> {
        const endsAt = performance.now() + Math.min(ROW_MS, this.worker.options.runtime.sliceMs);
        const untold = new Untold(this.closer);
        try {
            for (let run = first; ;) {
                const { attempt, answer } = work(run);
                this.slices.set(attempt, endsAt);
                this.untold.set(attempt, untold);
                const ended = await answer;
                await untold.room();
                const next = this.followed.has(attempt) ? await this.next(attempt) : undefined;
                if (!next) return ended;
                run = next;
            }
        } finally {
            await untold.rest();
        }
    }

    /** Whether the run behind this one is for its worker, so that it needs no job. */
    areTaken(attempt: Attempt): boolean {
        return performance.now() < (this.slices.get(attempt) ?? 0) && !this.worker.stopped.aborted;
    }

    /** It has ended, and nobody else was told of the next one. */
    due(attempt: Attempt, ended: EndedHere): void {
        this.followed.add(attempt);
        this.untold.get(attempt)!.add(ended);
    }

    /** In the hands of this worker; undefined where there is none, or where another worker has it or gets it by its job. */
    private async next(attempt: Attempt): Promise<ClaimedRun | undefined> {
        const { pipelineId, runId } = attempt.run;
        if (!this.areTaken(attempt)) {
            await this.closer.startNextOf(attempt.run);
            return undefined;
        }
        try {
            return (await this.leases.claimNext(pipelineId)).run;
        } catch (error) {
            Logger.warn(`The run that waits behind run ${runId} is left to a sweep: ${String(error)}`, LOG_CONTEXT);
            return undefined;
        }
    }
}
