import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type JobQueue, JobQueueService } from '@vendure/core';
import { JobNotifier } from '../job-notifier';
import { EVENT_QUEUE } from '../tokens';

/** The shortest time between two hints, because a busy shop publishes events all the time. */
const REST_MS = 100;

/** The job queue of the event outbox. A job is only a hint that there are rows; it may arrive twice or never. */
@Injectable()
export class EventQueue implements OnModuleInit {
    private queue: JobQueue<Record<string, never>> | undefined;
    private work: (() => Promise<string>) | undefined;
    private readonly hints = new JobNotifier<Record<string, never>>(() => this.queue);
    private isResting = false;
    private isWanted = false;

    constructor(private readonly jobs: JobQueueService) {}

    async onModuleInit(): Promise<void> {
        this.queue = await this.jobs.createQueue<Record<string, never>>({
            name: EVENT_QUEUE,
            process: async () => this.work?.(),
        });
    }

    /** Sets the function that processes the jobs. */
    workedBy(work: () => Promise<string>): void {
        this.work = work;
    }

    /** Starts no further jobs; resolves when those in progress have ended. */
    async stop(): Promise<void> {
        await this.queue?.stop();
    }

    /** Hints that there are rows. Not awaited: if the queue rejects the hint, the sweep gives another one. */
    hint(): void {
        if (this.isResting) {
            this.isWanted = true;
            return;
        }
        this.isResting = true;
        void this.hints.give({}, 'a hint that there are events').then(() => {
            setTimeout(() => {
                this.isResting = false;
                if (!this.isWanted) return;
                this.isWanted = false;
                this.hint();
            }, REST_MS).unref();
        });
    }
}
