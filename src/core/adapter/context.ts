import type { Clock } from '../concurrency/clock';
import type { ErrorHandling, Throughput } from '../schema/settings';
import type { JsonObject } from '../value/json';
import type { Connection } from './connection';
import type { ExportStore } from './exports';
import type { FileStore } from './files';
import type { Outbound } from './outbound';
import type { Secret } from './secret';

export type LogLevel = 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';

/** A step's log. Lines land in the run's journal, never anywhere else. */
export interface StepLog {
    debug(message: string, facts?: JsonObject): void;
    info(message: string, facts?: JsonObject): void;
    warn(message: string, facts?: JsonObject): void;
    error(message: string, facts?: JsonObject): void;
}

/** `live` writes, `dryRun` plans over all records, `preview` looks at a few. */
export type RunMode = 'live' | 'dryRun' | 'preview';

/** The run that something is done for, with the facts by which the other side can identify it. */
export interface AdapterRun {
    readonly runId: string;
    /** Of the pipeline; empty in tests without a shop, as is its code. */
    readonly pipelineId: string;
    readonly pipelineCode: string;
    /** The number of the published revision; 0 of a working copy. */
    readonly revision: number;
    /** When it first started, in ms. */
    readonly startedAt: number;
    readonly throughput: Throughput;
    readonly errorHandling: ErrorHandling;
}

/**
 * The resources that a run's definition refers to by code, resolved before its first step starts. A missing one has already failed the run, so
 * adapters do not handle that case. Codes that the definition does not name are rejected.
 */
export interface Resources {
    readonly secrets: { get(code: string): Secret };
    readonly connections: { get(code: string): Connection };
    /** Files are looked up when they are needed: a missing file is not a failure of the run. */
    readonly files: FileStore;
    readonly exports: ExportStore;
}

/** Everything that an adapter may touch. If it is not here, the adapter may not use it. */
export interface AdapterContext<P = unknown> extends Resources {
    readonly stepKey: string;
    readonly mode: RunMode;
    readonly signal: AbortSignal;
    readonly log: StepLog;
    readonly clock: Clock;
    /** The ways to the network. */
    readonly outbound: Outbound;
    /** The languages of texts in the run's channel, the default language first; undefined if there is no shop. */
    readonly languages?: (() => Promise<readonly string[]>) | undefined;
    /** Data for the platform's own adapters (src/platform/context.ts); opaque to all others. */
    readonly platform: P;
}
