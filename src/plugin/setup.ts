import { extractors } from '../adapters';
import { Registry } from '../core/adapter/registry';
import { operators } from '../core/operators';
import { triggers } from '../core/triggers';
import { loaders } from '../platform';
import { checkCodeFirst, type CodeFirstPipeline } from './code-first';
import { type FlowOptions, type FlowPluginOptions, parseOptions } from './options';

/** What the options come to: checked once at start, never changed afterwards. */
export interface FlowSetup {
    readonly options: FlowOptions;
    readonly registry: Registry;
    readonly pipelines: readonly CodeFirstPipeline[];
}

/** Throws OPTION_INVALID, ADAPTER_DUPLICATE or DEFINITION_INVALID. Touches nothing outside. */
export function setUp(given: FlowPluginOptions): FlowSetup {
    const options = parseOptions(given);
    // Without triggers nothing could ever be started, so these stay even where the built-in adapters are left out.
    const builtin = options.registerBuiltinAdapters ? [extractors, operators, loaders] : [];
    const registry = Registry.of(triggers, ...builtin, options.adapters);
    return { options, registry, pipelines: checkCodeFirst(options.pipelines, registry) };
}
