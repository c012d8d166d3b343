import { ERRORS, type ErrorCode, type ErrorSpec } from './catalogue';

/** What stands in a masked text for a value. */
export const MASK = '•••';

const QUOTED = /"(?:[^"\\]|\\.)*"/y;
/** Names of parts of a definition, which are quoted like values. */
const NAMED = /\b(?:field|step|rule|operator|hook|loader|column|file|connection|secret|stage)s? $/i;
/** A number by itself; "A9" is the name of a cell. */
const NUMBER = /[-+]?(?<![\p{L}\p{N}_])\d(?:[\d.,]*\d)?(?:[eE][-+]?\d+)?/uy;
/** Numbers that tell where, or what is allowed. */
const COUNTED =
    /\b(?:line|column|row|record|element|position|batch|at most|at least|exactly|more than|less than|up to) $/i;
const CONSTANT = /(?<=(?:\bis |\bwas |\band |[:[,]))(?:true|false|null|NaN|-?Infinity)(?![\p{L}\p{N}_])/uy;
const CODE_POINT = /U\+[0-9A-F]{4,6}/y;
/** What is allowed is said by the definition, up to the next fault. */
const ALLOWED =
    /(?:allowed|known): .*?(?=; field "|; The rule failed: |; and \d+ more$| \(and \d+ more\)| \(rule |$)/isy;
/** What a rule of one's own has thrown. */
const FOREIGN = /The rule failed: /y;

/**
 * A text of Flow without the values that it tells: what stands in quotation marks, and numbers. Names of fields, places, and what is allowed
 * stay. Texts of others must not come here, unless their values are quoted as JSON quotes them.
 */
export function maskedText(text: string): string {
    let masked = '';
    const found = (pattern: RegExp, at: number): string | undefined => {
        pattern.lastIndex = at;
        return pattern.exec(text)?.[0];
    };
    for (let at = 0; at < text.length;) {
        const kept = found(ALLOWED, at);
        if (kept !== undefined) {
            masked += kept;
            at += kept.length;
            continue;
        }
        const foreign = found(FOREIGN, at);
        if (foreign !== undefined) return masked + foreign + MASK;
        const quoted = found(QUOTED, at);
        // One that is not closed may hold anything up to the end.
        if (quoted === undefined && text[at] === '"') return masked + MASK;
        const value = quoted ?? found(NUMBER, at) ?? found(CONSTANT, at) ?? found(CODE_POINT, at);
        const isName = value !== undefined && (quoted !== undefined ? NAMED : COUNTED).test(text.slice(0, at));
        masked += value === undefined ? text[at]! : isName ? value : MASK;
        at += value?.length ?? 1;
    }
    return masked;
}

/**
 * The message of an error without values of records, as somebody may read it who may not read those: which error it is, at which field, and
 * what is allowed. Of a code that the catalogue does not have nothing is known, so nothing is left.
 */
export function maskedMessage({ code, message }: { readonly code: string; readonly message: string }): string {
    if (!Object.hasOwn(ERRORS, code)) return MASK;
    const { text, values }: ErrorSpec = ERRORS[code as ErrorCode];
    if (values === undefined) return patternOf(text, '$').test(message) ? message : maskedText(message);
    if (values === 'quoted') return maskedText(message);
    // What somebody else says is the last fact of all texts that have one.
    const own = text.slice(0, text.lastIndexOf('{'));
    const lead = patternOf(own, '').exec(message)?.[0] ?? own.replace(/\{\w+\}/g, MASK);
    return `${lead}${MASK}.`;
}

/** Matches what the catalogue's text makes of facts, with something before it or not. */
function patternOf(text: string, end: '$' | ''): RegExp {
    const parts = text.split(/\{\w+\}/).map(part => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*?')}${end}`, 's');
}
