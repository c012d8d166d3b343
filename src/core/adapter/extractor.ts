import type { z } from 'zod';
import type { LogText } from '../log/log-text';
import type { JsonObject, JsonValue } from '../value/json';
import type { AdapterContext } from './context';
import type { FileWatch, SourceReference, WatchProblem } from './source-reference';
import { type FlowError, flowError } from '../errors/flow-error';
import { type AdapterBase, erased } from './base';

/** What an extractor yields. Any number of records; the executor cuts batches itself. */
export interface Page {
    readonly records: readonly JsonObject[];
    /** Where to continue after this page when the run resumes. A page without one is read again from the last page that had one. */
    readonly checkpoint?: JsonValue;
    /** Rows of the source that could not be read as records; the other rows continue. */
    readonly faults?: readonly PageIssue[];
    /**
     * Where the record with this index is in the source, in the terms of a user: `line 17`. The result does not depend on how the run reached the
     * record; undefined if the place is unknown. Called for rejected records, even after later pages have arrived, and for the last record of each
     * batch. It is called without `this` and must not keep the page in memory.
     */
    readonly placeOf?: (index: number) => string | undefined;
    /**
     * Where the next run begins once this one has completed. The value of the last page is used. Only for a source
     * whose `saved` is `by: 'completed'` or `'both'`, and only if the run completes.
     */
    readonly nextRun?: NextRun;
    /**
     * Set on any page of a reading that is known to be incomplete: why, as the end of a sentence that begins with the source. It holds for the whole run:
     * `missing` does nothing, `nextRun` is not stored unless it says `evenIfPart`, the outcome is PARTIAL, and the log says why.
     */
    readonly isPart?: string;
    /**
     * Work at the source once this page and the rest of the run are durably loaded or rejected: plain JSON for
     * `afterSuccess` or `afterCompletion`.
     */
    readonly afterSuccess?: readonly JsonObject[];
}

/**
 * Where the next run of a source begins: at a checkpoint (a watermark, a cursor), or at its beginning. `evenIfPart`:
 * everything before the checkpoint was read, so that it is also valid for a partial reading (`Page.isPart`). This is
 * never true for a moment in time.
 */
export type NextRun = { readonly from: JsonValue; readonly evenIfPart?: true } | 'beginning';

/**
 * For `extract` to throw when the other system no longer accepts the checkpoint (HTTP 410, an expired cursor). The source then starts again at its
 * beginning, once a run. `problem` is the end of a sentence: `the cursor has expired (410)`.
 */
export function checkpointRejected(problem: string): Error {
    return flowError('CHECKPOINT_REFUSED', { problem });
}

/** A row that is not a record (a ragged CSV row). `index` is the index in `records` before which it occurred. */
export interface PageIssue {
    readonly index: number;
    readonly data: JsonObject;
    /** The invalid field; for a `file`, its name. */
    readonly path: string;
    /** The end of a sentence that begins with it. */
    readonly problem: string;
    /** True if the error concerns a whole file that could not be read, not a single record. It can be viewed and ignored, but not replayed. */
    readonly isFile?: boolean;
    /** Its place in the source, in the format of `Page.placeOf`. */
    readonly place?: string | undefined;
}

export interface ExtractContext<P = unknown> extends AdapterContext<P> {
    /** The checkpoint from which to resume; undefined if a run starts at the beginning. */
    readonly resumeFrom: JsonValue | undefined;
    /** Preview: how many records are wanted. An extractor may push it down, the engine enforces it. */
    readonly limit: number | undefined;
    /** Of an extractor with `readsWatched`, in the run of a FILE trigger: the one file that it reads, whatever it is configured to read. */
    readonly reference?: SourceReference;
    /** Of an extractor with `afterCompletion`: the actions of earlier runs that are not done yet. What they are about has been read. */
    pendingActions?(): Promise<readonly JsonObject[]>;
}

/** The content of an uploaded file: its text, or the rows of a workbook by sheet, beginning with the first sheet. */
export type ExampleFile = string | Readonly<Record<string, ReadonlyArray<readonly ExampleCell[]>>>;
export type ExampleCell = string | number | boolean | null;

/** Runs as a test and appears in the reference: a configuration, and everything that it reads, in its order. */
export interface ExtractorExample<A> {
    readonly config: A;
    readonly out: readonly JsonObject[];
    /** Parts of the error messages of the rows that are not records, in their order. */
    readonly errors?: readonly string[];
    /**
     * The content of the shop, for an extractor that reads a shop: records by the codes of the loads that write them,
     * in their order.
     */
    readonly shop?: Readonly<Record<string, readonly JsonObject[]>>;
    /** What the ids of files in the configuration stand for. An id ends with the format: `prices.csv`, `stock.xlsx`. */
    readonly files?: Readonly<Record<string, ExampleFile>>;
    readonly note?: string;
}

/** What a LOOKUP has read for one record: any number of records, or why the record is rejected. */
export type LookedUp = readonly JsonObject[] | FlowError;

/** Reads for the records of one batch. Returns one result for each of them, in their order. */
export type LookUp = (records: readonly JsonObject[]) => Promise<readonly LookedUp[]>;

export interface Extractor<C extends string = string, S extends z.ZodObject = z.ZodObject> extends AdapterBase<C, S> {
    readonly kind: 'extractor';
    readonly examples?: ReadonlyArray<ExtractorExample<z.input<S>>>;
    /** It reads a shop, so it cannot be tried without one. */
    readonly readsShop?: true;
    /** Cleanup is `try … finally` in the generator: cancel, limit and failure all end it with `return()`. */
    extract(config: z.output<S>, cx: ExtractContext): AsyncGenerator<Page, void, void>;
    /** True if it reads a server that its examples cannot provide. The test of that server provides their data. */
    readonly readsServer?: true;
    /**
     * Where the next run of the pipeline resumes if this one does not complete: at the last checkpoint saved under the returned key. Under one key,
     * the same records must have the same order, because loaded batches are identified by their numbers; this does not apply to checkpoints saved
     * by completed runs. Called in each slice of a run, before anything is read; undefined if nothing is to be saved.
     */
    saved?(
        config: z.output<S>,
        cx: AdapterContext & Pick<ExtractContext, 'reference'>,
    ): Promise<SavedCheckpoint | undefined>;
    /**
     * For an extractor that reads the files which FILE triggers find (`ExtractContext.reference`): why it cannot read the files of this trigger;
     * undefined if it can. Without it, the extractor cannot follow a FILE trigger.
     */
    readsWatched?(config: z.output<S>, watch: FileWatch): WatchProblem | undefined;
    /**
     * The place that a completed run would have saved after a row with these values, and the key that `saved` returns for it. It serves users who
     * set the place by hand. Only for a source whose places are pairs of the values by which its rows are ordered.
     */
    placeBehind?(
        config: z.output<S>,
        values: readonly [string, string],
    ): { readonly key: string; readonly from: JsonValue };
    /** True if it reads only changes. Records that it does not return are then not missing. */
    readsPart?(config: z.output<S>): boolean;
    /**
     * With `seedMode: "LOOKUP"` (see `seedMode()` of core/schema/fields): reads what the incoming records refer to, instead of everything. Opened
     * once a run. Without it, the step passes its records through.
     */
    lookup?(config: z.output<S>, cx: AdapterContext): Promise<LookUp>;
    /**
     * Runs the actions that pages requested under `afterSuccess`: deletes or moves a file, acknowledges messages. Called when everything that the
     * run has read is loaded or rejected durably, before the run is COMPLETED; never in a dry run or a preview. May be called again with the same
     * actions after a crash, so it must skip a finished action. Errors are retried according to the step's `retry`. An action that still fails is a
     * warning of the run, and the next run of the pipeline runs it before it reads, or fails.
     */
    afterSuccess?(config: z.output<S>, actions: readonly JsonObject[], cx: AdapterContext): Promise<void>;
    /**
     * Replaces `afterSuccess`: runs one action that a page requested, as soon as possible after the run is stored as COMPLETED. Returns a sentence
     * for the log if there was something unusual. May be called again for a finished action. Errors are retried later, until the action succeeds or
     * a user gives it up; the runs in between find it among `pendingActions`.
     */
    afterCompletion?(config: z.output<S>, action: JsonObject, cx: AdapterContext): Promise<LogText | undefined>;
}

/** Where a checkpoint outlives its run. */
export interface SavedCheckpoint {
    /** The content that is read: a checkpoint belongs to one content, never to another. */
    readonly key: string;
    /**
     * Starts at the beginning and loads everything, whatever was saved. The progress of this run replaces the saved
     * checkpoint.
     */
    readonly startOver: boolean;
    /**
     * Which runs save the checkpoint.
     * `unfinished`, the default: an incomplete run leaves its place, and what is loaded after it, to the next run.
     * `completed`: a completed run saves what its pages report (`Page.nextRun`), and an incomplete run changes nothing. This is for sources that
     * differ between runs, in which batches cannot be identified by their numbers.
     * `both`: an incomplete run leaves its place, and a completed run saves what its pages report. A run that starts at the latter reads only a
     * part, which its pages have to report (`Page.isPart`).
     */
    readonly by?: 'unfinished' | 'completed' | 'both';
    /**
     * The parts of the key, by names that users know: `{ content: '4f1a…' }`. If a run starts from the beginning, the log names the parts that
     * differ.
     */
    readonly of?: Readonly<Record<string, string>>;
}

export function defineExtractor<const C extends string, S extends z.ZodObject>(
    definition: AdapterBase<C, S> &
        Pick<
            Extractor<C, S>,
            | 'examples'
            | 'readsShop'
            | 'readsServer'
            | 'extract'
            | 'saved'
            | 'readsWatched'
            | 'placeBehind'
            | 'readsPart'
            | 'lookup'
            | 'afterSuccess'
            | 'afterCompletion'
        >,
): Extractor<C, S> & Extractor {
    return erased<Extractor, Extractor<C, S>>({ ...definition, kind: 'extractor' });
}
