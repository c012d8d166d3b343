import { Logger } from '@vendure/core';
import { AsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOG_CONTEXT } from '../tokens';

/** During a shorter wait no other run is started. */
const WORTH_MS = 2_000;
/** So often it is looked for one that waits. */
const LOOK_MS = 1_000;
/** A run in a lent slot may itself reach a wait; meanwhile, all of these runs keep their data in memory. */
const LENT_AT_MOST = 4;

/**
 * The queue slots of runs that wait for a retry: meanwhile, runs of other pipelines use them, one after another. Without that, a target that is
 * down for an hour would block a queue of one slot for an hour (ADR 2).
 */
export class SlotLending {
    private lent = 0;
    /** Separates the work in a lent slot from the context of the waiting run. */
    private readonly own = new AsyncResource('FlowLentSlot');

    /** `next` claims the run that is due, and returns the work on it. */
    constructor(private readonly next: () => Promise<(() => Promise<unknown>) | undefined>) {}

    /**
     * Waits, and then until the run in the lent slot returns it. Throws at once when `signal` is aborted; `holding` is called with the work that
     * uses the slot.
     */
    async during(
        waitMs: number,
        signal: AbortSignal,
        holding: (work: Promise<unknown> | undefined) => void,
    ): Promise<void> {
        if (waitMs < WORTH_MS || this.lent >= LENT_AT_MOST) return sleep(waitMs, undefined, { signal });
        const until = performance.now() + waitMs;
        this.lent++;
        try {
            for (let left = waitMs; left > 0; left = until - performance.now()) {
                await sleep(Math.min(LOOK_MS, left), undefined, { signal });
                const ahead = await this.begun();
                if (!ahead) continue;
                holding(ahead.work);
                await unlessAborted(ahead.work, signal);
                holding(undefined);
            }
        } finally {
            this.lent--;
        }
    }

    private async begun(): Promise<{ readonly work: Promise<unknown> } | undefined> {
        try {
            const begin = await this.own.runInAsyncScope(this.next);
            if (!begin) return undefined;
            // Its own error handling reports the result.
            return { work: this.own.runInAsyncScope(begin).catch(() => undefined) };
        } catch (error) {
            // It is looked for again, and its job waits for a slot in any case.
            Logger.debug(`No run goes ahead of the one that waits: ${String(error)}`, LOG_CONTEXT);
            return undefined;
        }
    }
}

/** Resolves when the work has ended. */
async function unlessAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    let leave: (() => void) | undefined;
    const aborted = new Promise<never>((_, reject) => {
        const onAbort = (): void => reject(signal.reason as Error);
        signal.addEventListener('abort', onAbort, { once: true });
        leave = () => signal.removeEventListener('abort', onAbort);
    });
    try {
        await Promise.race([work, aborted]);
    } finally {
        leave?.();
    }
}
