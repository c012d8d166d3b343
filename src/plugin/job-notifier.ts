import { Logger } from '@vendure/core';
import { LOG_CONTEXT } from './tokens';

/** How long a queue may take to accept a job. BullMQ without its Redis would let the caller wait forever. */
const ACCEPT_MS = 5_000;
/**
 * The maximum number of unanswered jobs; with more, none is added. If the queue is in the database and its table is locked, each keeps a
 * connection of the shop's pool.
 */
const UNANSWERED_AT_MOST = 2;

/** The part of a job queue that is used here. */
interface TakesJobs<J> {
    add(job: J, options: { readonly retries: number }): Promise<unknown>;
}

/** Adds jobs to a queue that are only hints, because rows contain the work. If a job is not accepted in time, a sweep does its work. */
export class JobNotifier<J> {
    /** Jobs that were added long ago and that the queue has neither accepted nor rejected. */
    private unanswered = 0;

    constructor(private readonly queue: () => TakesJobs<J> | undefined) {}

    /** Returns whether the queue accepted the job. If it did not, `what` names the job in the log. */
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
                    // The result now comes too late to matter. An error that comes in time is logged below.
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
