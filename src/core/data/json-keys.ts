import { endOfString } from './json-marks';
import { show } from '../value/show';

/** A repeated key of an object in a JSON text. */
interface DuplicateKey {
    readonly key: string;
    /** The path of the object from the root, by names and indexes: `variants.2`; empty for the root. */
    readonly within: string;
    /** The position of the second occurrence in the text. */
    readonly at: number;
}

interface Open {
    /** Undefined for a list. */
    readonly keys: Set<string> | undefined;
    /** The latest key, or the index of the latest element. */
    last: string | number;
}

/**
 * The first repeated key, which `JSON.parse` accepts silently; undefined if there is none. The text must be valid JSON.
 */
export function duplicateKeyOf(text: string): DuplicateKey | undefined {
    const open: Open[] = [];
    let isKeyNext = false;
    for (let at = 0; at < text.length; at++) {
        switch (text[at]) {
            case '{':
                open.push({ keys: new Set(), last: '' });
                isKeyNext = true;
                break;
            case '[':
                open.push({ keys: undefined, last: 0 });
                isKeyNext = false;
                break;
            case '}':
            case ']':
                open.pop();
                isKeyNext = false;
                break;
            case ',': {
                const holder = open.at(-1);
                if (typeof holder?.last === 'number') holder.last++;
                isKeyNext = holder?.keys !== undefined;
                break;
            }
            case '"': {
                const start = at;
                at = endOfString(text, at) - 1;
                const holder = open.at(-1);
                if (!isKeyNext || !holder?.keys) break;
                const key = JSON.parse(text.slice(start, at + 1)) as string;
                const within = open.slice(0, -1).map(({ last }) => last);
                if (holder.keys.has(key)) return { key, within: within.join('.'), at: start };
                holder.keys.add(key);
                holder.last = key;
                isKeyNext = false;
                break;
            }
            default:
        }
    }
    return undefined;
}

/**
 * Describes the first repeated key with its position, for files that people write: `line 3, column 7: the key "a" is
 * repeated`.
 */
export function duplicateKey(text: string): string | undefined {
    const found = duplicateKeyOf(text);
    return found && `${placeOf(text, found.at)}: the key ${show(found.key)} comes twice`;
}

/**
 * Describes a repeated key, as the end of a sentence about the value: `has the key "sku" twice at variants.2; allowed:
 * each key once`.
 */
export function twice({ key, within }: DuplicateKey): string {
    return `has the key ${show(key)} twice${within === '' ? '' : ` at ${within}`}; allowed: each key once`;
}

function placeOf(text: string, offset: number): string {
    const before = text.slice(0, offset).split('\n');
    return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
}
