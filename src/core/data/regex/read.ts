import { clause, type FactText } from '../../errors/rendered';
import { ANY, type CodePoints, complement, DIGIT, folded, LINE_END, SPACE, union, WORD } from './code-points';
import type { Tree } from './tree';
import { WordedError } from '../../errors/worded-error';

/** The flags of a pattern. */
export interface PatternMode {
    readonly ignoreCase: boolean;
    readonly multiline: boolean;
    readonly dotAll: boolean;
}

/** What is wrong with a pattern, and where, as the end of "pattern …". */
export class PatternIssue extends WordedError {
    /** `at` counts from 0. */
    constructor(problem: FactText, at: number) {
        super(clause`is invalid at character ${at + 1}: ${problem}`);
    }
}

export interface PatternReading {
    readonly tree: Tree;
    readonly groupCount: number;
    /** The numbers of the named groups. */
    readonly names: ReadonlyMap<string, number>;
}

const NOT_LINEAR = clause`which cannot be matched in linear time`;
const MAX_REPEAT = 1000;
const REPEAT = /\{(0|[1-9]\d*)(,(0|[1-9]\d*)?)?\}/y;
const HEX = /x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]+)\})/y;
const OCTAL = /0[0-7]{0,2}|[1-7][0-7]{1,2}/y;
const PROPERTY = /[pP](?:\{[^}]*\}|[^{])/uy;
const INLINE = /\(\?(?:[imsU]*(?:-[imsU]+)?)([:)])/y;
const NAMED = /\(\?P?<([A-Za-z0-9_]+)>/y;
const POSIX = /\[:\^?[a-z]+:\]/y;
const CONTROLS: Readonly<Record<string, number>> = { a: 7, t: 9, n: 10, v: 11, f: 12, r: 13 };
const CLASSES: Readonly<Record<string, CodePoints>> = {
    d: DIGIT,
    D: complement(DIGIT),
    w: WORD,
    W: complement(WORD),
    s: SPACE,
    S: complement(SPACE),
};
const FOLDED_WORD = folded(WORD)!;
const FOLDED_CLASSES: Readonly<Record<string, CodePoints>> = { ...CLASSES, w: FOLDED_WORD, W: complement(FOLDED_WORD) };
/** Syntax of other engines that this one does not support; the longest come first. */
const REFUSED_GROUPS: ReadonlyArray<readonly [string, FactText]> = [
    ['(?<=', clause`"(?<=" is a lookbehind, ${NOT_LINEAR}`],
    ['(?<!', clause`"(?<!" is a lookbehind, ${NOT_LINEAR}`],
    ['(?=', clause`"(?=" is a lookahead, ${NOT_LINEAR}`],
    ['(?!', clause`"(?!" is a lookahead, ${NOT_LINEAR}`],
    [
        '(?>',
        clause`"(?>" is an atomic group, which is not supported; you do not need it, because every pattern is matched in linear time`,
    ],
    ['(?P=', clause`"(?P=" is a back-reference, ${NOT_LINEAR}`],
    ['(?P>', clause`"(?P>" calls a group, which is not supported`],
    ['(?#', clause`"(?#" is a comment, which is not supported`],
    ['(?(', clause`"(?(" is a condition, which is not supported`],
    ['(?|', clause`"(?|" renumbers groups, which is not supported`],
];
const REFUSED_ESCAPES: Readonly<Record<string, FactText>> = {
    k: clause`"\\k" is a back-reference, ${NOT_LINEAR}`,
    g: clause`"\\g" is a back-reference, ${NOT_LINEAR}`,
    u: clause`"\\u" is not supported; write a character as \\x{e9}`,
    c: clause`"\\c" is not supported; write a control character as \\x01`,
    Z: clause`"\\Z" is not supported; write \\z, or $`,
    G: clause`"\\G" is not supported`,
    K: clause`"\\K" is not supported`,
    X: clause`"\\X" is not supported`,
    R: clause`"\\R" is not supported; write \\r?\\n`,
    h: clause`"\\h" is not supported; write [ \\t]`,
    N: clause`"\\N" is not supported; write [^\\n]`,
};

/**
 * Parses a pattern in RE2 syntax. Throws a PatternIssue for an invalid pattern and for syntax that only other engines
 * support; other syntax that this parser does not know becomes a foreign node.
 */
export function readPattern(text: string, patternMode: PatternMode): PatternReading {
    return new Reader(text, patternMode).read();
}

class Reader {
    private at = 0;
    private groupCount = 0;
    private readonly names = new Map<string, number>();
    private readonly classes: Readonly<Record<string, CodePoints>>;

    constructor(
        private readonly text: string,
        private readonly patternMode: PatternMode,
    ) {
        this.classes = patternMode.ignoreCase ? FOLDED_CLASSES : CLASSES;
    }

    read(): PatternReading {
        const tree = this.choice();
        if (this.at < this.text.length) throw this.issue(clause`")" has no opening "("`);
        return { tree, groupCount: this.groupCount, names: this.names };
    }

    private choice(): Tree {
        const items = [this.sequence()];
        while (this.text[this.at] === '|') {
            this.at++;
            items.push(this.sequence());
        }
        return items.length === 1 ? items[0]! : { kind: 'choice', items };
    }

    private sequence(): Tree {
        const items: Tree[] = [];
        while (this.at < this.text.length && this.text[this.at] !== '|' && this.text[this.at] !== ')') {
            const repeat = this.repeat();
            if (repeat === undefined) {
                items.push(...this.item());
                continue;
            }
            const item = items.pop();
            if (item === undefined || item.kind === 'repeat')
                throw this.issue(clause`"${repeat.text}" has nothing to repeat`);
            this.at += repeat.text.length;
            this.refuseSecondRepeat();
            items.push({
                kind: 'repeat',
                item,
                min: repeat.min,
                max: repeat.max,
                lazy: repeat.text.endsWith('?') && repeat.text !== '?',
            });
        }
        return items.length === 1 ? items[0]! : { kind: 'sequence', items };
    }

    /** The quantifier at the current position, with the "?" that makes it lazy. */
    private repeat(): { readonly text: string; readonly min: number; readonly max: number } | undefined {
        const char = this.text[this.at];
        const found = char === '{' ? this.match(REPEAT) : undefined;
        if (found === undefined && char !== '*' && char !== '+' && char !== '?') return undefined;
        const bare = found?.[0] ?? char!;
        const text = this.text[this.at + bare.length] === '?' ? `${bare}?` : bare;
        if (!found) return { text, min: char === '+' ? 1 : 0, max: char === '?' ? 1 : Infinity };
        const min = Number(found[1]);
        const max = found[2] === undefined ? min : found[3] === undefined ? Infinity : Number(found[3]);
        if (Math.max(min, max === Infinity ? 0 : max) > MAX_REPEAT)
            throw this.issue(clause`"${bare}" repeats more than ${MAX_REPEAT} times, which is the maximum`);
        if (min > max) throw this.issue(clause`"${bare}" has its minimum after its maximum`);
        return { text, min, max };
    }

    private refuseSecondRepeat(): void {
        const second = this.repeat();
        if (second === undefined) return;
        if (second.text[0] === '+') {
            throw this.issue(
                clause`"+" after a repetition makes it possessive, which is not supported; you do not need it, because every pattern is matched in linear time`,
            );
        }
        throw this.issue(clause`"${second.text}" repeats a repetition; put the repeated part into (?:…)`);
    }

    /** The next node or nodes, usually one. */
    private item(): readonly Tree[] {
        const char = this.text[this.at]!;
        if (char === '(') return this.group();
        if (char === '[') return [this.charClass()];
        if (char === '\\') return this.escape();
        const code = this.text.codePointAt(this.at)!;
        this.at += code > 0xffff ? 2 : 1;
        if (char === '.') return [{ kind: 'set', set: this.patternMode.dotAll ? ANY : complement(LINE_END) }];
        if (char === '^') return [{ kind: 'place', place: this.patternMode.multiline ? 'lineStart' : 'start' }];
        if (char === '$') return [{ kind: 'place', place: this.patternMode.multiline ? 'lineEnd' : 'end' }];
        return [this.written([code, code])];
    }

    private group(): readonly Tree[] {
        const start = this.at;
        const flags = this.match(INLINE);
        const named = this.match(NAMED);
        const opening = flags?.[0] ?? named?.[0] ?? '(';
        if (opening === '(' && this.text[start + 1] === '?') throw this.refusedGroup();
        this.at += opening.length;
        if (flags?.[1] === ')') return [{ kind: 'foreign' }];
        const capturing = flags === undefined;
        if (capturing) this.groupCount++;
        if (named) {
            if (this.names.has(named[1]!)) throw this.issue(clause`the group name "${named[1]!}" is repeated`, start);
            this.names.set(named[1]!, this.groupCount);
        }
        const item = this.choice();
        if (this.text[this.at] !== ')') throw this.issue(clause`"${opening}" is not closed`, start);
        this.at++;
        const group: Tree = { kind: 'group', item, capturing };
        return flags === undefined || flags[0] === '(?:'
            ? [group]
            : [{ kind: 'sequence', items: [{ kind: 'foreign' }, group] }];
    }

    private refusedGroup(): PatternIssue {
        const rest = this.text.slice(this.at);
        const known = REFUSED_GROUPS.find(([opening]) => rest.startsWith(opening));
        if (known) return this.issue(known[1]);
        if (/^\(\?P?</.test(rest))
            return this.issue(
                clause`a group has no valid name; a name consists of letters, digits and underscores between "<" and ">"`,
            );
        return this.issue(clause`"${rest.slice(0, 3)}" does not open a supported group`);
    }

    private escape(): readonly Tree[] {
        const start = this.at;
        const char = this.text[++this.at];
        if (char === undefined) throw this.issue(clause`"\\" escapes nothing`, start);
        const place = ({ A: 'start', z: 'end', b: 'edge', B: 'noEdge' } as const)[char];
        const set = this.classes[char];
        if (place !== undefined || set !== undefined) {
            this.at++;
            return [set === undefined ? { kind: 'place', place: place! } : { kind: 'set', set }];
        }
        if (char === 'Q') return this.quoted();
        if (this.match(PROPERTY) !== undefined) {
            this.at += this.match(PROPERTY)![0].length;
            return [{ kind: 'foreign' }];
        }
        const code = this.escapedCharacter(start);
        return [this.written([code, code])];
    }

    /** `\Q…\E`: literal characters. */
    private quoted(): readonly Tree[] {
        const end = this.text.indexOf('\\E', this.at);
        const inner = this.text.slice(this.at + 1, end < 0 ? undefined : end);
        this.at = end < 0 ? this.text.length : end + 2;
        return Array.from(inner, (char): Tree => {
            const code = char.codePointAt(0)!;
            return this.written([code, code]);
        });
    }

    /** The character of an escape; called at the position after the backslash. */
    private escapedCharacter(start: number): number {
        const char = this.text[this.at]!;
        const number = this.match(HEX) ?? this.match(OCTAL);
        if (number) {
            this.at += number[0].length;
            return number[0].startsWith('x') ? parseInt(number[1] ?? number[2]!, 16) : parseInt(number[0], 8);
        }
        if (/[1-9]/.test(char)) throw this.issue(clause`"\\${char}" is a back-reference, ${NOT_LINEAR}`, start);
        const rejected = REFUSED_ESCAPES[char];
        if (rejected !== undefined) throw this.issue(rejected, start);
        const code = CONTROLS[char] ?? char.codePointAt(0)!;
        if (CONTROLS[char] === undefined && (/[A-Za-z0-9]/.test(char) || code > 0x7f)) {
            throw this.issue(
                clause`"\\${String.fromCodePoint(this.text.codePointAt(this.at)!)}" is not an escape`,
                start,
            );
        }
        this.at++;
        return code;
    }

    private charClass(): Tree {
        const start = this.at++;
        const negated = this.text[this.at] === '^';
        if (negated) this.at++;
        const sets: CodePoints[] = [];
        const written: CodePoints[] = [];
        let isForeign = false;
        for (let first = true; first || this.text[this.at] !== ']'; first = false) {
            if (this.at >= this.text.length) throw this.issue(clause`"[" is not closed`, start);
            const foreign =
                this.match(POSIX) ?? (this.text[this.at] === '\\' ? this.match(PROPERTY, this.at + 1) : undefined);
            const set = this.text[this.at] === '\\' ? this.classes[this.text[this.at + 1] ?? ''] : undefined;
            if (foreign) {
                isForeign = true;
                this.at += foreign[0].length + (foreign[0].startsWith('[') ? 0 : 1);
            } else if (set) {
                this.at += 2;
                sets.push(set);
            } else {
                written.push(this.range(start));
            }
        }
        this.at++;
        const own = this.patternMode.ignoreCase ? folded(union(...written)) : union(...written);
        if (isForeign || own === undefined) return { kind: 'foreign' };
        const set = union(own, ...sets);
        return { kind: 'set', set: negated ? complement(set) : set };
    }

    /** One character of a class, or a range: `a-z`. */
    private range(classStart: number): CodePoints {
        const start = this.at;
        const first = this.classCharacter(classStart);
        if (this.text[this.at] !== '-' || this.text[this.at + 1] === ']' || this.at + 1 >= this.text.length)
            return [first, first];
        this.at++;
        const last = this.classCharacter(classStart);
        if (last < first)
            throw this.issue(
                clause`"${this.text.slice(start, this.at)}" is not a range, because it ends before it begins`,
                start,
            );
        return [first, last];
    }

    private classCharacter(classStart: number): number {
        if (this.at >= this.text.length) throw this.issue(clause`"[" is not closed`, classStart);
        if (this.text[this.at] !== '\\') {
            const code = this.text.codePointAt(this.at)!;
            this.at += code > 0xffff ? 2 : 1;
            return code;
        }
        const start = this.at++;
        if (this.at >= this.text.length) throw this.issue(clause`"[" is not closed`, classStart);
        return this.escapedCharacter(start);
    }

    /** A character as it is written, or in both its cases. */
    private written(set: CodePoints): Tree {
        const own = this.patternMode.ignoreCase ? folded(set) : set;
        return own === undefined ? { kind: 'foreign' } : { kind: 'set', set: own };
    }

    private match(sticky: RegExp, at = this.at): RegExpExecArray | undefined {
        sticky.lastIndex = at;
        return sticky.exec(this.text) ?? undefined;
    }

    private issue(problem: FactText, at = this.at): PatternIssue {
        return new PatternIssue(problem, at);
    }
}
