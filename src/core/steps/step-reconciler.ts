import type { KeysOfFound, ListPage } from '../adapter/missing';
import { OPERATION_FIELD, parseOperation } from '../adapter/record-operation';
import type { Batch } from '../data/record';
import { type StateEntry, stateKey, type StoredStateEntry } from '../progress/state-entries';
import type { JsonObject, JsonValue } from '../value/json';
import { digestOf, type LoadCall, type LoadStrategy, restoredFromMarker, logPlanned } from './load-strategy';
import type { StepEnv, StepResult, StepReconciler } from './step';

/** Replaces a source key, for entities that are missing from all sources. No step can have this key. */
export const RECONCILED = ':missing';

/** The beginning of the keys under which a step remembers what it has loaded. */
export const LOADED = 'loaded';
/** Reports that records were dropped whose keys are not known. */
export const UNKNOWN_KEY = 'missing-unknown';

/** The run that has seen something, and when it first started, in ms: absent in what earlier versions have remembered. */
export interface SeenByStep {
    readonly run: string;
    readonly startedAt?: number;
}

/** What is remembered of something: the run that has last seen it in the source, or last done something about it. */
interface SeenSet extends Partial<SeenByStep> {
    readonly key: string;
    /** It is not there any more, or was hidden. */
    readonly isGone?: true;
    /** It was in the source, and did not come as far as the step. */
    readonly isOther?: true;
}

/** The dependencies of a step for missing entities. */
export interface ReconciledTarget extends Pick<StepReconciler, 'rule'> {
    keyOf(env: StepEnv): StepReconciler['keyOf'];
    /** Of the scope FILTER. */
    listed?(env: StepEnv): ListPage;
    found?(env: StepEnv): KeysOfFound;
    open(env: StepEnv): Promise<{
        readonly loading: LoadStrategy;
        recordsOf(keys: readonly string[]): Promise<readonly JsonObject[]> | readonly JsonObject[];
    }>;
}

export function reconcilerOf(
    stepKey: string,
    { rule, keyOf, listed, found, open }: ReconciledTarget,
    env: StepEnv,
): StepReconciler {
    let opened: ReturnType<typeof open> | undefined;
    const { ports, adapter } = env;
    const callOf = (batch: Batch, batchNo: number): LoadCall => {
        const key = { stepKey, sourceKey: RECONCILED, batchNo, visit: 0 };
        // Its marker depends on the number only, because a repeated batch may contain fewer missing entities.
        const visit = { sourceKey: RECONCILED, batchNo, number: 0, earlier: [], whole: [] };
        return { batch, visit, key, ports, runId: env.run.runId };
    };
    return {
        rule,
        keyOf: keyOf(env),
        ...(listed && { listed: listed(env) }),
        ...(found && { found: found(env) }),
        async load(keys, batchNo) {
            opened ??= open(env);
            const { loading, recordsOf } = await opened;
            const all = (await recordsOf(keys)).map((data, i) => ({ data, origin: { seq: i } }));
            const changes = await loading.dryRun(callOf(all, batchNo));
            const rejected = changes.flatMap((change, i) =>
                change.action === 'reject' ? [{ key: keys[i]!, error: change.error }] : [],
            );
            const batch = all.filter((_, i) => changes[i]!.action !== 'reject');
            const none: StepResult = { out: [], counts: {}, rejects: [], failed: [] };
            if (batch.length === 0) return { result: none, refused: rejected };
            const call = callOf(batch, batchNo);
            if (adapter.mode === 'live') return { result: (await loading.commit(call)).result, refused: rejected };
            // Planned once: a second plan would find what the first one would have written.
            const { result } = await logPlanned(
                call,
                changes.filter(({ action }) => action !== 'reject'),
            );
            return { result, refused: rejected };
        },
        async loaded(batchNo) {
            const { key } = callOf([], batchNo);
            const told = await ports.loads.storedVerdicts({ key, digest: () => digestOf([]) });
            return told === undefined ? undefined : restoredFromMarker([], told);
        },
    };
}

/** Of which step records were seen, and by which run. */
interface Sight extends Pick<StepReconciler, 'keyOf'>, Pick<SeenSet, 'isOther'> {
    readonly stepKey: string;
    readonly by: SeenByStep;
}

/** That these records are there: in the shop by this step, or in its source. */
export function seenEntries(batch: Batch, { stepKey, by, keyOf, isOther }: Sight): readonly StateEntry[] {
    return batch.flatMap(({ data, origin }): readonly StateEntry[] => {
        const key = keyOf(data);
        if (key === undefined)
            return [{ origin, stepKey, key: UNKNOWN_KEY, value: true, scope: 'run', outlivesFailure: true }];
        const isGone = parseOperation(data[OPERATION_FIELD]) === 'DELETE';
        const value: SeenSet = { key, ...by, ...(isGone && { isGone }), ...(isOther && { isOther }) };
        // It is in the shop, whatever happens to the record after this step.
        return [{ origin, stepKey, key: stateKey(LOADED, key), value: { ...value }, outlivesFailure: true }];
    });
}

/** The memo for an entity that is no longer there, or that the sweep must not check again. */
export function prunedEntry(stepKey: string, key: string, step: SeenByStep): StoredStateEntry {
    return { stepKey, key: stateKey(LOADED, key), value: { key, ...step, isGone: true } };
}

/**
 * Whether a run has not seen a remembered entity. An entity that a later run has seen is not missing: that run has read
 * a newer state of the source, while this one waited at a gate.
 */
export function isAbsentFor(seen: Partial<SeenByStep>, { run, startedAt = 0 }: SeenByStep): boolean {
    return seen.run !== run && (seen.startedAt ?? 0) <= startedAt;
}

/** As `seenEntries` stores it. */
export function storedKey(key: string): string {
    return stateKey(LOADED, key);
}

export function readSeenSet(value: JsonValue): SeenSet {
    return value as unknown as SeenSet;
}

/** Whether the step has loaded it, and it is still there as far as anybody has said. */
export function isLoaded({ isGone, isOther }: SeenSet): boolean {
    return isGone !== true && isOther !== true;
}
