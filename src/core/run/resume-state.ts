import type { JsonObject, JsonValue } from '../value/json';
import { START } from '../steps/extract';
import type { LoadKey } from '../ports/load-key';
import type { LoadOutcomes, SourceOffset } from '../ports/ports';
import type { ResumeKey } from '../ports/resumable-source';

/** A batch that a load step was done with when its run ended, although no position says so yet. */
export interface LoadedBatch extends Omit<LoadKey, 'sourceKey'> {
    readonly digest: string;
    readonly verdicts: LoadOutcomes;
}

/** How far a run that did not complete has read a source: its position, and what is loaded after it. */
export interface ResumeState {
    /** The run that owns the rejected records of the loads; undefined if an earlier version has stored it. */
    readonly runId: string | number | undefined;
    readonly position: SourceOffset;
    readonly loads: readonly LoadedBatch[];
    /** The number of records after the position that the run rejected and has already counted. */
    readonly rejected: number;
    /** The actions that the source requests for everything read before the position, once a run has succeeded. */
    readonly actions: readonly JsonObject[];
    /** What the position belongs to. */
    readonly of?: ResumeKey | undefined;
}

/** Undefined if nothing has been done, so there is nothing to resume. */
export function resumeStateOf(left: ResumeState): ResumeState | undefined {
    const { position, loads } = left;
    const isBegun = position.token !== undefined || position.skip > 0 || position.seq > 0;
    return isBegun || loads.length > 0 ? left : undefined;
}

/** As it is stored. */
export function storedResumeState({ runId, position, loads, rejected, of, actions }: ResumeState): JsonObject {
    const { token, skip, batchNo, seq, cut } = position;
    return {
        ...(token !== undefined && { token }),
        ...(runId !== undefined && { run: runId }),
        ...(of && { of }),
        ...(actions.length > 0 && { actions }),
        ...{ skip, batchNo, seq, rejected },
        ...(cut !== undefined && { cut }),
        loads: loads.map(({ stepKey, batchNo: number, visit, digest, verdicts: outcomes }) => ({
            stepKey,
            batchNo: number,
            visit,
            digest,
            verdicts: outcomes,
        })),
    };
}

/**
 * Values that earlier versions stored have only a token and a number of records. Such a source is read to its end again, which is quick if it had
 * reached its end.
 */
export function readResumeState(stored: JsonValue): ResumeState {
    const { token, skip, batchNo, seq, cut, run, loads, rejected, of, actions } =
        stored as unknown as Partial<SourceOffset> & {
            readonly run?: string | number;
            readonly loads?: readonly LoadedBatch[];
            readonly rejected?: number;
            readonly of?: ResumeKey;
            readonly actions?: readonly JsonObject[];
        };
    return {
        runId: run,
        position: {
            token,
            skip: skip ?? START.skip,
            batchNo: batchNo ?? START.batchNo,
            seq: seq ?? START.seq,
            done: false,
            ...(cut !== undefined && { cut }),
        },
        loads: loads ?? [],
        rejected: rejected ?? 0,
        of,
        actions: actions ?? [],
    };
}

/** What the next run makes of a load that it finds done: it has created, updated and deleted nothing itself. */
export function carriedOver(load: LoadedBatch): LoadedBatch {
    return { ...load, verdicts: load.verdicts.replace(/[CUD]/g, '=') };
}
