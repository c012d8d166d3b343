import {
    connections as connectionTypes,
    extractors,
    outsideOperators as ioOperators,
    remoteLoaders,
    sinks,
} from '../adapters';
import { javascript } from '../adapters/engines/javascript';
import { rejectedScript } from '../adapters/operators/script';
import { pimOperators } from '../connectors/pim/operators';
import { Registry } from '../core/adapter/registry';
import { hookScripts } from '../core/adapter/script';
import { operators } from '../core/operators';
import { rules } from '../core/rules';
import { triggers } from '../core/triggers';
import { event, eventTrigger } from '../core/triggers/event';
import { loaders, shopExtractors, shopRules as platformRules } from '../platform';
import { eventCatalogue } from '../platform/events/catalogue';
import type { EventSource } from '../platform/events/event-source';
import { readCodeFirst, type WrittenPipeline } from './options/written-pipelines';
import { type FlowOptions, type FlowPluginOptions, parseOptions } from './options/options';
import { checkConnections } from './options/connection-sources';
import { optionInvalid } from './options/joined';

/** What the options come to. Checked once at start; only the registry changes afterwards, until all plugins have started. */
export interface FlowSetup {
    readonly options: FlowOptions;
    /** Grows by what other plugins register while they start: read it when it is needed, and keep nothing that is made of it before. */
    registry: Registry;
    /** The classes of events that triggers may name, by their names. */
    readonly events: ReadonlyMap<string, EventSource>;
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
        operator.code === rejectedScript.code && !inlineScripts ? rejectedScript : operator,
    );
    const builtin = options.registerBuiltinAdapters
        ? [
              ...extractors,
              ...shopExtractors,
              ...operators,
              ...ofIo,
              ...pimOperators,
              ...loaders,
              ...remoteLoaders,
              ...sinks,
              ...rules,
              ...platformRules,
          ]
        : [];
    const events = eventSources(options.events);
    const triggerTypes = triggers.map(type => (type === event ? eventTrigger([...events.keys()]) : type));
    const registry = Registry.from([
        {
            from: 'Flow itself',
            adapters: [...triggerTypes, ...connectionTypes, ...(inlineScripts ? [javascript] : []), ...builtin],
        },
        { from: 'the option adapters', adapters: options.adapters },
        { from: 'the option scripts', adapters: hookScripts(options.scripts) },
        ...options.connectors.map(({ code, adapters }) => ({ from: `the connector "${code}"`, adapters })),
    ]);
    const connections = checkConnections(options.connections, registry, false);
    const pipelines = readCodeFirst(options.pipelines, registry);
    return { options: { ...options, connections }, registry, events, pipelines };
}

/** Those of the platform and those of the shop. Throws OPTION_INVALID for a class whose name is taken: triggers name them. */
function eventSources(given: readonly EventSource[]): ReadonlyMap<string, EventSource> {
    const sources = new Map<string, EventSource>(Object.entries(eventCatalogue));
    for (const [index, source] of given.entries()) {
        const { name } = source.event;
        if (sources.has(name)) {
            const message = `events.${index}.event is the class ${name}, and there is one of this name; each needs a name of its own`;
            throw optionInvalid([{ path: `events.${index}.event`, message }]);
        }
        sources.set(name, source);
    }
    return sources;
}
