import type { JsonObject } from '../../../src/core/value/json';

/** What a producer publishes, and where. */
export interface Order {
    readonly count: number;
    readonly batchSize: number;
    /** The configuration of the sink. */
    readonly config: JsonObject;
    readonly connection: { readonly type: string; readonly settings: JsonObject };
}

/** A message of a producer. Requests have numbers; `given` are the arguments for the port of that name. */
export type FromProducer =
    | { readonly what: 'ready' }
    | { readonly what: 'end'; readonly end: string }
    | { readonly what: 'load' | 'commit' | 'told' | 'settle'; readonly id: number; readonly given?: unknown };

export interface Answer {
    readonly id: number;
    readonly value: unknown;
}
