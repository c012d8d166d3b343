import type { Change, Effect, Script } from '../adapter/loader';
import type { LogLevel } from '../adapter/context';
import type { NextRun } from '../adapter/extractor';
import type { Severity } from '../adapter/rule';
import type { JsonObject, JsonValue } from '../value/json';
import type { ErrorCode } from '../errors/catalogue';
import type { Counters } from '../progress/counters';
import type { StepSigns } from '../progress/signs';
import type { MemoryScope, StoredMemo } from '../progress/memos';
import type { KeptSource, UnfinishedRun } from './kept-source';
import type { LoadKey } from './load-key';
import type { ActionStore } from './source-actions';

/**
 * How far a source is settled. A resumed source is reopened at `token`, `skip` records are left out, and the next batch has
 * the number `batchNo` and starts with record `seq`: so it cuts the same batches as before the crash.
 */
export interface Position {
    readonly token: JsonValue | undefined;
    readonly skip: number;
    readonly batchNo: number;
    readonly seq: number;
    /** True when the source has been read to its end. */
    readonly done: boolean;
    /** What the pages so far have said last of the next run. */
    readonly nextRun?: NextRun;
    /** Why what the pages so far have brought is not all that the source has. */
    readonly isPart?: string;
    readonly cut?: number; // How many records the next batch has, where its source failed before it was full (`Cutter.rest`).
    readonly isBegunAgain?: true; // The other side has refused a checkpoint, and the source was begun again: once a run.
}

/** Where a source is begun. */
export interface TakenUp {
    readonly position: Position;
    /** That is where an earlier run has left it. */
    readonly isLeft: boolean;
    /** How many records behind that place the earlier run has rejected, and answered for. */
    readonly rejectedBefore: number;
    /** Whose place is not taken up, where that was asked for. */
    readonly unfinished?: UnfinishedRun | undefined;
}

/** One advance of the commit line: the newest position and what was counted on the way to it since the last advance. */
export interface Commit {
    readonly sourceKey: string;
    readonly position: Position;
    readonly counters: Counters;
    /** How many batches this advance covers. */
    readonly batches: number;
    /** What their steps remember of the records that settled well; no key of a step twice. */
    readonly memos: readonly StoredMemo[];
    /** What steps hold of the batches from now on; empty where the pipeline holds nothing. */
    readonly held: readonly HeldBatch[];
    /** What the source wants done once the run has succeeded, of the pages that are wholly read by then; absent where that is nothing. */
    readonly actions?: readonly JsonObject[];
}

/** A record that a step holds. */
export interface HeldRecord {
    readonly data: JsonObject;
    /** The place of its origin in `HeldTrip.origins`. */
    readonly origin: number;
    /** As its source gave it, where that is something else. */
    readonly source?: JsonObject;
    /** Where it stands at its source, where that is known. */
    readonly place?: string;
}

/** The records that one step holds of one coming of a batch. */
export interface HeldPart {
    readonly stepKey: string;
    readonly visit: number;
    readonly records: readonly HeldRecord[];
}

/** What a step wants remembered of a record that may still fail. */
export interface HeldMemo extends StoredMemo {
    /** The place of the record's origin in `HeldTrip.origins`. */
    readonly origin: number;
}

/** What a batch has to know when it goes on behind a step that held it. All of it is JSON. */
export interface HeldTrip {
    /** The number of each origin, and the places here of those that it stands for. What is there keeps its place. */
    readonly origins: ReadonlyArray<readonly number[]>;
    /** The places of those that have failed. */
    readonly failed: readonly number[];
    readonly memos: readonly HeldMemo[];
    /** The steps that the batch has come to, each with the numbers of the records of each visit. */
    readonly visited: ReadonlyArray<readonly [stepKey: string, visits: ReadonlyArray<readonly number[]>]>;
}

/** A batch of which steps hold something (ADR 8). */
export interface HeldBatch {
    readonly sourceKey: string;
    readonly batchNo: number;
    /** Where its source would have to be read on for it to come again. */
    readonly from: Position;
    /** Undefined once nothing of it is held any more. */
    readonly trip: HeldTrip | undefined;
    /** What is held of it in addition to what is stored and was not let go on. */
    readonly parts: readonly HeldPart[];
}

/** A batch of which something may go on: `parts` are that. */
export interface ReleasedBatch extends HeldBatch {
    readonly trip: HeldTrip;
    /** Steps hold more of it. */
    readonly isHeldElsewhere: boolean;
}

/** What the steps of a run hold. Written with its positions. */
export interface SpoolStore {
    /** The next batch of a source, behind this number, of which something was let go on. */
    next(sourceKey: string, behind: number): Promise<ReleasedBatch | undefined>;
    /** How many records each step holds that were not let go on; steps without any are left out. */
    held(): Promise<ReadonlyMap<string, number>>;
}

/** One thing that a rule has found wrong with a record. */
export interface RecordFault {
    readonly path: string;
    /** The rule's code. */
    readonly rule: string;
    readonly message: string;
    readonly severity: Severity;
}

/** A record that left the stream, or what it went on without. (runId, stepKey, sourceKey, seq, ordinal) is unique: reporting it again changes nothing. */
export interface Reject {
    readonly stepKey: string;
    readonly sourceKey: string;
    readonly seq: number;
    /** Tells the several records of one origin apart, in the order in which the step saw them. */
    readonly ordinal: number;
    readonly code: ErrorCode;
    readonly message: string;
    /** A warning: the record went on, without what the message says. */
    readonly severity?: 'WARNING';
    /** The field at fault, where there is one. */
    readonly path: string | undefined;
    /** Where the record stands at its source: `line 17`. Undefined where the source does not say, and of what was made of several records. */
    readonly place?: string | undefined;
    /** The record as it came to the step that refused it. */
    readonly payload: JsonObject;
    /** All that the rules of a VALIDATE step have found, warnings included. */
    readonly faults?: readonly RecordFault[];
    /** As the source gave it, where that is something else. */
    readonly source?: JsonObject;
}

/**
 * What became of the records of a load, in their order: C(reated), U(pdated), D(eleted), = (unchanged) or X (rejected); with their numbers behind it,
 * see `toldVerdicts`.
 */
export type LoadVerdicts = string;

export interface LoadResult {
    readonly verdicts: LoadVerdicts;
    readonly rejects: readonly Reject[];
    readonly effects: readonly Effect[];
}

export interface LoadUnit {
    readonly key: LoadKey;
    /** Of the input, asked for only when it is needed; a batch that comes again with another digest is a warning, and its marker wins. */
    readonly digest: () => string;
    readonly locks: readonly string[];
    /** What is told of the batch already, where this is the rest of it: its marker grows by what becomes of that. */
    readonly behind?: LoadVerdicts | undefined;
    /** Which entities it has written is stored with it, by its effects. */
    readonly keepsHistory?: boolean;
    /**
     * All of it in one transaction, under the locks. Plans, then applies. May be run again from its beginning after a
     * rollback (`attempt` 1 …). `isolate` asks for it to be done in halves, each within `savepoint`.
     */
    work(tx: LoadTransaction): Script<LoadResult>;
}

export interface LoadTransaction {
    /** False at the first try; true when the database refused the whole batch because of some record in it. */
    readonly isolate: boolean;
    /** Runs a part on its own: what it wrote is undone when it fails with a `record` error, which is then answered. */
    savepoint<T>(
        part: () => Script<T>,
    ): Script<{ readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown }>;
}

/** One record of a batch that the platform's services load. */
export interface ServiceUnit extends Pick<LoadUnit, 'key' | 'digest' | 'locks'> {
    /** All of it with `ctx`, the platform's context in the record's own transaction; answers what is told of the batch so far, this record included. */
    work(ctx: unknown): Promise<LoadResult>;
}

export interface LoadStore {
    /** The kinds of effects that are made known; a load may leave no others. */
    readonly effectKinds: readonly string[];
    /**
     * Live: locks, marker check where it may be there, work, rejects, effects, marker, fence check, commit; on one connection. A batch
     * whose marker is there already is answered from it (`replayed`), nothing is done again.
     * Throws FlowErrors: `transient` when it may be tried again, LEASE_LOST when the run is another worker's.
     */
    commit(unit: LoadUnit): Promise<{ readonly verdicts: LoadVerdicts; readonly replayed: boolean }>;
    /** What is told of a batch already, be it of some of its records; undefined where nothing is. */
    storedVerdicts(unit: Pick<LoadUnit, 'key' | 'digest'>): Promise<LoadVerdicts | undefined>;
    isBegun(batch: Pick<LoadKey, 'sourceKey' | 'batchNo'>): Promise<boolean>; // Whether a step has loaded anything of it.
    /** Stores what became of (more of) a batch that was loaded elsewhere than in its own transaction: marker, rejects, effects. Fenced. */
    settle(unit: Pick<LoadUnit, 'key' | 'digest'>, result: LoadResult): Promise<void>;
    /** One record by the platform's services: locks, work, rejects, marker, fence check, in one transaction. Throws as `commit` does, and `record` errors. */
    serve(unit: ServiceUnit): Promise<void>;
    /** Dry run: runs a script that only reads. */
    read<T>(script: () => Script<T>): Promise<T>;
}

/** How far a run is. */
export interface CommittedRun {
    readonly positions: Readonly<Record<string, Position>>;
    readonly counters: Counters;
    /** How many rejected records an earlier run has answered for: so many are not spent from this one's error budget. */
    readonly rejectedBefore: number;
}

export interface PositionStore {
    /** What this run has committed; empty at its first start. */
    load(): Promise<CommittedRun>;
    /** One fenced write of all of it. Throws LEASE_LOST when the run is another worker's. */
    commit(commit: Commit): Promise<void>;
    /**
     * Begins a source where the last run that kept it under this key, and did not complete, has left it; what that run had loaded behind its position is
     * this run's from here on, as is its place if this one does not complete either. One fenced write of all of it. A source that the run has
     * begun already is answered as it stands.
     */
    takeUp(source: KeptSource): Promise<TakenUp>;
    /** Whether a run that did not complete has left a source at a place of this key, which the next run would take up. Nothing changes. */
    isLeft(source: Pick<KeptSource, 'stepKey' | 'key'>): Promise<boolean>;
}

/** So many keys behind one. */
export interface MemoryPage {
    readonly behind: string;
    readonly limit: number;
}

/** What the steps of a pipeline remember beyond a batch. Written with the positions. */
export interface MemoryStore {
    /** What is remembered for these keys of a step, by default beyond its runs; those without anything are left out. */
    recall(stepKey: string, keys: readonly string[], scope?: MemoryScope): Promise<ReadonlyMap<string, JsonValue>>;
    /** The keys of a step that begin like this, of what is remembered beyond its runs, in their order. */
    keys(stepKey: string, beginning: string, page: MemoryPage): Promise<readonly string[]>;
}

export interface RejectStore {
    /** Stores them durably before it resolves; those that are there already are left alone. Fenced. */
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
          /** A line of Flow itself that tells no value of a record (`ownLine`). */
          readonly isOwn?: boolean;
      };

/** The ordered facts of a run. `emit` never waits and never throws; what it got is stored by the next flush. */
export interface Journal {
    emit(event: JournalEvent): void;
    flush(): Promise<void>;
}

/** Everything that the executor needs of the outside world; live run, dry run and test differ in nothing else. */
export interface RunPorts {
    readonly positions: PositionStore;
    /** Asked only of sources that have something done once a run has succeeded. */
    readonly actions: ActionStore;
    readonly memory: MemoryStore;
    /** Asked only where a step of the pipeline may hold something. Absent where nothing is held: nobody could be asked what may go on. */
    readonly spool?: SpoolStore;
    readonly rejects: RejectStore;
    readonly loads: LoadStore;
    readonly journal: Journal;
    /** Called at every settled batch with the totals so far, uncommitted ones included, and where a wait begins or ends. Must not block. */
    progress(counters: Counters, signs: StepSigns): void;
}
