import { ftpExtractor } from '../src/adapters/extractors/ftp';
import { objectStorageExtractor } from '../src/adapters/extractors/object-storage';
import { noResources } from '../src/core/adapter/no-resources';
import { Registry } from '../src/core/adapter/registry';
import { Secret } from '../src/core/adapter/secret';
import { EVERY_HOST } from '../src/core/adapter/secret-hosts';
import { when } from '../src/core/operators/logic/when';
import { parseDefinition } from '../src/core/pipeline/parse';
import { compilePipeline } from '../src/core/run/compile';
import { executeRun } from '../src/core/run/execute';
import { triggers } from '../src/core/triggers';
import type { JsonObject } from '../src/core/value/json';
import type { RunPorts } from '../src/core/ports/ports';
import { systemClock } from '../src/core/concurrency/clock';
import { OutboundGateway } from '../src/io/outbound/gateway';
import { nowhere } from './nowhere';
import { peakRssMb } from './peak';

/** What is read, and the expected number of records. */
export interface RemoteInput {
    readonly config: JsonObject;
    readonly records: number;
}

const registry = Registry.of(triggers, [when], [ftpExtractor, objectStorageExtractor]);

/** Executes a run that fetches a remote file, reads it in both passes, and drops every record. */
async function runOver({ config, records }: RemoteInput): Promise<void> {
    const never = { op: 'when', args: { conditions: [{ field: 'noSuchField', cmp: 'exists' }] } };
    const definition = parseDefinition(
        {
            version: 1,
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'read', kind: 'EXTRACT', config },
                { key: 'drop', kind: 'TRANSFORM', config: { operators: [never] } },
            ],
            edges: [
                { from: 'start', to: 'read' },
                { from: 'read', to: 'drop' },
            ],
        },
        registry,
    );
    const gateway = new OutboundGateway({ allowedHostnames: ['127.0.0.1'], rules: { unknownHostKeys: true } });
    const outbound = gateway.forRun({ scope: 'bench', rateLimitRps: 0 });
    const resources = { ...noResources, secrets: { get: (code: string) => new Secret(code, code, EVERY_HOST) } };
    const input = { runId: '1', mode: 'live', triggerKey: 'start', startedAt: Date.now() } as const;
    const kit = { registry, clock: systemClock, platform: undefined, resources, outbound };
    const compiled = compilePipeline(definition, input, kit);
    const refused: string[] = [];
    const rejects: RunPorts['rejects'] = {
        addAll: async rejected => void refused.push(...rejected.map(({ message }) => message)),
    };
    const result = await executeRun(compiled, { ...nowhere, rejects }, { signal: new AbortController().signal });
    outbound.close();
    await gateway.close();
    if (result.end !== 'completed' || result.counters['drop']?.filtered !== records)
        throw new Error(`The run ended unexpectedly: ${JSON.stringify(result)} ${refused.join(' ')}`);
}

const start = performance.now();
void runOver(JSON.parse(process.argv[2]!) as RemoteInput).then(() => {
    const seconds = (performance.now() - start) / 1000;
    process.stdout.write(JSON.stringify({ seconds, peakRssMb: peakRssMb() }));
});
