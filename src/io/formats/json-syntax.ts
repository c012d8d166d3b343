import { endOfString } from '../../core/data/json-marks';
import { show } from '../../core/value/show';
import { endOfScalar, MAX_JSON_DEPTH } from './json-scan';

/** One of the marks `{}[],:`, a string with its quotes, or a word or number. */
export interface JsonToken {
    readonly kind: '{' | '}' | '[' | ']' | ',' | ':' | 'string' | 'scalar';
    readonly text: string;
    readonly start: number;
    readonly end: number;
}

/** Where a text is not valid JSON, and why. */
export interface JsonSyntaxIssue {
    readonly at: number;
    readonly problem: string;
}

type Expected = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'commaOrEnd' | 'nothing';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null']);

/** The next token; there is no white space at `at`. Undefined if the token may continue after the text. */
export function tokenAt(text: string, at: number, isLast: boolean): JsonToken | undefined {
    const mark = text[at]!;
    if (isMark(mark)) return { kind: mark, text: mark, start: at, end: at + 1 };
    const end = mark === '"' ? endOfString(text, at) : endOfScalar(text, at);
    if (end < 0 || (end === text.length && mark !== '"' && !isLast)) return undefined;
    return { kind: mark === '"' ? 'string' : 'scalar', text: text.slice(at, end), start: at, end };
}

function isMark(text: string): text is Exclude<JsonToken['kind'], 'string' | 'scalar'> {
    return '{}[],:'.includes(text);
}

/** The place after the white space (that of JSON) at `at`. */
export function skipBlanks(text: string, at: number): number {
    let end = at;
    for (
        let code = text.charCodeAt(end);
        code === 32 || code === 10 || code === 13 || code === 9;
        code = text.charCodeAt(end)
    )
        end++;
    return end;
}

/** The grammar of JSON, token by token: for the text around records, and to report what is wrong with a record. */
export class JsonSyntax {
    private readonly open: Array<'{' | '['> = [];
    private expected: Expected = 'value';

    get depth(): number {
        return this.open.length;
    }

    /** True when the outermost value has ended. */
    get isDone(): boolean {
        return this.expected === 'nothing';
    }

    get expectsKey(): boolean {
        return this.expected === 'key' || this.expected === 'keyOrEnd';
    }

    get expectsValue(): boolean {
        return this.expected === 'value' || this.expected === 'valueOrEnd';
    }

    /** Takes the next token, or returns what is wrong with it. */
    take(token: JsonToken): JsonSyntaxIssue | undefined {
        const { kind, text, start } = token;
        if (!this.allows(kind))
            return {
                at: start,
                problem: `${this.wanted()} should come here, not ${kind === 'scalar' ? show(text) : this.named(token)}`,
            };
        switch (kind) {
            case '{':
            case '[':
                if (this.open.length === MAX_JSON_DEPTH) return { at: start, problem: tooDeep };
                this.open.push(kind);
                this.expected = kind === '{' ? 'keyOrEnd' : 'valueOrEnd';
                return undefined;
            case '}':
            case ']':
                this.open.pop();
                this.valueEnds();
                return undefined;
            case ',':
                this.expected = this.open.at(-1) === '{' ? 'key' : 'value';
                return undefined;
            case ':':
                this.expected = 'value';
                return undefined;
            case 'string':
                if (this.expectsKey) this.expected = 'colon';
                else this.valueEnds();
                return faultOfString(token);
            case 'scalar':
                this.valueEnds();
                return WORDS.has(text) || NUMBER.test(text)
                    ? undefined
                    : { at: start, problem: `${show(text)} is not a JSON value` };
        }
    }

    /** A value was taken in one piece. */
    valueEnds(): void {
        this.expected = this.open.length === 0 ? 'nothing' : 'commaOrEnd';
    }

    /** What should come next, for a message. */
    wanted(): string {
        const end = this.open.at(-1) === '{' ? '"}"' : '"]"';
        switch (this.expected) {
            case 'value':
                return 'a value';
            case 'valueOrEnd':
                return 'a value or "]"';
            case 'key':
                return 'a key in quotes';
            case 'keyOrEnd':
                return 'a key in quotes or "}"';
            case 'colon':
                return '":"';
            case 'commaOrEnd':
                return `"," or ${end}`;
            case 'nothing':
                return 'the end of the text';
        }
    }

    private allows(kind: JsonToken['kind']): boolean {
        switch (kind) {
            case '{':
            case '[':
            case 'scalar':
                return this.expectsValue;
            case 'string':
                return this.expectsValue || this.expectsKey;
            case '}':
                return this.expected === 'keyOrEnd' || (this.expected === 'commaOrEnd' && this.open.at(-1) === '{');
            case ']':
                return this.expected === 'valueOrEnd' || (this.expected === 'commaOrEnd' && this.open.at(-1) === '[');
            case ',':
                return this.expected === 'commaOrEnd';
            case ':':
                return this.expected === 'colon';
        }
    }

    private named({ kind, text }: JsonToken): string {
        return kind === 'string' ? `the text ${show(text.slice(1, -1))}` : `"${kind}"`;
    }
}

/** The problem of values that are nested too deep. */
export const tooDeep = `lists and objects are nested more than ${MAX_JSON_DEPTH} deep`;

/**
 * What is wrong with the text of one value, or with the text after it; undefined if nothing is. A text that is not
 * `isWhole` may end anywhere, or have other values after the first.
 */
export function valueIssue(text: string, isWhole = true): JsonSyntaxIssue | undefined {
    const syntax = new JsonSyntax();
    for (let at = skipBlanks(text, 0); at < text.length && (isWhole || !syntax.isDone);) {
        const token = tokenAt(text, at, isWhole);
        if (!token) return isWhole ? { at, problem: 'a string is opened and never closed' } : undefined;
        const issue = syntax.take(token);
        if (issue) return issue;
        at = skipBlanks(text, token.end);
    }
    return syntax.isDone || !isWhole
        ? undefined
        : { at: text.length, problem: `the text ends where ${syntax.wanted()} should come` };
}

function faultOfString({ text, start }: JsonToken): JsonSyntaxIssue | undefined {
    const control = text.search(/[\x00-\x1f]/);
    if (control >= 0)
        return {
            at: start + control,
            problem:
                'a string goes over a line end or holds a control character; write it as \\n or \\u00XX, or close the quote',
        };
    for (const { 0: escape, index } of text.matchAll(/\\(?:["\\/bfnrt]|u[\da-fA-F]{4})?/g)) {
        if (escape.length === 1)
            return { at: start + index, problem: 'a backslash in a string escapes nothing; write it as \\\\' };
    }
    return undefined;
}
