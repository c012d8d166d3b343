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
 * Opens gates whose timeout has expired. Runs in every process that works the queue. Each process claims rows by a lease, so that no two
 * processes handle the same gate, and the gates of a process that dies are taken over.
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
                // Claimed gates that are not opened here are opened by another process when the lease ends.
                if (signal.aborted) return;
                await this.decisions.approveByTime(gate);
            }
            if (due.length < BATCH) return;
        }
    }
}
