/** The approximate cost of a Unicode class, which is composed from tables. */
const PROPERTY_WEIGHT = 3_500;
/** Beyond this code point no character has another case, so its classes are used as they are. */
const LAST_WITH_CASE = 0x1e943;
const PROPERTY = /\\[pP]/g;
const CHARACTER = String.raw`(?:\\x\{([0-9A-Fa-f]{1,6})\}|\\x([0-9A-Fa-f]{2})|([^\\\]]))`;
const RANGE = new RegExp(`${CHARACTER}-${CHARACTER}`, 'gu');

/**
 * The approximate maximum number of characters that compiling visits for a pattern's classes, counted once for each
 * class that contains them.
 */
export function patternWeight(pattern: string): number {
    let weight = (pattern.match(PROPERTY)?.length ?? 0) * PROPERTY_WEIGHT;
    for (const [, hex1, pair1, char1, hex2, pair2, char2] of pattern.matchAll(RANGE)) {
        const first = codeOf(hex1 ?? pair1, char1);
        const last = Math.min(codeOf(hex2 ?? pair2, char2), LAST_WITH_CASE);
        if (last > first) weight += last - first;
    }
    return weight;
}

function codeOf(hex: string | undefined, char: string | undefined): number {
    return hex === undefined ? char!.codePointAt(0)! : parseInt(hex, 16);
}
