import { endOfString, type JsonMarks, mayNotFit, takeNumber } from '../../core/data/json-marks';

/** Objects and lists may be nested so deep, a record itself being the first. */
export const MAX_JSON_DEPTH = 100;

const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** So many values may stand within one: a short text can hold millions of them, and they are parsed at once. */
export const MAX_VALUES = 200_000;

/** What the scan of a value has found: its end and its marks, or why there is none. */
export type Scanned = ({ readonly end: number } & JsonMarks) | 'incomplete' | 'tooDeep' | 'tooMany';

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
    const numbers: number[] = [];
    let keys = 0;
    let depth = 0;
    let commas = 0;
    for (let at = from; at < text.length;) {
        const code = text.charCodeAt(at);
        // By how often they come.
        if (code === QUOTE) {
            at = endOfString(text, at);
            if (at < 0) return 'incomplete';
            if (text.charCodeAt(at) !== COLON) continue;
            keys++;
            at++;
        } else if (code <= NINE) {
            if (code >= ZERO) {
                at = takeNumber(text, at, numbers);
                continue;
            }
            if (code === COMMA && ++commas >= MAX_VALUES) return 'tooMany';
            at++;
        } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
            if (++depth > MAX_JSON_DEPTH) return 'tooDeep';
            at++;
        } else {
            at++;
            if (code === COLON) keys++;
            else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && --depth === 0)
                return { end: at, numbers, keys };
        }
    }
    return 'incomplete';
}

/** A word or number ends at the next mark or blank, which may be still to come. */
function scanScalar(text: string, from: number): Scanned {
    const end = endOfScalar(text, from);
    if (end === text.length || end === from) return 'incomplete';
    const numbers = isNumber(text.charCodeAt(from)) && mayNotFit(text, from, end) ? [from, end] : NO_NUMBERS;
    return { end, numbers, keys: 0 };
}

function found(end: number): Scanned {
    return end < 0 ? 'incomplete' : { end, numbers: NO_NUMBERS, keys: 0 };
}

/** Behind the word or number that begins at `start`: there is a mark of JSON, a blank or the end of the text. */
export function endOfScalar(text: string, start: number): number {
    const pattern = /[^ \t\r\n,:{}[\]"]*/y;
    pattern.lastIndex = start;
    pattern.exec(text);
    return Math.max(pattern.lastIndex, start);
}

/** True for what a number begins with: the words of JSON have an "e", too. */
function isNumber(code: number): boolean {
    return code === MINUS || (code >= ZERO && code <= NINE);
}
