import type { z } from 'zod';
import type { LogText } from '../log/log-text';
import type { JsonObject, JsonValue } from '../value/json';
import type { Batch, FlowRecord } from '../data/record';
import type { FlowError } from '../errors/flow-error';
import type { AdapterContext } from './context';
import type { MissingRule } from './missing';
import { type AdapterBase, erased } from './base';

/**
 * Database work as a script: a generator that yields its statements and receives their rows. The owner of the connection runs it. On a server it
 * awaits each statement. On SQLite it runs in one synchronous stretch, because all transactions of a process share one connection and must not mix
 * (ADR 3). The yielded values are an agreement between the script and its runner (src/database); the core only passes scripts through.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the type of an answer depends on the statement; yield* of typed helpers restores it
export type StatementProgram<T> = Generator<unknown, T, any>;

/**
 * A value that a load filled in because a record does not contain it, and that users may want to know about. Records with notes of one code are
 * counted and reported once a run: `New variants without a price cost 0: 3 records, for example "TS-41".`
 */
export interface LoadNote {
    readonly code: string;
    readonly what: string | LogText;
    /** One of the entities that the record creates, as an example. */
    readonly example: string;
    /** The reason for that one; follows `which`. */
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

/** Something to publish once a batch is committed: ids only. `kind` is one of the kinds that Flow publishes. */
export interface Effect {
    readonly kind: string;
    readonly payload: JsonObject;
}

export interface LoadPlan {
    /** One for each record, in the same order. */
    readonly changes: readonly Change[];
    /**
     * Writes the planned changes, in the transaction in which they were planned; returns the effects. Not called in a
     * dry run.
     */
    apply(): StatementProgram<readonly Effect[]>;
}

/**
 * The fields that a loader reads from a record. Each name maps to the fields of the object in that field, or of the objects in a list or by key, if
 * these are known too.
 */
export type KnownFields = ReadonlyMap<string, KnownFields | undefined>;

/** The records of a batch with a text that was read without surrounding blanks, and the first of those texts. */
export interface Trimmed {
    readonly records: number;
    readonly path: string;
    readonly value: string;
}

/** What later batches of a run must know about a loaded record, by its key. */
export interface BatchMemo {
    readonly record: FlowRecord;
    readonly key: string;
    readonly value: JsonValue;
}

/**
 * What planning a batch must know of earlier batches of its run. The session has it in memory. The step stores it with
 * the batches, because each slice of a run and each worker that takes it over opens a new session.
 */
export interface BatchMemory {
    /** False if the session has forgotten a part. The step then reads what is stored for each batch. */
    readonly isWhole: boolean;
    /** The keys under which values that the batch needs may be stored. */
    keysOf(batch: Batch): readonly string[];
    /** Receives the stored values of these keys, before the batch is planned. */
    recalled(found: ReadonlyMap<string, JsonValue>): void;
    /** Receives loaded records, including those that an earlier worker has loaded; returns the values to store. */
    loaded(batch: Batch): readonly BatchMemo[];
}

/**
 * A loader that writes tables, opened for one step of one run: bulk scripts, in the batch's one transaction (ADR 3).
 * `P` is what it prepares.
 */
export interface TableSession<P = unknown> {
    /**
     * Asynchronous work before the transaction: downloads, and functions of the shop that return promises. Reads and never writes. Called for the
     * whole batch; a part that is planned separately receives the same result. It is called again when `plan` throws LOAD_UNPREPARED.
     */
    prepare?(batch: Batch): Promise<P>;
    /**
     * The business keys that the batch may touch; they are locked before anything is read. Each has its kind and a colon as a prefix: `sku:TS-1`.
     * Batches with other keys run in parallel. A batch with more than 500 keys locks the kinds of most of them exclusively (ADR 3).
     */
    locks(batch: Batch): readonly string[];
    /** Reads only, in bulk: a constant number of statements whatever the size of the batch. */
    plan(batch: Batch, prepared: P): StatementProgram<LoadPlan>;
    /** The texts of a batch that were read without surrounding blanks; called once the batch is done, and reported once a run. */
    trimmed?(batch: Batch): Trimmed | undefined;
    /** Undefined if batches are planned independently of each other. */
    readonly memory?: BatchMemory;
}

/**
 * A loader that writes through the platform's services, opened for one step of one run. It loads one record after another, each in a separate
 * transaction and context. `C` is that context. What a service sends by itself (events, mails, jobs) is sent with each record's commit.
 */
export interface ServiceSession<C = unknown> {
    /** The business keys that a record may touch; they are locked before `loadOne` reads. */
    locks(record: FlowRecord): readonly string[];
    /** Dry run: what `loadOne` would do, from reads alone. */
    dryRun(record: FlowRecord): Promise<Change>;
    /**
     * Writes one record, all of it with `ctx`. If it returns a reject, or throws a `record` error, all of its writes
     * are rolled back.
     */
    loadOne(ctx: C, record: FlowRecord): Promise<Change>;
    /** A record's transaction was rolled back: services reload what they cached of it. Its errors are not reported. */
    undone?(): Promise<void>;
    trimmed?(batch: Batch): Trimmed | undefined;
}

/**
 * The outcome of a delivered record. An error that is not a `record` error means that the target has not decided about the record. The outcomes of
 * the others are stored, and this record is not rejected: it is delivered again if the error is transient.
 */
export type Outcome = { readonly ok: true } | { readonly ok: false; readonly error: FlowError };

/** The outcome of an accepted record: one object for all of them. */
export const TAKEN: Outcome = { ok: true };

/** The outcomes of this number of accepted records. */
export function allTaken(count: number): readonly Outcome[] {
    return new Array<Outcome>(count).fill(TAKEN);
}

/** What a run has delivered when it is finished. */
export interface Delivered {
    /**
     * Why it is not everything that the sources have, including rejected records, as a phrase for the log; undefined
     * if it is.
     */
    readonly lack: LogText | undefined;
    /** Why the sources were not read completely, in the same form; rejected records are not a reason. */
    readonly unread: LogText | undefined;
}

/**
 * A loader that delivers to another system, opened for one step of one run: outside of transactions, at least once. A
 * batch is not delivered again if its delivery is known. After a crash before that, it is delivered again under the
 * same ids.
 */
export interface RemoteSession {
    /** What delivering a record means, from the record alone; counted and shown in a dry run, too. A rejected one is not delivered. */
    dryRun(record: FlowRecord): Change;
    /** As `dryRun`, in a run that delivers: without what people alone look at. Default: `dryRun`. */
    live?(record: FlowRecord): Change;
    /**
     * The maximum number of records in a call of `deliver`; their outcomes are stored before the next call. Default: all records that arrive
     * together.
     */
    readonly batchSize?: number;
    /**
     * Delivers records. Returns one outcome for each, in their order. An id is the same whenever this run delivers its
     * record.
     */
    deliver(batch: Batch, ids: readonly string[]): Promise<readonly Outcome[]>;
    /**
     * Called once all deliveries of a run are known, before the run is completed, and not in a dry run. Called again if
     * a worker dies in it.
     */
    finish?(delivered: Delivered): Promise<void>;
    trimmed?(batch: Batch): Trimmed | undefined;
}

/** Records of another load that an example begins with. */
export interface LoaderFixture {
    /** Code of the loader. */
    readonly loader: string;
    readonly config?: JsonObject;
    readonly records: readonly JsonObject[];
}

/** Runs as a test on a real shop and appears in the reference. */
export interface LoaderExample<A = object> {
    /** Loaded first, one after another, so that the entities of the example exist. */
    readonly given?: readonly LoaderFixture[];
    /** As a user writes it. */
    readonly config?: A;
    readonly in: readonly JsonObject[];
    /**
     * The texts in `given` and `in` that belong to the example alone: SKUs, slugs, the names from which slugs are made. They get a prefix if the
     * example runs next to others, or many times.
     */
    readonly keys: readonly string[];
    /** What becomes of each record. */
    readonly does: ReadonlyArray<Change['action']>;
    /** The field that each rejected record is rejected for, in their order. */
    readonly rejects?: readonly string[];
    /** What the changes that create or update say of the fields that differ, in their order. */
    readonly after?: readonly JsonObject[];
    /** The changes when the same records are loaded again. Default: `unchanged`, or rejected as before. */
    readonly again?: ReadonlyArray<Change['action']>;
    readonly note?: string;
}

interface LoaderBase<C extends string, S extends z.ZodObject> extends AdapterBase<C, S> {
    readonly kind: 'loader';
    readonly examples?: ReadonlyArray<LoaderExample<z.input<S>>>;
    /** The kinds of the effects that it leaves. A step with a kind that no handler publishes fails when it is opened. */
    readonly effects?: readonly string[];
    /** The fields of a record that are known; others are named in one warning a run. Without it, none are. */
    fields?(config: z.output<S>): KnownFields;
    /** The entity whose custom fields a record holds under `customFields`: ProductVariant. They are suggested as targets. */
    readonly customFieldsOf?: string;
    /**
     * The loader to use for a configuration that needs another loading method, for a load with modes: one writes tables, another uses services. It
     * takes the same configuration. Default: the loader itself.
     */
    instead?(config: z.output<S>): Loader | undefined;
    /** True if a record that is loaded twice changes the shop twice: a run that starts its source again then reports that in its log. */
    adds?(config: z.output<S>): boolean;
    /** What it can do about entities that are missing from a source. Its configuration then has a `missingArgument`. */
    readonly missing?: MissingRule<z.output<S>>;
}

/**
 * `open` is called once per step and slice of a run. It reads what hardly changes (channels, tax categories, locations)
 * and throws `config` errors. Data that a dry run needs in its next slice is kept by the run's RequestContext, which
 * stays the same.
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

/**
 * An adapter that writes the platform or another system. `through` determines the loading method, and the type of its
 * sessions.
 */
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
