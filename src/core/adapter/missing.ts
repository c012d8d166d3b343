import { z } from 'zod';
import type { JsonObject } from '../value/json';
import type { AdapterContext } from './context';

export const MISSING_ACTIONS = ['DISABLE', 'ZERO_STOCK', 'DELETE'] as const;
export type MissingAction = (typeof MISSING_ACTIONS)[number];

/** What a load step does about what its source does not have any more (spec 5, row 7). */
export interface Missing {
    readonly action: 'NONE' | MissingAction;
    readonly scope: 'LOADED';
    /** Of what was loaded before: where more is missing, nothing is done. */
    readonly maxShare: number;
}

const DOES: Readonly<Record<MissingAction, string>> = {
    DISABLE: 'DISABLE hides it',
    ZERO_STOCK: 'ZERO_STOCK sets its stock to 0 at all locations of the channel',
    DELETE: 'DELETE deletes it',
};

/** The argument of loaders that can do something about what is missing, with what they can do. */
export const missingArgument = <const A extends MissingAction>(actions: readonly [A, ...A[]]) =>
    z
        .strictObject({
            action: z.enum(['NONE', ...actions]).meta({
                title: 'Action',
                description: `What is done: ${actions.map(action => DOES[action]).join(', ')}; NONE leaves it as it is.`,
            }),
            scope: z.enum(['LOADED']).default('LOADED').meta({
                title: 'Scope',
                description: 'What may be missing: LOADED, what this step has loaded since it has a `missing`.',
            }),
            maxShare: z.number().min(0).max(1).default(0.1).meta({
                title: 'Largest share',
                description:
                    'Where more than this share of the scope is missing, nothing is done, and the log says how much it was.',
            }),
        })
        .optional()
        .meta({
            title: 'Missing',
            description:
                'What becomes of what was loaded before and the source does not have any more, once a run has read all of it and rejected nothing.',
        });

/** How a loader says what is missing, and what is loaded of it. `C` is its configuration. */
export interface MissingRule<C> {
    /** What tells a record from others: the same for a record whenever it comes. Undefined where it does not say. */
    keyOf(config: C, data: JsonObject): string | undefined;
    /** The record that is loaded of a key, with the strategy UPDATE. */
    records(config: C, action: MissingAction, cx: AdapterContext): Promise<(key: string) => JsonObject>;
}

/** The text of a field without the blanks round it, as a key. */
export function textKey(value: unknown): string | undefined {
    const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
    return text === '' ? undefined : text;
}
