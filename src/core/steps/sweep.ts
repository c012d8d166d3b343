import type { Batch } from '../data/record';
import { type Memo, memoKey, type StoredMemo } from '../progress/memos';
import type { JsonObject, JsonValue } from '../value/json';
import { digestOf, type LoadCall, type Loading, resettled, tellPlanned } from './loading';
import type { StepEnv, StepResult, Sweep } from './step';

/** In the place of a source, for what is missing in all of them. No step can have it for a key. */
export const SWEPT = ':missing';

/** How the keys begin under which a step remembers what it has loaded. */
export const LOADED = 'loaded';
/** Says that records were taken out of which it is not known what they are. */
export const UNKNOWN_KEY = 'missing-unknown';

/** The run that has seen something, and when it first started, in ms: absent in what earlier versions have remembered. */
export interface SeenBy {
    readonly run: string;
    readonly startedAt?: number;
}

/** What is remembered of something that was loaded: the run that has seen it last; or that it is gone. */
export type Seen = ({ readonly key: string } & SeenBy) | { readonly key: string; readonly isGone: true };

/** What a step needs for what is missing. */
export interface TargetMissing extends Pick<Sweep, 'rule' | 'keyOf'> {
    open(env: StepEnv): Promise<{ readonly loading: Loading; recordOf(key: string): JsonObject }>;
}

export function sweepOf(stepKey: string, { rule, keyOf, open }: TargetMissing, env: StepEnv): Sweep {
    let opened: ReturnType<typeof open> | undefined;
    const { ports, adapter } = env;
    const callOf = (batch: Batch, batchNo: number): LoadCall => {
        const key = { stepKey, sourceKey: SWEPT, batchNo, visit: 0 };
        // Its marker is of the number alone: what is missing may be fewer when it comes again.
        const visit = { sourceKey: SWEPT, batchNo, number: 0, earlier: [], whole: [] };
        return { batch, visit, key, ports, runId: env.run.runId };
    };
    return {
        rule,
        keyOf,
        async load(keys, batchNo) {
            opened ??= open(env);
            const { loading, recordOf } = await opened;
            const all = keys.map((key, i) => ({ data: recordOf(key), origin: { seq: i } }));
            const changes = await loading.dryRun(callOf(all, batchNo));
            const refused = changes.flatMap((change, i) =>
                change.action === 'reject' ? [{ key: keys[i]!, message: change.error.message }] : [],
            );
            const batch = all.filter((_, i) => changes[i]!.action !== 'reject');
            const none: StepResult = { out: [], counts: {}, rejects: [], failed: [] };
            if (batch.length === 0) return { result: none, refused };
            const call = callOf(batch, batchNo);
            if (adapter.mode === 'live') return { result: (await loading.commit(call)).result, refused };
            // Planned once: a second plan would find what the first one would have written.
            const { result } = await tellPlanned(
                call,
                changes.filter(({ action }) => action !== 'reject'),
            );
            return { result, refused };
        },
        async loaded(batchNo) {
            const { key } = callOf([], batchNo);
            const told = await ports.loads.storedVerdicts({ key, digest: () => digestOf([]) });
            return told === undefined ? undefined : resettled([], told);
        },
    };
}

/** That these records are there: in the shop by this step, or in its source. */
export function seenMemos(
    batch: Batch,
    { stepKey, by, keyOf }: { readonly stepKey: string; readonly by: SeenBy } & Pick<Sweep, 'keyOf'>,
): readonly Memo[] {
    return batch.flatMap(({ data, origin }): readonly Memo[] => {
        const key = keyOf(data);
        if (key === undefined)
            return [{ origin, stepKey, key: UNKNOWN_KEY, value: true, scope: 'run', outlivesFailure: true }];
        const isGone = data['__operation'] === 'DELETE';
        const value: Seen = isGone ? { key, isGone } : { key, ...by };
        // It is in the shop, whatever becomes of the record behind this step.
        return [{ origin, stepKey, key: memoKey(LOADED, key), value: { ...value }, outlivesFailure: true }];
    });
}

/** That something is not there any more, or not to be asked for again. */
export function goneMemo(stepKey: string, key: string): StoredMemo {
    return { stepKey, key: memoKey(LOADED, key), value: { key, isGone: true } };
}

/**
 * Whether a run has not met what is remembered. What a run that has started later has met is not missing: it has read a newer state of the source,
 * while this one waited at a gate.
 */
export function isMissedBy(seen: SeenBy, { run, startedAt = 0 }: SeenBy): boolean {
    return seen.run !== run && (seen.startedAt ?? 0) <= startedAt;
}

/** As `seenMemos` stores it. */
export function storedKey(key: string): string {
    return memoKey(LOADED, key);
}

export function readSeen(value: JsonValue): Seen {
    return value as unknown as Seen;
}
