/** A stretch of a text. */
export type Span = readonly [from: number, to: number];

/** A partial secret of this length at the end of a cut text is not a coincidence. */
const MIN_MASKED_CHARS = 12;

const DOT = 46;
/**
 * The character after a text that was cut, in addition to three dots: an ellipsis, or the quotation mark of a name that was too long for a
 * database.
 */
const CUT: ReadonlySet<number> = new Set(['…', '"', "'", '`'].map(sign => sign.charCodeAt(0)));

/** What is known of the beginnings of a needle, by their lengths. */
interface Borders {
    /** The longest beginning that is an end of this one, too (Knuth, Morris, Pratt). */
    readonly longest: Uint32Array;
    /** The longest of those beginnings after which another character follows. */
    readonly turning: Uint32Array;
}

/**
 * A text that is looked for in others, and where it was cut off: at their end, before an ellipsis or a quotation mark. Each character of a text is looked
 * at a few times at most, however the needle repeats itself.
 */
export class SecretMatcher {
    private known: Borders | undefined;
    /** The stretches of the text that is being looked through; those that touch are one. */
    private found: [from: number, to: number][] = [];
    /** No other one begins before. */
    private doneTo = 0;

    /** At least four characters. */
    constructor(readonly text: string) {}

    /** For the next text: what was found in the last one. */
    taken(): readonly Span[] {
        const { found } = this;
        this.found = [];
        this.doneTo = 0;
        return found;
    }

    /** Checks a place where its first characters may occur; places come from left to right. Returns true if it found something. */
    lookAt(text: string, at: number): boolean {
        if (at < this.doneTo) return false;
        const matcher = this.text;
        if (matcher.length <= MIN_MASKED_CHARS)
            return text.startsWith(matcher, at) && this.add(at, at + matcher.length);
        let matched = 0;
        while (matched < MIN_MASKED_CHARS && text.charCodeAt(at + matched) === matcher.charCodeAt(matched)) matched++;
        return matched === MIN_MASKED_CHARS && this.follow(text, at + matched);
    }

    /** Continues after the first characters, as long as at least this number of them was just read. */
    private follow(text: string, from: number): boolean {
        const matcher = this.text;
        const { longest, turning } = (this.known ??= bordersOf(matcher));
        let matched = MIN_MASKED_CHARS;
        let isFound = false;
        let at = from;
        while (matched >= MIN_MASKED_CHARS) {
            if (matched === matcher.length) {
                isFound = this.add(at - matched, at);
                matched = longest[matched]!;
            } else if (at === text.length) {
                // Whatever else begins in it ends with it.
                this.doneTo = at;
                return this.add(at - matched, at);
            } else if (text.charCodeAt(at) === matcher.charCodeAt(matched)) {
                const shorter = turning[matched]!;
                if (shorter >= MIN_MASKED_CHARS && isCut(text, at)) isFound = this.add(at - shorter, at);
                matched++;
                at++;
            } else {
                if (isCut(text, at)) isFound = this.add(at - matched, at);
                matched = longest[matched]!;
            }
        }
        this.doneTo = at - matched;
        return isFound;
    }

    private add(from: number, to: number): true {
        const last = this.found.at(-1);
        if (last && from <= last[1]) {
            last[0] = Math.min(last[0], from);
            last[1] = Math.max(last[1], to);
        } else {
            this.found.push([from, to]);
        }
        return true;
    }
}

function isCut(text: string, at: number): boolean {
    const code = text.charCodeAt(at);
    return CUT.has(code) || (code === DOT && text.startsWith('...', at));
}

function bordersOf(matcher: string): Borders {
    const longest = new Uint32Array(matcher.length + 1);
    const turning = new Uint32Array(matcher.length + 1);
    let border = 0;
    for (let length = 1; length < matcher.length; length++) {
        const code = matcher.charCodeAt(length);
        turning[length] = matcher.charCodeAt(border) === code ? turning[border]! : border;
        while (border > 0 && matcher.charCodeAt(border) !== code) border = longest[border]!;
        if (matcher.charCodeAt(border) === code) border++;
        longest[length + 1] = border;
    }
    return { longest, turning };
}
