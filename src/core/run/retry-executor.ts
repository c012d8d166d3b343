import type { FlowError } from '../errors/flow-error';
import type { HookCalls, HookLocation } from '../hooks/hooks';
import type { CompiledPipeline } from './compile';
import { RetryCount, type Retry, type RetryPolicy, retrying } from './retry';
import type { Progress } from './progress';
import type { RunAbort } from './run-abort';
import type { ExecutionContext } from './execution-context';
import { hookError } from './hook-errors';

/** The retried work that a step does itself: it opens, finds its start, reads, processes a batch, finishes, and acts after success. */
const OF_STEPS: ReadonlySet<string> = new Set(['open', 'start', 'read', 'step', 'finish', 'afterSuccess']);

/** Retries work that may fail with a transient error, and calls the ON_RETRY hooks for each retry. */
export class RetryExecutor {
    constructor(
        private readonly compiled: Pick<CompiledPipeline, 'definition' | 'kit'>,
        private readonly run: {
            readonly stopping: RunAbort;
            readonly hooks: HookCalls;
            readonly surroundings: ExecutionContext;
            readonly progress: Pick<Progress, 'waits'>;
        },
    ) {}

    /** Throws once the run is stopped: any later work belongs to another worker or is not done. */
    attempt<T>(location: HookLocation, work: () => Promise<T>): Promise<T> {
        const { stopping } = this.run;
        return retrying(
            async () => {
                stopping.assertGoesOn();
                return work();
            },
            this.retries(location, stopping.waits),
        );
    }

    /** `signal` ends a wait. */
    retries(location: HookLocation, signal: AbortSignal): RetryCount {
        const { kit } = this.compiled;
        const { hooks, surroundings: context, progress, stopping } = this.run;
        const { idle } = stopping;
        const { stepKey } = location;
        const retrying = (error: FlowError, retry: Retry, batchNo = location.batchNo): Promise<void> =>
            hooks.observe('ON_RETRY', { ...location, batchNo, retry, error: hookError(error, stepKey) });
        return new RetryCount(this.policyAt(location), {
            clock: kit.clock,
            signal,
            log: context.log(stepKey),
            ...(idle && { idle }),
            waiting: wait => progress.waits(stepKey ?? location.sourceKey ?? '', wait),
            ...(hooks.has('ON_RETRY') && { retrying }),
        });
    }

    /**
     * A step's own `retry` applies to the work of the step itself. What the engine stores for it uses the retry policy of all writes of the engine.
     */
    private policyAt({ stepKey, work = '' }: HookLocation): RetryPolicy {
        const { errorHandling, steps } = this.compiled.definition;
        if (!OF_STEPS.has(work)) return errorHandling;
        return { ...errorHandling, ...steps.find(({ key }) => key === stepKey)?.retry };
    }
}
