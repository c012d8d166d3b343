import type { RequestContext } from '@vendure/core';
import { adaptedSink } from '../../core/adapter/adapted-sink';
import type { CustomSink } from '../../core/adapter/custom-sink';
import type { AdapterDefinition } from '../../core/adapter/definition';
import { optionInvalid } from './joined';
import { isOwnAdapter } from './schema';

/** What the option `adapters` takes: what the `define…` functions answer, and sinks by the interface `CustomSink`. */
export type OwnAdapter = AdapterDefinition | CustomSink<RequestContext>;

/** What somebody else has written, as an adapter. Throws a TypeError, as the end of a sentence, for what is none or has a fault. */
export function readAdapter(given: OwnAdapter): AdapterDefinition {
    if (!isOwnAdapter(given))
        throw new TypeError(
            'it is none; allowed: what the define… functions answer, and sinks of the type SINK with fields and index',
        );
    return 'kind' in given ? given : adaptedSink(given);
}

/** All of them as adapters; those that are some stay as they are. Throws OPTION_INVALID for a sink with a fault. */
export function adaptersOf(given: readonly OwnAdapter[]): readonly AdapterDefinition[] {
    return given.map((one, index) => {
        try {
            return readAdapter(one);
        } catch (error) {
            if (!(error instanceof TypeError)) throw error;
            const path = `adapters.${index}`;
            throw optionInvalid([{ path, message: `${path}.${error.message}` }]);
        }
    });
}
