import { withExactNumbers } from '../../core/data/json-text';
import { marksOf } from '../../core/data/json-marks';
import { isJsonObject, type JsonValue } from '../../core/value/json';
import { MAX_JSON_DEPTH } from './json-scan';

/**
 * The value of a JSON text that is held whole, with numbers that no double holds exactly as text. Undefined if the
 * reader of longer texts would report a problem: the text is not valid JSON, an object has a key twice, or it is
 * nested too deep.
 */
export function wholeJson(text: string): JsonValue | undefined {
    let value: JsonValue;
    try {
        value = JSON.parse(text) as JsonValue;
    } catch {
        // The other reader reports what is wrong, and where.
        return undefined;
    }
    const { numbers, keys } = marksOf(text);
    return keysWithin(value, MAX_JSON_DEPTH) === keys ? withExactNumbers(value, { text, numbers }) : undefined;
}

/** How many keys the objects of a value have; never a number where it is nested deeper than that. */
function keysWithin(value: JsonValue, depth: number): number {
    if (typeof value !== 'object' || value === null) return 0;
    if (depth === 0) return Number.NaN;
    let keys = 0;
    if (isJsonObject(value)) {
        // Parsed values inherit nothing, and this is far faster than a list of the fields of each record.
        for (const name in value) {
            keys++;
            const field = value[name]!;
            if (typeof field === 'object') keys += keysWithin(field, depth - 1);
        }
    } else {
        for (const element of value) if (typeof element === 'object') keys += keysWithin(element, depth - 1);
    }
    return keys;
}
