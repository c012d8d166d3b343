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
    /** With the scope FILTER: what the loader lists entities by. */
    readonly filters?: readonly unknown[] | undefined;
    /** Of the scope: where more is missing, nothing is done. */
    readonly maxShare: number;
}

const DOES: Readonly<Record<MissingAction, string>> = {
    DISABLE: 'DISABLE hides it',
    ZERO_STOCK: 'ZERO_STOCK sets its stock to 0 at all locations of the channel',
    DELETE: 'DELETE deletes it',
};

const argumentsOf = <const A extends MissingAction>(actions: readonly [A, ...A[]]) => ({
    action: z.enum(['NONE', ...actions]).meta({
        title: 'Action',
        description: `What is done: ${actions.map(action => DOES[action]).join(', ')}; NONE leaves it as it is.`,
    }),
    maxShare: z.number().min(0).max(1).default(0.1).meta({
        title: 'Largest share',
        description:
            'Where more than this share of the scope is missing, nothing is done, and the log says how much it was.',
    }),
});

const LOADED = 'LOADED, everything that this step has loaded since `missing` was set';
const NAMED = {
    title: 'Missing',
    description:
        'What becomes of what the source does not have any more, once a run has read all of it and rejected nothing.',
};

/** The argument of loaders that can do something about what is missing, with what they can do. */
export const missingArgument = <const A extends MissingAction>(actions: readonly [A, ...A[]]) =>
    z
        .strictObject({
            ...argumentsOf(actions),
            scope: z
                .enum(['LOADED'])
                .default('LOADED')
                .meta({ title: 'Scope', description: `What may be missing: ${LOADED}.` }),
        })
        .optional()
        .meta(NAMED);

/** As `missingArgument`, of a loader that can also list what the shop has (`MissingRule.listed`), by filters of this schema. */
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
                    description: `What may be missing: ${LOADED}; FILTER, everything in the shop that matches the filters, independent of its creator.`,
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
    /** Of each entity: the keys, any one of which says that it is there; the first is what it is loaded by. */
    readonly entities: ReadonlyArray<readonly [string, ...string[]]>;
    /** Where the next page begins; undefined after the last page. */
    readonly next: JsonValue | undefined;
}

/** The entities that a filter names, page by page, in an order that does not change; nothing is kept between pages. */
export type ListPage = (page: { readonly from: JsonValue | undefined; readonly limit: number }) => Promise<ListedPage>;

/** Of keys: all those that what each of them finds in the shop is known by. What it does not name is known by its key alone. */
export type KeysOfFound = (keys: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;

/** How a loader says what is missing, and what is loaded of it. `C` is its configuration. */
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
     * Of loaders whose entities are known by several keys, of which a record may say another one the next time: any one that was met says that the entity
     * is there.
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
