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
    /** Some of them in their order, those behind a key; none where there are no more. */
    actions(sourceKey: string, of: ActionsOf, behind?: string): Promise<readonly StoredActions[]>;
    /** What runs that have completed want done of a source, and nobody has done yet (`Extractor.afterCompletion`). */
    pending(sourceKey: string): Promise<readonly JsonObject[]>;
    /** They are done. Fenced. */
    done(sourceKey: string, of: ActionsOf, key: string): Promise<void>;
}
