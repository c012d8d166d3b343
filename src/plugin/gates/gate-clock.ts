import { Inject, Injectable } from '@nestjs/common';
import { PeriodicJobs } from '../periodic-jobs/periodic-jobs';
import type { PollCycle } from '../periodic-jobs/periodic-runner';
import { RunStores } from '../runs/run-stores';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { GateDecisions } from './gate-decisions';

/** The page size of queries. */
const BATCH = 100;

/**
 * Opens gates whose time is over. In every process that works the queue: each takes rows on a lease, so that two of them
 * are never at the same gate, and that of one that dies is the next one's.
 */
@Injectable()
export class GateClock {
    constructor(
        private readonly stores: RunStores,
        private readonly decisions: GateDecisions,
        periodicJobs: PeriodicJobs,
        @Inject(FLOW_SETUP) { options: { runtime } }: FlowSetup,
    ) {
        periodicJobs.add({
            name: 'Gate timeouts',
            everyMs: runtime.sweepMs,
            jitter: 0.2,
            work: beat => this.openTimedOut(beat),
        });
    }

    private async openTimedOut({ signal }: PollCycle): Promise<void> {
        for (;;) {
            const due = await this.stores.gates.takeTimedOut(BATCH);
            for (const gate of due) {
                // What was taken and is not opened is another process's when the lease is over.
                if (signal.aborted) return;
                await this.decisions.approveByTime(gate);
            }
            if (due.length < BATCH) return;
        }
    }
}
