import type { AdapterContext, AdapterRun } from '../adapter/context';
import type { KeysOfFound, ListPage, Missing, MissingAction } from '../adapter/missing';
import type { Delivered } from '../adapter/loader';
import type { JsonObject, JsonValue } from '../value/json';
import type { Batch, FlowRecord, Origin } from '../data/record';
import type { FlowError } from '../errors/flow-error';
import type { StepCounters } from '../progress/counters';
import type { EventLoopYield } from '../concurrency/event-loop-yield';
import type { StateEntry, StateScope } from '../progress/state-entries';
import type { RunTotals } from '../progress/outcome';
import type { Reject, RunPorts } from '../ports/ports';

/** What a step has of the run that executes it. */
export interface StepEnv {
    readonly run: AdapterRun;
    /** When the run first started, in ms. */
    readonly startedAt: number;
    readonly ports: RunPorts;
    readonly pace: EventLoopYield;
    readonly memory: StepState;
    /** The number of records that the step received in earlier slices of the run. */
    readonly cameBefore: number;
    /** Registers a call for the end of the run, in any case except a pause. */
    readonly atEnd: (tell: () => void) => void;
    /** Has something done once all of the run has settled, before it is completed, if the step has written something in it. */
    readonly finishing: (finish: (delivered: Delivered) => Promise<void>) => void;
    /** Registers the work on missing entities, once all of the run has settled. */
    readonly sweeping: (stepReconciler: StepReconciler) => void;
    /** The records whose entities later steps have hidden or deleted because they were missing from the source. Default: none. */
    readonly gone?: (records: Batch) => Promise<ReadonlySet<FlowRecord>>;
    /** What the step's adapter may touch. */
    readonly adapter: AdapterContext;
}

/** Identifies the part of a step's memory. */
export interface StatePart {
    readonly part: string;
    readonly scope: StateScope;
}

/** The memory of the parts of a step, separated by `part`. */
export interface StepState {
    /** As soon as the batches before this one have done with the part (of no keys: just then), and those of them that recalled the same keys are committed. */
    recall(from: StatePart, batch: InFlight, keys: readonly string[]): Promise<ReadonlyMap<string, JsonValue>>;
    /** The batch has done with this part at this visit. */
    left(part: string, batch: InFlight): void;
}

/** Which batch it is. */
export type InFlight = Pick<Invocation, 'sourceKey' | 'batchNo'>;

/** One coming of a batch to a step. */
export interface Invocation {
    readonly sourceKey: string;
    readonly batchNo: number;
    /** 0, or more where several ways lead a batch to the same step. */
    readonly number: number;
    /** What this batch brought to the step at its earlier visits. */
    readonly earlier: readonly Batch[];
    /** The record with this number as its source gave it. */
    sourceOf?(seq: number): JsonObject | undefined;
    /** The location of that record in its source. */
    placeOf?(seq: number): string | undefined;
}

export interface StepResult {
    readonly out: Batch;
    /** What became of the others; `in` and `out` are counted by the trip. */
    readonly counts: Partial<StepCounters>;
    /** Rejected records that are not durable yet. */
    readonly rejects: readonly Reject[];
    /** Warnings about records that continue; not durable yet either. */
    readonly warnings?: readonly Reject[];
    /** Where the rejected records came from. */
    readonly failed: readonly Origin[];
    /** The memos of the other records. */
    readonly memos?: readonly StateEntry[];
    /** Rejected records that the step has stored itself. */
    readonly stored?: readonly Reject[];
    /** The batch that the step processed, if hooks replaced the one that arrived. */
    readonly taken?: Batch;
    /** The records that the step has taken out of the stream, in their form at that point; absent if the step does not report them. */
    readonly dropped?: Batch;
    /** The records that the step holds until they are released: stored with the position, and counted by the trip. */
    readonly held?: Batch;
    /** Of a ROUTE step: `out` by the branches that lead somewhere. */
    readonly routed?: ReadonlyMap<string, Batch>;
    /** Fails the run once the one reject is stored; no record of the batch continues. */
    readonly abort?: FlowError;
}

/** What could not be done about something that is missing. */
interface StepReject {
    readonly key: string;
    readonly error: FlowError;
}

/** A step's work on missing entities, batch by batch. */
export interface StepReconciler {
    readonly rule: Missing & { readonly action: MissingAction };
    /** The key that identifies a record; undefined if the record does not contain it. */
    keyOf(data: JsonObject): string | undefined;
    /** With the scope FILTER: the entities that may be missing. Otherwise these are the remembered ones. */
    readonly listed?: ListPage;
    /** Where one thing may be known by several keys: which these are. */
    readonly found?: KeysOfFound;
    load(
        keys: readonly string[],
        batchNo: number,
    ): Promise<{ readonly result: StepResult; readonly refused: readonly StepReject[] }>;
    /** The outcome of a batch whose loading worker died before it could report it. */
    loaded(batchNo: number): Promise<StepResult | undefined>;
}

/** Every step is one function of a batch. May be called again for the same visit after a throw. */
export type StepFn = (batch: Batch, invocation: Invocation) => Promise<StepResult>;

/** How a step releases its held records by itself: at once, or after this number of seconds. */
export type ReleaseCondition = { readonly by: 'THRESHOLD' } | { readonly by: 'TIMEOUT'; readonly seconds: number };

/** Called when the whole run has been read, with its totals so far; undefined if a user has to release the records. */
export type SpoolPolicy = (totals: Pick<RunTotals, 'recordsRead' | 'recordsRejected'>) => ReleaseCondition | undefined;

/** What compiling a step gives: it is opened once a run. */
export interface Step {
    readonly key: string;
    /** It may recall what it remembers of earlier batches, so batches must arrive in one order. */
    readonly remembers?: boolean;
    /** For a load: records that arrive a second time change the shop a second time. */
    readonly adds?: boolean;
    /** Present if it may hold its records, so that the run may have to pause; determines how they are released. */
    readonly holds?: SpoolPolicy;
    /**
     * Where the step has side effects: `nothing` outside of the stream, only another system (`remote`), or the shop. Default: the shop, so that
     * sibling branches wait for it.
     */
    readonly touches?: 'nothing' | 'remote' | 'shop';
    /** For a sink: the operation for a record without one, as the hooks before it see the record. */
    readonly defaults?: JsonObject;
    open(env: StepEnv): Promise<StepFn>;
}

/** A step and the next nodes of its records, in the order of the edges. */
export interface Node {
    readonly step: Step;
    readonly kind: string;
    readonly next: readonly Node[];
    /** For a ROUTE step: the branch by which its records reach each of `next`. */
    readonly branches?: readonly string[];
}

/** Creates the rejects of one visit. */
export interface Rejecter {
    /**
     * For a record of the batch. Records of one origin are distinguished by their order at the step, over all visits of the batch. So a batch that
     * is repeated after a crash reports each of them under the same key.
     */
    (index: number, error: FlowError): Reject;
    /** For a record that the step made of several, so that no record of the batch can represent it. */
    made(record: FlowRecord, error: FlowError): Reject;
    /** For a record that continues. It is distinct from all rejects, and from other warnings by its order at the visit. */
    warning(record: FlowRecord, error: FlowError): Reject;
}

/**
 * Greater than the size of any batch, so that records which a step has made are never taken for those that it received.
 */
const MADE_FROM = 1 << 20;
/** Above all of those. */
const WARNED_FROM = 1 << 30;

export function rejecter(stepKey: string, batch: Batch, invocation: Invocation): Rejecter {
    let ordinals: readonly number[] | undefined;
    let made = 0;
    let warned = 0;
    const reject = ({ data, origin }: FlowRecord, ordinal: number, error: FlowError): Reject => {
        const field = error.details?.['path'] ?? error.details?.['field'];
        // What was made of several has no one source.
        const isOne = origin.parts === undefined;
        const source = isOne ? invocation.sourceOf?.(origin.seq) : undefined;
        const place = isOne ? invocation.placeOf?.(origin.seq) : undefined;
        return {
            stepKey,
            sourceKey: invocation.sourceKey,
            seq: origin.seq,
            ordinal,
            code: error.code,
            message: error.message,
            ...(error.facts && { facts: error.facts }),
            path: typeof field === 'string' ? field : undefined,
            ...(place !== undefined && { place }),
            payload: data,
            ...(source && source !== data && { source }),
        };
    };
    const ofBatch = (index: number, error: FlowError): Reject => {
        ordinals ??= ordinalsOf(batch, invocation.earlier);
        return reject(batch[index]!, ordinals[index]!, error);
    };
    return Object.assign(ofBatch, {
        made: (record: FlowRecord, error: FlowError): Reject =>
            reject(record, (invocation.number + 1) * MADE_FROM + made++, error),
        warning: (record: FlowRecord, error: FlowError): Reject => ({
            ...reject(record, WARNED_FROM + invocation.number * MADE_FROM + warned++, error),
            severity: 'WARNING',
        }),
    });
}

/** The number of each record among those of its seq, counted on from what came before. */
export function ordinalsOf(batch: Batch, earlier: readonly Batch[] = []): readonly number[] {
    // Usually each record has a different number.
    if (earlier.every(before => before.length === 0) && isRising(batch)) return new Array<number>(batch.length).fill(0);
    const seen = new Map<number, number>();
    const next = (seq: number): number => {
        const ordinal = seen.get(seq) ?? 0;
        seen.set(seq, ordinal + 1);
        return ordinal;
    };
    for (const before of earlier) for (const { origin } of before) next(origin.seq);
    return batch.map(({ origin }) => next(origin.seq));
}

function isRising(batch: Batch): boolean {
    for (let i = 1; i < batch.length; i++) if (batch[i]!.origin.seq <= batch[i - 1]!.origin.seq) return false;
    return true;
}
