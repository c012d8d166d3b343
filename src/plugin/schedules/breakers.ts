import type { ID } from '@vendure/core';

/** After this many runs in a row that could not be created, the pipeline's schedules stop. */
const MOST_FAILURES = 5;

/** What opened a breaker. */
export interface OpenCircuit {
    readonly failures: number;
    readonly lastError: string;
}

/**
 * The pipelines whose schedules are suspended in this process, because their runs could not be created. In memory: a restarted process tries again.
 */
export class Breakers {
    private readonly failures = new Map<string, number>();

    isOpen(pipelineId: ID): boolean {
        return (this.failures.get(String(pipelineId)) ?? 0) >= MOST_FAILURES;
    }

    /** Returns the data for a report if the breaker has opened by this failure. */
    failed(pipelineId: ID, error: unknown): OpenCircuit | undefined {
        const failures = (this.failures.get(String(pipelineId)) ?? 0) + 1;
        this.failures.set(String(pipelineId), failures);
        const lastError = error instanceof Error ? error.message : String(error);
        return failures === MOST_FAILURES ? { failures, lastError } : undefined;
    }

    /** A run could be created, or there is reason to try again. */
    reset(pipelineId: ID): void {
        this.failures.delete(String(pipelineId));
    }
}
