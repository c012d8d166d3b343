import type { JsonObject } from '../value/json';
import { ERRORS, type ErrorCode, type ErrorSpec } from './catalogue';

/** Replaces a value in a masked text. */
export const REDACTED = '•••';

const QUOTATION = '"(?:[^"\\\\]|\\\\.)*"';
/** The definition determines the allowed values, up to the next error, and patterns too. */
const ALLOWED =
    /(?:(?:[Aa]llowed|[Kk]nown): |\bdoes not match ).*?(?=; [Ff]ield "|; The rule failed: |; and \d+ more$| \(and \d+ more\)| \(rule |$)/;
/**
 * Phrases of Flow with quotations and numbers that are not values: guesses are known names, and keys and the holders of a path are names of fields.
 */
const OWN_WORDS = new RegExp(
    [
        `Did you mean ${QUOTATION}(?: or ${QUOTATION})*\\?`,
        `\\bkey ${QUOTATION} (?:comes )?twice`,
        `cannot be written, because (?:the list )?${QUOTATION} (?:is an? [a-z]+|has \\d+ elements)\\b(?: and (?:${QUOTATION} is not an index|index \\d+))?`,
        `set delimiter to ${QUOTATION}(?:, or to ${QUOTATION})?`,
        '\\band \\d+ more\\b',
        '\\b(?:UTF-(?:8|16|32)|windows-\\d{3,4}|ISO-8859-\\d{1,2})\\b',
    ].join('|'),
);
/** The error of a custom rule, and quoted text. An unclosed quotation may contain anything up to the end. */
const FOREIGN = /(?<=The rule failed: ).*$/;
const QUOTED = /"(?:[^"\\]|\\.)*(?:"|\\?$)/;
/** A number by itself ("A9" is the name of a cell), and other values that have no quotation marks. */
const NUMBER = /[-+]?(?<![\p{L}\p{N}_])\d(?:[\d.,]*\d)?(?:[eE][-+]?\d+)?/u;
const CONSTANT = /(?<=(?:^|": |\bis |\bwas |\band |[:[,]))(?:true|false|null|NaN|-?Infinity)(?![\p{L}\p{N}_])/u;
const CODE_POINT = /U\+[0-9A-F]{4,6}/;
const PARTS = new RegExp(
    Object.entries({
        kept: ALLOWED,
        own: OWN_WORDS,
        foreign: FOREIGN,
        quoted: QUOTED,
        number: NUMBER,
        constant: CONSTANT,
        point: CODE_POINT,
    })
        .map(([name, { source }]) => `(?<${name}>${source})`)
        .join('|'),
    'gsu',
);

/** Names of parts of a definition, which are quoted like values; and numbers that describe a place or a limit. */
const NAMED =
    /\b(?:(?:field|step|rule|operator|hook|loader|column|file|connection|secret|stage|sheet|path|itemsPath|encoding)s?|nothing at|leaves) $/i;
const COUNTED =
    /\b(?:line|column|row|record|element|position|batch|character|byte|index|header|answered|at most|at least|exactly|(?:more|less|larger|longer) than|up to|within) $/i;
/** The words after a number that counts things other than values. A number of characters or elements is a property of a value and is masked. */
const COUNTS = /^ (?:errors?|cells?|columns?|rows?|records?|look-ups|bytes|[KM]i?B|ms|s)\b/;
/** The maximum length of these words. */
const LONGEST = 16;

/**
 * Returns a text of Flow without the values in it: quoted text and numbers. Names of fields, places, and allowed values stay. Do not pass texts of
 * others, unless their values are quoted as in JSON.
 */
export function redactedText(text: string): string {
    return text.replace(PARTS, (part: string, ...more: unknown[]) => {
        const { kept, own, quoted, number } = more.at(-1) as Readonly<Record<string, string | undefined>>;
        if (kept !== undefined || own !== undefined) return part;
        const at = more.at(-3) as number;
        const before = text.slice(Math.max(0, at - LONGEST), at);
        if (quoted !== undefined) return NAMED.test(before) && part.endsWith('"') ? part : REDACTED;
        if (number === undefined) return REDACTED;
        const isCount =
            !/\b(?:is|was) $/.test(before) && COUNTS.test(text.slice(at + part.length, at + part.length + LONGEST));
        return isCount || COUNTED.test(before) ? part : REDACTED;
    });
}

/**
 * The maximum length of a message that is compared with the catalogue. No text of Flow is longer, and the pattern is
 * slow for texts that do not match.
 */
const READ = 2_000;

/**
 * Returns the message of an error without values of records, for a user who may not read them: the error, the field, and what is allowed. An error
 * code outside of the catalogue is masked completely, because nothing is known about its text.
 */
export function redactedMessage({ code, message }: { readonly code: string; readonly message: string }): string {
    if (!Object.hasOwn(ERRORS, code)) return REDACTED;
    const { text, values }: ErrorSpec = ERRORS[code as ErrorCode];
    if (values === undefined)
        return message.length <= READ && patternOf(text, '$').test(message) ? message : redactedText(message);
    if (values === 'quoted') return redactedText(message);
    // In every text with a foreign part, that part is the last fact.
    const own = text.slice(0, text.lastIndexOf('{'));
    const lead = patternOf(own, '').exec(message.slice(0, READ))?.[0] ?? own.replace(/\{\w+\}/g, REDACTED);
    return `${lead}${REDACTED}.`;
}

/** An error as a user may see it. The facts are there only if the message shows all of them. */
export function shownError<C extends string>(
    { code, message, facts = null }: { readonly code: C; readonly message: string; readonly facts?: JsonObject | null },
    mayReadRecords: boolean,
): { readonly code: C; readonly message: string; readonly facts: JsonObject | null } {
    const shown = mayReadRecords ? message : redactedMessage({ code, message });
    return { code, message: shown, facts: shown === message ? facts : null };
}

/** Matches a text of the catalogue with any facts. */
function patternOf(text: string, end: '$' | ''): RegExp {
    const parts = text.split(/\{\w+(?:\|[^}]*)?\}/).map(part => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*?')}${end}`, 's');
}
