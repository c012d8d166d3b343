import type { z } from 'zod';
import { type FactText, factText, type Problem } from '../errors/rendered';
import type { JsonObject } from '../value/json';
import { ISSUE_WORDS } from '../schema/issue-texts';
import type { SchemaIssue } from '../schema/issues';
import type { SavedConnections, SecretUse } from './secret-hosts';

/** The codes of warnings about a valid configuration: an argument without effect, or one that probably has another meaning than intended. */
export type AdviceCode = 'WITHOUT_EFFECT' | 'LIKELY_MISTAKE';

/** A warning about a configuration that is allowed. */
export interface Advice {
    readonly code: AdviceCode;
    /** Of the argument, as the configuration's own paths are: `priority`, `conditions.0.value`; empty for the whole. */
    readonly path: string;
    /** Follows the path in the message, such as `has no effect with keep FIRST`. */
    readonly problem: Problem;
}

/** Warns about an argument that does nothing; `why` continues "has no effect": `with mergeParent`. */
export function withoutEffect(path: string, why: FactText): Advice {
    return { code: 'WITHOUT_EFFECT', path, problem: factText(ISSUE_WORDS.noEffect, { why }) };
}

/** Something that a configuration names and the shop does not have. */
export type MissingInShop = SchemaIssue;

/** What every adapter declares. Type, validator, form, reference page and contract test are derived from it. */
export interface AdapterBase<C extends string = string, S extends z.ZodObject = z.ZodObject> {
    /** camelCase, unique within its kind, never renamed. */
    readonly code: C;
    /** Other spellings of the code; normalised when a definition is parsed. */
    readonly aliases?: readonly string[];
    /** Palette label. */
    readonly title: string;
    /** One sentence that ends with a full stop. It is the first line of the reference page. */
    readonly summary: string;
    readonly category?: string;
    readonly config: S;
    /** Limits that a user must know; printed in the reference. */
    readonly notes?: readonly string[];
    /** Warnings for the author of a configuration that is valid by its schema. */
    advise?(config: z.output<S>): readonly Advice[];
    /**
     * Where a configuration sends secrets: its own secrets, and those of a connection if the configuration names
     * another server. Required for an adapter with a field for the code of a secret; use `noSecretIsSent` if none is
     * sent. Omit a connection string, because the secret itself names its server.
     */
    secretUses?(config: z.output<S>, connections: SavedConnections): readonly SecretUse[];
    /**
     * Names in a valid configuration that the shop does not have. Called when a definition is checked and a shop exists, for no user and no
     * channel. Whatever depends on the user or the channel is checked by the run.
     */
    judge?(config: z.output<S>, platform: unknown): readonly MissingInShop[];
    /**
     * The settings that only the shop's own code may use, such as a path on the server's disk. They are errors in definitions from any other
     * author.
     */
    onlyInCode?(config: z.output<S>): readonly MissingInShop[];
    /** Permissions of the platform that a run with this adapter needs, checked when it starts; of a list, any one is enough. */
    readonly requires?: ReadonlyArray<string | readonly string[]>;
    /** Like `requires`, for permissions that depend on the configuration. The configuration may be invalid. */
    requiresFor?(config: JsonObject): ReadonlyArray<string | readonly string[]>;
    /**
     * Permissions that only some records need. Publishing requires them. The adapter itself checks them for each record, because a run can act for
     * someone other than its publisher. The configuration may be invalid.
     */
    mayRequire?(config: JsonObject): readonly PossibleRight[];
}

/** A permission that an adapter needs for some records. */
export interface PossibleRight {
    /** Of a list, any one is enough. */
    readonly need: string | readonly string[];
    /** Which records need it, and how to do without: follows the step's name and a colon. */
    readonly reason: string;
}

/** A need of `requires`, in words. */
export function permissionText(need: string | readonly string[]): string {
    return [need].flat().join(' or ');
}

/**
 * Erases the config's type, so that adapters of all configs fit one registry. This is safe because the registry passes
 * an adapter only values that its own schema has parsed. The only cast of its kind.
 */
export function erased<E extends { readonly kind: string }, T extends { readonly kind: E['kind'] }>(
    definition: T,
): T & E {
    return definition as unknown as T & E;
}
