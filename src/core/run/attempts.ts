import type { FlowError } from '../errors/flow-error';
import type { HookCalls, HookPlace } from '../hooks/hooks';
import type { CompiledPipeline } from './compile';
import { Retries, type Retry, type RetryPolicy, retrying } from './retry';
import type { Progress } from './progress';
import type { Stopping } from './stopping';
import type { Surroundings } from './surroundings';
import { hookError } from './hook-errors';

/** The retried work that a step does itself: it opens, finds its start, reads, processes a batch, finishes, and acts after success. */
const OF_STEPS: ReadonlySet<string> = new Set(['open', 'start', 'read', 'step', 'finish', 'afterSuccess']);

/** Retries work that may fail with a transient error, and calls the ON_RETRY hooks for each retry. */
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

    /** Throws once the run is stopped: any later work belongs to another worker or is not done. */
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

    /**
     * A step's own `retry` applies to the work of the step itself. What the engine stores for it uses the retry policy of all writes of the engine.
     */
    private policyAt({ stepKey, work = '' }: HookPlace): RetryPolicy {
        const { errorHandling, steps } = this.compiled.definition;
        if (!OF_STEPS.has(work)) return errorHandling;
        return { ...errorHandling, ...steps.find(({ key }) => key === stepKey)?.retry };
    }
}
