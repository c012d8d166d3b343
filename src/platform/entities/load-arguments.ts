import { z } from 'zod';
import { GROUPS } from '../../core/schema/groups';
import { SIDE_EFFECTS } from '../effects/effect';

const STRATEGIES = ['CREATE', 'UPDATE', 'UPSERT', 'MERGE'] as const;
/** What a load does with records whose entity exists, or does not. */
export type Strategy = (typeof STRATEGIES)[number];

export const LIST_MODES = ['REPLACE', 'MERGE', 'REMOVE', 'SKIP'] as const;
/** What a list of a record does to the one in the shop. */
export type ListMode = (typeof LIST_MODES)[number];

/** The mode of one list: its own, else that of the strategy, else the usual one. */
export function listMode(own: ListMode | undefined, strategy: Strategy, usual: ListMode = 'REPLACE'): ListMode {
    return own ?? (strategy === 'MERGE' ? 'MERGE' : usual);
}

/** The argument that sets a separate mode for a list. */
export const listModeArgument = (field: string) =>
    z
        .enum(LIST_MODES)
        .optional()
        .meta({
            title: `Mode of ${field}`,
            group: GROUPS.lists,
            description:
                'REPLACE: the list replaces the one in the shop. MERGE: its entries are added. REMOVE: its entries are removed. SKIP: the list is not changed. This setting overrides the strategy. Default: REPLACE, or MERGE with the strategy MERGE.',
        });

/** The content of a list after another one has been applied to it. */
export function applyList<T>(mode: ListMode, now: readonly T[], given: readonly T[]): readonly T[] {
    if (mode === 'SKIP') return now;
    if (mode === 'REPLACE') return given;
    const named = new Set(given);
    return mode === 'REMOVE' ? now.filter(one => !named.has(one)) : [...new Set([...now, ...given])];
}

/** What all loads of entities have in common. */
export const loadArguments = {
    allowDeletes: z.boolean().default(true).meta({
        title: 'Allow deletes',
        description:
            'Records with __operation DELETE delete their entities. If off, such records are rejected, and publishing the pipeline does not require a permission to delete.',
    }),
    strategy: z.enum(STRATEGIES).default('UPSERT').meta({
        title: 'Strategy',
        description:
            'CREATE: a record for an existing entity is rejected. UPDATE: a record for a missing entity is rejected. UPSERT: allows both. MERGE: like UPSERT, but lists are merged instead of replaced.',
    }),
    sideEffects: z.enum(SIDE_EFFECTS).default('BATCHED').meta({
        title: 'Side effects',
        group: GROUPS.events,
        description:
            "BATCHED: one event per batch; search index and collections are updated once at the end. EACH: Vendure's own events, one by one. NONE: no events and no updates.",
    }),
    history: z.boolean().default(false).meta({
        title: 'Keep the history',
        group: GROUPS.events,
        description:
            'Stores for each written entity which run changed it and when, as long as runs are kept. The page of the product shows it. Adds one row per written entity.',
    }),
};

/** The objection of a strategy to an existing or missing entity; undefined if there is none. The text follows the name of the entity. */
export function strategyProblem(strategy: Strategy, exists: boolean): string | undefined {
    if (strategy === 'CREATE' && exists) return 'exists already, and the strategy is CREATE';
    return strategy === 'UPDATE' && !exists ? 'does not exist, and the strategy is UPDATE' : undefined;
}
