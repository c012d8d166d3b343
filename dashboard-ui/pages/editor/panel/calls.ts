import { type Definition, isObject } from '../model/definition';

/** The list with an entry at another place. */
export function moved<T>(list: readonly T[], from: number, to: number): readonly T[] {
    const changed = [...list];
    changed.splice(to, 0, ...changed.splice(from, 1));
    return changed;
}

/** What an entry of a list of calls calls, and with what; whatever else it has stays with it. */
export function callOf(
    entry: unknown,
    { field, value }: { readonly field: string; readonly value: string | null },
): { readonly code: unknown; readonly args: unknown; readonly raw: Definition | undefined } {
    if (!isObject(entry)) return { code: undefined, args: undefined, raw: undefined };
    return { code: entry[field], args: value === null ? undefined : entry[value], raw: entry };
}
