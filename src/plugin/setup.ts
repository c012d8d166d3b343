import { connections as connectionTypes, extractors, outsideOperators as ioOperators, sinks } from '../adapters';
import { javascript } from '../adapters/engines/javascript';
import { refusedScript } from '../adapters/operators/script';
import { Registry } from '../core/adapter/registry';
import { hookScripts } from '../core/adapter/script';
import { operators } from '../core/operators';
import { rules } from '../core/rules';
import { triggers } from '../core/triggers';
import { loaders, shopRules as platformRules } from '../platform';
import { readCodeFirst, type WrittenPipeline } from './options/written-pipelines';
import { type FlowOptions, type FlowPluginOptions, parseOptions } from './options/options';
import { checkConnections } from './options/connection-sources';

/** What the options come to: checked once at start, never changed afterwards. */
export interface FlowSetup {
    readonly options: FlowOptions;
    readonly registry: Registry;
    /** May have faults: `checkCodeFirst` tells them, and answers those that have none. */
    readonly pipelines: readonly WrittenPipeline[];
}

/** Throws OPTION_INVALID, CONFIG_FILE_INVALID or ADAPTER_DUPLICATE. Touches nothing outside. */
export function setUp(given: FlowPluginOptions): FlowSetup {
    const options = parseOptions(given);
    // Without triggers nothing could ever be started, and without their types connections could not be read: these stay even where the
    // built-in adapters are left out.
    const { inlineScripts } = options.security;
    const ofIo = ioOperators.map(operator =>
        operator.code === refusedScript.code && !inlineScripts ? refusedScript : operator,
    );
    const builtin = options.registerBuiltinAdapters
        ? [...extractors, ...operators, ...ofIo, ...loaders, ...sinks, ...rules, ...platformRules]
        : [];
    const registry = Registry.from([
        {
            from: 'Flow itself',
            adapters: [...triggers, ...connectionTypes, ...(inlineScripts ? [javascript] : []), ...builtin],
        },
        { from: 'the option adapters', adapters: options.adapters },
        { from: 'the option scripts', adapters: hookScripts(options.scripts) },
        ...options.connectors.map(({ code, adapters }) => ({ from: `the connector "${code}"`, adapters })),
    ]);
    const connections = checkConnections(options.connections, registry);
    return { options: { ...options, connections }, registry, pipelines: readCodeFirst(options.pipelines, registry) };
}
