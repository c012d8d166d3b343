/* eslint-disable require-yield -- scripts that ask no database */
import type { Extractor } from '../core/adapter/extractor';
import type { Loader, StatementProgram } from '../core/adapter/loader';
import type { Sink } from '../core/adapter/sink';
import type { JsonObject } from '../core/value/json';

/** A loader with the code and the configuration of another, which keeps what comes to it by step instead of loading it. */
export function loaderThatKeeps(loader: Loader, kept: Map<string, JsonObject[]>): Loader {
    return {
        ...loader,
        through: 'tables',
        // The records are kept for every configuration.
        instead: () => undefined,
        open: async (_config, { stepKey }) => {
            const records = kept.get(stepKey) ?? [];
            kept.set(stepKey, records);
            return {
                locks: () => [],
                *plan(batch): StatementProgram<{
                    changes: Array<{ action: 'create'; key: string; after: JsonObject }>;
                    apply(): StatementProgram<[]>;
                }> {
                    return {
                        changes: batch.map(({ data, origin }) => ({
                            action: 'create' as const,
                            key: String(origin.seq),
                            after: data,
                        })),
                        *apply(): StatementProgram<[]> {
                            for (const { data } of batch) records.push(data);
                            return [];
                        },
                    };
                },
            };
        },
    };
}

/** As `loaderThatKeeps`, of what would be delivered; nothing is kept of what would be deleted. */
export function sinkThatKeeps(sink: Sink, kept: Map<string, JsonObject[]>): Sink {
    return {
        ...sink,
        open: async (config, { stepKey }) => {
            const records = kept.get(stepKey) ?? [];
            kept.set(stepKey, records);
            return {
                ...(config['defaultOperation'] === 'DELETE' && { defaultOperation: 'DELETE' }),
                // Records stay in their order, and none replaces another.
                takesWhole: true,
                keepsAll: true,
                deliver: async batch => {
                    for (const { data } of batch) records.push(data);
                    return batch.map(() => ({ ok: true as const }));
                },
                identity: () => 'kept',
                remove: async identities => identities.map(() => ({ ok: true as const })),
            };
        },
    };
}

/** An empty shop: `records` of a test replace what a step reads there, and records for a look-up pass through unchanged. */
export function emptyShop(extractor: Extractor): Extractor {
    return {
        ...extractor,
        async *extract() {
            yield { records: [] };
        },
        lookup: async () => async records => records.map(record => [record]),
    };
}
