import { onAbort } from './abort';
import type { MemoryQuota } from './memory-quota';

/** How many may work, and how many wait for that and for how long. */
interface ConcurrencyLimits {
    readonly working: number;
    readonly waiting: number;
    readonly waitMs: number;
    /** The total weight of all waiting callers. */
    readonly held: MemoryQuota;
}

/** The limits of a caller, and the error for rejected callers. */
interface LimitedCaller {
    /** The memory that is held during the wait, in characters; called only in that case. */
    weight?(): number;
    /** Ends the wait with its reason. */
    readonly signal?: AbortSignal | undefined;
    /** What is thrown where too many wait, or for too long. */
    busy(): Error;
}

/** Limits how many callers work at the same time. Others wait in order, for a limited time, and in a limited number. */
export class ConcurrencyLimiter {
    private readonly queue: Array<() => void> = [];
    private underWay = 0;

    constructor(private readonly limits: ConcurrencyLimits) {}

    get working(): number {
        return this.underWay;
    }

    /** Throws the errors of the work, the error of `busy`, and the signal's reason. */
    async through<T>(limitedCaller: LimitedCaller, work: () => Promise<T>): Promise<T> {
        if (this.underWay < this.limits.working) this.underWay++;
        else await this.turn(limitedCaller);
        try {
            return await work();
        } finally {
            // The waiting caller takes over the place, so that no other caller can take it in between.
            const next = this.queue.shift();
            if (next) next();
            else this.underWay--;
        }
    }

    private async turn({ weight, signal, busy }: LimitedCaller): Promise<void> {
        signal?.throwIfAborted();
        if (this.queue.length >= this.limits.waiting) throw busy();
        const share = this.limits.held.open(busy);
        try {
            share.take(weight?.() ?? 0);
            await this.waited({ signal, busy });
        } finally {
            share.release();
        }
    }

    private waited({ signal, busy }: Pick<LimitedCaller, 'signal' | 'busy'>): Promise<void> {
        return new Promise((resolve, reject) => {
            const over = (): void => {
                clearTimeout(late);
                unheard?.();
            };
            const go = (): void => {
                over();
                resolve();
            };
            const leave = (reason: Error): void => {
                over();
                this.queue.splice(this.queue.indexOf(go), 1);
                reject(reason);
            };
            const stop = (): void => leave(signal!.reason as Error);
            const late = setTimeout(() => leave(busy()), this.limits.waitMs);
            const unheard = signal && onAbort(signal, stop);
            this.queue.push(go);
        });
    }
}
