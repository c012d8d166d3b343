import type { Redactor } from '../../core/adapter/redactor';
import type { JsonObject } from '../../core/data/json';
import { flowError } from '../../core/errors/flow-error';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import { NO_COUNTS, type StepCounters } from '../../core/run/counters';
import type { RunEnd } from '../../core/run/execute';
import type { Trial, TrialChange, TrialProbe } from '../../core/run/trial';

/** As the API's FlowStepTest. */
export interface StepTest {
    readonly stepKey: string;
    readonly kind: string;
    readonly in: readonly JsonObject[];
    readonly out: readonly JsonObject[];
    readonly branches: ReadonlyArray<{ readonly name: string; readonly records: readonly JsonObject[] }>;
    readonly operators: ReadonlyArray<{ readonly position: number; readonly op: string; readonly before: readonly JsonObject[]; readonly after: readonly JsonObject[] }>;
    readonly rejected: ReadonlyArray<JsonObject>;
    readonly changes: ReadonlyArray<JsonObject>;
    readonly counters: StepCounters & { readonly stepKey: string };
    readonly log: ReadonlyArray<JsonObject>;
    readonly error: { readonly code: string; readonly message: string; readonly stepKey: string | null } | null;
}

/** What a step test has seen. */
export interface Seen {
    readonly end: RunEnd;
    readonly definition: PipelineDefinition;
    readonly probe: TrialProbe;
    readonly trial: Trial;
    readonly redactor: Redactor;
}

/** An answer of more would fill the memory of the server, and no page could show it. */
const MAX_ANSWER = 16 * 1024 * 1024;

/** Puts together what was seen, without the secrets in it. Throws STEP_TEST_TOO_LARGE. */
export function stepTestOf({ end, definition, probe, trial, redactor }: Seen): StepTest {
    const { stepKey } = probe;
    const size = new Size();
    const clean = (records: readonly JsonObject[]): readonly JsonObject[] => {
        size.add(records);
        return redactor.isEmpty ? records : records.map(record => redactor.json(record));
    };
    return {
        stepKey,
        kind: definition.steps.find(({ key }) => key === stepKey)!.kind,
        in: clean(probe.in),
        out: clean(probe.out),
        branches: [...probe.branches].map(([name, records]) => ({ name, records: clean(records) })),
        operators: probe.operators.map(({ before, after, ...operator }) => ({ ...operator, before: clean(before), after: clean(after) })),
        rejected: trial.rejects.map(({ payload, ...reject }) => ({ ...reject, path: reject.path ?? null, record: clean([payload])[0]! }) as unknown as JsonObject),
        changes: trial.changes.filter(change => change.stepKey === stepKey).map(changeOf),
        counters: { stepKey, ...(end.counters[stepKey] ?? NO_COUNTS) },
        log: trial.log.map(({ level, message, stepKey: at, facts }) => ({ level, message, stepKey: at ?? null, facts: facts ?? null })),
        error: end.end === 'stopped' ? { code: end.error.code, message: end.error.message, stepKey: end.stepKey ?? null } : null,
    };
}

function changeOf({ stepKey, seq, change }: TrialChange): JsonObject {
    const before = 'before' in change ? change.before : null;
    const after = 'after' in change ? change.after : null;
    return { stepKey, seq, action: change.action.toUpperCase(), key: change.key ?? '', before, after };
}

/** How long the answer will be. A record that many operators have left as it was is measured once, and counted each time. */
class Size {
    private readonly lengths = new Map<JsonObject, number>();
    private total = 0;

    add(records: readonly JsonObject[]): void {
        for (const record of records) {
            const length = this.lengths.get(record) ?? JSON.stringify(record).length;
            this.lengths.set(record, length);
            this.total += length;
            if (this.total > MAX_ANSWER) throw flowError('STEP_TEST_TOO_LARGE', { maxMiB: MAX_ANSWER / 1024 / 1024 });
        }
    }
}
