import type { JsonObject } from '../../core/value/json';
import { eventLine } from '../../core/adapter/log-event';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import { countsOf, NO_COUNTS, type StepCounters } from '../../core/progress/counters';
import type { TestRunChange } from '../../core/run/test-run';
import type { RunError } from '../runs/run-view';
import type { TriggerPreviewResult } from '../trigger-preview';
import type { TestRunResult } from './test-runs';

/** As the API's FlowStepTest. */
export interface StepTest {
    readonly stepKey: string;
    readonly kind: string;
    readonly in: readonly JsonObject[];
    readonly out: readonly JsonObject[];
    readonly branches: ReadonlyArray<{ readonly name: string; readonly records: readonly JsonObject[] }>;
    readonly operators: ReadonlyArray<{
        readonly position: number;
        readonly op: string;
        readonly before: readonly JsonObject[];
        readonly after: readonly JsonObject[];
        readonly faults: readonly JsonObject[];
    }>;
    readonly rejected: ReadonlyArray<JsonObject>;
    readonly changes: ReadonlyArray<JsonObject>;
    readonly counters: StepCounters & { readonly stepKey: string };
    readonly log: ReadonlyArray<JsonObject>;
    readonly error: RunError | null;
}

/** What a step test has seen. */
interface Seen extends TestRunResult {
    readonly definition: PipelineDefinition;
}

/** Puts together what was seen, without the secrets in it. */
export function stepTestOf({ end, definition, probe, trial, redactor }: Seen): StepTest {
    const { stepKey } = probe;
    const clean = (records: readonly JsonObject[]): readonly JsonObject[] =>
        redactor.isEmpty ? records : records.map(record => redactor.json(record));
    return {
        stepKey,
        kind: definition.steps.find(({ key }) => key === stepKey)!.kind,
        in: clean(probe.in),
        out: clean(probe.out),
        branches: [...probe.branches].map(([name, records]) => ({ name, records: clean(records) })),
        operators: probe.operators.map(({ before, after, faults: issues, ...operator }) => ({
            ...operator,
            before: clean(before),
            after: clean(after),
            faults: issues.map(({ message, path, place, ...issue }) => ({
                ...issue,
                message: redactor.text(message),
                path: path === undefined ? null : redactor.text(path),
                place: place === undefined ? null : redactor.text(place),
            })),
        })),
        rejected: trial.rejects.map(
            ({ payload, source: _source, ...reject }) =>
                ({
                    ...reject,
                    path: reject.path ?? null,
                    place: reject.place ?? null,
                    record: clean([payload])[0]!,
                }) as unknown as JsonObject,
        ),
        changes: trial.changes.filter(change => change.stepKey === stepKey).map(plannedChange),
        counters: { stepKey, ...countsOf(end.counters, stepKey) },
        log: trial.log.map(({ level, code, message, stepKey: at, facts }) => ({
            level,
            code: code ?? null,
            message,
            stepKey: at ?? null,
            facts: facts ?? null,
        })),
        error:
            end.end === 'stopped'
                ? {
                      code: end.error.code,
                      message: end.error.message,
                      facts: end.error.facts ?? null,
                      stepKey: end.stepKey ?? null,
                  }
                : null,
    };
}

/** Of a trigger, which makes nothing of records but brings some. */
export function triggerTestOf(stepKey: string, { records, remarks }: TriggerPreviewResult): StepTest {
    return {
        stepKey,
        kind: 'TRIGGER',
        in: [],
        out: records,
        branches: [],
        operators: [],
        rejected: [],
        changes: [],
        counters: { stepKey, ...NO_COUNTS, out: records.length },
        log: remarks.map(remark => ({ ...(eventLine(remark) as unknown as JsonObject), stepKey })),
        error: null,
    };
}

/** As the API's FlowPlannedChange. */
export function plannedChange({ stepKey, seq, change }: TestRunChange): JsonObject {
    const before = 'before' in change ? change.before : null;
    const after = 'after' in change ? change.after : null;
    return { stepKey, seq, action: change.action.toUpperCase(), key: change.key ?? '', before, after };
}
