import type { AdapterRun } from '../../src/core/adapter/context';

/** The run of a step that is tested alone. */
export const RUN: AdapterRun = {
    runId: 'run',
    pipelineId: '1',
    pipelineCode: 'test',
    revision: 1,
    startedAt: 0,
    throughput: { batchSize: 100, concurrency: 1, rateLimitRps: 0 },
    errorHandling: { maxRetries: 3, retryDelayMs: 1_000, backoffMultiplier: 2 },
};
