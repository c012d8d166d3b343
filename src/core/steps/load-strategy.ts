import { createHash } from 'node:crypto';
import type { Change, LoadNote } from '../adapter/loader';
import { canonicalJson, type JsonObject } from '../value/json';
import type { Batch } from '../data/record';
import { flowError, type FlowError } from '../errors/flow-error';
import { growth, type StepCounters } from '../progress/counters';
import type { LoadKey } from '../ports/load-key';
import type { LoadResult, LoadOutcomes, Reject, RunPorts } from '../ports/ports';
import { rejecter, type StepResult, type Invocation } from './step';
import { outcomeLettersOf, readOutcomes } from './load-outcomes';

/** One batch that has arrived at a load step. */
export interface LoadCall {
    readonly batch: Batch;
    readonly visit: Invocation;
    readonly key: LoadKey;
    readonly ports: RunPorts;
    readonly runId: string;
}

/** The outcome of a batch, and the notes for users; no notes for a batch that was loaded before. */
export interface LoadStepResult {
    readonly result: StepResult;
    readonly notes: Iterable<LoadNote>;
}

/** How a kind of loader loads. */
export interface LoadStrategy {
    /** What would become of the records, in their order; nothing is written. */
    dryRun(call: LoadCall): Promise<readonly Change[]>;
    /** Loads the batch once, and reads the outcomes from before a crash from its marker. */
    commit(call: LoadCall): Promise<LoadStepResult>;
}

type Refuse = (index: number, error: FlowError) => Reject;

export const OUTCOME_CODES: Readonly<Record<Change['action'], string>> = {
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

/** Throws if no handler would publish the effects of a load, because those effects would wait forever. */
export function assertKnownEffects(
    kinds: readonly string[],
    { stepKey, allowed }: { readonly stepKey: string; readonly allowed: readonly string[] },
): void {
    const kind = kinds.find(one => !allowed.includes(one));
    if (kind !== undefined) throw flowError('EFFECT_UNKNOWN', { stepKey, kind, allowed: allowed.join(', ') || 'none' });
}

export function checkedOutcomes(changes: readonly Change[], refuse: Refuse): Pick<LoadResult, 'verdicts' | 'rejects'> {
    let outcomes = '';
    const rejects: Reject[] = [];
    changes.forEach((change, index) => {
        outcomes += OUTCOME_CODES[change.action];
        if (change.action === 'reject') rejects.push(refuse(index, change.error));
    });
    return { verdicts: outcomes, rejects };
}

export function loadNotesOf(changes: readonly Change[]): readonly LoadNote[] {
    return changes.flatMap(change => ('note' in change && change.note ? [change.note] : []));
}

/** Passes the settled records to the next step, without the rejected ones. */
export function acknowledgedRecords(batch: Batch, outcomes: string, rejects: readonly Reject[]): StepResult {
    if (outcomes.length !== batch.length) {
        throw flowError('BUG', { problem: `${outcomes.length} verdicts came for a batch of ${batch.length} records` });
    }
    const counts = outcomeCounts(outcomes);
    const out = counts.rejected ? batch.filter((_, index) => outcomes[index] !== 'X') : batch;
    const failed = counts.rejected
        ? batch.filter((_, index) => outcomes[index] === 'X').map(({ origin }) => origin)
        : [];
    return { out, counts, rejects, failed };
}

/**
 * The result of a batch whose marker has a verdict for every record. The marker may also have verdicts for records that an earlier step no longer
 * passes on: what was loaded counts. Throws if a record has no verdict, because it would disappear.
 */
export function restoredFromMarker(batch: Batch, outcomes: LoadOutcomes): StepResult {
    const told = readOutcomes(outcomes);
    const letters = outcomeLettersOf(batch, told);
    const lost = letters.filter(letter => letter === undefined).length;
    if (lost > 0) throw flowError('BUG', { problem: `${lost} of ${batch.length} records of a batch have no result` });
    const counts = outcomeCounts(told.map(({ letter }) => letter).join(''));
    const out = batch.filter((_, index) => letters[index] !== 'X');
    // In a repeated batch, only the marker identifies the rejected records.
    const failed = batch.filter((_, index) => letters[index] === 'X').map(({ origin }) => origin);
    const change = growth(batch.length, out.length + (counts.rejected ?? 0));
    return { out, counts: { ...counts, ...change }, rejects: [], failed };
}

/** Dry run and preview: counted as if it had been written. */
export async function dryRunOf(loadStrategy: LoadStrategy, call: LoadCall): Promise<LoadStepResult> {
    return logPlanned(call, await loadStrategy.dryRun(call));
}

/** Reports the planned changes of the records of a batch. */
export async function logPlanned(
    { batch, visit, key, ports }: Omit<LoadCall, 'runId'>,
    changes: readonly Change[],
): Promise<LoadStepResult> {
    const { stepKey, ...at } = key;
    changes.forEach((change, place) => {
        if (change.action === 'unchanged' || change.action === 'reject') return;
        const { seq } = batch[place]!.origin;
        ports.journal.emit({ type: 'change.planned', stepKey, seq, at: { ...at, place }, change });
    });
    // The plans of a large run must not pile up in memory.
    await ports.journal.flush();
    const { verdicts: outcomes, rejects } = checkedOutcomes(changes, rejecter(stepKey, batch, visit));
    return { result: acknowledgedRecords(batch, outcomes, rejects), notes: loadNotesOf(changes) };
}

/** How many records of a load have each verdict. */
export function outcomeCounts(outcomes: string): StepResult['counts'] {
    const counts: Partial<Record<keyof StepCounters, number>> = {};
    for (const outcome of outcomes) {
        const counter = COUNTED[outcome];
        if (!counter) throw flowError('BUG', { problem: `"${outcome}" is not a verdict of a load` });
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
