import type { JsonObject } from '../../../src/core/value/json';

/** What a producer is to publish, and where. */
export interface Order {
    readonly count: number;
    readonly batchSize: number;
    /** Of the sink. */
    readonly config: JsonObject;
    readonly connection: { readonly type: string; readonly settings: JsonObject };
}

/** What a producer says. Questions have numbers; `given` is what the port of that name gets. */
export type FromProducer =
    | { readonly what: 'ready' }
    | { readonly what: 'end'; readonly end: string }
    | { readonly what: 'load' | 'commit' | 'told' | 'settle'; readonly id: number; readonly given?: unknown };

export interface Answer {
    readonly id: number;
    readonly value: unknown;
}
