import { z } from 'zod';
import { defineExtractor } from '../src/core/adapter/extractor';
import { noResources } from '../src/core/adapter/no-resources';
import { Registry } from '../src/core/adapter/registry';
import { systemClock } from '../src/core/concurrency/clock';
import { operators } from '../src/core/operators';
import { parseDefinition } from '../src/core/pipeline/parse';
import { compilePipeline } from '../src/core/run/compile';
import { executeRun } from '../src/core/run/execute';
import { triggers } from '../src/core/triggers';
import { nowhere } from './nowhere';
import { FIVE, supplierRow } from './supplier-rows';

const PAGE = 1_000;

const rows = defineExtractor({
    code: 'supplierRows',
    title: 'Supplier rows',
    summary: 'Made-up rows of a supplier.',
    config: z.strictObject({ count: z.number().int().meta({ title: 'Count', description: 'How many.' }) }),
    async *extract({ count }, { resumeFrom }) {
        for (let from = Number(resumeFrom ?? 0); from < count; from += PAGE) {
            const to = Math.min(count, from + PAGE);
            yield { records: Array.from({ length: to - from }, (_, k) => supplierRow(from + k)), checkpoint: to };
        }
    },
});

const registry = Registry.of(triggers, operators, [rows]);

/** Runs `records` generated rows through five operators in batches of 500. */
export async function runThroughExecutor(records: number): Promise<void> {
    const definition = parseDefinition(
        {
            version: 1,
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'rows', kind: 'EXTRACT', config: { adapterCode: 'supplierRows', count: records } },
                { key: 'shape', kind: 'TRANSFORM', config: { operators: FIVE } },
            ],
            edges: [
                { from: 'start', to: 'rows' },
                { from: 'rows', to: 'shape' },
            ],
            throughput: { batchSize: 500 },
        },
        registry,
    );
    const compiled = compilePipeline(
        definition,
        { runId: '1', mode: 'live', triggerKey: 'start', startedAt: Date.now() },
        { registry, clock: systemClock, platform: undefined, resources: noResources },
    );
    const result = await executeRun(compiled, nowhere, { signal: new AbortController().signal });
    if (result.end !== 'completed' || result.counters['shape']?.out !== records)
        throw new Error(`The run ended unexpectedly: ${JSON.stringify(result)}`);
}
