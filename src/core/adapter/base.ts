import type { z } from 'zod';

/** What every adapter declares. Type, validator, form, reference page and contract test are derived from it. */
export interface AdapterBase<C extends string = string, S extends z.ZodObject = z.ZodObject> {
    /** camelCase, unique within its kind, never renamed. */
    readonly code: C;
    /** The specification's masked spellings (spec 4, names 2); normalised when a definition is parsed. */
    readonly aliases?: readonly string[];
    /** Palette label. */
    readonly title: string;
    /** One sentence that ends with a full stop; first line of its reference page. */
    readonly summary: string;
    readonly category?: string;
    readonly config: S;
    /** Limits that a user must know; printed in the reference. */
    readonly notes?: readonly string[];
    /** Permissions of the platform that a run with this adapter needs, checked when it starts. */
    readonly requires?: readonly string[];
}

/**
 * Forgets the config's type, so that adapters of all configs fit one registry. Safe because the registry hands an adapter
 * only what its own schema has parsed. The one cast of its kind.
 */
export function erased<E extends { readonly kind: string }, T extends { readonly kind: E['kind'] }>(
    definition: T,
): T & E {
    return definition as unknown as T & E;
}
