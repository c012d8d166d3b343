import { readText } from '../../data/read-text';
import type { Path } from '../../data/path';
import type { JsonObject } from '../../value/json';

/** How operators that change a text in place handle other values; ends the descriptions of their fields. */
export const CHANGED_IN_PLACE =
    'A number is read as text, and stays a number if nothing changes; other values are left unchanged.';

/**
 * Applies `change` to the text at `from` and writes it to `to`. If a text does not change in its own field, the value
 * is left as it is: a later `parseNumber` with de-DE would read the number 0.125 as 125 if it were text.
 */
export function changeText(from: Path, to: Path, change: (text: string) => string): (data: JsonObject) => JsonObject {
    const isInPlace = from.text === to.text;
    return data => {
        const text = readText(from.get(data));
        if (text === undefined) return data;
        const changed = change(text);
        return isInPlace && changed === text ? data : to.set(data, changed);
    };
}
