import { clause, type FactText } from '../errors/rendered';
import { compileRegex, regexProblem } from './regex/regex';

/** How names are compared with a pattern. */
interface NameMatching {
    /** Ignores case. Default: false. */
    readonly ignoreCase?: boolean | undefined;
}

/** What is wrong with a file name pattern, as the end of a sentence; undefined if it is valid. */
export function namePatternProblem(pattern: string): FactText | undefined {
    const read = readPattern(pattern);
    if ('problem' in read) return read.problem;
    return regexProblem(read.source) === undefined ? undefined : clause`is too large; use fewer alternatives`;
}

/**
 * Compiles a pattern that `namePatternProblem` has accepted: `*` matches any number of characters, `?` one, `[a-z]` and
 * `[!a-z]` one of a class, `{a,b}` one of several texts; a leading `!` negates the pattern, and `\` escapes the next
 * character. It runs in linear time for any name, because names come from outside: glob libraries build regular
 * expressions that take minutes for the name `----…` and the pattern `*-*-*-*`.
 */
export function compileNamePattern(
    pattern: string,
    { ignoreCase = false }: NameMatching = {},
): (name: string) => boolean {
    const read = readPattern(pattern);
    if ('problem' in read) return () => false;
    const regex = compileRegex(read.source, ignoreCase ? 'si' : 's', 'name');
    return name => regex.test(name) !== read.isNegated;
}

/** The extended glob groups of some libraries: `+(a|b)`. */
const EXTENDED = /^(?:[^\\]|\\.)*?([?*+@!])\(/su;

type PatternReading = { readonly source: string; readonly isNegated: boolean } | { readonly problem: FactText };

/** The pattern as a regular expression. */
function readPattern(pattern: string): PatternReading {
    const extended = EXTENDED.exec(pattern);
    if (extended)
        return {
            problem: clause`has ${extended[1]!}(, which is not supported; write {a,b} for alternatives, or \\( for the character itself`,
        };
    const isNegated = pattern.startsWith('!');
    const signs = [...(isNegated ? pattern.slice(1) : pattern)];
    let source = '';
    let depth = 0;
    for (let at = 0; at < signs.length; at++) {
        const sign = signs[at]!;
        if (sign === '\\') {
            if (at + 1 === signs.length)
                return { problem: clause`ends with \\, which must be followed by a character` };
            source += literal(signs[++at]!);
        } else if (sign === '[') {
            const end = classEnd(signs, at);
            if (end < 0) return { problem: clause`has [ without ]; write \\[ for the character itself` };
            const set = classOf(signs.slice(at + 1, end));
            if (set === undefined)
                return {
                    problem: clause`has the class ${signs.slice(at, end + 1).join('')}, in which a range ends before it begins`,
                };
            source += set;
            at = end;
        } else if (sign === '{') {
            const end = groupEnd(signs, at);
            if (end < 0) return { problem: clause`has { without }; write \\{ for the character itself` };
            if (!hasComma(signs.slice(at + 1, end)))
                return {
                    problem: clause`has ${signs.slice(at, end + 1).join('')} without a comma between alternatives; write [1-3] for a range, or \\{ for the character itself`,
                };
            source += '(?:';
            depth++;
        } else if (sign === '}' && depth > 0) {
            source += ')';
            depth--;
        } else if (sign === ',' && depth > 0) source += '|';
        else source += sign === '*' ? '.*' : sign === '?' ? '.' : literal(sign);
    }
    return { source: `^(?:${source})$`, isNegated };
}

function literal(sign: string): string {
    return /[\\^$.*+?()[\]{}|/-]/.test(sign) ? `\\${sign}` : sign;
}

/** The end of a class; a ] directly at its beginning belongs to it. */
function classEnd(signs: readonly string[], start: number): number {
    const first = start + (signs[start + 1] === '!' || signs[start + 1] === '^' ? 2 : 1);
    return signs.indexOf(']', first + 1);
}

/** The content of a class as a regular expression. */
function classOf(given: readonly string[]): string | undefined {
    const isNegated = given[0] === '!' || given[0] === '^';
    const signs = isNegated ? given.slice(1) : given;
    let set = '';
    for (let at = 0; at < signs.length; at++) {
        const [from, to] = [signs[at]!, signs[at + 2]];
        if (signs[at + 1] === '-' && to !== undefined) {
            if (from.codePointAt(0)! > to.codePointAt(0)!) return undefined;
            set += `${literal(from)}-${literal(to)}`;
            at += 2;
        } else set += literal(from);
    }
    return `[${isNegated ? '^' : ''}${set}]`;
}

/** The end of a group, which may contain other groups, classes and escaped characters. */
function groupEnd(signs: readonly string[], start: number): number {
    let depth = 0;
    for (let at = start; at < signs.length; at++) {
        if (signs[at] === '\\') at++;
        else if (signs[at] === '{') depth++;
        else if (signs[at] === '}' && --depth === 0) return at;
    }
    return -1;
}

/** Whether a group contains a comma outside of its inner groups. */
function hasComma(signs: readonly string[]): boolean {
    let depth = 0;
    for (let at = 0; at < signs.length; at++) {
        if (signs[at] === '\\') at++;
        else if (signs[at] === '{') depth++;
        else if (signs[at] === '}') depth--;
        else if (signs[at] === ',' && depth === 0) return true;
    }
    return false;
}
