import { clause, type FactText } from '../../errors/rendered';
import { type Timestamp, timestampOf } from '../../data/timestamp';

/** The maximum length of a date format, in characters. */
export const MAX_FORMAT = 128;

const TOKENS = ['YYYY', 'MM', 'DD', 'HH', 'mm', 'ss'] as const;
type Token = (typeof TOKENS)[number];
const SPLIT = /(\[[^\]]*\]|YYYY|MM|DD|HH|mm|ss)/;
const BRACKETS = /\[[^\]]*\]/g;
const SAME_LETTERS = /(\p{L})\1*/gu;
const SEPARATORS = ['T', 'Z'];

/** The syntax of formats, for descriptions and messages. */
export const FORMAT_SYNTAX = `${TOKENS.join(', ')}; T and Z after a token; text in [brackets]; any character that is not a letter`;

/** What is wrong with a format, as the end of "format: …"; undefined if it is valid. */
export function formatProblem(format: string): FactText | undefined {
    const outside = format.replace(BRACKETS, text => ' '.repeat(text.length));
    const open = outside.indexOf('[');
    if (open >= 0) return clause`has a "[" at character ${open + 1} without a "]" after it`;
    let hasToken = false;
    for (const { 0: letters, index } of outside.matchAll(SAME_LETTERS)) {
        if (isToken(letters)) hasToken = true;
        else if (!hasToken || !SEPARATORS.includes(letters))
            return clause`has "${letters}" at character ${index + 1}, which is not a token; allowed: ${FORMAT_SYNTAX}`;
    }
    return hasToken ? undefined : clause`has no token, so it contains no date; allowed: ${FORMAT_SYNTAX}`;
}

/** The tokens of a format in their order. */
export function tokensOf(format: string): readonly Token[] {
    return partsOf(format).flatMap(({ token }) => (token === undefined ? [] : [token]));
}

/**
 * Writes timestamps with the tokens YYYY, MM, DD, HH, mm and ss in UTC. All other characters, and text in brackets, are
 * written as they are.
 */
export function compileFormat(format: string): (timestamp: Timestamp) => string {
    const parts = partsOf(format);
    return moment => {
        const date = new Date(moment);
        return parts.map(({ token, text }) => (token === undefined ? text : written(token, date))).join('');
    };
}

/**
 * Reads the output of `compileFormat`: the whole text must fit, each token with all its digits, and the date must
 * exist. Tokens that the format lacks have their lowest value (January, the first, midnight); without a year there is
 * no date.
 */
export function compileParse(format: string): (text: string) => Timestamp | undefined {
    const parts = partsOf(format);
    if (!tokensOf(format).includes('YYYY')) return () => undefined;
    return text => {
        const read: Partial<Record<Token, number>> = {};
        let at = 0;
        for (const { token, text: part } of parts) {
            const end = at + part.length;
            const piece = text.slice(at, end);
            if (token === undefined) {
                if (piece !== part) return undefined;
            } else {
                if (piece.length !== part.length || !/^\d+$/.test(piece)) return undefined;
                // A repeated token must have the same value.
                if (read[token] !== undefined && read[token] !== Number(piece)) return undefined;
                read[token] = Number(piece);
            }
            at = end;
        }
        if (at < text.length) return undefined;
        const { YYYY = 0, MM = 1, DD = 1, HH = 0, mm = 0, ss = 0 } = read;
        return timestampOf([YYYY, MM, DD, HH, mm, ss]);
    };
}

/** A token, or literal text. */
interface Part {
    readonly token?: Token;
    readonly text: string;
}

function partsOf(format: string): readonly Part[] {
    return format
        .split(SPLIT)
        .map((text): Part => {
            if (isToken(text)) return { token: text, text };
            return { text: text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text };
        })
        .filter(({ text }) => text !== '');
}

function isToken(part: string): part is Token {
    return (TOKENS as readonly string[]).includes(part);
}

function written(token: Token, date: Date): string {
    const value = {
        YYYY: date.getUTCFullYear(),
        MM: date.getUTCMonth() + 1,
        DD: date.getUTCDate(),
        HH: date.getUTCHours(),
        mm: date.getUTCMinutes(),
        ss: date.getUTCSeconds(),
    }[token];
    return String(value).padStart(token.length, '0');
}
