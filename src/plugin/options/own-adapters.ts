import type { RequestContext } from '@vendure/core';
import { adaptedSink } from '../../core/adapter/adapted-sink';
import type { CustomSink } from '../../core/adapter/custom-sink';
import type { AdapterDefinition } from '../../core/adapter/definition';
import { optionInvalid } from './joined';

/** What the option `adapters` takes: what the `define…` functions answer, and sinks by the interface of spec 3. */
export type OwnAdapter = AdapterDefinition | CustomSink<RequestContext>;

/** All of them as adapters; those that are some stay as they are. Throws OPTION_INVALID for a sink with a fault. */
export function adaptersOf(given: readonly OwnAdapter[]): readonly AdapterDefinition[] {
    return given.map((one, index) => {
        if ('kind' in one) return one;
        try {
            return adaptedSink(one);
        } catch (error) {
            if (!(error instanceof TypeError)) throw error;
            const path = `adapters.${index}`;
            throw optionInvalid([{ path, message: `${path}.${error.message}` }]);
        }
    });
}
