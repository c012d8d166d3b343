import { show } from '../../core/data/show';

/**
 * The first key that an object of a JSON text has twice, which `JSON.parse` passes over in silence: "line 3, column 7: the key "a" comes
 * twice". Undefined when there is none. The text must be valid JSON.
 */
export function duplicateKey(text: string): string | undefined {
    /** The keys of each object that is open, undefined for a list. */
    const open: Array<Set<string> | undefined> = [];
    let isKeyNext = false;
    for (let at = 0; at < text.length; at++) {
        switch (text[at]) {
            case '{':
                open.push(new Set());
                isKeyNext = true;
                break;
            case '[':
                open.push(undefined);
                isKeyNext = false;
                break;
            case '}':
            case ']':
                open.pop();
                isKeyNext = false;
                break;
            case ',':
                isKeyNext = open.at(-1) !== undefined;
                break;
            case '"': {
                const start = at;
                at = endOfString(text, at);
                const keys = open.at(-1);
                if (!isKeyNext || !keys) break;
                const key = JSON.parse(text.slice(start, at + 1)) as string;
                if (keys.has(key)) return `${placeOf(text, start)}: the key ${show(key)} comes twice`;
                keys.add(key);
                isKeyNext = false;
                break;
            }
            default:
        }
    }
    return undefined;
}

/** The offset of the closing quote. */
function endOfString(text: string, start: number): number {
    for (let at = start + 1; ; at++) {
        if (text[at] === '\\') at++;
        else if (text[at] === '"') return at;
    }
}

function placeOf(text: string, offset: number): string {
    const before = text.slice(0, offset).split('\n');
    return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
}
