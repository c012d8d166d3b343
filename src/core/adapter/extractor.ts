import type { z } from 'zod';
import type { JsonObject, JsonValue } from '../value/json';
import type { AdapterContext } from './context';
import type { FileWatch, SourceReference, WatchProblem } from './source-reference';
import { type FlowError, flowError } from '../errors/flow-error';
import { type AdapterBase, erased } from './base';

/** What an extractor yields. Any number of records; the executor cuts batches itself. */
export interface Page {
    readonly records: readonly JsonObject[];
    /** Where to go on after this page when the run resumes. A page without one is read again from the last that had one. */
    readonly checkpoint?: JsonValue;
    /** Records of the source that could not be read as records; the others go on. */
    readonly faults?: readonly PageFault[];
    /**
     * Where the record with this index stands at the source, as people find it there: `line 17`. The same however the run came to it; undefined
     * where that is not known. Asked of rejected records, also when later pages have come, and of the last one of each batch, and called by itself: it holds on to no page.
     */
    readonly placeOf?: (index: number) => string | undefined;
    /**
     * Where the next run begins once this one has completed; what the last page says of it holds. Only of a source whose `saved` is `by: 'completed'` or `'both'`,
     * and of no run that does not complete.
     */
    readonly nextRun?: NextRun;
    /**
     * Set on any page of a reading that is known to be incomplete: why, as the end of a sentence that begins with the source. It holds for the whole run:
     * `missing` does nothing, `nextRun` is not stored unless it says `evenIfPart`, the outcome is PARTIAL, and the log says why.
     */
    readonly isPart?: string;
    /** What is to be done at the source once this page and all the rest of the run is loaded or rejected durably: plain JSON for `afterSuccess` or `afterCompletion`. */
    readonly afterSuccess?: readonly JsonObject[];
}

/**
 * Where the next run of a source begins: at a checkpoint (a watermark, a cursor), or at its beginning. `evenIfPart`: everything before the checkpoint
 * was read, so that it also holds where the reading is partial (`Page.isPart`); a moment in time never says that.
 */
export type NextRun = { readonly from: JsonValue; readonly evenIfPart?: true } | 'beginning';

/**
 * To be thrown by `extract` where the other side does not accept the checkpoint any more (410 Gone, an expired cursor). The source is then begun again
 * at its beginning, once a run. `problem` is the end of a sentence: `the cursor has expired (410)`.
 */
export function checkpointRefused(problem: string): Error {
    return flowError('CHECKPOINT_REFUSED', { problem });
}

/** A row that is no record (a ragged CSV row). `index` is the place among `records` before which it stood. */
export interface PageFault {
    readonly index: number;
    readonly data: JsonObject;
    /** The field at fault; of a `file`, what it is called. */
    readonly path: string;
    /** The end of a sentence that begins with it. */
    readonly problem: string;
    /** True where no record is at fault, but a whole file that could not be read: it can be looked at and ignored, and not be replayed. */
    readonly isFile?: boolean;
    /** Where it stands at the source, as `Page.placeOf` says of records. */
    readonly place?: string | undefined;
}

export interface ExtractContext<P = unknown> extends AdapterContext<P> {
    /** The checkpoint to go on from; undefined where a run starts at the beginning. */
    readonly resumeFrom: JsonValue | undefined;
    /** Preview: how many records are wanted. An extractor may push it down, the engine enforces it. */
    readonly limit: number | undefined;
    /** Of an extractor with `readsWatched`, in the run of a FILE trigger: the one file that it reads, whatever it is configured to read. */
    readonly reference?: SourceReference;
    /** Of an extractor with `afterCompletion`: the actions of earlier runs that are not done yet. What they are about has been read. */
    pendingActions?(): Promise<readonly JsonObject[]>;
}

/** What an uploaded file holds: its text, or of a workbook the rows of its sheets, the first of them in front. */
export type ExampleFile = string | Readonly<Record<string, ReadonlyArray<readonly ExampleCell[]>>>;
export type ExampleCell = string | number | boolean | null;

/** Runs as a test and stands in the reference: a configuration, and all that it reads, in its order. */
export interface ExtractorExample<A> {
    readonly config: A;
    readonly out: readonly JsonObject[];
    /** Parts of what is said of the rows that are no records, in their order. */
    readonly errors?: readonly string[];
    /** What the shop has, of one that reads a shop: records by the codes of the loads that write them, in their order. */
    readonly shop?: Readonly<Record<string, readonly JsonObject[]>>;
    /** What the ids of files in the configuration stand for. An id ends with the format: `prices.csv`, `stock.xlsx`. */
    readonly files?: Readonly<Record<string, ExampleFile>>;
    readonly note?: string;
}

/** What a LOOKUP has read for one record: any number of records, or why the record is rejected. */
export type LookedUp = readonly JsonObject[] | FlowError;

/** Reads for the records of one batch; one answer for each of them, in their order. */
export type LookUp = (records: readonly JsonObject[]) => Promise<readonly LookedUp[]>;

export interface Extractor<C extends string = string, S extends z.ZodObject = z.ZodObject> extends AdapterBase<C, S> {
    readonly kind: 'extractor';
    readonly examples?: ReadonlyArray<ExtractorExample<z.input<S>>>;
    /** It reads a shop, so that nobody can try it without one. */
    readonly readsShop?: true;
    /** Cleanup is `try … finally` in the generator: cancel, limit and failure all end it with `return()`. */
    extract(config: z.output<S>, cx: ExtractContext): AsyncGenerator<Page, void, void>;
    /** It reads a server that its examples cannot bring along: what they read is there in the test of the server. */
    readonly readsServer?: true;
    /**
     * Where the next run of the pipeline goes on if this one does not complete: at what was saved last under the key that is answered here. Under one
     * key the same records must come in the same order, since batches that are loaded are known by their numbers, unless it is saved by runs that
     * have completed. Asked in each slice of a run, before anything is read; undefined where nothing is to be saved.
     */
    saved?(
        config: z.output<S>,
        cx: AdapterContext & Pick<ExtractContext, 'reference'>,
    ): Promise<SavedCheckpoint | undefined>;
    /**
     * Of one that reads the files which FILE triggers find (`ExtractContext.reference`): why not those of this one; undefined where it does.
     * Without it the extractor cannot stand behind a FILE trigger.
     */
    readsWatched?(config: z.output<S>, watch: FileWatch): WatchProblem | undefined;
    /**
     * The place that a completed run would have left behind a row with these values, for whoever sets it by hand, and the key that `saved` answers for it.
     * Of a source whose places are pairs of what its rows are ordered by.
     */
    placeBehind?(
        config: z.output<S>,
        values: readonly [string, string],
    ): { readonly key: string; readonly from: JsonValue };
    /** True where it reads what has changed, and not all that there is: what it does not bring is not missing. */
    readsPart?(config: z.output<S>): boolean;
    /**
     * With `seedMode: "LOOKUP"` (see `seedMode()` of core/schema/fields): reads what the records that come to the step name, in the place of all that
     * there is. Opened once a run. Without it the step hands on what comes to it.
     */
    lookup?(config: z.output<S>, cx: AdapterContext): Promise<LookUp>;
    /**
     * Does what pages have asked for under `afterSuccess`: deletes or moves a file, acknowledges messages. Called when all that the run has read is loaded
     * or rejected durably, before the run is COMPLETED, in no dry run and no preview. May be called again with the same actions after a crash, so an
     * action that has been done is to be passed over. What is thrown is tried again as the step's `retry` says; what still fails then is a warning of
     * the run, and the next run of the pipeline does it before it reads, or fails.
     */
    afterSuccess?(config: z.output<S>, actions: readonly JsonObject[], cx: AdapterContext): Promise<void>;
    /**
     * In the place of `afterSuccess`: does one thing that a page has asked for, once the run is stored as COMPLETED, whenever that works.
     * Answers a sentence for the log where there was something odd about it. May be called again for what is done. What is thrown is tried again
     * later, until it works or somebody gives it up; the runs in between find it among `pendingActions`.
     */
    afterCompletion?(config: z.output<S>, action: JsonObject, cx: AdapterContext): Promise<string | undefined>;
}

/** Where a checkpoint outlives its run. */
export interface SavedCheckpoint {
    /** Of what is read: a checkpoint belongs to one content, never to another. */
    readonly key: string;
    /** Starts at the beginning and loads all of it, whatever was saved; how far this run gets is saved in its place. */
    readonly startOver: boolean;
    /**
     * Which runs save it. `unfinished`, the usual: one that does not complete leaves its place and what is loaded behind it to the next one. `completed`: one
     * that has completed, at what its pages say (`Page.nextRun`), while one that does not complete leaves everything as it was: for what changes from
     * run to run, where no batch is known by its number. `both`: a run that does not complete leaves its place, and one that completes leaves what its pages
     * say; what such a run brings is only a part where it begins at the latter, which its pages have to say (`Page.isPart`).
     */
    readonly by?: 'unfinished' | 'completed' | 'both';
    /** What the key is made of, by the words that people know it by: `{ content: '4f1a…' }`. Of a run that begins anew the log says which of them differ. */
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
