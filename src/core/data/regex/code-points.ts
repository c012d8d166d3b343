/** A set of code points: pairs of first and last, sorted, with gaps between them. */
export type CodePoints = readonly number[];

const LAST_CODE_POINT = 0x10ffff;
export const NONE: CodePoints = [];
export const ANY: CodePoints = [0, LAST_CODE_POINT];
export const DIGIT: CodePoints = [0x30, 0x39];
export const WORD: CodePoints = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
export const SPACE: CodePoints = [0x09, 0x0a, 0x0c, 0x0d, 0x20, 0x20];
export const LINE_END: CodePoints = [0x0a, 0x0a];

/** The union of the sets. */
export function union(...sets: readonly CodePoints[]): CodePoints {
    const pairs: Array<readonly [number, number]> = [];
    for (const set of sets) for (let i = 0; i < set.length; i += 2) pairs.push([set[i]!, set[i + 1]!]);
    pairs.sort((a, b) => a[0] - b[0]);
    const out: number[] = [];
    for (const [first, last] of pairs) {
        const end = out.length - 1;
        if (end > 0 && first <= out[end]! + 1) out[end] = Math.max(out[end]!, last);
        else out.push(first, last);
    }
    return out;
}

/** The complement of the set. */
export function complement(set: CodePoints): CodePoints {
    const out: number[] = [];
    let next = 0;
    for (let i = 0; i < set.length; i += 2) {
        if (set[i]! > next) out.push(next, set[i]! - 1);
        next = set[i + 1]! + 1;
    }
    if (next <= LAST_CODE_POINT) out.push(next, LAST_CODE_POINT);
    return out;
}

/** True if no code point is in both sets. */
export function areDisjoint(a: CodePoints, b: CodePoints): boolean {
    let i = 0;
    let j = 0;
    while (i < a.length && j < b.length) {
        if (a[i + 1]! < b[j]!) i += 2;
        else if (b[j + 1]! < a[i]!) j += 2;
        else return false;
    }
    return true;
}

/** The set with both cases of each letter; undefined for sets beyond ASCII, whose cases need the Unicode tables. */
export function folded(set: CodePoints): CodePoints | undefined {
    if (set.length > 0 && set.at(-1)! > 0x7f) return undefined;
    const more: CodePoints[] = [];
    for (let i = 0; i < set.length; i += 2) {
        for (const [from, to, shift] of [
            [0x41, 0x5a, 0x20],
            [0x61, 0x7a, -0x20],
        ] as const) {
            const first = Math.max(set[i]!, from);
            const last = Math.min(set[i + 1]!, to);
            if (first <= last) more.push([first + shift, last + shift]);
        }
    }
    const both = union(set, ...more);
    // The Kelvin sign and the long s are case variants of these two.
    const kelvin = areDisjoint(both, [0x6b, 0x6b]) ? NONE : [0x212a, 0x212a];
    const longS = areDisjoint(both, [0x73, 0x73]) ? NONE : [0x17f, 0x17f];
    return union(both, kelvin, longS);
}
