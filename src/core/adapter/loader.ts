import type { z } from 'zod';
import type { JsonObject, JsonValue } from '../value/json';
import type { Batch, FlowRecord } from '../data/record';
import type { FlowError } from '../errors/flow-error';
import type { AdapterContext } from './context';
import type { MissingRule } from './missing';
import { type AdapterBase, erased } from './base';

/**
 * Work with the shop's database as a script: a generator that yields its statements and is handed their rows. Whoever owns
 * the connection runs it: awaiting each statement on a server, in one synchronous stretch on SQLite, where all of a
 * process's transactions share one connection and must not mingle (ADR 3). What is yielded is between the script and
 * its runner (src/database); the core only passes scripts on.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the type of an answer depends on the statement; yield* of typed helpers restores it
export type Script<T> = Generator<unknown, T, any>;

/**
 * What a load has put in the place of something that a record does not say, and that people may want to know of. Records with notes of one code
 * are counted, and told once a run: `New variants without a price cost 0: 3 records, for example "TS-41".`
 */
export interface LoadNote {
    readonly code: string;
    readonly what: string;
    /** Which one, of those that the record makes. */
    readonly example: string;
    /** What is the matter with that one, behind `which`. */
    readonly why?: string;
}

/** What a load does about one record. `before` and `after` hold the fields that differ, nothing else. */
export type Change =
    | { readonly action: 'create'; readonly key: string; readonly after: JsonObject; readonly note?: LoadNote }
    | {
          readonly action: 'update';
          readonly key: string;
          readonly before: JsonObject;
          readonly after: JsonObject;
          readonly note?: LoadNote;
      }
    | { readonly action: 'delete'; readonly key: string; readonly before: JsonObject }
    | { readonly action: 'unchanged'; readonly key: string; readonly note?: LoadNote }
    | { readonly action: 'reject'; readonly key: string | undefined; readonly error: FlowError };

/** Something to be made known once a batch is committed: ids only. `kind` is one of those that Flow makes known. */
export interface Effect {
    readonly kind: string;
    readonly payload: JsonObject;
}

export interface LoadPlan {
    /** One for each record, in the same order. */
    readonly changes: readonly Change[];
    /** Writes what was decided, in the transaction in which it was decided; answers the effects. Not called in a dry run. */
    apply(): Script<readonly Effect[]>;
}

/**
 * The fields that a loader takes of a record. Behind a name stand those of the object that the field holds, or of the objects in a list or by key, where
 * they are known too.
 */
export type KnownFields = ReadonlyMap<string, KnownFields | undefined>;

/** Records of a batch with a text that was read without the blanks round it, and the first of those texts. */
export interface Trimmed {
    readonly records: number;
    readonly path: string;
    readonly value: string;
}

/** What later batches of a run have to know of a record that is loaded, by its key. */
export interface BatchMemo {
    readonly record: FlowRecord;
    readonly key: string;
    readonly value: JsonValue;
}

/**
 * What planning a batch has to know of earlier batches of its run. The session has it in memory; the step stores it with the batches, as each slice of
 * a run and each worker that takes it over opens a session of its own.
 */
export interface BatchMemory {
    /** False where the session has forgotten a part: the step then reads for each batch what is stored. */
    readonly isWhole: boolean;
    /** Under which keys something may be stored that the batch needs. */
    keysOf(batch: Batch): readonly string[];
    /** Takes in what is stored of them, before the batch is planned. */
    recalled(found: ReadonlyMap<string, JsonValue>): void;
    /** Takes in records that are loaded, be it that an earlier worker has loaded them; returns what is to be stored of them. */
    loaded(batch: Batch): readonly BatchMemo[];
}

/**
 * A loader that writes tables, at work for one step of one run: bulk scripts, in the batch's one transaction (ADR 3). `P` is what it
 * prepares.
 */
export interface TableSession<P = unknown> {
    /**
     * What has to be waited for, before the transaction: downloads, a shop's own functions that answer promises. Reads, writes nothing. Asked
     * for the whole batch; a part of it that is planned on its own is given the same answer. When `plan` throws LOAD_UNPREPARED it is asked again.
     */
    prepare?(batch: Batch): Promise<P>;
    /**
     * The business keys that the batch may touch; they are locked before anything is read. Each stands behind its kind and a colon:
     * `sku:TS-1`. Batches of other keys go on side by side; one of more than 500 keys has the kinds of most of them to itself (ADR 3).
     */
    locks(batch: Batch): readonly string[];
    /** Reads only, in bulk: a constant number of statements whatever the size of the batch. */
    plan(batch: Batch, prepared: P): Script<LoadPlan>;
    /** What of a batch was read without the blanks round it; asked once the batch is done, and told once a run. */
    trimmed?(batch: Batch): Trimmed | undefined;
    /** Absent where batches are planned independently of each other. */
    readonly memory?: BatchMemory;
}

/**
 * A loader that has the platform's services write, at work for one step of one run: one record after another, each in a transaction and with
 * a context of its own. `C` is that context. What a service sends by itself (events, mails, jobs) leaves with each record's commit.
 */
export interface ServiceSession<C = unknown> {
    /** The business keys that a record may touch; they are locked before `loadOne` reads. */
    locks(record: FlowRecord): readonly string[];
    /** Dry run: what `loadOne` would do, from reads alone. */
    dryRun(record: FlowRecord): Promise<Change>;
    /** Writes one record, all of it with `ctx`. Where it answers a reject, or throws a `record` error, nothing that it wrote stays. */
    loadOne(ctx: C, record: FlowRecord): Promise<Change>;
    /** A record's transaction has been undone: what services have cached of it is read anew. What it throws is not told. */
    undone?(): Promise<void>;
    trimmed?(batch: Batch): Trimmed | undefined;
}

/**
 * What became of a record that was to be delivered. An error that is no `record` error says that the target has not judged the record: what is known of the
 * others is stored, and this one is delivered again where that error passes; it is not rejected.
 */
export type Outcome = { readonly ok: true } | { readonly ok: false; readonly error: FlowError };

/** What became of a record that the target has taken: one object for all of them. */
export const TAKEN: Outcome = { ok: true };

/** What became of so many records that the target has taken. */
export function allTaken(count: number): readonly Outcome[] {
    return new Array<Outcome>(count).fill(TAKEN);
}

/** What a run has delivered when it is finished. */
export interface Delivered {
    /** Why it is not all that the sources have, rejected records included, as the end of a sentence; undefined where it is. */
    readonly lack: string | undefined;
    /** Why the sources were not read whole, likewise; records that were rejected are no reason. */
    readonly unread: string | undefined;
}

/**
 * A loader that delivers to another system, at work for one step of one run: outside of transactions, at least once. A batch that was
 * delivered and is known to be is not delivered again; after a crash in between, it is, under the same ids.
 */
export interface RemoteSession {
    /** What delivering a record means, from the record alone; counted and shown in a dry run, too. A rejected one is not delivered. */
    dryRun(record: FlowRecord): Change;
    /** As `dryRun`, in a run that delivers: without what people alone look at. Default: `dryRun`. */
    live?(record: FlowRecord): Change;
    /** `deliver` gets at most so many records, and what became of them is stored before it is called again. Default: as many as come together. */
    readonly batchSize?: number;
    /** Delivers records; one outcome for each, in their order. An id is that of its record whenever this run delivers it. */
    deliver(batch: Batch, ids: readonly string[]): Promise<readonly Outcome[]>;
    /** Once all that a run has delivered is known, before it is completed, and not in a dry run. Called again where a worker dies in it. */
    finish?(delivered: Delivered): Promise<void>;
    trimmed?(batch: Batch): Trimmed | undefined;
}

/** Records of another load that an example begins with. */
export interface LoaderGiven {
    /** Code of the loader. */
    readonly loader: string;
    readonly config?: JsonObject;
    readonly records: readonly JsonObject[];
}

/** Runs as a test on a real shop and stands in the reference. */
export interface LoaderExample<A = object> {
    /** Loaded first, one after the other, so that what the example speaks of is there. */
    readonly given?: readonly LoaderGiven[];
    /** As a user writes it. */
    readonly config?: A;
    readonly in: readonly JsonObject[];
    /**
     * The texts in `given` and `in` that name what is the example's own: SKUs, slugs, the names that slugs are made of. Where the example
     * runs beside others, or many times over, something is put before each of them.
     */
    readonly keys: readonly string[];
    /** What becomes of each record. */
    readonly does: ReadonlyArray<Change['action']>;
    /** The field that each rejected record is rejected for, in their order. */
    readonly rejects?: readonly string[];
    /** What the changes that create or update say of the fields that differ, in their order. */
    readonly after?: readonly JsonObject[];
    /** What becomes of the same records when they come again; without it they are `unchanged`, or rejected as before. */
    readonly again?: ReadonlyArray<Change['action']>;
    readonly note?: string;
}

interface LoaderBase<C extends string, S extends z.ZodObject> extends AdapterBase<C, S> {
    readonly kind: 'loader';
    readonly examples?: ReadonlyArray<LoaderExample<z.input<S>>>;
    /** The kinds of the effects that it leaves. A step with a kind that nobody makes known is refused when it is opened. */
    readonly effects?: readonly string[];
    /** The fields of a record that are known; others are named in one warning a run. Without it, none are. */
    fields?(config: z.output<S>): KnownFields;
    /**
     * The loader that does the work where the configuration asks for another way: of a load with modes, of which one writes tables and one has
     * services write. It takes the same configuration. Without it, or an answer, the loader itself does.
     */
    instead?(config: z.output<S>): Loader | undefined;
    /** True where a record that is loaded a second time changes the shop a second time: a run that begins its source anew says so in its log. */
    adds?(config: z.output<S>): boolean;
    /** What it can do about what a source does not have any more; its configuration has a `missingArgument` then. */
    readonly missing?: MissingRule<z.output<S>>;
}

/**
 * `open` is called once a step and slice of a run: it reads what hardly changes (channels, tax categories, locations) and throws `config`
 * errors. What a dry run has to find again in its next slice is kept by the run's RequestContext, which stays the same.
 */
type Opens<S extends z.ZodObject, T> = (config: z.output<S>, cx: AdapterContext) => Promise<T>;

export interface TableLoader<C extends string = string, S extends z.ZodObject = z.ZodObject> extends LoaderBase<C, S> {
    readonly through: 'tables';
    open: Opens<S, TableSession>;
}

export interface ServiceLoader<C extends string = string, S extends z.ZodObject = z.ZodObject> extends LoaderBase<
    C,
    S
> {
    readonly through: 'services';
    open: Opens<S, ServiceSession>;
}

export interface RemoteLoader<C extends string = string, S extends z.ZodObject = z.ZodObject> extends LoaderBase<C, S> {
    readonly through: 'remote';
    open: Opens<S, RemoteSession>;
}

/** What writes the platform, or another system; `through` says by what way, and with it what its sessions are. */
export type Loader<C extends string = string, S extends z.ZodObject = z.ZodObject> =
    TableLoader<C, S> | ServiceLoader<C, S> | RemoteLoader<C, S>;

/** The loader that does the work for a configuration. */
export function loaderFor(loader: Loader, config: Readonly<Record<string, unknown>>): Loader {
    return loader.instead?.(config) ?? loader;
}

type Declared<L extends LoaderBase<string, z.ZodObject>> = Omit<L, 'kind' | 'through'>;

/** A loader that writes tables in bulk. */
export function defineLoader<const C extends string, S extends z.ZodObject>(
    definition: Declared<TableLoader<C, S>>,
): TableLoader<C, S> & Loader {
    return erased<Loader, TableLoader<C, S>>({ ...definition, kind: 'loader', through: 'tables' });
}

/** A loader that has the platform's services write, record by record. */
export function defineServiceLoader<const C extends string, S extends z.ZodObject>(
    definition: Declared<ServiceLoader<C, S>>,
): ServiceLoader<C, S> & Loader {
    return erased<Loader, ServiceLoader<C, S>>({ ...definition, kind: 'loader', through: 'services' });
}

/** A loader that delivers to another system. */
export function defineRemoteLoader<const C extends string, S extends z.ZodObject>(
    definition: Declared<RemoteLoader<C, S>>,
): RemoteLoader<C, S> & Loader {
    return erased<Loader, RemoteLoader<C, S>>({ ...definition, kind: 'loader', through: 'remote' });
}
