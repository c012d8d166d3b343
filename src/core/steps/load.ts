import { createHash } from 'node:crypto';
import type { Change, Effect, Loader, LoadNote, LoadPlan, LoadSession, Script } from '../adapter/loader';
import { canonicalJson, type JsonObject } from '../data/json';
import type { Batch } from '../data/record';
import { flowError, type FlowError } from '../errors/flow-error';
import { growth, type StepCounters } from '../progress/counters';
import { isolate } from './isolate';
import type { Memo } from '../progress/memos';
import type { LoadResult, LoadTransaction, LoadVerdicts, Reject, RunPorts } from '../ports/ports';
import { LoadRemarks, REMARK_KEYS } from './load-remarks';
import { rejecter, type Step, type StepResult, type Visit } from './step';
import { lettersOf, readVerdicts, toldVerdicts } from './told-verdicts';

/** A loader and its parsed configuration. A run that is not live plans and does not apply (architecture, decision 5). */
export function loadStep(key: string, loader: Loader, config: Readonly<Record<string, unknown>>): Step {
    return {
        key,
        open: async ({ ports, adapter, atEnd, cameBefore }) => {
            const session = await loader.open(config, adapter);
            const fields = loader.fields?.(config);
            const earlier = cameBefore > 0 ? await ports.memory.recall(key, REMARK_KEYS, 'run') : undefined;
            const remarks = new LoadRemarks({ code: loader.code, fields }, earlier);
            atEnd(() => remarks.tell(adapter.log));
            const loading = new Loading({ key, ports, session, remarks });
            return adapter.mode === 'live'
                ? (batch, visit) => loading.commit(batch, visit)
                : (batch, visit) => loading.foresee(batch, visit);
        },
    };
}

interface LoadingEnv {
    readonly key: string;
    readonly ports: RunPorts;
    readonly session: LoadSession;
    readonly remarks: LoadRemarks;
}

type Refuse = (index: number, error: FlowError) => Reject;

class Loading {
    constructor(private readonly env: LoadingEnv) {}

    /** Writes the batch, or hears from its marker what became of it when it was written before a crash. */
    async commit(batch: Batch, visit: Visit): Promise<StepResult> {
        const { key: stepKey, ports, session } = this.env;
        const refuse = rejecter(stepKey, batch, visit);
        let stored: readonly Reject[] = [];
        let letters = '';
        const notes = new Map<number, LoadNote>();
        const { verdicts, replayed } = await ports.loads.commit({
            key: { stepKey, sourceKey: visit.sourceKey, batchNo: visit.batchNo, visit: visit.number },
            digest: () => digestOf(batch),
            locks: session.locks(batch),
            *work(tx) {
                notes.clear();
                const result = yield* tx.isolate ? loadParts(tx) : load(0, batch.length);
                stored = result.rejects;
                letters = result.verdicts;
                return { ...result, verdicts: toldVerdicts(letters, batch) };
            },
        });
        const result = replayed ? resettled(batch, verdicts) : { ...settled(batch, letters, []), stored };
        return { ...result, memos: this.remarked(batch, notes.values()) };

        function* loadParts(tx: LoadTransaction): Script<LoadResult> {
            return joined(
                yield* isolate<LoadResult>(tx, batch.length, {
                    load,
                    refuse: (index, error) => {
                        notes.delete(index);
                        return { verdicts: 'X', rejects: [refuse(index, error)], effects: [] };
                    },
                }),
            );
        }

        function* load(from: number, to: number): Script<LoadResult> {
            const plan = yield* planned(session, to - from === batch.length ? batch : batch.slice(from, to));
            for (const [index, note] of notesOf(plan.changes)) notes.set(from + index, note);
            const effects = yield* plan.apply();
            return { ...judged(plan.changes, (index, error) => refuse(from + index, error)), effects };
        }
    }

    /** Dry run and preview: the same plan, nothing written; counted as if it had been applied. */
    async foresee(batch: Batch, visit: Visit): Promise<StepResult> {
        const { key: stepKey, ports, session } = this.env;
        const { changes } = await ports.loads.read(() => planned(session, batch));
        changes.forEach((change, index) => {
            if (change.action === 'unchanged' || change.action === 'reject') return;
            const { sourceKey, batchNo, number } = visit;
            const at = { sourceKey, batchNo, visit: number, place: index };
            ports.journal.emit({ type: 'change.planned', stepKey, seq: batch[index]!.origin.seq, at, change });
        });
        // The plans of a large run must not pile up in memory.
        await ports.journal.flush();
        const { verdicts, rejects } = judged(changes, rejecter(stepKey, batch, visit));
        const notes = notesOf(changes).map(([, note]) => note);
        return { ...settled(batch, verdicts, rejects), memos: this.remarked(batch, notes) };
    }

    /** A batch that comes again was not committed, and with it what was to be remembered of it. */
    private remarked(batch: Batch, notes: Iterable<LoadNote>): readonly Memo[] {
        const { key: stepKey, session, remarks } = this.env;
        const news = remarks.take(batch, session.trimmed?.(batch), notes);
        return Array.from(news, ([key, value]) => {
            const { origin } = batch[0]!;
            return { origin, stepKey, key, value, scope: 'run', outlivesFailure: true, isTold: true };
        });
    }
}

function* planned(session: LoadSession, batch: Batch): Script<LoadPlan> {
    const plan = yield* session.plan(batch);
    if (plan.changes.length === batch.length) return plan;
    throw flowError('BUG', { problem: `a loader planned ${plan.changes.length} changes for ${batch.length} records` });
}

/** By the places of the records. */
function notesOf(changes: readonly Change[]): ReadonlyArray<readonly [number, LoadNote]> {
    return changes.flatMap((change, index) => ('note' in change && change.note ? [[index, change.note] as const] : []));
}

const VERDICTS: Readonly<Record<Change['action'], string>> = {
    create: 'C',
    update: 'U',
    delete: 'D',
    unchanged: '=',
    reject: 'X',
};

const COUNTED: Readonly<Record<string, keyof StepCounters>> = {
    C: 'created',
    U: 'updated',
    D: 'deleted',
    '=': 'unchanged',
    X: 'rejected',
};

function judged(changes: readonly Change[], refuse: Refuse): Pick<LoadResult, 'verdicts' | 'rejects'> {
    let verdicts = '';
    const rejects: Reject[] = [];
    changes.forEach((change, index) => {
        verdicts += VERDICTS[change.action];
        if (change.action === 'reject') rejects.push(refuse(index, change.error));
    });
    return { verdicts, rejects };
}

function joined(parts: readonly LoadResult[]): LoadResult {
    return {
        verdicts: parts.map(part => part.verdicts).join(''),
        rejects: parts.flatMap<Reject>(part => part.rejects),
        effects: parts.flatMap<Effect>(part => part.effects),
    };
}

/** Hands on the settled records, not the rejected (spec 4, load adapters). */
function settled(batch: Batch, verdicts: string, rejects: readonly Reject[]): StepResult {
    if (verdicts.length !== batch.length) {
        throw flowError('BUG', { problem: `${verdicts.length} verdicts came for a batch of ${batch.length} records` });
    }
    const counts = countsOf(verdicts);
    const out = counts.rejected ? batch.filter((_, index) => verdicts[index] !== 'X') : batch;
    const failed = counts.rejected
        ? batch.filter((_, index) => verdicts[index] === 'X').map(({ origin }) => origin)
        : [];
    return { out, counts, rejects, failed };
}

/**
 * What was loaded stands, whatever comes again. The earlier steps may answer differently the second time, all the more in the next run: records that
 * were not loaded then do not go on, and what was loaded is what counts.
 */
function resettled(batch: Batch, verdicts: LoadVerdicts): StepResult {
    const told = readVerdicts(verdicts);
    const letters = lettersOf(batch, told);
    const counts = countsOf(told.map(({ letter }) => letter).join(''));
    const out = batch.filter((_, index) => letters[index] !== undefined && letters[index] !== 'X');
    // Of a batch that comes again they are known by its marker alone.
    const failed = batch.filter((_, index) => letters[index] === 'X').map(({ origin }) => origin);
    const change = growth(batch.length, out.length + (counts.rejected ?? 0));
    return { out, counts: { ...counts, ...change }, rejects: [], failed };
}

function countsOf(verdicts: string): StepResult['counts'] {
    const counts: Partial<Record<keyof StepCounters, number>> = {};
    for (const verdict of verdicts) {
        const counter = COUNTED[verdict];
        if (!counter) throw flowError('BUG', { problem: `"${verdict}" is no verdict of a load` });
        counts[counter] = (counts[counter] ?? 0) + 1;
    }
    return counts;
}

const HASHED_AT_ONCE = 1 << 16;

/** Equal for equal inputs, whatever the order of their keys. Hashes long pieces, since each call costs as much as a record. */
export function digestOf(batch: ReadonlyArray<{ readonly data: JsonObject }>): string {
    const hash = createHash('sha256');
    let text = '';
    for (const { data } of batch) {
        text += `${canonicalJson(data)}\n`;
        if (text.length < HASHED_AT_ONCE) continue;
        hash.update(text);
        text = '';
    }
    return hash.update(text).digest('hex');
}
