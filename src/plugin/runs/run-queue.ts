import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type ID, type JobQueue, JobQueueService } from '@vendure/core';
import { JobNotifier } from '../job-notifier';
import type { Id } from '../../database/write';
import { RUN_QUEUE } from '../tokens';
import { RunStores } from './run-stores';

/** What a job says. Written into the queue, where jobs of an earlier version may wait. */
export interface RunJob {
    readonly runId: ID;
    /** Of a dry run that waits in the memory of one process (`StickyRuns`); the others hand the job on. */
    readonly parked?: StickyHint;
}

/** For which slice a parked run waits, and how often its job has come to a process that does not have it. */
export interface StickyHint {
    readonly slice: number;
    readonly handedOn: number;
}

/**
 * The job queue of the runs. A job is nothing but a hint that a run waits: it may come twice or never, since the run's row
 * decides what is done (ADR 2).
 */
@Injectable()
export class RunQueue implements OnModuleInit {
    private queue: JobQueue<RunJob> | undefined;
    private work: ((job: RunJob) => Promise<unknown>) | undefined;
    private readonly hints = new JobNotifier<RunJob>(() => this.queue);
    /** By pipeline, while its next run is queried: the runs that were added meanwhile. */
    private readonly soon = new Map<string, ID[]>();

    constructor(
        private readonly jobs: JobQueueService,
        private readonly stores: RunStores,
    ) {}

    async onModuleInit(): Promise<void> {
        this.queue = await this.jobs.createQueue<RunJob>({
            name: RUN_QUEUE,
            process: async job => this.work?.(job.data),
        });
    }

    /** Who does the jobs. */
    workedBy(work: (job: RunJob) => Promise<unknown>): void {
        this.work = work;
    }

    /** True in a process that works the queue; in the others runs are only started. */
    get isWorkedHere(): boolean {
        return this.queue?.started ?? false;
    }

    /** Starts no further job here. Resolves when the running jobs have ended. */
    async stop(): Promise<void> {
        await this.queue?.stop();
    }

    /** Returns whether the queue accepted the run. If it did not, the sweeper adds it again: the run's row is the outbox. */
    add(runId: ID, parked?: StickyHint): Promise<boolean> {
        return this.hints.give({ runId, ...(parked && { parked }) }, `run ${runId}`);
    }

    /**
     * Like `add`, but does not wait; for runs that arrive by the hundred. A run gets a job only if it is the next of its pipeline and none is in
     * progress, because a run that ends starts the next one. Jobs of ended runs would block the queue, for 200 ms each if it polls (ADR 2). Runs
     * that arrive during the query for the next run wait for one more query. Any of them may be the next, because a run that is stored later may
     * have an earlier id.
     */
    addSoon(pipelineId: ID, runId: ID): void {
        const meanwhile = this.soon.get(String(pipelineId));
        if (meanwhile) meanwhile.push(runId);
        else void this.addNextOf(pipelineId, runId);
    }

    private async addNextOf(pipelineId: ID, first: ID): Promise<void> {
        const key = String(pipelineId);
        for (let runIds: readonly ID[] = [first]; runIds.length > 0; runIds = this.soon.get(key) ?? []) {
            this.soon.set(key, []);
            const next = await this.nextOf(pipelineId, runIds);
            if (next !== undefined) await this.add(next);
        }
        this.soon.delete(key);
    }

    /** The one of these that is next. */
    private async nextOf(pipelineId: ID, runIds: readonly ID[]): Promise<ID | undefined> {
        try {
            const next = String(await this.stores.leases.next(pipelineId as Id));
            return runIds.find(runId => String(runId) === next);
        } catch {
            // A job too many does no harm.
            return runIds[0];
        }
    }
}
