import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Logger } from '@vendure/core';
import { isFlowError } from '../../core/errors/flow-error';
import type { Id } from '../../database/write';
import { StickyRuns } from './sticky-runs';
import { RunQueue } from './run-queue';
import { EffectPublisher } from './effect-publisher';
import { type PollCycle, type PeriodicRunner } from '../periodic-jobs/periodic-runner';
import { PeriodicJobs } from '../periodic-jobs/periodic-jobs';
import { RunStores } from './run-stores';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP, LOG_CONTEXT } from '../tokens';
import { ReenqueueBackoff } from './reenqueue-backoff';
import { OrphanedRunPoller } from './orphaned-run-poller';

/** The page size of queries. */
const BATCH = 100;
/**
 * Finds what every other process has missed: runs whose worker has died, runs whose job was lost (including parked ones), and unpublished effects
 * of ended runs. It runs in every process that processes the queue.
 */
@Injectable()
export class AbandonedRunSweeper implements OnModuleDestroy {
    private publishing: Promise<void> | undefined;
    private readonly reenqueueBackoff: ReenqueueBackoff<Id>;
    private readonly sweeps: PeriodicRunner;

    constructor(
        private readonly stores: RunStores,
        private readonly queue: RunQueue,
        private readonly parked: StickyRuns,
        private readonly effects: EffectPublisher,
        private readonly undelivered: OrphanedRunPoller,
        periodicJobs: PeriodicJobs,
        @Inject(FLOW_SETUP) { options: { runtime } }: FlowSetup,
    ) {
        this.reenqueueBackoff = new ReenqueueBackoff(runtime.sweepMs);
        // In every process: each knows of runs that no other one does, those parked in it.
        this.sweeps = periodicJobs.add({
            name: 'Sweep',
            everyMs: runtime.sweepMs,
            jitter: 0.2,
            work: beat => this.sweep(beat),
        });
    }

    async onModuleDestroy(): Promise<void> {
        await this.sweeps.stop();
        await this.publishing;
    }

    private async sweep({ signal }: PollCycle): Promise<void> {
        const due = [...(await this.stores.leases.due(BATCH)), ...(this.parked.runIds as readonly Id[])];
        this.undelivered.found(due);
        for (const runId of this.reenqueueBackoff.toGive(due, Date.now()))
            await this.queue.add(runId, this.parked.hintOf(runId));
        // Runs in parallel with the sweeps: hooks take time, and the runs of dead workers must not wait for them.
        this.publishing ??= this.publish(signal).finally(() => {
            this.publishing = undefined;
        });
    }

    /** Each run that waits once, however many there are and whatever becomes of those before it. */
    private async publish(stop: AbortSignal): Promise<void> {
        try {
            for (let last: Id | undefined; ;) {
                const page = await this.stores.effects.waiting(BATCH, last);
                for (const runId of page) {
                    if (stop.aborted) return;
                    await this.effects.publish(runId);
                }
                last = page.at(-1);
                if (last === undefined) return;
            }
        } catch (error) {
            logFailure(error);
        }
    }
}

/** The next sweep tries again; other components already report an unavailable database. */
function logFailure(error: unknown): void {
    if (isFlowError(error) && error.treat === 'transient') Logger.debug(`Sweep: ${error.message}`, LOG_CONTEXT);
    else Logger.error(`Sweep: ${String(error)}`, LOG_CONTEXT, error instanceof Error ? error.stack : undefined);
}
