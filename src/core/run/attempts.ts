import type { FlowError } from '../errors/flow-error';
import type { HookCalls, HookPlace } from '../hooks/hooks';
import type { CompiledPipeline } from './compile';
import { Retries, type Retry, retrying } from './retry';
import type { Stopping } from './stopping';
import type { Surroundings } from './surroundings';
import { hookError } from './hook-errors';

/** Tries of what may fail for a reason that passes, for each of which ON_RETRY hooks are called. */
export class Attempts {
    constructor(
        private readonly compiled: Pick<CompiledPipeline, 'definition' | 'kit'>,
        private readonly run: {
            readonly stopping: Stopping;
            readonly hooks: HookCalls;
            readonly surroundings: Surroundings;
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
        const { definition, kit } = this.compiled;
        const { hooks, surroundings } = this.run;
        const { stepKey } = place;
        const retrying = (error: FlowError, retry: Retry, batchNo = place.batchNo): Promise<void> =>
            hooks.observe('ON_RETRY', { ...place, batchNo, retry, error: hookError(error, stepKey) });
        return new Retries(definition.errorHandling, {
            clock: kit.clock,
            signal,
            log: surroundings.log(stepKey),
            ...(hooks.has('ON_RETRY') && { retrying }),
        });
    }
}
