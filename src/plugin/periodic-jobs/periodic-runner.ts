import { Logger } from '@vendure/core';
import { isFlowError } from '../../core/errors/flow-error';
import { LOG_CONTEXT } from '../tokens';
import type { Leader } from '../leases/leader';

/** One time that a periodic work is done. */
export interface PollCycle {
    /** Aborted when the process shuts down and, for a leader's work, when it cannot be sure any more that no other process does it. */
    readonly signal: AbortSignal;
    /** Of a leader's work: one more with each change of the leader. */
    readonly term: number | undefined;
}

/** Work that is done again and again. */
export interface PeriodicTaskOptions {
    /** For the log. */
    readonly name: string;
    /** Between the end of one time and the beginning of the next, in milliseconds. */
    readonly everyMs: number;
    /** The delay before the first time. Default: `everyMs`. */
    readonly firstMs?: number;
    /** This part of each wait is left to chance, around its length: processes that were started together shall not come together. 0 to 1. */
    readonly jitter: number;
    /** Where it is given, only the process that leads does the work. */
    readonly leader?: Leader;
    /** Whether there is anything to be done here and now. */
    isReady(): Promise<boolean>;
    /** What it throws is logged; it is done again the next time all the same. */
    work(pollCycle: PollCycle): Promise<unknown>;
}

/** Does some work again and again, one time after the other, until it is stopped. */
export class PeriodicRunner {
    private timer: NodeJS.Timeout | undefined;
    private inHand: Promise<void> = Promise.resolve();
    private readonly stopped = new AbortController();

    constructor(private readonly options: PeriodicTaskOptions) {}

    /** To be called when the application is up; once is enough. */
    start(): void {
        const { firstMs, everyMs } = this.options;
        if (!this.timer) this.plan(firstMs ?? everyMs);
    }

    /** Ends with the work in hand, which learns of it from its signal. */
    async stop(): Promise<void> {
        this.stopped.abort(new Error('the process shuts down'));
        clearTimeout(this.timer);
        await this.inHand;
        const { leader } = this.options;
        if (leader) await leader.resign().catch((error: unknown) => this.logFailure(error));
    }

    private plan(waitMs: number): void {
        if (this.stopped.signal.aborted) return;
        const { everyMs, jitter } = this.options;
        this.timer = setTimeout(
            () => {
                this.inHand = this.once().then(() => this.plan(everyMs));
            },
            waitMs * (1 + jitter * (Math.random() - 0.5)),
        ).unref();
    }

    private async once(): Promise<void> {
        const { leader, work } = this.options;
        try {
            if (!(await this.options.isReady())) return;
            const leadership = leader && (await leader.lead());
            if (leader && !leadership) return;
            const { signal } = this.stopped;
            await work({
                signal: leadership ? AbortSignal.any([signal, leadership.signal]) : signal,
                term: leadership?.term,
            });
        } catch (error) {
            this.logFailure(error);
        }
    }

    /** The next time tries again; other components already report an unavailable database or storage. */
    private logFailure(error: unknown): void {
        const text = `${this.options.name}: ${isFlowError(error) ? error.message : String(error)}`;
        if (isFlowError(error) && error.code === 'LEASES_UNREACHABLE') return Logger.warn(text, LOG_CONTEXT);
        const isExpected = this.stopped.signal.aborted || (isFlowError(error) && error.treat === 'transient');
        if (isExpected) Logger.debug(text, LOG_CONTEXT);
        else Logger.error(text, LOG_CONTEXT, error instanceof Error ? error.stack : undefined);
    }
}
