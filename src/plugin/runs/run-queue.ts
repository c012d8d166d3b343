import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type ID, type JobQueue, JobQueueService } from '@vendure/core';
import { JobHints } from '../job-hints';
import type { Id } from '../../database/write';
import { RUN_QUEUE } from '../tokens';
import { RunStores } from './run-stores';

/** What a job says. Written into the queue, where jobs of an earlier version may wait. */
export interface RunJob {
    readonly runId: ID;
    /** Of a dry run that waits in the memory of one process (`ParkedRuns`); the others hand the job on. */
    readonly parked?: ParkedHint;
}

/** For which slice a parked run waits, and how often its job has come to a process that does not have it. */
export interface ParkedHint {
    readonly slice: number;
    readonly handedOn: number;
}

/**
 * The job queue of the runs. A job is nothing but a hint that a run waits: it may come twice or never, since the run's row
 * decides what is done (ADR 5).
 */
@Injectable()
export class RunQueue implements OnModuleInit {
    private queue: JobQueue<RunJob> | undefined;
    private work: ((job: RunJob) => Promise<unknown>) | undefined;
    private readonly hints = new JobHints<RunJob>(() => this.queue);
    /** By pipeline, while a job of one of its runs is being added: the run whose turn is next, null where none has come meanwhile. */
    private readonly soon = new Map<string, ID | null>();

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

    /** No further job is begun here; resolves when those at work have ended. */
    async stop(): Promise<void> {
        await this.queue?.stop();
    }

    /** Answers whether the queue accepted the run. Where it did not, the sweeper adds it again: the run's row is the outbox. */
    add(runId: ID, parked?: ParkedHint): Promise<boolean> {
        return this.hints.give({ runId, ...(parked && { parked }) }, `run ${runId}`);
    }

    /**
     * As `add`, without waiting for it, for runs that come by the hundred. One gets a job only where it is the next of its pipeline and none is at work: a run
     * that ends starts the next one, and jobs of runs that have ended would keep the queue from others, for 200 ms each where it polls (ADR 73).
     * While one of a pipeline is looked at, only the first of those that come meanwhile is looked at as well: the others are behind it.
     */
    addSoon(pipelineId: ID, runId: ID): void {
        const key = String(pipelineId);
        const next = this.soon.get(key);
        if (next === undefined) void this.addOneByOne(pipelineId, runId);
        else if (next === null) this.soon.set(key, runId);
    }

    private async addOneByOne(pipelineId: ID, first: ID): Promise<void> {
        const key = String(pipelineId);
        for (let runId: ID | null = first; runId !== null; runId = this.soon.get(key) ?? null) {
            this.soon.set(key, null);
            if (await this.isNext(pipelineId, runId)) await this.add(runId);
        }
        this.soon.delete(key);
    }

    private async isNext(pipelineId: ID, runId: ID): Promise<boolean> {
        try {
            return String(await this.stores.leases.next(pipelineId as Id)) === String(runId);
        } catch {
            // A job too many does no harm.
            return true;
        }
    }
}
