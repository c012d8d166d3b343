import type { AdapterContext } from '../adapter/context';
import type { HookContext, ScriptRecord } from '../adapter/script';
import type { JsonObject } from '../value/json';
import type { PipelineStarts } from './pipeline-starts';

/** The parts of the run for hooks that notify other systems. */
export interface UnhookedCalls extends Pick<AdapterContext, 'outbound' | 'connections' | 'secrets'> {
    readonly pipelines: PipelineStarts;
}

/** The input of a hook. Records are copied only when the hook requests them. */
export interface HookCall {
    readonly data: readonly JsonObject[];
    readonly records: () => ScriptRecord[];
    readonly context: HookContext;
    /** Whether it has a batch, which the result replaces. */
    readonly isRead: boolean;
    /** The same for a repetition of the call, and different for every other call. */
    readonly id: string;
    /** The parts of the run for hooks that notify other systems. */
    readonly outside: UnhookedCalls;
}
