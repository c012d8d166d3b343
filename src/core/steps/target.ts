import type { Effect, KnownFields, Trimmed } from '../adapter/loader';
import type { Batch } from '../data/record';
import type { Memo } from '../progress/memos';
import { LoadRemarks, REMARK_KEYS } from './load-remarks';
import { assertKnownEffects, judged, type LoadCall, type Loaded, type Loading, notesOf, settled } from './loading';
import { rejecter, type Step, type StepEnv } from './step';

/** What a step writes to that loads or delivers. */
export interface Target {
    /** The adapter's code. */
    readonly code: string;
    readonly fields: KnownFields | undefined;
    readonly effects: ReadonlyArray<Effect['kind']>;
    /** It is another system, and nothing of the shop is written. */
    readonly isRemote: boolean;
    open(env: StepEnv): Promise<OpenTarget>;
}

export interface OpenTarget {
    readonly loading: Loading;
    trimmed?(batch: Batch): Trimmed | undefined;
    finish?(): Promise<void>;
}

/**
 * The one step of all loaders and sinks: it counts, rejects and remarks. A run that is not live says what it would write (architecture, decision 5).
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
            const earlier = cameBefore > 0 ? await ports.memory.recall(key, REMARK_KEYS, 'run') : undefined;
            const remarks = new LoadRemarks(target, earlier);
            atEnd(() => remarks.log(adapter.log));
            const isLive = adapter.mode === 'live';
            if (isLive && open.finish) env.finishing(() => open.finish!());
            const work = isLive ? loading.commit : (call: LoadCall) => dryRunOf(loading, call);
            return async (batch, visit) => {
                const { sourceKey, batchNo, number } = visit;
                const place = { stepKey: key, sourceKey, batchNo, visit: number };
                const call = { batch, visit, key: place, ports, runId: env.run.runId };
                const { result, notes } = await work(call);
                // A batch that comes again was not committed, and with it what was to be remembered of it.
                const news = remarks.take(batch, open.trimmed?.(batch), notes);
                return { ...result, memos: Array.from(news, ([name, value]) => memoOf(batch, key, { name, value })) };
            };
        },
    };
}

/** Dry run and preview: counted as if it had been written. */
async function dryRunOf(loading: Loading, call: LoadCall): Promise<Loaded> {
    const { batch, visit, key, ports } = call;
    const { stepKey, ...at } = key;
    const changes = await loading.dryRun(call);
    changes.forEach((change, place) => {
        if (change.action === 'unchanged' || change.action === 'reject') return;
        const { seq } = batch[place]!.origin;
        ports.journal.emit({ type: 'change.planned', stepKey, seq, at: { ...at, place }, change });
    });
    // The plans of a large run must not pile up in memory.
    await ports.journal.flush();
    const { verdicts, rejects } = judged(changes, rejecter(stepKey, batch, visit));
    return { result: settled(batch, verdicts, rejects), notes: notesOf(changes) };
}

function memoOf(
    batch: Batch,
    stepKey: string,
    { name, value }: { readonly name: string; readonly value: Memo['value'] },
): Memo {
    const { origin } = batch[0]!;
    return { origin, stepKey, key: name, value, scope: 'run', outlivesFailure: true, isReported: true };
}
