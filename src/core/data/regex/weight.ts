/** About what a class of Unicode costs, which is put together from tables. */
const PROPERTY_WEIGHT = 3_500;
/** Beyond it no character has another case, so that its classes are taken as they are. */
const LAST_WITH_CASE = 0x1e943;
const PROPERTY = /\\[pP]/g;
const CHARACTER = String.raw`(?:\\x\{([0-9A-Fa-f]{1,6})\}|\\x([0-9A-Fa-f]{2})|([^\\\]]))`;
const RANGE = new RegExp(`${CHARACTER}-${CHARACTER}`, 'gu');

/** How many characters compiling a pattern goes over for its classes, at most about, each as often as it stands in one. */
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
