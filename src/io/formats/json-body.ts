import { isExact } from '../../core/data/decimal';
import { twice } from '../../core/data/json-keys';
import { mayNotFit } from '../../core/data/json-marks';
import { flowError } from '../../core/errors/flow-error';
import { show } from '../../core/value/show';
import { SMALL_STEPS, type YieldingTask } from '../../core/concurrency/yielding-task';
import { endOfScalar } from './json-scan';
import { skipBlanks, JsonSyntax, type JsonToken } from './json-syntax';

/** Records of others as JSON, ready to be stored. */
export interface RecordsText {
    /** A list of objects. */
    readonly text: string;
    readonly count: number;
}

/** The greatest depth of records that are passed to runs; the record itself is the first level. */
const MAX_DEPTH = 32;
/** No real number is longer. */
const MAX_NUMBER = 4_096;
/** After this number of characters of a string the reader yields to other work. */
const STRETCH = 64 * 1024;
/** Of a longer string a message shows nothing. */
const SHOWN = 100;

const QUOTE = 34;
const BACKSLASH = 92;
const LOWER_U = 117;
const ESCAPED = '"\\/bfnrt';

/**
 * The records of a JSON text that is one object or a list of objects. It yields to other work and does not parse the
 * values: a body of 10 MiB would otherwise block all other work. A number that no double holds exactly becomes text.
 * Throws INPUT_INVALID, which names the place, and RECORD_LIMIT at the first record beyond `maxRecords`.
 */
export function* recordsOfBody(text: string, maxRecords = Infinity): YieldingTask<RecordsText> {
    const walk = new BodyWalk(text, maxRecords);
    let bits = 0;
    for (let at = skipBlanks(text, 0); at < text.length;) {
        const token = text.charCodeAt(at) === QUOTE ? yield* stringAt(text, at) : plainAt(text, at);
        walk.take(token);
        at = skipBlanks(text, token.end);
        if (++bits % SMALL_STEPS === 0) yield;
    }
    return walk.end();
}

/** An object or list that is not closed yet. */
interface Open {
    /** Undefined for a list. */
    readonly keys: Set<string> | undefined;
    /** The last key, or the number of the last element. */
    last: string | number;
}

class BodyWalk {
    private readonly syntax = new JsonSyntax();
    private readonly open: Open[] = [];
    private isList = false;
    private count = 0;
    /** The changed text up to the current place; empty if nothing has changed. */
    private readonly pieces: string[] = [];
    private copied = 0;

    constructor(
        private readonly text: string,
        private readonly maxRecords: number,
    ) {}

    take(token: JsonToken): void {
        const { syntax, open } = this;
        const { kind } = token;
        const isKey = kind === 'string' && syntax.expectsKey;
        const isValue = syntax.expectsValue && kind !== ']';
        const issue = syntax.take(token);
        if (issue) throw rejected(`is not JSON: at character ${issue.at + 1}, ${issue.problem}`);
        if (isKey) this.key(token);
        else if (isValue) this.value(token);
        else if (kind === '}' || kind === ']') open.pop();
    }

    end(): RecordsText {
        const { text, pieces, syntax } = this;
        if (!syntax.isDone) throw rejected(`is not JSON: it ends where ${syntax.wanted()} should come`);
        const whole = pieces.length === 0 ? text : pieces.join('') + text.slice(this.copied);
        return this.isList ? { text: whole, count: this.count } : { text: `[${whole}]`, count: 1 };
    }

    private key({ text }: JsonToken): void {
        const holder = this.open.at(-1)!;
        const key = text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
        if (holder.keys!.has(key)) {
            const within = this.open.slice(0, -1).map(({ last }) => last);
            throw rejected(twice({ key, within: within.join('.'), at: 0 }));
        }
        holder.keys!.add(key);
        holder.last = key;
    }

    private value(token: JsonToken): void {
        const { open } = this;
        const { kind } = token;
        const holder = open.at(-1);
        if (holder && typeof holder.last === 'number') holder.last++;
        if (!holder) {
            if (kind !== '{' && kind !== '[')
                throw rejected(`is ${said(token)}; allowed: an object, or a list of objects`);
            this.isList = kind === '[';
        } else if (this.isList && open.length === 1) {
            if (kind !== '{') throw rejected(`has ${said(token)} as its element ${this.count}; allowed: an object`);
            if (this.count === this.maxRecords) throw flowError('RECORD_LIMIT', { max: this.maxRecords });
            this.count++;
        }
        if (kind === '{' || kind === '[') this.opens(kind);
        else if (kind === 'scalar') this.scalar(token);
    }

    private opens(kind: '{' | '['): void {
        this.open.push({ keys: kind === '{' ? new Set() : undefined, last: -1 });
        const depth = this.open.length - (this.isList ? 1 : 0);
        if (depth > MAX_DEPTH) throw rejected(`has a record of more than ${MAX_DEPTH} levels; allowed: ${MAX_DEPTH}`);
    }

    private scalar({ text, start, end }: JsonToken): void {
        // The words of JSON are short, and need no check.
        if (!mayNotFit(this.text, start, end) || !/^-?\d/.test(text)) return;
        if (text.length > MAX_NUMBER)
            throw rejected(`has a number of ${text.length} characters; allowed: at most ${MAX_NUMBER}`);
        if (isExact(text)) return;
        this.pieces.push(this.text.slice(this.copied, start), `"${text}"`);
        this.copied = end;
    }
}

/** A mark, a word or a number. */
function plainAt(text: string, at: number): JsonToken {
    const mark = text[at]!;
    if ('{}[],:'.includes(mark)) return { kind: mark as '{', text: mark, start: at, end: at + 1 };
    const end = Math.max(endOfScalar(text, at), at + 1);
    return { kind: 'scalar', text: text.slice(at, end), start: at, end };
}

/** A string, read step by step: it may be as long as the body, and contain nothing but quotes. */
function* stringAt(text: string, start: number): YieldingTask<JsonToken> {
    let next = start + STRETCH;
    for (let at = start + 1; at < text.length; at++) {
        const code = text.charCodeAt(at);
        if (code === QUOTE) return { kind: 'string', text: text.slice(start, at + 1), start, end: at + 1 };
        if (code < 32)
            throw rejected(
                `is not JSON: at character ${at + 1}, a string holds a control character; write it as \\u00XX`,
            );
        if (code === BACKSLASH) {
            const isUnicode = text.charCodeAt(at + 1) === LOWER_U && /^[\da-fA-F]{4}$/.test(text.slice(at + 2, at + 6));
            if (!isUnicode && (at + 1 === text.length || !ESCAPED.includes(text[at + 1]!)))
                throw rejected(`is not JSON: at character ${at + 1}, a backslash in a string escapes nothing`);
            at += isUnicode ? 5 : 1;
        }
        if (at < next) continue;
        next = at + STRETCH;
        yield;
    }
    throw rejected(`is not JSON: at character ${start + 1}, a string is opened and never closed`);
}

/** What a value is, for a message. */
function said({ kind, text }: JsonToken): string {
    if (kind === '{' || kind === '[') return kind === '{' ? 'an object' : 'a list';
    if (kind === 'string') return text.length > SHOWN ? 'a text' : `the text ${show(text.slice(1, -1))}`;
    return text.slice(0, SHOWN);
}

function rejected(problem: string): Error {
    return flowError('INPUT_INVALID', { problem: `The body ${problem}` });
}
