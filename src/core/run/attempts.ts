import type { FlowError } from '../errors/flow-error';
import type { HookCalls, HookPlace } from '../hooks/hooks';
import type { CompiledPipeline } from './compile';
import { Retries, type Retry, type RetryPolicy, retrying } from './retry';
import type { Progress } from './progress';
import type { Stopping } from './stopping';
import type { Surroundings } from './surroundings';
import { hookError } from './hook-errors';

/** What is tried again that steps do themselves: they are opened, find out where they go on, read, work on a batch, finish, and act after success. */
const OF_STEPS: ReadonlySet<string> = new Set(['open', 'start', 'read', 'step', 'finish', 'afterSuccess']);

/** Tries of what may fail for a reason that passes, for each of which ON_RETRY hooks are called. */
export class Attempts {
    constructor(
        private readonly compiled: Pick<CompiledPipeline, 'definition' | 'kit'>,
        private readonly run: {
            readonly stopping: Stopping;
            readonly hooks: HookCalls;
            readonly surroundings: Surroundings;
            readonly progress: Pick<Progress, 'waits'>;
        },
    ) {}

    /** Throws once the run was told to stop: whatever comes after is another worker's, or nobody's. */
    attempt<T>(place: HookPlace, work: () => Promise<T>): Promise<T> {
        const { stopping } = this.run;
        return retrying(
            async () => {
                stopping.assertGoesOn();
                return work();
            },
            this.retries(place, stopping.waits),
        );
    }

    /** `signal` ends a wait. */
    retries(place: HookPlace, signal: AbortSignal): Retries {
        const { kit } = this.compiled;
        const { hooks, surroundings, progress, stopping } = this.run;
        const { idle } = stopping;
        const { stepKey } = place;
        const retrying = (error: FlowError, retry: Retry, batchNo = place.batchNo): Promise<void> =>
            hooks.observe('ON_RETRY', { ...place, batchNo, retry, error: hookError(error, stepKey) });
        return new Retries(this.policyAt(place), {
            clock: kit.clock,
            signal,
            log: surroundings.log(stepKey),
            ...(idle && { idle }),
            waiting: wait => progress.waits(stepKey ?? place.sourceKey ?? '', wait),
            ...(hooks.has('ON_RETRY') && { retrying }),
        });
    }

    /** A step's own `retry` is about what it does itself: what the engine stores for it is tried again as all that it stores. */
    private policyAt({ stepKey, work = '' }: HookPlace): RetryPolicy {
        const { errorHandling, steps } = this.compiled.definition;
        if (!OF_STEPS.has(work)) return errorHandling;
        return { ...errorHandling, ...steps.find(({ key }) => key === stepKey)?.retry };
    }
}
