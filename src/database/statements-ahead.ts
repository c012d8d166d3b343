import type { Ahead, Answer } from './statement';

/**
 * So many statements of one connection are not answered at a time: one that the server is at, and one that the driver sends as soon as that is
 * done. pg warns of more, and with these two the server has to wait for nobody.
 */
const MOST = 2;

const turn = (): Promise<void> => new Promise(resolve => void setImmediate(resolve));

/** The statements of one connection that are on their way while their script goes on (ADR 68). */
export class StatementsAhead {
    /** In the order in which they were sent; each resolves when it is answered, or has failed. */
    private readonly underWay: Array<Promise<void>> = [];
    private failure: { readonly error: unknown } | undefined;

    /** Sends one when there is room for it. Throws what an earlier one has failed with. */
    async post(send: () => Promise<Answer<unknown>>): Promise<Ahead<unknown>> {
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
        await Promise.race([end, turn()]);
        return { answer };
    }

    /** Waits until another one may be sent. Throws what an earlier one has failed with. */
    async room(): Promise<void> {
        while (this.underWay.length >= MOST) await this.underWay[0];
        this.throwFailure();
    }

    /** Waits for all of them. Throws what the first of them has failed with, once. */
    async settled(): Promise<void> {
        await Promise.all(this.underWay);
        this.throwFailure();
    }

    /** Waits for all of them, whatever becomes of them: what is undone cannot fail any more. */
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
