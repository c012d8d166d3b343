import { Logger } from '@vendure/core';
import { LOG_CONTEXT } from './tokens';

/** How long a queue may take to accept a job; a BullMQ without its Redis would keep the caller waiting for ever. */
const ACCEPT_MS = 5_000;
/** Each keeps a connection of the shop's pool where the queue is in the database and its table is locked: none is added behind so many. */
const UNANSWERED_AT_MOST = 2;

/** The part of a job queue that is used here. */
interface TakesJobs<J> {
    add(job: J, options: { readonly retries: number }): Promise<unknown>;
}

/** Gives jobs to a queue that are nothing but hints, since rows say what is to be done: one that is not accepted in time is left to a sweep. */
export class JobNotifier<J> {
    /** Jobs that the queue has neither accepted nor refused, long after they were given to it. */
    private unanswered = 0;

    constructor(private readonly queue: () => TakesJobs<J> | undefined) {}

    /** Answers whether the queue accepted it; `what` names it in the log where it did not. */
    async give(job: J, what: string): Promise<boolean> {
        let timer: NodeJS.Timeout | undefined;
        try {
            const queue = this.queue();
            if (!queue) return false;
            if (this.unanswered >= UNANSWERED_AT_MOST)
                throw new Error(`${this.unanswered} jobs given to it before are still without an answer`);
            const added = queue.add(job, { retries: 0 });
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
            Logger.warn(`The job queue did not accept ${what}, it will be added again: ${String(error)}`, LOG_CONTEXT);
            return false;
        } finally {
            clearTimeout(timer);
        }
    }
}
