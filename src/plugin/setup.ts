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

/** The result of the options. It is checked once at start. Afterwards only the registry changes, until all plugins have started. */
export interface FlowSetup {
    readonly options: FlowOptions;
    /**
     * Other plugins may add adapters while they start. Read it when you need it, and do not keep anything that was derived from it earlier.
     */
    registry: Registry;
    /** The classes of events that triggers may name, by their names. */
    readonly events: ReadonlyMap<string, EventSource>;
    /** The pipelines may contain errors. `checkCodeFirst` reports these, and returns the valid pipelines. */
    readonly pipelines: readonly WrittenPipeline[];
}

/** Throws OPTION_INVALID, CONFIG_FILE_INVALID or ADAPTER_DUPLICATE. Has no side effects. */
export function setUp(given: FlowPluginOptions): FlowSetup {
    const options = parseOptions(given);
    // The trigger and connection types are registered even if the built-in adapters are omitted: without them no run could be started and
    // no connection could be read.
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

/**
 * The event classes of the platform and those of the shop. Throws OPTION_INVALID for a class whose name is taken, because triggers use the
 * name.
 */
function eventSources(given: readonly EventSource[]): ReadonlyMap<string, EventSource> {
    const sources = new Map<string, EventSource>(Object.entries(eventCatalogue));
    for (const [index, source] of given.entries()) {
        const { name } = source.event;
        if (sources.has(name)) {
            const message = `events.${index}.event is the class ${name}, but there already is a class with this name. Rename one of them`;
            throw optionInvalid([{ path: `events.${index}.event`, message }]);
        }
        sources.set(name, source);
    }
    return sources;
}
