import type { Effect, LoadNote, LoadPlan, Script, TableSession } from '../adapter/loader';
import type { Batch } from '../data/record';
import { flowError, isFlowError } from '../errors/flow-error';
import type { LoadResult, LoadTransaction, LoadVerdicts, Reject } from '../ports/ports';
import { isolate } from './isolate';
import {
    assertKnownEffects,
    digestOf,
    judged,
    type LoadCall,
    type Loaded,
    type Loading,
    resettled,
    settled,
} from './loading';
import { rejecter } from './step';
import { lettersOf, readVerdicts, writeVerdicts } from './load-verdicts';

/** So often a batch is prepared whose preparation no longer fits what it finds. */
const PREPARED_AT_MOST = 5;

/** Loads by bulk scripts: a batch is one transaction, and halved where the database refuses one of its records. */
export function tableLoading(session: TableSession, keepsHistory = false): Loading {
    return {
        async dryRun({ batch, ports }) {
            const ready = await session.prepare?.(batch);
            return (await ports.loads.read(() => planned(session, batch, ready))).changes;
        },
        commit: call =>
            call.visit.whole
                ? commitRest(session, call, keepsHistory)
                : prepared(session, call.batch, ready => commit(session, call, { ready, keepsHistory })),
    };
}

/** Works on a batch with what the session has prepared for it, which may take several goes. */
export async function prepared<T>(
    session: TableSession,
    batch: Batch,
    work: (ready: unknown) => Promise<T>,
): Promise<T> {
    for (let times = 1; ; times++) {
        const ready = await session.prepare?.(batch);
        try {
            return await work(ready);
        } catch (error) {
            if (times === PREPARED_AT_MOST || !isFlowError(error) || error.code !== 'LOAD_UNPREPARED') throw error;
        }
    }
}

/** Of a batch that comes in growing parts, writes what its marker does not tell of yet. */
async function commitRest(session: TableSession, call: LoadCall, keepsHistory: boolean): Promise<Loaded> {
    const { batch, visit, key, ports } = call;
    const unit = { key, digest: () => digestOf(visit.whole!) };
    const behind = await ports.loads.storedVerdicts(unit);
    const known = lettersOf(batch, readVerdicts(behind ?? ''));
    const rest = batch.filter((_, index) => known[index] === undefined);
    if (rest.length === 0) return { result: resettled(batch, behind!), notes: [] };
    const earlier = [...visit.earlier, batch.filter((_, index) => known[index] !== undefined)];
    const { result, notes } = await prepared(session, rest, ready =>
        commit(session, { ...call, batch: rest, visit: { ...visit, earlier } }, { ready, behind, keepsHistory }),
    );
    const told = await ports.loads.storedVerdicts(unit);
    return { result: { ...resettled(batch, told!), stored: result.stored ?? [] }, notes };
}

/** What a go at a batch begins with: what was prepared for it, and what is told of it already. */
interface Beginning {
    readonly ready: unknown;
    readonly behind?: LoadVerdicts | undefined;
    readonly keepsHistory: boolean;
}

/** Writes the batch, or reads from its marker what became of it when it was written before a crash. */
async function commit(
    session: TableSession,
    { batch, visit, key, ports }: LoadCall,
    { ready, behind, keepsHistory }: Beginning,
): Promise<Loaded> {
    const refuse = rejecter(key.stepKey, batch, visit);
    let stored: readonly Reject[] = [];
    let letters = '';
    const notes = new Map<number, LoadNote>();
    const { verdicts, replayed } = await ports.loads.commit({
        key,
        digest: () => digestOf(visit.whole ?? batch),
        locks: session.locks(batch),
        behind,
        keepsHistory,
        *work(tx) {
            notes.clear();
            const result = yield* tx.isolate ? loadParts(tx) : load(0, batch.length);
            stored = result.rejects;
            letters = result.verdicts;
            return { ...result, verdicts: writeVerdicts(letters, batch, behind) };
        },
    });
    const result = replayed ? resettled(batch, verdicts) : { ...settled(batch, letters, []), stored };
    return { result, notes: notes.values() };

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
        const part = to - from === batch.length ? batch : batch.slice(from, to);
        const plan = yield* planned(session, part, ready);
        for (const [index, change] of plan.changes.entries())
            if ('note' in change && change.note) notes.set(from + index, change.note);
        const effects = yield* plan.apply();
        assertKnownEffects(
            effects.map(({ kind }) => kind),
            { stepKey: key.stepKey, allowed: ports.loads.effectKinds },
        );
        return { ...judged(plan.changes, (index, error) => refuse(from + index, error)), effects };
    }
}

function* planned(session: TableSession, batch: Batch, ready: unknown): Script<LoadPlan> {
    const plan = yield* session.plan(batch, ready);
    if (plan.changes.length === batch.length) return plan;
    throw flowError('BUG', { problem: `a loader planned ${plan.changes.length} changes for ${batch.length} records` });
}

function joined(parts: readonly LoadResult[]): LoadResult {
    return {
        verdicts: parts.map(part => part.verdicts).join(''),
        rejects: parts.flatMap<Reject>(part => part.rejects),
        effects: parts.flatMap<Effect>(part => part.effects),
    };
}
