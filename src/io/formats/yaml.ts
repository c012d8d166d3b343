import {
    type Alias,
    Composer,
    type CST,
    type Document,
    isAlias,
    isMap,
    isScalar,
    isSeq,
    Lexer,
    LineCounter,
    type Pair,
    Parser,
    type YAMLMap,
} from 'yaml';
import type { JsonValue } from '../../core/value/json';
import { show } from '../../core/value/show';
import { flowError } from '../../core/errors/flow-error';
import { FORBIDDEN_KEYS } from '../../core/pipeline/read-input';
import { runAtOnce, SMALL_STEPS, type YieldingTask } from '../../core/concurrency/yielding-task';

/** The parser takes microseconds for each token. */
const MAX_TOKENS = 200_000;
/** Lists and objects within each other. */
const MAX_LEVELS = 64;
/** Values that are reached by way of an alias, each counted as often as it is. */
const MAX_ALIASED = 10_000;

const PLAIN_TAGS: ReadonlySet<string> = new Set(
    ['str', 'int', 'float', 'bool', 'null', 'seq', 'map'].map(name => `tag:yaml.org,2002:${name}`),
);

const TAGGED = 'there is a tag; a text that begins with ! is put in quotes';
const TOO_DEEP = `it is nested deeper than the ${MAX_LEVELS} levels that are allowed`;

/** Other words for errors whose texts from the parser are unclear. */
const PROBLEMS: Readonly<Record<string, string>> = {
    MULTIPLE_DOCS: 'a second document begins; only one is allowed',
    RESOURCE_EXHAUSTION: TOO_DEEP,
    TAG_RESOLVE_FAILED: TAGGED,
};

/** What `readYaml` accepts. */
interface YamlLimits {
    readonly maxBytes: number;
    /** Values, lines and signs, default 200,000. The parser builds its document for all of them without yielding. */
    readonly maxTokens?: number;
}

/**
 * Reads one YAML 1.2 document (core schema) into plain JSON: no dates, no NaN, no custom types. Meant for unchecked
 * input: size, tokens, depth and the expansion of aliases are limited; repeated keys, a second document and tags are
 * rejected. Throws SOURCE_MALFORMED, which quotes no values; its `details` have `where` ("line 3, column 7") and
 * `problem` separately.
 */
export function readYaml(text: string, limits: YamlLimits): JsonValue {
    return runAtOnce(readingYaml(text, limits));
}

/** Like `readYaml`, for callers that must not block other work. */
export function* readingYaml(text: string, limits: YamlLimits): YieldingTask<JsonValue> {
    const lines = yield* assertingParsable(text, limits);
    const [document, second] = yield* parsing(text);
    const issue = document?.errors[0];
    if (issue) {
        throw malformed(lines.at(issue.pos[0]), PROBLEMS[issue.code] ?? withoutText(issue.message));
    }
    if (second) throw malformed(lines.at(second.range[0]), PROBLEMS['MULTIPLE_DOCS']!);
    return new Reader(lines).value(document?.contents, { level: 1, aliased: false });
}

interface Lines {
    at(offset: number): string;
}

/** The document, and the one after it if there are more. */
function* parsing(text: string): YieldingTask<ReadonlyArray<Document.Parsed>> {
    const parser = new Parser();
    const parts: CST.Token[] = [];
    let count = 0;
    for (const token of new Lexer().lex(text)) {
        parts.push(...parser.next(token));
        if (++count % SMALL_STEPS === 0) yield;
    }
    parts.push(...parser.end());
    yield;
    const composer = new Composer({
        version: '1.2',
        schema: 'core',
        merge: false,
        prettyErrors: false,
        logLevel: 'error',
        // The parser compares each key with each; `Reader` looks it up.
        uniqueKeys: false,
    });
    const documents: Document.Parsed[] = [];
    for (const document of composer.compose(parts, true, text.length)) {
        documents.push(document as Document.Parsed);
        if (documents.length > 1) break;
    }
    yield;
    return documents;
}

/** Counts what the parser would have to work on, which is done in a fraction of its time. Throws SOURCE_MALFORMED. */
export function* assertingParsable(
    text: string,
    { maxBytes, maxTokens = MAX_TOKENS }: YamlLimits,
): YieldingTask<Lines> {
    const places = new LineCounter();
    const lines = {
        at: (offset: number): string => {
            const { line, col } = places.linePos(offset);
            return `line ${Math.max(line, 1)}, column ${Math.max(col, 1)}`;
        },
    };
    if (Buffer.byteLength(text) > maxBytes)
        throw malformed('line 1, column 1', `it is larger than the ${maxBytes} bytes that are allowed`);
    places.addNewLine(0);
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) places.addNewLine(end + 1);
    let tokens = 0;
    let level = 0;
    let offset = 0;
    let before = '';
    for (const token of new Lexer().lex(text)) {
        const isText = before === TEXT_FOLLOWS;
        before = isText ? '' : token;
        if (++tokens % SMALL_STEPS === 0) yield;
        if (!isText && (token === '[' || token === '{')) level++;
        if (!isText && (token === ']' || token === '}')) level--;
        if (tokens > maxTokens)
            throw malformed(
                lines.at(offset),
                `it has more than the ${maxTokens} parts (values, lines, signs) that are allowed in YAML`,
            );
        if (level > MAX_LEVELS) throw malformed(lines.at(offset), TOO_DEEP);
        if (level < 0) throw malformed(lines.at(offset), `there is a ${token} that closes nothing`);
        const stray = !isText && token.startsWith('"') ? strayEscape(token) : undefined;
        if (stray)
            throw malformed(
                lines.at(offset + stray.index),
                'YAML does not know this escape; a backslash in double quotes is written \\\\',
            );
        if (isText || !MARKS.has(token)) offset += token.length;
    }
    return lines;
}

const ESCAPE = /\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4}|[^])/g;
const SHORT_ESCAPE = /^\\[0abtnvfreN_LP "/\\\t\r\n]$/;

/** The parser would create an error for each of them, and one text can contain a million. */
function strayEscape(quoted: string): RegExpExecArray | undefined {
    for (const match of quoted.matchAll(ESCAPE))
        if (match[0].length === 2 && !SHORT_ESCAPE.test(match[0])) return match;
    return undefined;
}

/** A mark of the lexer between the parts of the text: the next part is text. */
const TEXT_FOLLOWS = '\x1f';
const MARKS: ReadonlySet<string> = new Set([TEXT_FOLLOWS, '\x02', '\x18']);

interface Place {
    readonly level: number;
    readonly aliased: boolean;
}

class Reader {
    private aliased = 0;
    private readonly anchors = new Map<string, unknown>();
    /** An anchor's name may be reused, so the target of an alias is resolved at its first occurrence. */
    private readonly targets = new Map<Alias, unknown>();

    constructor(private readonly lines: Lines) {}

    value(node: unknown, keysetPosition: Place): JsonValue {
        if (node === null || node === undefined) return null;
        if (!keysetPosition.aliased) this.anchor(node);
        if (keysetPosition.aliased && ++this.aliased > MAX_ALIASED)
            throw this.issue(node, `aliases stand for more than the ${MAX_ALIASED} values that are allowed`);
        if (keysetPosition.level > MAX_LEVELS) throw this.issue(node, TOO_DEEP);
        if (isAlias(node)) return this.alias(node, keysetPosition);
        const { tag } = node as { readonly tag?: string };
        if (tag !== undefined && !PLAIN_TAGS.has(tag)) throw this.issue(node, TAGGED);
        const inner = { ...keysetPosition, level: keysetPosition.level + 1 };
        if (isSeq(node)) return node.items.map(item => this.value(item, inner));
        if (isMap(node)) return this.object(node, inner);
        return this.scalar(node);
    }

    private anchor(node: unknown): void {
        const { anchor } = node as { readonly anchor?: string };
        if (anchor !== undefined) this.anchors.set(anchor, node);
    }

    private alias(node: Alias, { level }: Place): JsonValue {
        if (!this.targets.has(node)) this.targets.set(node, this.anchors.get(node.source));
        const target = this.targets.get(node);
        if (target === undefined)
            throw this.issue(
                node,
                'there is an alias without an anchor before it; a text that begins with * is put in quotes',
            );
        return this.value(target, { level: level + 1, aliased: true });
    }

    private object(node: YAMLMap, keysetPosition: Place): JsonValue {
        const fields = new Map<string, JsonValue>();
        for (const pair of node.items) {
            const key = this.key(pair);
            if (fields.has(key)) throw this.issue(pair.key, `the key ${show(key)} comes twice`);
            if (FORBIDDEN_KEYS.has(key)) throw this.issue(pair.key, `no field may be called "${key}"`);
            fields.set(key, this.value(pair.value, keysetPosition));
        }
        return Object.fromEntries(fields);
    }

    /** Keys of JSON are texts: `200: ok` has the key "200", as it is written. */
    private key({ key }: Pair): string {
        if (isScalar(key)) this.anchor(key);
        if (isScalar(key) && typeof key.value === 'string') return key.value;
        if (isScalar(key) && key.source !== undefined && key.source !== '' && key.tag === undefined) return key.source;
        throw this.issue(key, 'a key must be a text');
    }

    private scalar(node: unknown): JsonValue {
        const value: unknown = isScalar(node) ? node.value : undefined;
        if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
        if (typeof value === 'number' && Number.isFinite(value)) return value;
        throw this.issue(
            node,
            `${show(value)} is not allowed; a value is a text, a finite number, true, false, null, a list or an object`,
        );
    }

    private issue(node: unknown, problem: string): Error {
        const { range } = (node ?? {}) as { readonly range?: readonly number[] | null };
        return malformed(this.lines.at(range?.[0] ?? 0), problem);
    }
}

/** The parser's message without the text that it quotes: that may be a password. */
function withoutText(message: string): string {
    return message.split('\n', 1)[0]!.replace(/:? *["'].*$/, '');
}

function malformed(where: string, problem: string): Error {
    return flowError('SOURCE_MALFORMED', { where, problem }, { details: { where, problem } });
}
