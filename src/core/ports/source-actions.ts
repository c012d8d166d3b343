import type { JsonObject } from '../value/json';

/** An action of a source for a successful run, as it is stored. */
export interface StoredActions {
    readonly key: string;
    readonly actions: readonly JsonObject[];
}

/**
 * The owner of the actions: this run, when it succeeds, or earlier runs, which succeeded but could not execute them.
 */
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
