import type { Clock } from '../data/clock';
import type { JsonObject } from '../data/json';

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

/** Everything that an adapter may touch. If it is not here, the adapter may not use it. */
export interface AdapterContext<P = unknown> {
    readonly stepKey: string;
    readonly mode: RunMode;
    readonly signal: AbortSignal;
    readonly log: StepLog;
    readonly clock: Clock;
    /** What the platform's own adapters need of it (src/platform/context.ts); unknown to everybody else. */
    readonly platform: P;
}
