import type { z } from 'zod';
import type { Batch } from '../data/record';
import type { JsonObject, JsonValue } from '../value/json';
import { type AdapterBase, erased } from './base';
import type { AdapterContext, AdapterRun } from './context';
import type { Delivered, Outcome } from './loader';

/** What a sink does with a record. */
export const SINK_OPERATIONS = ['UPSERT', 'DELETE'] as const;
export type SinkOperation = (typeof SINK_OPERATIONS)[number];

/** What a sink may touch, and the run that it delivers for. */
export interface SinkRunContext<P = unknown> extends AdapterContext<P> {
    readonly run: AdapterRun;
}

/**
 * A sink that is opened for one step and one slice of a run. Its calls run one after another, never in parallel, and not in a dry run. Records are
 * delivered at least once: if a crash leaves their arrival unknown, they are delivered again under the same ids. A target that is down, busy or
 * throttled has not decided about its records. For these, return an outcome with an error that is not a `record` error, or throw that error: such
 * records are retried, and never rejected.
 */
export interface SinkSession {
    /** The maximum number of records in a call; their outcomes are stored before the next call. Default: all records that arrive together. */
    readonly batchSize?: number;
    /** For records that do not say it in `__operation`. Default UPSERT. */
    readonly defaultOperation?: SinkOperation;
    /**
     * True if a call succeeds or fails as a whole. Otherwise two records of one identity are never in the same call, because a retry of the first
     * could overwrite the second.
     */
    readonly takesWhole?: boolean;
    /** True for a target that keeps every record it gets, as a queue or a file does. Otherwise the later of two records with one identity replaces the earlier one, which is logged. */
    readonly keepsAll?: boolean;
    /** False for a record that this target is not meant to get: it is counted as filtered. Default: all are. */
    keeps?(data: JsonObject): boolean;
    /** What is sent of a record, for a dry run. Default: all of it. */
    shown?(data: JsonObject): JsonObject;
    /** What the target knows a record by, a text or a number; needed of records that are removed. Default: the field `id`. */
    identity?(data: JsonObject): JsonValue | undefined;
    /** Throws a `record` error for a record that cannot be delivered, if the record itself shows that. Also called in a dry run. */
    check?(data: JsonObject): void;
    /**
     * Delivers records, which no longer have `__operation`. Returns one outcome for each, in their order. An id is the
     * same whenever this run delivers its record.
     */
    deliver(batch: Batch, ids: readonly string[]): Promise<readonly Outcome[]>;
    /**
     * Has the target forget records, by their identities as texts; one outcome for each, in their order. One that the target does not have is forgotten.
     * The records themselves are there for a target that is sent an identity as they have it.
     */
    remove?(identities: readonly string[], ids: readonly string[], batch: Batch): Promise<readonly Outcome[]>;
    /**
     * Called once everything is delivered, before the run is completed: refreshes, swaps, commits. Called again if a
     * worker dies in it.
     */
    finish?(delivered: Delivered): Promise<void>;
}

/** Runs as a test and appears in the reference. */
export interface SinkExample<A = object> {
    readonly config: A;
    readonly in: readonly JsonObject[];
    /** What becomes of each record. */
    readonly does: ReadonlyArray<'deliver' | 'remove' | 'reject'>;
    /** The field that each rejected record is rejected for, in their order. */
    readonly rejects?: readonly string[];
    readonly note?: string;
}

/** The icons of lucide that the dashboard has for sinks. */
export const SINK_ICONS = [
    'bell',
    'box',
    'cloud',
    'database',
    'file',
    'globe',
    'mail',
    'message-square',
    'package',
    'radio',
    'search',
    'send',
    'server',
    'shopping-cart',
    'store',
    'truck',
    'upload',
    'warehouse',
    'webhook',
] as const;
export type SinkIcon = (typeof SINK_ICONS)[number];

/** Delivers records to another system. */
export interface Sink<C extends string = string, S extends z.ZodObject = z.ZodObject> extends AdapterBase<C, S> {
    readonly kind: 'sink';
    /** The icon that the dashboard shows: `warehouse`. */
    readonly icon?: SinkIcon;
    /** What it delivers to: MEILISEARCH, WEBHOOK, CUSTOM … */
    readonly sinkType?: string;
    readonly examples?: ReadonlyArray<SinkExample<z.input<S>>>;
    /** Called once a step and slice of a run, in a dry run too: it prepares, throws `config` errors, and sends nothing. */
    open(config: z.output<S>, cx: SinkRunContext): Promise<SinkSession>;
}

/** A sink; `sinkContract` of the test kit tries it. */
export function defineSink<const C extends string, S extends z.ZodObject>(
    definition: Omit<Sink<C, S>, 'kind'>,
): Sink<C, S> & Sink {
    return erased<Sink, Sink<C, S>>({ ...definition, kind: 'sink' });
}
