import type { Redactor } from '../../core/adapter/redactor';
import { isJsonObject, type JsonValue } from '../../core/value/json';
import { FlowError, flowError } from '../../core/errors/flow-error';
import type { Change } from '../../core/adapter/loader';
import type { StepStatuses } from '../../core/progress/step-statuses';
import type {
    Commit,
    Journal,
    JournalEvent,
    LoadResult,
    LoadStore,
    OffsetStore,
    Reject,
    RejectStore,
    RunPorts,
} from '../../core/ports/ports';

/**
 * The ports of a run without the secrets that it has resolved: whatever the executor stores goes through here, so that no adapter, however
 * it misbehaves, gets one into the log, the rejected records, the report of a dry run, the positions or what steps remember. A run that has resolved none
 * keeps its ports as they are, so it pays nothing.
 */
export function redactedPorts(ports: RunPorts, redactor: Redactor): RunPorts {
    if (redactor.isEmpty) return ports;
    return {
        journal: redactedJournal(ports.journal, redactor),
        positions: checkedPositions(ports.positions, redactor),
        actions: ports.actions,
        memory: ports.memory,
        ...(ports.spool && { spool: ports.spool }),
        rejects: redactedRejects(ports.rejects, redactor),
        loads: redactedLoads(ports.loads, redactor),
        progress: (counters, signs) => ports.progress(counters, redactedSigns(signs, redactor)),
    };
}

/** The same error in a form that may be stored and logged. Its cause stays in memory, for debugging. */
export function redactedError(error: FlowError, redactor: Redactor): FlowError {
    if (redactor.isEmpty) return error;
    const { code, cause, waitMs, details, facts } = error;
    const clean = new FlowError(code, redactor.text(error.message), {
        ...(cause !== undefined && { cause }),
        ...(waitMs !== undefined && { waitMs }),
        ...(details && { details: redactor.json(details) }),
        ...(facts && { facts: redactor.json(facts) }),
    });
    if (error.stack !== undefined) clean.stack = redactor.text(error.stack);
    return clean;
}

/** A journal that gets nothing of the run's secrets. */
export function redactedJournal(journal: Journal, redactor: Redactor): Journal {
    if (redactor.isEmpty) return journal;
    return {
        emit: event => journal.emit(redactedEvent(event, redactor)),
        flush: () => journal.flush(),
    };
}

function redactedEvent(event: JournalEvent, redactor: Redactor): JournalEvent {
    switch (event.type) {
        case 'log':
            return {
                ...event,
                message: redactor.text(event.message),
                ...(event.facts && { facts: redactor.json(event.facts) }),
            };
        case 'change.planned':
            return { ...event, change: redactedChange(event.change, redactor) };
        case 'step.finished':
            return event;
    }
}

function redactedChange(change: Change, redactor: Redactor): Change {
    if (change.action === 'reject') return { ...change, error: redactedError(change.error, redactor) };
    return {
        ...change,
        key: redactor.text(change.key),
        ...('before' in change && { before: redactor.json(change.before) }),
        ...('after' in change && { after: redactor.json(change.after) }),
    };
}

function redactedReject(reject: Reject, redactor: Redactor): Reject {
    const { message, facts, path, place, payload, source, faults: issues } = reject;
    return {
        ...reject,
        message: redactor.text(message),
        ...(facts && { facts: redactor.json(facts) }),
        path: path && redactor.text(path),
        ...(place !== undefined && { place: redactor.text(place) }),
        payload: redactor.json(payload),
        ...(source && { source: redactor.json(source) }),
        ...(issues && {
            faults: issues.map(issue => ({
                ...issue,
                path: redactor.text(issue.path),
                message: redactor.text(issue.message),
            })),
        }),
    };
}

function redactedRejects(rejects: RejectStore, redactor: Redactor): RejectStore {
    return { addAll: rejected => rejects.addAll(rejected.map(reject => redactedReject(reject, redactor))) };
}

function redactedSigns(statuses: StepStatuses, redactor: Redactor): StepStatuses {
    return Object.fromEntries(
        Object.entries(statuses).map(([stepKey, sign]) => [
            stepKey,
            sign.place === undefined ? sign : { ...sign, place: redactor.text(sign.place) },
        ]),
    );
}

/** Redacts what a load stores outside of the catalogue. What it writes to the catalogue is unchanged. */
function redactedLoads(loads: LoadStore, redactor: Redactor): LoadStore {
    const redacted = (result: LoadResult): LoadResult => ({
        ...result,
        rejects: result.rejects.map(reject => redactedReject(reject, redactor)),
        effects: result.effects.map(effect => ({ ...effect, payload: redactor.json(effect.payload) })),
    });
    return {
        effectKinds: loads.effectKinds,
        commit: unit =>
            loads.commit({
                ...unit,
                *work(tx) {
                    return redacted(yield* unit.work(tx));
                },
            }),
        storedVerdicts: unit => loads.storedVerdicts(unit),
        isBegun: batch => loads.isBegun(batch),
        settle: (unit, result) => loads.settle(unit, redacted(result)),
        serve: unit => loads.serve({ ...unit, work: async ctx => redacted(await unit.work(ctx)) }),
        read: script => loads.read(script),
    };
}

/** A redacted position would be another position, so a source that stores a secret in its position fails instead. */
function checkedPositions(positions: OffsetStore, redactor: Redactor): OffsetStore {
    const assertNoSecret = (stepKey: string, key: string, value: JsonValue): void => {
        if (!redactor.finds(key) && !redactor.finds(value)) return;
        throw flowError('BUG', {
            problem: `an operator of step "${stepKey}" wants to remember a secret, which would be stored`,
        });
    };
    return {
        load: () => positions.load(),
        restoreCheckpoint: async source => {
            if (redactor.finds(source.key) || redactor.finds(source.byCompleted?.key ?? '')) {
                throw flowError('BUG', {
                    problem: `the extractor of step "${source.stepKey}" names its position by a secret, which would be stored`,
                });
            }
            return positions.restoreCheckpoint(source);
        },
        isLeft: source => positions.isLeft(source),
        commit: async (commit: Commit) => {
            const { token, nextRun } = commit.position;
            const stored: ReadonlyArray<readonly [what: string, value: JsonValue | undefined]> = [
                ['its checkpoint', token],
                ['where the next run begins', nextRun],
                ['what it wants done after the run', commit.actions as JsonValue | undefined],
            ];
            for (const [what, value] of stored) {
                if (value === undefined || !redactor.finds(value)) continue;
                throw flowError('BUG', {
                    problem: `the extractor of step "${commit.sourceKey}" has put a secret into ${what}, which would be stored`,
                });
            }
            for (const { stepKey, key, value, isReported } of commit.memos)
                if (!isReported) assertNoSecret(stepKey, key, value);
            for (const { trip: batchPass, parts } of commit.held) {
                for (const { stepKey, records } of parts) {
                    if (!redactor.finds(records as unknown as JsonValue)) continue;
                    throw flowError('BUG', {
                        problem: `a record that step "${stepKey}" is to hold has a secret of the run in it, which would be stored`,
                    });
                }
                for (const { stepKey, key, value } of batchPass?.memos ?? []) assertNoSecret(stepKey, key, value);
            }
            const stateEntries = commit.memos.map(stateEntry =>
                stateEntry.isReported
                    ? { ...stateEntry, value: redactedTexts(stateEntry.value, redactor) }
                    : stateEntry,
            );
            await positions.commit({ ...commit, memos: stateEntries });
        },
    };
}

/** Keeps keys and numbers, so that the value keeps its form when it is read again. */
function redactedTexts(value: JsonValue, redactor: Redactor): JsonValue {
    if (typeof value === 'string') return redactor.text(value);
    if (Array.isArray(value)) return value.map(element => redactedTexts(element, redactor));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redactedTexts(inner, redactor)]));
}
