import { isJsonObject, type JsonValue } from './json';

/** What a value takes beside its text, and an object or list beside what it holds, in characters: so that many small ones count, too. */
export const VALUE_WEIGHT = 8;
export const HOLDER_WEIGHT = 16;

/**
 * About how much of memory a value takes once it is written out, in characters: those of its texts and names, and something for each value.
 * What it holds several times counts each time, as it would be written. Stops soon after `most`, so that what shares itself without end ends.
 */
export function weightOf(value: JsonValue, most = Infinity): number {
    if (typeof value === 'string') return VALUE_WEIGHT + value.length;
    if (typeof value !== 'object' || value === null) return VALUE_WEIGHT;
    let weight = HOLDER_WEIGHT;
    if (!isJsonObject(value)) {
        for (const element of value) {
            weight += weightOf(element, most - weight);
            if (weight > most) break;
        }
        return weight;
    }
    for (const name in value) {
        if (!Object.hasOwn(value, name)) continue;
        weight += name.length + weightOf(value[name]!, most - weight);
        if (weight > most) break;
    }
    return weight;
}

/** Quotes around a text, or brackets around a list. */
const AROUND = 2;

/** How a JSON text is written, for `leastJson`. */
export interface JsonLayout {
    /** Blanks a level; without them all of it is one line. */
    readonly indent: number;
    readonly level: number;
}
const ONE_LINE: JsonLayout = { indent: 0, level: 0 };

/** How long a value's JSON is at least: without what texts have escaped. Stops soon after `most`. */
export function leastJson(value: JsonValue, most: number, { indent, level }: JsonLayout = ONE_LINE): number {
    if (typeof value === 'string') return value.length + AROUND;
    if (typeof value !== 'object' || value === null) return 1;
    const inner = { indent, level: level + 1 };
    const lead = indent === 0 ? 0 : indent * inner.level + 1;
    let length = AROUND;
    if (!isJsonObject(value)) {
        for (const element of value) {
            length += lead + leastJson(element, most - length, inner);
            if (length > most) break;
        }
        return length;
    }
    for (const name in value) {
        if (!Object.hasOwn(value, name)) continue;
        length += lead + name.length + 3 + leastJson(value[name]!, most - length, inner);
        if (length > most) break;
    }
    return length;
}
