/* eslint-disable require-yield -- scripts that ask no database */
import type { Loader, Script } from '../core/adapter/loader';
import type { JsonObject } from '../core/value/json';

/** A loader with the code and the configuration of another, which keeps what comes to it by step instead of loading it. */
export function loaderThatKeeps(loader: Loader, kept: Map<string, JsonObject[]>): Loader {
    return {
        ...loader,
        through: 'tables',
        open: async (_config, { stepKey }) => {
            const records = kept.get(stepKey) ?? [];
            kept.set(stepKey, records);
            return {
                locks: () => [],
                *plan(batch): Script<{
                    changes: Array<{ action: 'create'; key: string; after: JsonObject }>;
                    apply(): Script<[]>;
                }> {
                    return {
                        changes: batch.map(({ data, origin }) => ({
                            action: 'create' as const,
                            key: String(origin.seq),
                            after: data,
                        })),
                        *apply(): Script<[]> {
                            for (const { data } of batch) records.push(data);
                            return [];
                        },
                    };
                },
            };
        },
    };
}
