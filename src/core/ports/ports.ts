import type { Change, Effect, StatementProgram } from '../adapter/loader';
import type { ErrorTextFacts } from '../errors/rendered';
import type { LogCode } from '../log/log-events';
import type { LogLevel } from '../adapter/context';
import type { NextRun } from '../adapter/extractor';
import type { Severity } from '../adapter/rule';
import type { JsonObject, JsonValue } from '../value/json';
import type { ErrorCode } from '../errors/catalogue';
import type { Counters } from '../progress/counters';
import type { StepStatuses } from '../progress/step-statuses';
import type { StateScope, StoredStateEntry } from '../progress/state-entries';
import type { ResumableSource, UnfinishedRun } from './resumable-source';
import type { LoadKey } from './load-key';
import type { ActionStore } from './source-actions';

/**
 * How far a source is settled. A resumed source is reopened at `token`, `skip` records are left out, and the next batch has
 * the number `batchNo` and starts with record `seq`: so it cuts the same batches as before the crash.
 */
export interface SourceOffset {
    readonly token: JsonValue | undefined;
    readonly skip: number;
    readonly batchNo: number;
    readonly seq: number;
    /** True when the source has been read to its end. */
    readonly done: boolean;
    /** What the pages so far have said last of the next run. */
    readonly nextRun?: NextRun;
    /** Why the pages so far are not everything that the source has. */
    readonly isPart?: string;
    readonly cut?: number; // How many records the next batch has, where its source failed before it was full (`Batcher.rest`).
    readonly isBegunAgain?: true; // The other system rejected a checkpoint and the source started again, at most once per run.
}

/** Where a source is begun. */
export interface RestoredOffset {
    readonly position: SourceOffset;
    /** True if an earlier run has left this position. */
    readonly isLeft: boolean;
    /** The number of records after that position that the earlier run rejected and has already counted. */
    readonly rejectedBefore: number;
    /** The run whose position is not taken over, if that was requested. */
    readonly unfinished?: UnfinishedRun | undefined;
}

/** One advance of the commit line: the newest position and what was counted on the way to it since the last advance. */
export interface Commit {
    readonly sourceKey: string;
    readonly position: SourceOffset;
    readonly counters: Counters;
    /** How many batches this advance covers. */
    readonly batches: number;
    /** What their steps remember of the records that settled well; no key of a step twice. */
    readonly memos: readonly StoredStateEntry[];
    /** What steps hold of the batches from now on; empty where the pipeline holds nothing. */
    readonly held: readonly SpooledBatch[];
    /** What the source wants done once the run has succeeded, of the pages that are wholly read by then; absent where that is nothing. */
    readonly actions?: readonly JsonObject[];
}

/** A record that a step holds. */
export interface SpooledRecord {
    readonly data: JsonObject;
    /** The index of its origin in `SpooledPass.origins`. */
    readonly origin: number;
    /** The record as its source gave it, if it was changed since. */
    readonly source?: JsonObject;
    /** The place in its source, if that is known. */
    readonly place?: string;
}

/** The records of one visit of a batch that a step holds. */
export interface SpooledPart {
    readonly stepKey: string;
    readonly visit: number;
    readonly records: readonly SpooledRecord[];
}

/** What a step wants remembered of a record that may still fail. */
export interface SpooledStateEntry extends StoredStateEntry {
    /** The place of the record's origin in `SpooledPass.origins`. */
    readonly origin: number;
}

/** What a batch needs to continue after a step that held it. Everything in it is JSON. */
export interface SpooledPass {
    /** The number of each origin, and the places here of those that it stands for. What is there keeps its place. */
    readonly origins: ReadonlyArray<readonly number[]>;
    /** The places of those that have failed. */
    readonly failed: readonly number[];
    readonly memos: readonly SpooledStateEntry[];
    /** The steps that the batch has come to, each with the numbers of the records of each visit. */
    readonly visited: ReadonlyArray<readonly [stepKey: string, visits: ReadonlyArray<readonly number[]>]>;
}

/** A batch with held records (ADR 8). */
export interface SpooledBatch {
    readonly sourceKey: string;
    readonly batchNo: number;
    /** The position from which its source would have to be read to produce it again. */
    readonly from: SourceOffset;
    /** Undefined once no record of it is held. */
    readonly trip: SpooledPass | undefined;
    /** The newly held records of the batch, in addition to those that are stored and not yet released. */
    readonly parts: readonly SpooledPart[];
}

/** A batch of which something may continue: its `parts`. */
export interface ResumedBatch extends SpooledBatch {
    readonly trip: SpooledPass;
    /** More of its records are held. */
    readonly isHeldElsewhere: boolean;
}

/** The records that the steps of a run hold. Written with its positions. */
export interface SpoolStore {
    /** The next batch of a source after this number of which something was released. */
    next(sourceKey: string, after: number): Promise<ResumedBatch | undefined>;
    /** The number of unreleased records that each step holds; steps without any are omitted. */
    held(): Promise<ReadonlyMap<string, number>>;
}

/** One thing that a rule has found wrong with a record. */
export interface RecordIssue {
    readonly path: string;
    /** The rule's code. */
    readonly rule: string;
    readonly message: string;
    readonly severity: Severity;
}

/**
 * A record that left the stream, or a warning about a record that continued. (runId, stepKey, sourceKey, seq, ordinal) is unique: reporting it
 * again changes nothing.
 */
export interface Reject {
    readonly stepKey: string;
    readonly sourceKey: string;
    readonly seq: number;
    /** Distinguishes several records of one origin, in the order in which the step saw them. */
    readonly ordinal: number;
    readonly code: ErrorCode;
    readonly message: string;
    /** What the message consists of, so that the dashboard can show it in its language. */
    readonly facts?: ErrorTextFacts | undefined;
    /** A warning: the record continued, without the part that the message names. */
    readonly severity?: 'WARNING';
    /** The invalid field, if there is one. */
    readonly path: string | undefined;
    /** Where the record is in its source: `line 17`. Undefined if the source does not report it, and for a record made of several. */
    readonly place?: string | undefined;
    /** The record as it arrived at the step that rejected it. */
    readonly payload: JsonObject;
    /** All that the rules of a VALIDATE step have found, warnings included. */
    readonly faults?: readonly RecordIssue[];
    /** The record as the source gave it, if it was changed since. */
    readonly source?: JsonObject;
}

/**
 * The verdicts on the records of a load, in their order: C(reated), U(pdated), D(eleted), = (unchanged) or X (rejected). Their record numbers may
 * follow, see `writeOutcomes`.
 */
export type LoadOutcomes = string;

export interface LoadResult {
    readonly verdicts: LoadOutcomes;
    readonly rejects: readonly Reject[];
    readonly effects: readonly Effect[];
}

export interface LoadUnit {
    readonly key: LoadKey;
    /** The digest of the input, computed only when needed. If a repeated batch has another digest, that is a warning, and its marker wins. */
    readonly digest: () => string;
    readonly locks: readonly string[];
    /** The verdicts that are already known if this is the rest of a batch: its marker grows by the new verdicts. */
    readonly behind?: LoadOutcomes | undefined;
    /** Which entities it has written is stored with it, by its effects. */
    readonly keepsHistory?: boolean;
    /**
     * Plans and applies everything in one transaction, under the locks. May run again from its beginning after a rollback (`attempt` 1 …).
     * `isolate` requests the work in halves, each within `savepoint`.
     */
    work(tx: LoadTransaction): StatementProgram<LoadResult>;
}

export interface LoadTransaction {
    /** False at the first try; true if the database rejected the whole batch because of some record in it. */
    readonly isolate: boolean;
    /** Runs a part separately: its writes are rolled back if it fails with a `record` error, which is then returned. */
    savepoint<T>(
        part: () => StatementProgram<T>,
    ): StatementProgram<{ readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown }>;
}

/** One record of a batch that the platform's services load. */
export interface ServiceUnit extends Pick<LoadUnit, 'key' | 'digest' | 'locks'> {
    /**
     * Does everything with `ctx`, the platform's context in the record's own transaction. Returns the verdicts of the batch so far, including this
     * record.
     */
    work(ctx: unknown): Promise<LoadResult>;
}

export interface LoadStore {
    /** The kinds of effects that are published; a load may leave no others. */
    readonly effectKinds: readonly string[];
    /**
     * Live: locks, marker check if a marker may exist, work, rejects, effects, marker, fence check, commit; on one
     * connection. A batch with a marker is answered from it (`replayed`), and nothing is repeated. Throws FlowErrors:
     * `transient` if it may be retried, LEASE_LOST if another worker has the run.
     */
    commit(unit: LoadUnit): Promise<{ readonly verdicts: LoadOutcomes; readonly replayed: boolean }>;
    /** The known verdicts of a batch, even if only for some of its records; undefined if there are none. */
    storedVerdicts(unit: Pick<LoadUnit, 'key' | 'digest'>): Promise<LoadOutcomes | undefined>;
    isBegun(batch: Pick<LoadKey, 'sourceKey' | 'batchNo'>): Promise<boolean>; // Whether a step has loaded anything of it.
    /** Stores what became of (more of) a batch that was loaded elsewhere than in its own transaction: marker, rejects, effects. Fenced. */
    settle(unit: Pick<LoadUnit, 'key' | 'digest'>, result: LoadResult): Promise<void>;
    /** One record by the platform's services: locks, work, rejects, marker, fence check, in one transaction. Throws as `commit` does, and `record` errors. */
    serve(unit: ServiceUnit): Promise<void>;
    /** Dry run: runs a script that only reads. */
    read<T>(script: () => StatementProgram<T>): Promise<T>;
}

/** How far a run is. */
export interface CommittedRun {
    readonly positions: Readonly<Record<string, SourceOffset>>;
    readonly counters: Counters;
    /** The number of rejected records that an earlier run has already counted: they do not count against this run's error budget. */
    readonly rejectedBefore: number;
}

export interface OffsetStore {
    /** What this run has committed; empty at its first start. */
    load(): Promise<CommittedRun>;
    /** Writes all of it in one fenced write. Throws LEASE_LOST if another worker has the run. */
    commit(commit: Commit): Promise<void>;
    /**
     * Starts a source at the position that the last incomplete run saved under this key. This run takes over the position, and what that run loaded
     * after it, even if this run does not complete either. All of it is one fenced write. A source that the run has already started is returned
     * unchanged.
     */
    restoreCheckpoint(source: ResumableSource): Promise<RestoredOffset>;
    /** Whether a run that did not complete has left a source at a place of this key, which the next run would take up. Nothing changes. */
    isLeft(source: Pick<ResumableSource, 'stepKey' | 'key'>): Promise<boolean>;
}

/** At most this number of keys after one key. */
export interface StatePage {
    readonly behind: string;
    readonly limit: number;
}

/** What the steps of a pipeline remember beyond a batch. Written with the positions. */
export interface StateStore {
    /** What is remembered for these keys of a step, by default beyond its runs; those without anything are left out. */
    recall(stepKey: string, keys: readonly string[], scope?: StateScope): Promise<ReadonlyMap<string, JsonValue>>;
    /** The keys of a step with this prefix that are remembered beyond its runs, in their order. */
    keys(stepKey: string, beginning: string, page: StatePage): Promise<readonly string[]>;
}

export interface RejectStore {
    /** Stores them durably before it resolves. Existing ones stay unchanged. Fenced. */
    addAll(rejects: readonly Reject[]): Promise<void>;
}

export type JournalEvent =
    | { readonly type: 'step.finished'; readonly stepKey: string; readonly counters: JsonObject; readonly ms: number }
    | {
          readonly type: 'change.planned';
          readonly stepKey: string;
          readonly seq: number;
          /** Which coming of which batch to the step it is, and the record's place in it. */
          readonly at: Pick<LoadKey, 'sourceKey' | 'batchNo' | 'visit'> & { readonly place: number };
          readonly change: Change;
      }
    | {
          readonly type: 'log';
          readonly level: LogLevel;
          readonly stepKey: string | undefined;
          readonly message: string;
          readonly facts?: JsonObject;
          /** Of an event of Flow, which the message and the facts belong to. All other lines are texts of others. */
          readonly code?: LogCode;
      };

/** The ordered facts of a run. `emit` never waits and never throws; the next flush stores them. */
export interface Journal {
    emit(event: JournalEvent): void;
    flush(): Promise<void>;
}

/** Everything that the executor needs of the outside world; live run, dry run and test differ in nothing else. */
export interface RunPorts {
    readonly positions: OffsetStore;
    /** Used only for sources with actions after a successful run. */
    readonly actions: ActionStore;
    readonly memory: StateStore;
    /** Used only if a step of the pipeline may hold something. Absent if nothing is held, because no user could release it. */
    readonly spool?: SpoolStore;
    readonly rejects: RejectStore;
    readonly loads: LoadStore;
    readonly journal: Journal;
    /** Called at every settled batch with the totals so far, uncommitted ones included, and where a wait begins or ends. Must not block. */
    progress(counters: Counters, statuses: StepStatuses): void;
}
