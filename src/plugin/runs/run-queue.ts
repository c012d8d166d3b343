import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type ID, type JobQueue, JobQueueService } from '@vendure/core';
import { JobHints } from '../job-hints';
import { RUN_QUEUE } from '../tokens';

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

    constructor(private readonly jobs: JobQueueService) {}

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
     * As `add`, without waiting for it, for runs that come by the hundred: while a job of a pipeline is being added, only the first of those
     * that come meanwhile gets one as well. The others are behind it, and a run that ends starts the next one of its pipeline.
     */
    addSoon(pipelineId: ID, runId: ID): void {
        const key = String(pipelineId);
        const next = this.soon.get(key);
        if (next === undefined) void this.addOneByOne(key, runId);
        else if (next === null) this.soon.set(key, runId);
    }

    private async addOneByOne(key: string, first: ID): Promise<void> {
        for (let runId: ID | null = first; runId !== null; runId = this.soon.get(key) ?? null) {
            this.soon.set(key, null);
            await this.add(runId);
        }
        this.soon.delete(key);
    }
}
