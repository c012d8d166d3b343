import { isJsonObject, type JsonObject, type JsonValue } from '../value/json';

/**
 * The weight of a value in addition to its text, and of an object or list in addition to its content, in characters:
 * many small values count, too.
 */
export const VALUE_WEIGHT = 8;
export const HOLDER_WEIGHT = 16;

/**
 * The approximate memory of a value once it is serialized, in characters: its texts and names, plus a constant for each
 * value. Shared values count each time they occur. Stops soon after `most`, so it also ends for a value that contains
 * itself many times.
 */
export function sizeOfValue(value: JsonValue, most = Infinity): number {
    if (typeof value === 'string') return VALUE_WEIGHT + value.length;
    if (typeof value !== 'object' || value === null) return VALUE_WEIGHT;
    return Array.isArray(value)
        ? weightOfList(value as readonly JsonValue[], most)
        : weightOfObject(value as JsonObject, most);
}

// Values other than lists and objects are weighed inline: they are most values, and a call for each would take longer
// than the addition.
function weightOfList(list: readonly JsonValue[], most: number): number {
    let weight = HOLDER_WEIGHT + VALUE_WEIGHT * list.length;
    for (let i = 0; i < list.length && weight <= most; i++) {
        const element = list[i]!;
        if (typeof element === 'string') weight += element.length;
        else if (typeof element === 'object' && element !== null)
            weight += sizeOfValue(element, most - weight) - VALUE_WEIGHT;
    }
    return weight;
}

function weightOfObject(object: JsonObject, most: number): number {
    let weight = HOLDER_WEIGHT;
    // Records inherit nothing, and for…in is much faster than listing the fields.
    for (const name in object) {
        const field = object[name]!;
        weight += name.length + VALUE_WEIGHT;
        if (typeof field === 'string') weight += field.length;
        else if (typeof field === 'object' && field !== null)
            weight += sizeOfValue(field, most - weight) - VALUE_WEIGHT;
        if (weight > most) break;
    }
    return weight;
}

/** Quotes around a text, or brackets around a list. */
const AROUND = 2;

/** The layout of a JSON text, for `leastJson`. */
interface JsonLayout {
    /** Spaces per level; 0 writes one line. */
    readonly indent: number;
    readonly level: number;
}
const ONE_LINE: JsonLayout = { indent: 0, level: 0 };

/** The minimum length of a value's JSON: it ignores escapes. Stops soon after `most`. */
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
