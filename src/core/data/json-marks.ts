const QUOTE = 34;
const PLUS = 43;
const MINUS = 45;
const DOT = 46;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
const BACKSLASH = 92;
const LOWER_E = 101;

/** The length of the shortest number without an exponent that a double may not hold exactly. */
const LONG_NUMBER = 16;

/** Facts about a JSON text that the result of `JSON.parse` does not contain. */
export interface JsonMarks {
    /** Start and end of each number that a double may not hold exactly. */
    readonly numbers: readonly number[];
    /** The number of keys of all objects, including repeated ones. */
    readonly keys: number;
}

/** Scans a valid JSON text. */
export function marksOf(text: string): JsonMarks {
    const numbers: number[] = [];
    let keys = 0;
    for (let at = 0; at < text.length;) {
        const code = text.charCodeAt(at);
        if (code === QUOTE) at = endOfString(text, at);
        else if (code >= ZERO && code <= NINE) at = takeNumber(text, at, numbers);
        else {
            if (code === COLON) keys++;
            at++;
        }
    }
    return { numbers, keys };
}

/** The position after the closing quote of the string that begins at `start`; -1 if there is none. */
export function endOfString(text: string, start: number): number {
    for (let close = text.indexOf('"', start + 1); close >= 0; close = text.indexOf('"', close + 1)) {
        if (text.charCodeAt(close - 1) !== BACKSLASH) return close + 1;
        let before = close - 1;
        while (text.charCodeAt(before - 1) === BACKSLASH) before--;
        if ((close - before) % 2 === 0) return close + 1;
    }
    return -1;
}

/** Skips the number whose first digit is at `start`, and records its position if a double may not hold it exactly. */
export function takeNumber(text: string, start: number, numbers: number[]): number {
    let end = start + 1;
    let code = text.charCodeAt(end);
    // Most numbers end here.
    while ((code >= ZERO && code <= NINE) || code === DOT) code = text.charCodeAt(++end);
    if ((code | 32) !== LOWER_E && end - start < LONG_NUMBER) return end;
    for (; isOfNumber(code); code = text.charCodeAt(end)) end++;
    if (mayNotFit(text, start, end)) numbers.push(text.charCodeAt(start - 1) === MINUS ? start - 1 : start, end);
    return end;
}

/** Only long numbers and those with an exponent; the exact check is more expensive. */
export function mayNotFit(text: string, start: number, end: number): boolean {
    if (end - start >= LONG_NUMBER) return true;
    for (let at = start + 1; at < end; at++) {
        if ((text.charCodeAt(at) | 32) === LOWER_E) return true;
    }
    return false;
}

function isOfNumber(code: number): boolean {
    return (code >= ZERO && code <= NINE) || code === DOT || code === PLUS || code === MINUS || (code | 32) === LOWER_E;
}
