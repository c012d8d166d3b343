import { readText } from '../../data/read-text';
import type { Path } from '../../data/path';
import type { JsonObject } from '../../value/json';

/** What operators that change a text in its own field say of other values in the descriptions of their fields. */
export const CHANGED_IN_PLACE =
    'A number is read as its text, and stays a number where nothing changes; any other value is left alone.';

/**
 * Writes what `change` makes of the text at `from` to `to`. Where a text does not change in its own field, the value stays as it is: as text,
 * the number 0.125 would be read as 125 by a `parseNumber` of de-DE that comes later.
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
