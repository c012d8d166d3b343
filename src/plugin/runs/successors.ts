import { Logger } from '@vendure/core';
import type { FlowOptions } from '../options/options';
import type { ClaimedRun, RunLeases } from '../stores/leases';
import { LOG_CONTEXT } from '../tokens';
import type { RunAttempt } from './run-attempt';
import type { RunCloser } from './run-closer';

type Attempt = Pick<RunAttempt, 'run'>;
type WorkOn = (run: ClaimedRun) => { readonly attempt: Attempt; readonly answer: Promise<string> };

/**
 * The runs that wait behind one that has ended. Whoever has ended it goes on with the next one of its pipeline for as long as a slice lasts: runs
 * of one record, of webhooks say, come by the hundred, and a queue that polls would begin a few of them a second.
 */
export class Successors {
    /** Until when there may be others behind those that began with a job. */
    private readonly slices = new WeakMap<Attempt, number>();
    /** Of those behind which the next one is for this worker: when what they have changed is known. */
    private readonly owed = new WeakMap<Attempt, Promise<void>>();
    /** What a shut-down waits for. */
    private readonly rows = new Set<Promise<string>>();

    constructor(
        private readonly leases: Pick<RunLeases, 'claimNext'>,
        private readonly closer: Pick<RunCloser, 'startNext'>,
        private readonly worker: {
            readonly options: { readonly runtime: Pick<FlowOptions['runtime'], 'sliceMs'> };
            /** It shuts down. */
            readonly stopped: AbortSignal;
        },
    ) {}

    /**
     * Works a run, and one behind the other those that wait behind it; answers what became of the last one. What a run has changed is made known while
     * the next one is at work, and is known before the one after that begins: so it does not fall behind.
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
        const endsAt = performance.now() + this.worker.options.runtime.sliceMs;
        let known: Promise<void> | undefined;
        try {
            for (let run = first; ;) {
                const { attempt, answer } = work(run);
                this.slices.set(attempt, endsAt);
                const ended = await answer;
                await known;
                known = this.owed.get(attempt);
                const next = known && (await this.next(attempt));
                if (!next) return ended;
                run = next;
            }
        } finally {
            await known;
        }
    }

    /** Whether the run behind this one is for its worker, so that it needs no job. */
    areTaken(attempt: Attempt): boolean {
        return performance.now() < (this.slices.get(attempt) ?? 0) && !this.worker.stopped.aborted;
    }

    /** It has ended, and nobody else was told of the next one. `known` resolves, and never rejects, when what it has changed is known. */
    due(attempt: Attempt, known: Promise<void>): void {
        this.owed.set(attempt, known);
    }

    /** In the hands of this worker; undefined where there is none, or where another worker has it or gets it by its job. */
    private async next(attempt: Attempt): Promise<ClaimedRun | undefined> {
        const { pipelineId, runId } = attempt.run;
        try {
            if (!this.areTaken(attempt)) {
                await this.closer.startNext(pipelineId);
                return undefined;
            }
            return (await this.leases.claimNext(pipelineId)).run;
        } catch (error) {
            Logger.warn(`The run that waits behind run ${runId} is left to a sweep: ${String(error)}`, LOG_CONTEXT);
            return undefined;
        }
    }
}
