import type { BatchMemory, Delivered, Effect, KnownFields, Trimmed } from '../adapter/loader';
import type { Batch, FlowRecord } from '../data/record';
import type { StateEntry } from '../progress/state-entries';
import { EarlierBatches } from './earlier-batches';
import { LoadWarningSummary, MAX_WARNING_KEYS } from './load-warning-summary';
import { assertKnownEffects, dryRunOf, type LoadCall, type LoadStrategy } from './load-strategy';
import { seenEntries, reconcilerOf, type ReconciledTarget } from './step-reconciler';
import type { Step, StepEnv, StepFn, StepState } from './step';

/** What a step writes to that loads or delivers. */
export interface Target {
    /** The adapter's code. */
    readonly code: string;
    readonly fields: KnownFields | undefined;
    readonly effects: ReadonlyArray<Effect['kind']>;
    /** It is another system, and nothing of the shop is written. */
    readonly isRemote: boolean;
    /** Its work on entities that are missing from its source; undefined if there is none. */
    readonly missing?: ReconciledTarget | undefined;
    open(env: StepEnv): Promise<OpenTarget>;
}

export interface OpenTarget {
    readonly loading: LoadStrategy;
    trimmed?(batch: Batch): Trimmed | undefined;
    readonly memory?: BatchMemory;
    finish?(delivered: Delivered): Promise<void>;
    /** Lets batches come one after another, in the order of their source. */
    readonly isOrdered?: boolean;
    /** Whether a record is for the target at all; the others are filtered. */
    keeps?(record: FlowRecord): boolean;
}

/**
 * The common step of all loaders and sinks: it counts, rejects and warns. A run that is not live reports what it would
 * write.
 */
export function targetStep(key: string, target: Target): Step {
    return {
        key,
        touches: target.isRemote ? 'remote' : 'shop',
        open: async env => {
            const { ports, adapter, atEnd, cameBefore } = env;
            assertKnownEffects(target.effects, { stepKey: key, allowed: ports.loads.effectKinds });
            const open = await target.open(env);
            const { loading } = open;
            const earlier = cameBefore > 0 ? await ports.memory.recall(key, MAX_WARNING_KEYS, 'run') : undefined;
            const remarks = new LoadWarningSummary(target, earlier);
            const before =
                open.memory && (await EarlierBatches.of(open.memory, { key, store: ports.memory }, cameBefore));
            atEnd(() => remarks.log(adapter.log));
            const isLive = adapter.mode === 'live';
            if (isLive && open.finish) env.finishing(delivered => open.finish!(delivered));
            const sweep = target.missing && reconcilerOf(key, target.missing, env);
            if (sweep) env.sweeping(sweep);
            const by = { run: env.run.runId, startedAt: env.startedAt };
            const work = isLive ? loading.commit : (call: LoadCall) => dryRunOf(loading, call);
            const written: StepFn = async (batch, visit) => {
                const { sourceKey, batchNo, number } = visit;
                const place = { stepKey: key, sourceKey, batchNo, visit: number };
                const call = { batch, visit, key: place, ports, runId: env.run.runId };
                await before?.recall(batch);
                const { result, notes } = await work(call);
                // A repeated batch was not committed, and neither were its memos.
                const news = remarks.take(batch, open.trimmed?.(batch), notes);
                const told = Array.from(news, ([name, value]) => memoOf(batch, key, { name, value }));
                const seen = sweep ? seenEntries(result.out, { stepKey: key, by, keyOf: sweep.keyOf }) : [];
                return { ...result, memos: [...told, ...seen, ...(before?.memosOf(result.out) ?? [])] };
            };
            const kept = open.keeps ? keeping(written, record => open.keeps!(record)) : written;
            return open.isOrdered && isLive ? inOrder(kept, env.memory) : kept;
        },
    };
}

function keeping(work: StepFn, keeps: (record: FlowRecord) => boolean): StepFn {
    return async (whole, visit) => {
        const batch = whole.filter(keeps);
        const filtered = whole.length - batch.length;
        if (filtered === 0) return work(whole, visit);
        if (batch.length === 0) return { out: [], counts: { filtered }, rejects: [], failed: [] };
        const result = await work(batch, visit);
        return { ...result, counts: { ...result.counts, filtered: filtered + (result.counts.filtered ?? 0) } };
    };
}

/** The only place that batches pass in order. */
const TURN = 'delivery';

/** An older state never follows a newer one. A failing batch keeps its turn until it has reached its end. */
function inOrder(work: StepFn, state: StepState): StepFn {
    return async (batch, visit) => {
        await state.recall({ part: TURN, scope: 'run' }, visit, []);
        const result = await work(batch, visit);
        state.left(TURN, visit);
        return result;
    };
}

function memoOf(
    batch: Batch,
    stepKey: string,
    { name, value }: { readonly name: string; readonly value: StateEntry['value'] },
): StateEntry {
    const { origin } = batch[0]!;
    return { origin, stepKey, key: name, value, scope: 'run', outlivesFailure: true, isReported: true };
}
