import type { StepLog } from '../adapter/context';
import { logEvent } from '../adapter/log-event';
import type { Clock } from '../concurrency/clock';
import { asFlowError, type FlowError } from '../errors/flow-error';
import type { RetryWait } from '../progress/step-statuses';
import type { ErrorHandling } from '../schema/settings';

const MAX_WAIT_MS = 300_000;

export type RetryPolicy = Pick<ErrorHandling, 'maxRetries' | 'retryDelayMs' | 'backoffMultiplier'>;

interface RetryEnv {
    readonly clock: Clock;
    /** Ends a wait: the run stops, or its slice is over. */
    readonly signal: AbortSignal;
    readonly log: StepLog;
    /** Called before the wait for each retry; if it throws, the retries end. `batchNo` is the batch of the wait. */
    retrying?(error: FlowError, retry: Retry, batchNo?: number): Promise<void>;
    /** Uses the wait for something more useful than sleep; it may take longer. */
    idle?(waitMs: number, signal: AbortSignal): Promise<void>;
    /** Called with a wait when it begins, and with undefined when it is over. */
    waiting?(wait: RetryWait | undefined): void;
}

/** The number of this retry, the number of all retries, and the length of the wait. */
export interface Retry {
    readonly number: number;
    readonly of: number;
    readonly waitMs: number;
}

/**
 * The remaining attempts of one piece of work. Only `transient` errors are retried. DATABASE_LOST is not, because a
 * retry could not write anything without the shop's database.
 */
export class RetryCount {
    private used = 0;

    constructor(
        private readonly policy: RetryPolicy,
        private readonly env: RetryEnv,
    ) {}

    /** Waits until it is time for the next try, or throws the error if no retry remains. `batchNo`: the batch that a source reads next. */
    async wait(thrown: unknown, batchNo?: number): Promise<void> {
        const error = asFlowError(thrown);
        const { maxRetries } = this.policy;
        if (error.treat !== 'transient' || error.code === 'DATABASE_LOST' || this.used >= maxRetries) throw error;
        const waitMs = this.waitFor(error);
        this.used++;
        logEvent(this.env.log, 'RETRYING', { error, retry: this.used, of: maxRetries, waitMs });
        await this.env.retrying?.(error, { number: this.used, of: maxRetries, waitMs }, batchNo);
        this.env.waiting?.({
            code: error.code,
            retry: this.used,
            of: maxRetries,
            until: this.env.clock.now() + waitMs,
        });
        try {
            const { idle, clock, signal } = this.env;
            await (idle ? idle(waitMs, signal) : clock.sleep(waitMs, signal));
        } finally {
            this.env.waiting?.(undefined);
        }
    }

    /** The work has made progress: the next failure starts with all retries. */
    reset(): void {
        this.used = 0;
    }

    /**
     * Full jitter, so that runs that failed together do not retry at the same moment. The wait is never shorter than the other system requested.
     */
    private waitFor(error: FlowError): number {
        const { retryDelayMs, backoffMultiplier } = this.policy;
        const longest = Math.min(MAX_WAIT_MS, retryDelayMs * backoffMultiplier ** this.used);
        return Math.min(MAX_WAIT_MS, Math.max(Math.round(Math.random() * longest), error.waitMs ?? 0));
    }
}

/** Runs the body, and repeats it after transient errors. */
export async function retrying<T>(body: () => Promise<T>, retryCount: RetryCount): Promise<T> {
    for (;;) {
        try {
            return await body();
        } catch (error) {
            await retryCount.wait(error);
        }
    }
}
