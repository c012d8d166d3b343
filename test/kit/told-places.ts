import type { JsonObject } from '../../src/core/value/json';

/** A page with the positions of its records as a list, so that it can be compared. */
export function toldPlaces<P extends { readonly records: readonly JsonObject[]; placeOf?(index: number): unknown }>(
    page: P,
): Omit<P, 'placeOf'> & { readonly places: readonly unknown[] } {
    const { placeOf, ...rest } = page;
    return { ...rest, places: page.records.map((_, index) => placeOf?.(index)) };
}
