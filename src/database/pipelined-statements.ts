import { EventLoopYield } from '../core/concurrency/event-loop-yield';
import type { Ahead, StatementResult } from './statement';

/**
 * The maximum number of unanswered statements of one connection. If the driver sends each after the previous response: one in execution and one
 * waiting; pg warns about more. If it sends them at once: as many as a batch posts in a row (ADR 24).
 */
const MOST = { queued: 2, pipelined: 16 };

/** Waits until the work of others that needs no result has been sent. */
const begun = (): Promise<void> => new Promise(resolve => process.nextTick(resolve));

/** The statements of one connection that are in flight while their script continues (ADR 24). */
export class PipelinedStatements {
    /** In the order in which they were sent; each resolves when it is answered, or has failed. */
    private readonly underWay: Array<Promise<void>> = [];
    private failure: { readonly error: unknown } | undefined;
    private readonly eventLoop = new EventLoopYield();
    private readonly most: number;

    /** `isPipelined`: the driver sends each at once. */
    constructor(isPipelined: boolean) {
        this.most = isPipelined ? MOST.pipelined : MOST.queued;
    }

    /** Sends one when there is room for it. Throws what an earlier one has failed with. */
    async post(send: () => Promise<StatementResult<unknown>>): Promise<Ahead<unknown>> {
        await this.room();
        const answer = send();
        const end = answer
            .then(
                () => undefined,
                (error: unknown) => void (this.failure ??= { error }),
            )
            .then(() => void this.underWay.shift());
        this.underWay.push(end);
        // It reaches the wire before the script is at work again.
        await begun();
        await this.eventLoop.turnIfDue();
        return { answer };
    }

    /** Waits until another statement may be sent. Throws the error of an earlier one. */
    async room(): Promise<void> {
        while (this.underWay.length >= this.most) await this.underWay[0];
        this.throwFailure();
    }

    /** Waits for all of them. Throws the first error, once. */
    async settled(): Promise<void> {
        await Promise.all(this.underWay);
        this.throwFailure();
    }

    /** Waits for all of them and ignores their errors: statements that are rolled back cannot fail any more. */
    async ended(): Promise<void> {
        await Promise.all(this.underWay);
        this.failure = undefined;
    }

    private throwFailure(): void {
        const { failure } = this;
        this.failure = undefined;
        if (failure) throw failure.error;
    }
}
