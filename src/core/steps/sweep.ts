import type { KeysOfFound, ListPage } from '../adapter/missing';
import { OPERATION_FIELD, parseOperation } from '../adapter/record-operation';
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

/** What is remembered of something: the run that has last seen it in the source, or last done something about it. */
export interface Seen extends Partial<SeenBy> {
    readonly key: string;
    /** It is not there any more, or was hidden. */
    readonly isGone?: true;
    /** It was in the source, and did not come as far as the step. */
    readonly isOther?: true;
}

/** What a step needs for what is missing. */
export interface TargetMissing extends Pick<Sweep, 'rule'> {
    keyOf(env: StepEnv): Sweep['keyOf'];
    /** Of the scope FILTER. */
    listed?(env: StepEnv): ListPage;
    found?(env: StepEnv): KeysOfFound;
    open(env: StepEnv): Promise<{
        readonly loading: Loading;
        recordsOf(keys: readonly string[]): Promise<readonly JsonObject[]> | readonly JsonObject[];
    }>;
}

export function sweepOf(stepKey: string, { rule, keyOf, listed, found, open }: TargetMissing, env: StepEnv): Sweep {
    let opened: ReturnType<typeof open> | undefined;
    const { ports, adapter } = env;
    const callOf = (batch: Batch, batchNo: number): LoadCall => {
        const key = { stepKey, sourceKey: SWEPT, batchNo, visit: 0 };
        // // Its marker depends on the number only, because a repeated batch may contain fewer missing entities.
        const visit = { sourceKey: SWEPT, batchNo, number: 0, earlier: [], whole: [] };
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

/** Of which step records were seen, and by which run. */
interface Sight extends Pick<Sweep, 'keyOf'>, Pick<Seen, 'isOther'> {
    readonly stepKey: string;
    readonly by: SeenBy;
}

/** That these records are there: in the shop by this step, or in its source. */
export function seenMemos(batch: Batch, { stepKey, by, keyOf, isOther }: Sight): readonly Memo[] {
    return batch.flatMap(({ data, origin }): readonly Memo[] => {
        const key = keyOf(data);
        if (key === undefined)
            return [{ origin, stepKey, key: UNKNOWN_KEY, value: true, scope: 'run', outlivesFailure: true }];
        const isGone = parseOperation(data[OPERATION_FIELD]) === 'DELETE';
        const value: Seen = { key, ...by, ...(isGone && { isGone }), ...(isOther && { isOther }) };
        // // It is in the shop, whatever happens to the record after this step.
        return [{ origin, stepKey, key: memoKey(LOADED, key), value: { ...value }, outlivesFailure: true }];
    });
}

/** The memo for an entity that is no longer there, or that the sweep must not check again. */
export function goneMemo(stepKey: string, key: string, by: SeenBy): StoredMemo {
    return { stepKey, key: memoKey(LOADED, key), value: { key, ...by, isGone: true } };
}

/**
 * Whether a run has not met what is remembered. What a run that has started later has met is not missing: it has read a newer state of the source,
 * while this one waited at a gate.
 */
export function isMissedBy(seen: Partial<SeenBy>, { run, startedAt = 0 }: SeenBy): boolean {
    return seen.run !== run && (seen.startedAt ?? 0) <= startedAt;
}

/** As `seenMemos` stores it. */
export function storedKey(key: string): string {
    return memoKey(LOADED, key);
}

export function readSeen(value: JsonValue): Seen {
    return value as unknown as Seen;
}

/** Whether the step has loaded it, and it is still there as far as anybody has said. */
export function isLoaded({ isGone, isOther }: Seen): boolean {
    return isGone !== true && isOther !== true;
}
