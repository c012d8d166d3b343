import type { z } from 'zod';
import { bare } from './walk';

/** Titles of groups of settings that several adapters have. Forms fold a group, because few users need its settings. */
export const GROUPS = {
    names: 'Field names',
    lists: 'Lists',
    images: 'Images',
    events: 'Events and history',
    rows: 'Header and skipped rows',
    server: 'Server',
    files: 'File formats and processed files',
    delivery: 'Delivery',
    content: 'Fields and languages',
    requests: 'Requests',
    advanced: 'Advanced',
} as const;

/**
 * The same fields, in a group of settings that forms fold. Throws a TypeError for a field that must be given, because a form does not hide what is
 * required.
 */
export function inGroup<S extends z.ZodRawShape>(group: string, shape: S): S {
    const fields = Object.entries(shape as unknown as Readonly<Record<string, z.ZodType>>);
    return Object.fromEntries(
        fields.map(([key, field]) => {
            if (bare(field) === field)
                throw new TypeError(`${key} in the group "${group}" is required; allowed: fields that may be left out`);
            return [key, field.meta({ ...field.meta(), group })];
        }),
    ) as unknown as S;
}

/** The same fields, which a form shows only at these values of the fields next to them. */
export function shownIf<S extends z.ZodRawShape>(showIf: Readonly<Record<string, unknown>>, shape: S): S {
    return Object.fromEntries(
        Object.entries(shape as unknown as Readonly<Record<string, z.ZodType>>).map(([key, field]) => [
            key,
            bare(field) === field ? field : field.meta({ ...field.meta(), showIf }),
        ]),
    ) as unknown as S;
}

/** As `shownIf`, with the values of the field `sibling` by field; a field that is not named is always shown. */
export function shownAt<S extends z.ZodRawShape>(
    sibling: string,
    valuesOf: Readonly<Record<string, readonly string[]>>,
    shape: S,
): S {
    return Object.fromEntries(
        Object.entries(shape as unknown as Readonly<Record<string, z.ZodType>>).map(([key, field]) => {
            const values = valuesOf[key];
            return [key, values === undefined ? field : shownIf({ [sibling]: [...values] }, { field }).field];
        }),
    ) as unknown as S;
}
