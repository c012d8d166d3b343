import { createReadStream, statSync } from 'node:fs';
import { csv } from '../src/adapters/extractors/csv';
import { jsonExtractor } from '../src/adapters/extractors/json';
import { xlsx } from '../src/adapters/extractors/xlsx';
import { xml } from '../src/adapters/extractors/xml';
import type { ManagedFile } from '../src/core/adapter/files';
import { noResources } from '../src/core/adapter/no-resources';
import { Registry } from '../src/core/adapter/registry';
import { systemClock } from '../src/core/concurrency/clock';
import type { JsonObject } from '../src/core/value/json';
import { when } from '../src/core/operators/logic/when';
import { parseDefinition } from '../src/core/pipeline/parse';
import { compilePipeline } from '../src/core/run/compile';
import { executeRun } from '../src/core/run/execute';
import { triggers } from '../src/core/triggers';
import { nowhere } from './nowhere';

/** Reads as the storage on the local disk does. */
const READ_BYTES = 256 * 1024;

/** A file and its content. */
export interface FileInput {
    readonly path: string;
    readonly records: number;
    /** What an upload would detect. */
    readonly format: string;
    /** The configuration of the EXTRACT step that reads it. */
    readonly config: JsonObject & { readonly adapterCode: string };
}

const registry = Registry.of(triggers, [when], [csv, jsonExtractor, xml, xlsx]);

/** Runs a pipeline that reads a managed file in both passes and drops every record. */
export async function runOverFile({ path, records, format, config }: FileInput): Promise<void> {
    const definition = parseDefinition(
        {
            version: 1,
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'read', kind: 'EXTRACT', config: { ...config, fileId: 'file' } },
                {
                    key: 'drop',
                    kind: 'TRANSFORM',
                    config: {
                        operators: [{ op: 'when', args: { conditions: [{ field: 'noSuchField', cmp: 'exists' }] } }],
                    },
                },
            ],
            edges: [
                { from: 'start', to: 'read' },
                { from: 'read', to: 'drop' },
            ],
        },
        registry,
    );
    const resources = { ...noResources, files: { find: async () => managed(path, format) } };
    const input = { runId: '1', mode: 'live', triggerKey: 'start', startedAt: Date.now() } as const;
    const compiled = compilePipeline(definition, input, {
        registry,
        clock: systemClock,
        platform: undefined,
        resources,
    });
    const result = await executeRun(compiled, nowhere, { signal: new AbortController().signal });
    if (result.end !== 'completed' || result.counters['drop']?.filtered !== records)
        throw new Error(`The run ended unexpectedly: ${JSON.stringify(result)}`);
}

function managed(path: string, format: string): ManagedFile {
    return {
        id: 'file',
        filename: `file.${format}`,
        format,
        sha256: '0'.repeat(64),
        size: statSync(path).size,
        content: {
            open: signal => createReadStream(path, { highWaterMark: READ_BYTES, signal }),
            local: async () => ({ path, release: async () => undefined }),
        },
    };
}
