import { z } from 'zod';
import { unpadded } from '../data/unpadded';
import type { JsonObject, JsonValue } from '../value/json';
import type { AdapterContext } from './context';

export const MISSING_ACTIONS = ['DISABLE', 'ZERO_STOCK', 'DELETE'] as const;
export type MissingAction = (typeof MISSING_ACTIONS)[number];

/** What a load step does about what its source does not have any more. */
export interface Missing {
    readonly action: 'NONE' | MissingAction;
    readonly scope: 'LOADED' | 'FILTER';
    /** With the scope FILTER: the filters by which the loader lists entities. */
    readonly filters?: readonly unknown[] | undefined;
    /** Of the scope: where more is missing, nothing is done. */
    readonly maxShare: number;
}

const DOES: Readonly<Record<MissingAction, string>> = {
    DISABLE: 'DISABLE hides missing entities',
    ZERO_STOCK: 'ZERO_STOCK sets their stock to 0 at all locations of the channel',
    DELETE: 'DELETE deletes missing entities',
};

const argumentsOf = <const A extends MissingAction>(actions: readonly [A, ...A[]]) => ({
    action: z.enum(['NONE', ...actions]).meta({
        title: 'Action',
        description: `${actions.map(action => DOES[action]).join(', ')}, NONE does not change them.`,
    }),
    maxShare: z.number().min(0).max(1).default(0.1).meta({
        title: 'Largest share',
        description:
            'The maximum share of the scope that may be missing. If more is missing, nothing is done, and the log shows the number.',
    }),
});

const LOADED = 'LOADED, those that this step has loaded since `missing` was set';
const NAMED = {
    title: 'Missing',
    description:
        'What to do with entities that are missing from the source. Applies only after a run has read all of the source and rejected nothing.',
};

/** The argument of loaders that can handle missing entities, with the actions that they support. */
export const missingArgument = <const A extends MissingAction>(actions: readonly [A, ...A[]]) =>
    z
        .strictObject({
            ...argumentsOf(actions),
            scope: z
                .enum(['LOADED'])
                .default('LOADED')
                .meta({ title: 'Scope', description: `Which entities can be missing: ${LOADED}.` }),
        })
        .optional()
        .meta(NAMED);

/**
 * Like `missingArgument`, for a loader that can also list the entities of the shop (`MissingRule.listed`), by filters
 * of this schema.
 */
export const missingWithFilters = <const A extends MissingAction, F extends z.ZodType<readonly unknown[] | undefined>>(
    actions: readonly [A, ...A[]],
    filters: F,
) =>
    z
        .strictObject({
            ...argumentsOf(actions),
            scope: z
                .enum(['LOADED', 'FILTER'])
                .default('LOADED')
                .meta({
                    title: 'Scope',
                    description: `Which entities can be missing: ${LOADED}; FILTER, all entities in the shop that match the filters, regardless of who created them.`,
                }),
            filters,
        })
        .refine(given => (given.scope === 'FILTER') === ((given as { filters?: unknown }).filters !== undefined), {
            path: ['filters'],
            message: 'needed with scope FILTER, and not allowed elsewhere',
        })
        .optional()
        .meta(NAMED);

/** Some of the entities that may be missing. */
export interface ListedPage {
    /** For each entity: its keys, any one of which shows that it exists in the source. It is loaded by the first. */
    readonly entities: ReadonlyArray<readonly [string, ...string[]]>;
    /** Where the next page begins; undefined after the last page. */
    readonly next: JsonValue | undefined;
}

/** The entities that a filter names, page by page, in an order that does not change; nothing is kept between pages. */
export type ListPage = (page: { readonly from: JsonValue | undefined; readonly limit: number }) => Promise<ListedPage>;

/**
 * For keys: all keys by which the entities that they find in the shop are known. An entity without an entry is known by
 * its key alone.
 */
export type KeysOfFound = (keys: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;

/** How a loader identifies missing entities, and the records that it loads for them. `C` is its configuration. */
export interface MissingRule<C> {
    /** The key of a record, the same whenever the record is read. Undefined if the record does not contain it. */
    keyOf(config: C, data: JsonObject, cx: AdapterContext): string | undefined;
    /** The records that are loaded of keys, one for each in their order, with the strategy UPDATE. */
    records(
        config: C,
        action: MissingAction,
        cx: AdapterContext,
    ): Promise<(keys: readonly string[]) => Promise<readonly JsonObject[]> | readonly JsonObject[]>;
    /**
     * For loaders whose entities are known by several keys, because a record may use another key the next time: any key
     * that was seen shows that the entity exists in the source.
     */
    found?(config: C, cx: AdapterContext): KeysOfFound;
    /**
     * What the shop has that the filters of the configuration name, without what already is as the action would make it. Called once a step;
     * throws `config` errors. Of loaders with `missingWithFilters`.
     */
    listed?(config: C, action: MissingAction, cx: AdapterContext): ListPage;
}

/** The text of a field without the blanks and invisible characters around it, as a key. */
export function textKey(value: unknown): string | undefined {
    const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? unpadded(value) : '';
    return text === '' ? undefined : text;
}
