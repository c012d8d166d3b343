/** Objects and lists may be nested so deep, a record itself being the first. */
export const MAX_DEPTH = 100;

const QUOTE = 34;
const PLUS = 43;
const COMMA = 44;
const MINUS = 45;
const DOT = 46;
const ZERO = 48;
const NINE = 57;
const BACKSLASH = 92;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const LOWER_E = 101;

/** So many values may stand within one: a short text can hold millions of them, and they are parsed at once. */
export const MAX_VALUES = 200_000;

/** So many characters has the shortest whole number that a double may not hold. */
const LONG_NUMBER = 16;

/** What the scan of a value has found: its end, or why there is none. `numbers` holds begin and end of each that may not fit a double. */
export type Scanned =
    { readonly end: number; readonly numbers: readonly number[] } | 'incomplete' | 'tooDeep' | 'tooMany';

const NO_NUMBERS: readonly number[] = [];

/**
 * Finds the end of the JSON value at `from`, which is no white space. Looks at quotes, brackets and numbers only: whether the value is
 * valid is for `JSON.parse` to say, which is native and far faster than any other reader.
 */
export function scanValue(text: string, from: number): Scanned {
    const code = text.charCodeAt(from);
    if (code === QUOTE) return found(endOfString(text, from));
    return code === OPEN_BRACE || code === OPEN_BRACKET ? scanContainer(text, from) : scanScalar(text, from);
}

function scanContainer(text: string, from: number): Scanned {
    let numbers: number[] | undefined;
    let depth = 0;
    let commas = 0;
    for (let at = from; at < text.length;) {
        const code = text.charCodeAt(at);
        if (code === QUOTE) {
            at = endOfString(text, at);
            if (at < 0) return 'incomplete';
        } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
            if (++depth > MAX_DEPTH) return 'tooDeep';
            at++;
        } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
            at++;
            if (--depth === 0) return { end: at, numbers: numbers ?? NO_NUMBERS };
        } else if (code >= ZERO && code <= NINE) {
            const end = endOfNumber(text, at);
            if (mayNotFit(text, at, end)) (numbers ??= []).push(text.charCodeAt(at - 1) === MINUS ? at - 1 : at, end);
            at = end;
        } else {
            if (code === COMMA && ++commas >= MAX_VALUES) return 'tooMany';
            at++;
        }
    }
    return 'incomplete';
}

/** A word or number ends at the next mark or blank, which may be still to come. */
function scanScalar(text: string, from: number): Scanned {
    const end = endOfScalar(text, from);
    if (end === text.length || end === from) return 'incomplete';
    return { end, numbers: isNumber(text.charCodeAt(from)) && mayNotFit(text, from, end) ? [from, end] : NO_NUMBERS };
}

function found(end: number): Scanned {
    return end < 0 ? 'incomplete' : { end, numbers: NO_NUMBERS };
}

/** Behind the closing quote of the string that begins at `start`; -1 when there is none. */
export function endOfString(text: string, start: number): number {
    for (let close = text.indexOf('"', start + 1); close >= 0; close = text.indexOf('"', close + 1)) {
        let before = close;
        while (text.charCodeAt(before - 1) === BACKSLASH) before--;
        if ((close - before) % 2 === 0) return close + 1;
    }
    return -1;
}

/** Behind the word or number that begins at `start`: there is a mark of JSON, a blank or the end of the text. */
export function endOfScalar(text: string, start: number): number {
    const pattern = /[^ \t\r\n,:{}[\]"]*/y;
    pattern.lastIndex = start;
    pattern.exec(text);
    return Math.max(pattern.lastIndex, start);
}

function endOfNumber(text: string, start: number): number {
    let at = start + 1;
    for (let code = text.charCodeAt(at); isOfNumber(code); code = text.charCodeAt(at)) at++;
    return at;
}

function isOfNumber(code: number): boolean {
    return (code >= ZERO && code <= NINE) || code === DOT || code === PLUS || code === MINUS || (code | 32) === LOWER_E;
}

/** True for what a number begins with: the words of JSON have an "e", too. */
function isNumber(code: number): boolean {
    return code === MINUS || (code >= ZERO && code <= NINE);
}

/** Only long numbers and those with an exponent; the exact answer is dearer. */
function mayNotFit(text: string, start: number, end: number): boolean {
    if (end - start >= LONG_NUMBER) return true;
    for (let at = start + 1; at < end; at++) {
        if ((text.charCodeAt(at) | 32) === LOWER_E) return true;
    }
    return false;
}
