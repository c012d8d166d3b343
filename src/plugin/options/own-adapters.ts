import type { RequestContext } from '@vendure/core';
import { adaptedSink } from '../../core/adapter/adapted-sink';
import type { CustomSink } from '../../core/adapter/custom-sink';
import type { AdapterDefinition } from '../../core/adapter/definition';
import { optionInvalid } from './joined';
import { isOwnAdapter } from './schema';

/** The elements of the option `adapters`: results of the `define…` functions, and sinks that implement the interface `CustomSink`. */
export type OwnAdapter = AdapterDefinition | CustomSink<RequestContext>;

/** An object of the shop's code as an adapter. Throws a TypeError, whose message ends a sentence, if it is not an adapter or is invalid. */
export function readAdapter(given: OwnAdapter): AdapterDefinition {
    if (!isOwnAdapter(given))
        throw new TypeError(
            'it is not an adapter; allowed: what the define… functions return, and sinks of the type SINK with fields and index',
        );
    return 'kind' in given ? given : adaptedSink(given);
}

/** All of them as adapters. Those that are adapters already stay as they are. Throws OPTION_INVALID for an invalid sink. */
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
