import { Logger } from '@vendure/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { asFlowError, type FlowError } from '../../core/errors/flow-error';
import type { RunEnd } from '../../core/run/execute';
import type { RunLeases } from '../stores/leases';
import { LOG_CONTEXT } from '../tokens';
import type { RunAttempt } from './run-attempt';
import { closeLog } from './run-log';
import type { RunQueue } from './run-queue';

/** The wait between two attempts to release a run while the database is unavailable. */
const GIVE_BACK_MS = 1_000;

/** The result for a run whose slice has ended and that any worker may continue. */
export const RELEASED = 'given back';

/** Returns unfinished runs, so that the next available worker continues them. */
export class RunRelease {
    constructor(
        private readonly kit: {
            readonly leases: Pick<RunLeases, 'release'>;
            readonly queue: Pick<RunQueue, 'add'>;
            /** Aborted when the process shuts down. */
            readonly stopped: AbortSignal;
        },
    ) {}

    /** The run stays RUNNING, and the next available worker continues it. */
    async back(attempt: RunAttempt, { counters }: Pick<RunEnd, 'counters'>): Promise<string> {
        await closeLog(attempt);
        try {
            const isMine = await this.kit.leases.release(attempt.run, attempt.progress(counters));
            if (isMine) await this.kit.queue.add(attempt.run.runId);
            return isMine ? RELEASED : 'taken';
        } catch (thrown) {
            return this.leave(attempt, { error: asFlowError(thrown), counters });
        }
    }

    /** The error stopped the work but did not end the run. */
    async leave(
        attempt: RunAttempt,
        { error, counters }: Pick<RunEnd, 'counters'> & { readonly error: FlowError },
    ): Promise<string> {
        const { runId } = attempt.run;
        if (error.code === 'WORKER_STOPPED') return this.back(attempt, { counters });
        if (error.code === 'LEASE_LOST') {
            Logger.info(`Run ${runId} continues with another worker`, LOG_CONTEXT);
            await closeLog(attempt);
            return error.code;
        }
        Logger.warn(`Run ${runId} stops for now. ${attempt.redactor.text(error.message)}`, LOG_CONTEXT);
        void this.giveBackLater(attempt);
        return error.code;
    }

    /**
     * The database is unavailable. When it answers again, the run is returned, so that its continuation does not count as a takeover. If that does
     * not succeed before the lease expires, the sweeper finds the run.
     */
    private async giveBackLater(attempt: RunAttempt): Promise<void> {
        const { run } = attempt;
        for (;;) {
            try {
                await sleep(GIVE_BACK_MS, undefined, { ref: false, signal: this.kit.stopped });
                if (await this.kit.leases.release(run)) await this.kit.queue.add(run.runId);
                await closeLog(attempt);
                return;
            } catch {
                // Still unavailable: retried until the database answers or this process ends.
                if (this.kit.stopped.aborted) return;
            }
        }
    }
}
