import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Logger, ProcessContext } from '@vendure/core';
import type { Id } from '../../database/write';
import { StickyRuns } from './sticky-runs';
import { RELEASED } from './run-release';
import { WAITING_FOR_SLICE, RunProcessor } from './run.processor';
import { RunStores } from './run-stores';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP, LOG_CONTEXT } from '../tokens';

/** So long, as a part of the lease, the queue may take to deliver a run that a sweep has found. */
const PATIENCE = 1 / 3;
/** The page size of queries. */
const BATCH = 100;

/**
 * Processes the runs that the job queue does not deliver, in workers only and one at a time (ADR 2). A queue may stop as a whole: Vendure's SQL
 * queue searches its next job under a lock, which a stalled worker holds as long as its session lasts.
 */
@Injectable()
export class OrphanedRunPoller implements OnModuleDestroy {
    /** When a sweep has first found it. */
    private since: ReadonlyMap<string, number> = new Map();
    private timer: NodeJS.Timeout | undefined;
    private working: Promise<void> | undefined;
    private stopped = false;
    private readonly patienceMs: number;

    constructor(
        private readonly process: ProcessContext,
        private readonly processor: RunProcessor,
        private readonly parked: StickyRuns,
        private readonly stores: RunStores,
        @Inject(FLOW_SETUP) { options }: FlowSetup,
    ) {
        this.patienceMs = options.runtime.leaseMs * PATIENCE;
    }

    /** Called by each sweep with the runs that wait for a worker, including those parked here. Does not wait for their processing. */
    found(waiting: readonly Id[]): void {
        if (!this.process.isWorker) return;
        const now = Date.now();
        this.since = new Map(waiting.map(runId => [String(runId), this.since.get(String(runId)) ?? now]));
        if (waiting.length > 0) this.plan(Math.min(...this.since.values()) + this.patienceMs - now);
    }

    async onModuleDestroy(): Promise<void> {
        this.stopped = true;
        clearTimeout(this.timer);
        await this.working;
    }

    private plan(waitMs: number): void {
        if (this.stopped || this.timer || this.working) return;
        this.timer = setTimeout(
            () => {
                this.timer = undefined;
                this.working = this.work()
                    // The next sweep finds what still waits.
                    .catch(error => Logger.debug(`Undelivered runs: ${String(error)}`, LOG_CONTEXT))
                    .finally(() => {
                        this.working = undefined;
                    });
            },
            Math.max(0, waitMs),
        ).unref();
    }

    /** One slice of one run after another, until none waits or the queue delivers again. */
    private async work(): Promise<void> {
        const slices = new Map<string, number>();
        while (!this.stopped && !this.processor.isBusy) {
            const runId = await this.next(slices);
            if (runId === undefined) return;
            const before = this.processor.deliveries;
            const answer = await this.processor.processOrphaned(runId);
            if (answer === undefined || this.processor.deliveries > before) return;
            const isOver = answer !== RELEASED && answer !== WAITING_FOR_SLICE;
            slices.set(String(runId), isOver ? Infinity : (slices.get(String(runId)) ?? 0) + 1);
        }
    }

    /** The run with the fewest slices, of those that still wait and were found long enough ago. */
    private async next(slices: ReadonlyMap<string, number>): Promise<Id | undefined> {
        const waiting = [...(await this.stores.leases.due(BATCH)), ...(this.parked.runIds as readonly Id[])];
        const longAgo = Date.now() - this.patienceMs;
        const had = (runId: Id): number => slices.get(String(runId)) ?? 0;
        const [first] = waiting
            .filter(runId => (this.since.get(String(runId)) ?? Infinity) <= longAgo && had(runId) < Infinity)
            .sort((a, b) => had(a) - had(b));
        if (first !== undefined && had(first) === 0)
            Logger.warn(
                `The job queue has not delivered run ${first} within ${Math.round(this.patienceMs / 1000)} s; it is worked without the queue.`,
                LOG_CONTEXT,
            );
        return first;
    }
}
