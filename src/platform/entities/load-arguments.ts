import { z } from 'zod';
import { SIDE_EFFECTS } from '../effects/effect';

export const STRATEGIES = ['CREATE', 'UPDATE', 'UPSERT', 'MERGE'] as const;
/** What a load does about records whose entity is there, or is not (spec 4, "load adapters"). */
export type Strategy = (typeof STRATEGIES)[number];

/** What all loads of entities have in common. */
export const loadArguments = {
    strategy: z.enum(STRATEGIES).default('UPSERT').meta({
        title: 'Strategy',
        description:
            'CREATE: an existing entity is a record error. UPDATE: a missing one is. UPSERT: both are fine. MERGE: as UPSERT, but lists are joined, not replaced.',
    }),
    sideEffects: z.enum(SIDE_EFFECTS).default('BATCHED').meta({
        title: 'Side effects',
        description:
            "BATCHED: one event a batch, search index and collections once at the end. EACH: Vendure's own events, one by one. NONE: neither.",
    }),
};

/** What a strategy says against something that is there, or is not; undefined for nothing. The text goes on behind what it is. */
export function strategyProblem(strategy: Strategy, exists: boolean): string | undefined {
    if (strategy === 'CREATE' && exists) return 'exists already, and the strategy is CREATE';
    return strategy === 'UPDATE' && !exists ? 'does not exist, and the strategy is UPDATE' : undefined;
}
