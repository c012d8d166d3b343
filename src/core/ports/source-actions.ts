import type { JsonObject } from '../value/json';

/** What a source wants done once its run has succeeded, as it is stored. */
export interface StoredActions {
    readonly key: string;
    readonly actions: readonly JsonObject[];
}

/** Whose actions: what this run is to do when it succeeds, or what earlier ones could not do although they had succeeded. */
export type ActionsOf = 'run' | 'earlier';

/** What sources want done once runs have succeeded (ADR 15). Written with the positions. */
export interface ActionStore {
    /** A page of the actions in their order, after a key; empty if there are no more. */
    actions(sourceKey: string, of: ActionsOf, after?: string): Promise<readonly StoredActions[]>;
    /** The actions that completed runs requested for a source and that are still pending (`Extractor.afterCompletion`). */
    pending(sourceKey: string): Promise<readonly JsonObject[]>;
    /** They are done. Fenced. */
    done(sourceKey: string, of: ActionsOf, key: string): Promise<void>;
}
