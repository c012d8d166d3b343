import { REDACTED, shownError } from '../../core/errors/redacted-text';
import type { JsonObject } from '../../core/value/json';
import type { Counters, StepCounters } from '../../core/progress/counters';
import type { FlowPipelineRun } from '../entities/run';
import type { DryRunDifference, DryRunReport, PlannedCounts } from '../stores/dry-run-report';

/** The counters of a run as a list, in the order in which its steps first saw a record. */
export function counterList(counters: Counters | null): ReadonlyArray<StepCounters & { readonly stepKey: string }> {
    return Object.entries(counters ?? {}).map(([stepKey, counts]) => ({ stepKey, ...counts }));
}

/** The number of records at each gate of a run that holds any. Only gates hold records. */
export function spooledCounts(
    counters: Counters | null,
): ReadonlyArray<{ readonly stepKey: string; readonly records: number }> {
    return counterList(counters)
        .filter(({ held }) => held > 0)
        .map(({ stepKey, held }) => ({ stepKey, records: held }));
}

interface RunThroughput {
    readonly elapsedMs: number;
    readonly recordsPerSecond: number;
}

/** How fast a run is or was; null until it has started. */
export function throughputOf(
    run: Pick<FlowPipelineRun, 'startedAt' | 'finishedAt' | 'recordsProcessed'>,
    now: number,
): RunThroughput | null {
    if (!run.startedAt) return null;
    const elapsedMs = Math.max(0, (run.finishedAt?.getTime() ?? now) - run.startedAt.getTime());
    return {
        elapsedMs,
        recordsPerSecond: elapsedMs === 0 ? 0 : Math.round((run.recordsProcessed * 10_000) / elapsedMs) / 10,
    };
}

export interface RunError {
    readonly code: string;
    readonly message: string;
    readonly facts: JsonObject | null;
    readonly stepKey: string | null;
}

/** Without values of records for those who may not read them. */
export function errorOf(
    {
        errorCode,
        errorMessage,
        errorFacts,
        errorStepKey,
    }: Pick<FlowPipelineRun, 'errorCode' | 'errorMessage' | 'errorFacts' | 'errorStepKey'>,
    mayReadRecords: boolean,
): RunError | null {
    if (errorCode === null) return null;
    const error = { code: errorCode, message: errorMessage ?? '', facts: errorFacts };
    return { ...shownError(error, mayReadRecords), stepKey: errorStepKey };
}

export interface ReportView {
    readonly steps: ReadonlyArray<PlannedCounts & { readonly stepKey: string }>;
    readonly differences: readonly DryRunDifference[];
    readonly differencesTotal: number;
}

/** What a dry run found, once it has ended; without the records' content for those who may not read it. */
export function reportOf(
    { dryRun, report }: Pick<FlowPipelineRun, 'dryRun' | 'report'>,
    mayReadRecords: boolean,
): ReportView | null {
    const { steps, differences = [], differencesTotal = 0 } = (report ?? {}) as unknown as Partial<DryRunReport>;
    if (!dryRun || !steps) return null;
    return {
        steps: Object.entries(steps).map(([stepKey, counts]) => ({ stepKey, ...counts })),
        differences: mayReadRecords
            ? differences
            : differences.map(difference => ({ ...difference, key: REDACTED, before: null, after: null })),
        differencesTotal,
    };
}
