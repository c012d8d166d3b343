import type { JsonValue } from './json';

type Fields = Record<string, JsonValue>;
type Copy = (data: Readonly<Fields>) => Fields;

const shared: Copy = data => ({ ...data });
/** Before that a place of its own would cost more than it saves. */
const OFTEN = 300;
let places = 0;

/**
 * A function that copies an object. V8 remembers for every place in the code which shapes of objects have come by, and copies those at
 * once; but through one place for all fields of all pipelines come more than it remembers, and copying takes eight times as long. So a
 * copier that is used often gets a place of its own.
 */
export function copier(): Copy {
    let count = 0;
    let own: Copy | undefined;
    return data => {
        if (own) return own(data);
        if (++count === OFTEN) own = placeOfItsOwn();
        return shared(data);
    };
}

/** The same as `shared`; nothing but a number goes into its text, which makes it another one for V8. */
function placeOfItsOwn(): Copy {
    try {
        return new Function(`/* ${++places} */ return data => ({ ...data });`)() as Copy;
    } catch {
        // A process that allows no code from text.
        return shared;
    }
}

/** A function that makes objects of just these fields, or answers undefined when one of them has no value. */
export function assembler<T>(keys: readonly string[], reads: ReadonlyArray<(from: T) => JsonValue | undefined>): (from: T) => Fields | undefined {
    const copy = copier();
    // Writing to fields that are there is much faster than adding them one by one.
    const blank: Fields = Object.fromEntries(keys.map(key => [key, null]));
    return from => {
        const out = copy(blank);
        for (let i = 0; i < keys.length; i++) {
            const value = reads[i]!(from);
            if (value === undefined) return undefined;
            out[keys[i]!] = value;
        }
        return out;
    };
}
