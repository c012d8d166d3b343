import type { AdapterContext } from '../adapter/context';
import type { HookContext, ScriptRecord } from '../adapter/script';
import type { JsonObject } from '../value/json';
import type { PipelineStarts } from './pipeline-starts';

/** What hooks that tell other systems have of the run. */
export interface OutsideOfHooks extends Pick<AdapterContext, 'outbound' | 'connections' | 'secrets'> {
    readonly pipelines: PipelineStarts;
}

/** What a hook is called with. Records are copied only when it asks for them. */
export interface HookCall {
    readonly data: readonly JsonObject[];
    readonly records: () => ScriptRecord[];
    readonly context: HookContext;
    /** Whether it has a batch, which its answer replaces. */
    readonly isRead: boolean;
    /** The same when the same call comes again, and no other call's. */
    readonly id: string;
    /** What a hook that tells other systems has of the run. */
    readonly outside: OutsideOfHooks;
}
