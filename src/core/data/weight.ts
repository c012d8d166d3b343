import { isJsonObject, type JsonObject, type JsonValue } from '../value/json';

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
    return Array.isArray(value)
        ? weightOfList(value as readonly JsonValue[], most)
        : weightOfObject(value as JsonObject, most);
}

// What is no list or object is weighed in place: most values are none, and a call for each would take longer than the sum.
function weightOfList(list: readonly JsonValue[], most: number): number {
    let weight = HOLDER_WEIGHT + VALUE_WEIGHT * list.length;
    for (let i = 0; i < list.length && weight <= most; i++) {
        const element = list[i]!;
        if (typeof element === 'string') weight += element.length;
        else if (typeof element === 'object' && element !== null)
            weight += weightOf(element, most - weight) - VALUE_WEIGHT;
    }
    return weight;
}

function weightOfObject(object: JsonObject, most: number): number {
    let weight = HOLDER_WEIGHT;
    // Nothing is inherited by a record, and this is far quicker than to list its fields.
    for (const name in object) {
        const field = object[name]!;
        weight += name.length + VALUE_WEIGHT;
        if (typeof field === 'string') weight += field.length;
        else if (typeof field === 'object' && field !== null) weight += weightOf(field, most - weight) - VALUE_WEIGHT;
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
