import { endOfString, type JsonMarks, mayNotFit, takeNumber } from '../../core/data/json-marks';

/** The greatest depth of objects and lists; a record itself is the first level. */
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

/**
 * A value may contain at most this number of values: a short text can hold millions of them, and they are parsed at
 * once.
 */
export const MAX_VALUES = 200_000;

/** Why a scan has found no end of a value. */
type NoEnd = 'incomplete' | 'tooDeep' | 'tooMany';

/** What the scan of a value has found: its end and its marks, or why there is none. */
type Scanned = ({ readonly end: number } & JsonMarks) | NoEnd;

/** The marks of values that are scanned one after the other. */
export interface GatheredMarks {
    readonly numbers: number[];
    keys: number;
}

/** The end and the marks of one value alone; see `scanInto`. */
export function scanValue(text: string, from: number): Scanned {
    const marks: GatheredMarks = { numbers: [], keys: 0 };
    const end = scanInto(marks, text, from);
    return typeof end === 'string' ? end : { end, ...marks };
}

/**
 * Finds the end of the JSON value at `from`, which is not white space, and adds its marks to others. Looks at quotes,
 * brackets and numbers only: `JSON.parse` decides whether the value is valid, since it is native and far faster than
 * any other reader. If there is no end, some marks of an incomplete value may have been added to the numbers.
 */
export function scanInto(marks: GatheredMarks, text: string, from: number): number | NoEnd {
    const code = text.charCodeAt(from);
    if (code === OPEN_BRACE || code === OPEN_BRACKET) return scanContainer(marks, text, from);
    if (code !== QUOTE) return scanScalar(marks, text, from);
    const end = endOfString(text, from);
    return end < 0 ? 'incomplete' : end;
}

function scanContainer(marks: GatheredMarks, text: string, from: number): number | NoEnd {
    const { numbers } = marks;
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
            else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && --depth === 0) {
                marks.keys += keys;
                return at;
            }
        }
    }
    return 'incomplete';
}

/** A word or number ends at the next mark or blank, which may be in the next piece. */
function scanScalar({ numbers }: GatheredMarks, text: string, from: number): number | NoEnd {
    const end = endOfScalar(text, from);
    if (end === text.length || end === from) return 'incomplete';
    if (isNumber(text.charCodeAt(from)) && mayNotFit(text, from, end)) numbers.push(from, end);
    return end;
}

/**
 * The place after the word or number that begins at `start`: there is a mark of JSON, a blank or the end of the text.
 */
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
