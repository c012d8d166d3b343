import type { Effect, LoadNote, LoadPlan, StatementProgram, TableSession } from '../adapter/loader';
import type { Batch } from '../data/record';
import { flowError, isFlowError } from '../errors/flow-error';
import type { LoadResult, LoadTransaction, LoadOutcomes, Reject } from '../ports/ports';
import { isolate } from './isolate';
import {
    assertKnownEffects,
    digestOf,
    checkedOutcomes,
    type LoadCall,
    type LoadStepResult,
    type LoadStrategy,
    restoredFromMarker,
    acknowledgedRecords,
} from './load-strategy';
import { rejecter, type StepResult } from './step';
import { outcomeLettersOf, readOutcomes, writeOutcomes } from './load-outcomes';

/** How often a batch is prepared again when its preparation no longer fits the state of the shop. */
const PREPARED_AT_MOST = 5;

/** Loads by bulk scripts: a batch is one transaction, and is halved if the database rejects one of its records. */
export function tableLoading(session: TableSession, keepsHistory = false): LoadStrategy {
    return {
        async dryRun({ batch, ports }) {
            const ready = await session.prepare?.(batch);
            return (await ports.loads.read(() => planned(session, batch, ready))).changes;
        },
        commit: call => commitAll(session, call, keepsHistory),
    };
}

/** Processes a batch with what the session has prepared for it, which may take several attempts. */
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

/**
 * Loads the batch, and then those of its records that have no verdict yet. After a crash, a repeated batch may contain records that its marker does
 * not know, for example because an earlier step had another result.
 */
async function commitAll(session: TableSession, call: LoadCall, keepsHistory: boolean): Promise<LoadStepResult> {
    const first = await prepared(session, call.batch, ready => commit(session, call, { ready, keepsHistory }));
    if (first.known === undefined) return first;
    const { batch, visit } = call;
    const letters = outcomeLettersOf(batch, readOutcomes(first.known));
    const rest = batch.filter((_, index) => letters[index] === undefined);
    if (rest.length === 0) return { result: restoredFromMarker(batch, first.known), notes: [] };
    const earlier = [...visit.earlier, batch.filter((_, index) => letters[index] !== undefined)];
    const restCall = { ...call, batch: rest, visit: { ...visit, earlier } };
    const second = await prepared(session, rest, ready =>
        commit(session, restCall, { ready, keepsHistory, behind: first.known }),
    );
    const { result, notes, verdicts: outcomes } = second;
    return { result: { ...restoredFromMarker(batch, outcomes), stored: result.stored ?? [] }, notes };
}

/** The input of one try at a batch: what was prepared for it, and the verdicts that are already known. */
interface Beginning {
    readonly ready: unknown;
    readonly behind?: LoadOutcomes | undefined;
    readonly keepsHistory: boolean;
}

/** Where the marker decides, which is read by the caller. */
const NOTHING: StepResult = { out: [], counts: {}, rejects: [], failed: [] };

/** What one transaction did. */
interface Committed extends LoadStepResult {
    /** Everything that the batch's marker says now. */
    readonly verdicts: LoadOutcomes;
    /** The same, for a batch whose marker existed and of which nothing was written. */
    readonly known?: LoadOutcomes;
}

/** Writes the batch in one transaction, unless its marker says that it was written before. */
async function commit(
    session: TableSession,
    { batch, visit, key, ports }: LoadCall,
    { ready, behind: after, keepsHistory }: Beginning,
): Promise<Committed> {
    const refuse = rejecter(key.stepKey, batch, visit);
    let stored: readonly Reject[] = [];
    let letters = '';
    const notes = new Map<number, LoadNote>();
    const { verdicts: outcomes, replayed } = await ports.loads.commit({
        key,
        digest: () => digestOf(batch),
        locks: session.locks(batch),
        behind: after,
        keepsHistory,
        *work(tx) {
            notes.clear();
            const result = yield* tx.isolate ? loadParts(tx) : load(0, batch.length);
            stored = result.rejects;
            letters = result.verdicts;
            return { ...result, verdicts: writeOutcomes(letters, batch, after) };
        },
    });
    if (replayed) return { result: NOTHING, notes: [], verdicts: outcomes, known: outcomes };
    return {
        result: { ...acknowledgedRecords(batch, letters, []), stored },
        notes: notes.values(),
        verdicts: outcomes,
    };

    function* loadParts(tx: LoadTransaction): StatementProgram<LoadResult> {
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

    function* load(from: number, to: number): StatementProgram<LoadResult> {
        const part = to - from === batch.length ? batch : batch.slice(from, to);
        const plan = yield* planned(session, part, ready);
        for (const [index, change] of plan.changes.entries())
            if ('note' in change && change.note) notes.set(from + index, change.note);
        const effects = yield* plan.apply();
        assertKnownEffects(
            effects.map(({ kind }) => kind),
            { stepKey: key.stepKey, allowed: ports.loads.effectKinds },
        );
        return { ...checkedOutcomes(plan.changes, (index, error) => refuse(from + index, error)), effects };
    }
}

function* planned(session: TableSession, batch: Batch, ready: unknown): StatementProgram<LoadPlan> {
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
