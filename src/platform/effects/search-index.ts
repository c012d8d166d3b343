import { ConfigService, DefaultSearchPlugin, SearchService, type Type } from '@vendure/core';
import type { VendurePlatform } from '../context';
import { DirectIndex, canIndexDirectly } from './direct-index';
import { IndexByEvents } from './index-by-events';
import { type SearchIndex, indexServiceOf } from './index-service';
import { QueuedIndex } from './queued-index';

/** The search of the shop; undefined when it has none. */
export function searchIndexOf(platform: VendurePlatform): SearchIndex | undefined {
    const plugins = platform.injector
        .get(ConfigService)
        .plugins.map(plugin => ('module' in plugin ? plugin.module : plugin) as Type<unknown>);
    for (const plugin of plugins) {
        const service = indexServiceOf(plugin, platform);
        if (!service) continue;
        const isDefault = plugin === DefaultSearchPlugin;
        return isDefault && canIndexDirectly(platform)
            ? new DirectIndex(service, platform)
            : new QueuedIndex(service, { platform, isDefault });
    }
    // A search plugin makes itself known to SearchService, which keeps it to itself.
    const adopted = platform.injector.get(SearchService) as unknown as { readonly override?: unknown };
    return adopted.override === undefined ? undefined : new IndexByEvents(platform);
}
