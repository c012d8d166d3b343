import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type ID, type JobQueue, JobQueueService, Logger } from '@vendure/core';
import { LOG_CONTEXT, RUN_QUEUE } from '../tokens';

/** How long a queue may take to accept a job; a BullMQ without its Redis would keep the caller waiting for ever. */
const ACCEPT_MS = 5_000;
/** Each keeps a connection of the shop's pool where the queue is in the database and its table is locked: none is added behind so many. */
const UNANSWERED_AT_MOST = 2;

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
    /** Jobs that the queue has neither accepted nor refused, long after they were given to it. */
    private unanswered = 0;

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
    async add(runId: ID, parked?: ParkedHint): Promise<boolean> {
        let timer: NodeJS.Timeout | undefined;
        try {
            if (!this.queue) return false;
            if (this.unanswered >= UNANSWERED_AT_MOST)
                throw new Error(`${this.unanswered} jobs given to it before are still without an answer`);
            const added = this.queue.add({ runId, ...(parked && { parked }) }, { retries: 0 });
            const late = new Promise<never>((_, reject) => {
                timer = setTimeout(() => {
                    this.unanswered++;
                    // Whether it is accepted or not comes too late to matter; a failure in time is told below.
                    const answered = (): void => void this.unanswered--;
                    added.then(answered, answered);
                    reject(new Error(`no answer within ${ACCEPT_MS} ms`));
                }, ACCEPT_MS);
            });
            await Promise.race([added, late]);
            return true;
        } catch (error) {
            Logger.warn(
                `The job queue did not accept run ${runId}, it will be added again: ${String(error)}`,
                LOG_CONTEXT,
            );
            return false;
        } finally {
            clearTimeout(timer);
        }
    }
}
