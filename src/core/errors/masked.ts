import { ERRORS, type ErrorCode, type ErrorSpec } from './catalogue';

/** What stands in a masked text for a value. */
export const MASK = '•••';

/** What is allowed is said by the definition, up to the next fault. */
const ALLOWED =
    /(?:[Aa]llowed|[Kk]nown): .*?(?=; [Ff]ield "|; The rule failed: |; and \d+ more$| \(and \d+ more\)| \(rule |$)/;
/** What a rule of one's own has thrown; and what is quoted. A quotation that is not closed may hold anything up to the end. */
const FOREIGN = /(?<=The rule failed: ).*$/;
const QUOTED = /"(?:[^"\\]|\\.)*(?:"|\\?$)/;
/** A number by itself ("A9" is the name of a cell), and other values that have no quotation marks. */
const NUMBER = /[-+]?(?<![\p{L}\p{N}_])\d(?:[\d.,]*\d)?(?:[eE][-+]?\d+)?/u;
const CONSTANT = /(?<=(?:\bis |\bwas |\band |[:[,]))(?:true|false|null|NaN|-?Infinity)(?![\p{L}\p{N}_])/u;
const CODE_POINT = /U\+[0-9A-F]{4,6}/;
const PARTS = new RegExp(
    Object.entries({
        kept: ALLOWED,
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

/** Names of parts of a definition, which are quoted like values; and numbers that tell where, or what is allowed. */
const NAMED = /\b(?:field|step|rule|operator|hook|loader|column|file|connection|secret|stage)s? $/i;
const COUNTED =
    /\b(?:line|column|row|record|element|position|batch|at most|at least|exactly|more than|less than|up to) $/i;
/** No such word is longer. */
const LONGEST = 16;

/**
 * A text of Flow without the values that it tells: what stands in quotation marks, and numbers. Names of fields, places, and what is allowed
 * stay. Texts of others must not come here, unless their values are quoted as JSON quotes them.
 */
export function maskedText(text: string): string {
    return text.replace(PARTS, (part: string, ...more: unknown[]) => {
        const { kept, quoted, number } = more.at(-1) as Readonly<Record<string, string | undefined>>;
        if (kept !== undefined) return part;
        const at = more.at(-3) as number;
        const before = text.slice(Math.max(0, at - LONGEST), at);
        const isName = quoted !== undefined ? NAMED.test(before) && part.endsWith('"') : COUNTED.test(before);
        return isName && (quoted ?? number) !== undefined ? part : MASK;
    });
}

/** So much of a message is compared with the catalogue: no text of Flow is longer, and the pattern takes its time with what it does not fit. */
const READ = 2_000;

/**
 * The message of an error without values of records, as somebody may read it who may not read those: which error it is, at which field, and
 * what is allowed. Of a code that the catalogue does not have nothing is known, so nothing is left.
 */
export function maskedMessage({ code, message }: { readonly code: string; readonly message: string }): string {
    if (!Object.hasOwn(ERRORS, code)) return MASK;
    const { text, values }: ErrorSpec = ERRORS[code as ErrorCode];
    if (values === undefined)
        return message.length <= READ && patternOf(text, '$').test(message) ? message : maskedText(message);
    if (values === 'quoted') return maskedText(message);
    // What somebody else says is the last fact of all texts that have one.
    const own = text.slice(0, text.lastIndexOf('{'));
    const lead = patternOf(own, '').exec(message.slice(0, READ))?.[0] ?? own.replace(/\{\w+\}/g, MASK);
    return `${lead}${MASK}.`;
}

/** Matches what the catalogue's text makes of facts, with something before it or not. */
function patternOf(text: string, end: '$' | ''): RegExp {
    const parts = text.split(/\{\w+\}/).map(part => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*?')}${end}`, 's');
}
