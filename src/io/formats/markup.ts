import { SaxesParser } from 'saxes';
import { flowError, type FlowError, isFlowError } from '../../core/errors/flow-error';
import { beginsEntity, entityProblem, isCutEntity } from './xml-entities';

/**
 * What a reader of markup receives. Names are passed as they are written, prefixes included; CDATA is text like any
 * other.
 */
export interface MarkupEvents {
    open(name: string, attributes: Readonly<Record<string, string>>): void;
    text(text: string): void;
    close(name: string): void;
    /** The encoding that the XML declaration names, if it names one; called before the root. */
    encoding?(name: string | undefined): void;
    /** Where the reader can do without the parser. */
    readonly shortcut?: FastPath;
}

/**
 * A reader that finds plain stretches of markup by itself, many times as fast as the parser, which never sees them. They must be
 * well-formed: whole elements, or the end of the innermost one and the beginning of another of its name.
 */
export interface FastPath {
    /** The beginning of the next stretch after a place in the text; -1 if there is none. */
    find(text: string, from: number): number;
    /** Where it ends. */
    readonly end: number;
    /** The name of the element that it closes and opens again. */
    readonly closes: string | undefined;
    /** Takes the stretch when everything before it is parsed; false if it means something else there. */
    take(): boolean;
}

/** Elements within each other. */
const MAX_MARKUP_DEPTH = 100;
/** Attributes of one element. */
const MAX_ATTRIBUTES = 1000;
/** Characters in the name of an element or an attribute. */
export const MAX_NAME = 1000;
/** Characters in one text, tag or comment: the parser must hold all of them before it can report it. */
export const MAX_TOKEN = 4 * 1024 * 1024;
/** So much of the text before is kept, for messages. */
const TAIL = 2 * MAX_NAME;

type Parser = SaxesParser<{ xmlns: false; position: false }>;

/**
 * The parser's private state: after an "&" it distinguishes text, where the "&" begins an entity, from a comment or
 * CDATA, where it does not.
 */
function stateOf(parser: Parser): unknown {
    return (parser as unknown as { readonly state: unknown }).state;
}

function stateAfter(text: string): unknown {
    return stateOf(new SaxesParser({ xmlns: false, position: false }).write(text));
}

const IN_ENTITY = stateAfter('<a>&');
const IN_CONTENT = stateAfter('<a>');
/** Where an "&" is a character like any other, and what ends that. */
const VERBATIM: ReadonlyMap<unknown, string> = new Map(
    [
        ['<a><![CDATA[', ']]>'],
        ['<a><![CDATA[]', ']]>'],
        ['<a><![CDATA[]]', ']]>'],
        ['<!--', '-->'],
        ['<!---', '-->'],
        ['<?a b', '?>'],
        ['<?a b?', '?>'],
    ].map(([begun, end]) => [stateAfter(begun!), end!]),
);
/** The deepest that a stretch of a shortcut goes. */
const SHORTCUT_DEPTH = 4;

/**
 * A strict XML parser for untrusted documents: it rejects every DOCTYPE, so there are no entities to expand, and it
 * rejects a document as soon as it exceeds one of the limits above. Its errors are SOURCE_MALFORMED with line and
 * column.
 */
export class Markup {
    private readonly parser: Parser = new SaxesParser({ xmlns: false, position: false });
    private depth = 0;
    /**
     * The open elements from the root down, and the lines at which they begin. Entries of closed elements stay after
     * them.
     */
    private readonly names: string[] = [];
    private readonly lines: number[] = [];
    /** An "&" at the end of the last piece, whose meaning depends on the next one. */
    private held = '';
    /** The text that is being parsed, the end of the text before it, and the length of both. */
    private text = '';
    private before = '';
    private parsedTo = 0;
    private attributes = 0;
    private lastEventAt = 0;
    /** The line at which the start tag begins that came last. */
    private tagAt = 1;
    /** What the parser has not seen: lines, and characters on the line that it is at, if that is still the one of `skippedOn`. */
    private skippedLines = 0;
    private skippedColumns = 0;
    private skippedOn = 0;
    private nextLineEnd = -1;

    /** `part` names the document in messages, where the source has several. */
    constructor(
        private readonly events: MarkupEvents,
        private readonly part?: string,
    ) {
        const { parser } = this;
        // At most seven handlers: with more, V8 turns the parser into a dictionary, and it takes six times as long (bench/xml.ts).
        parser.on('doctype', () => {
            throw this.malformed('a DOCTYPE is not allowed; take it out of the file');
        });
        parser.on('opentagstart', () => {
            // The parser is one character after the name, which may be a line end.
            this.tagAt = this.skippedLines + (parser.columnIndex === 0 ? parser.line - 1 : parser.line);
        });
        parser.on('attribute', ({ name }) => {
            this.received();
            if (++this.attributes > MAX_ATTRIBUTES)
                throw this.malformed(`an element has more than ${MAX_ATTRIBUTES} attributes`);
            this.checkName(name);
        });
        parser.on('opentag', ({ name, attributes }) => {
            this.received();
            this.checkName(name);
            this.attributes = 0;
            this.names[this.depth] = name;
            this.lines[this.depth] = this.tagAt;
            if (++this.depth > MAX_MARKUP_DEPTH)
                throw this.malformed(`elements are nested deeper than ${MAX_MARKUP_DEPTH}`);
            if (this.depth === 1) events.encoding?.(parser.xmlDecl.encoding);
            events.open(name, attributes);
        });
        parser.on('closetag', ({ name }) => {
            this.received();
            this.depth--;
            events.close(name);
        });
        const text = (value: string): void => {
            this.received();
            events.text(value);
        };
        parser.on('text', text);
        parser.on('cdata', text);
    }

    /** Characters of the document so far, without those that a shortcut has taken. */
    get position(): number {
        return this.parser.position;
    }

    /** Characters that were given to the parser. */
    get parsedCharacters(): number {
        return this.parsedTo;
    }

    /** The line at which the element begins that was opened last. */
    get line(): number {
        return this.tagAt;
    }

    /** Takes a piece of the document, cut anywhere. */
    write(piece: string): void {
        this.parsed(() => this.read(this.held + piece));
        this.checkToken();
    }

    /** Must be called after the last piece; an incomplete document is malformed. */
    end(): void {
        this.parsed(() => {
            this.take(this.held, true);
            this.parser.close();
        });
    }

    /** An error at the parser's position. */
    malformed(problem: string): FlowError {
        const { line, column } = this.parser;
        const skipped = line === this.skippedOn ? this.skippedColumns : 0;
        // At the beginning of a line the parser has read nothing of it.
        const where = `line ${line + this.skippedLines}, column ${Math.max(1, column + skipped)}`;
        return flowError('SOURCE_MALFORMED', {
            where: this.part === undefined ? where : `${this.part}, ${where}`,
            problem,
        });
    }

    /**
     * Parses a piece, except for the stretches that a shortcut takes. If the shortcut finds something in a wrong
     * place, the rest of the piece is parsed.
     */
    private read(text: string): void {
        const { shortcut } = this.events;
        let from = 0;
        this.nextLineEnd = -1;
        for (let at = shortcut?.find(text, 0) ?? -1; shortcut && at >= 0; at = shortcut.find(text, from)) {
            if (at > from) this.take(text.slice(from, at), true);
            from = at;
            if (!this.isBetweenElements(shortcut.closes) || !shortcut.take()) break;
            from = shortcut.end;
            this.skipped(text, at, from);
            if (shortcut.closes !== undefined) this.lines[this.depth - 1] = this.parser.line + this.skippedLines;
        }
        this.take(from === 0 ? text : text.slice(from), false);
    }

    private isBetweenElements(closes: string | undefined): boolean {
        const { depth, parser } = this;
        if (depth === 0 || depth + SHORTCUT_DEPTH > MAX_MARKUP_DEPTH || stateOf(parser) !== IN_CONTENT) return false;
        return closes === undefined || closes === this.names[depth - 1];
    }

    /** Keeps lines and columns right. */
    private skipped(text: string, from: number, to: number): void {
        const { line, column, position } = this.parser;
        this.lastEventAt = position;
        if (line !== this.skippedOn) [this.skippedOn, this.skippedColumns] = [line, 0];
        if (this.nextLineEnd < from) this.nextLineEnd = lineEndIn(text, from);
        if (this.nextLineEnd >= to) {
            this.skippedColumns += to - from;
            return;
        }
        for (; this.nextLineEnd < to; this.nextLineEnd = lineEndIn(text, this.nextLineEnd + 1)) {
            this.skippedLines++;
            this.skippedColumns = to - this.nextLineEnd - 1 - column;
        }
    }

    /** The parser would read on from an "&" to the next semicolon, however far that is, and complain there. A whole text is not cut at its end. */
    private take(text: string, isWhole: boolean): void {
        let from = 0;
        let next: number;
        for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', next)) {
            next = at + 1;
            if (beginsEntity(text, at)) continue;
            this.parse(text.slice(from, at));
            from = at;
            const verbatim = VERBATIM.get(stateOf(this.parser));
            if (verbatim !== undefined) {
                const end = text.indexOf(verbatim, at);
                next = end < 0 ? text.length : end;
                continue;
            }
            if (!isWhole && isCutEntity(text, at)) {
                this.held = text.slice(at);
                return;
            }
            this.parse('&');
            from++;
            if (stateOf(this.parser) === IN_ENTITY) throw this.malformed(entityProblem(text, at));
        }
        this.held = '';
        this.parse(text.slice(from));
    }

    private parse(text: string): void {
        if (text === '') return;
        this.before = this.text.length >= TAIL ? this.text.slice(-TAIL) : this.before + this.text;
        // Not each time: many small pieces would cost as much as large ones.
        if (this.before.length > 8 * TAIL) this.before = this.before.slice(-TAIL);
        this.text = text;
        this.parsedTo += text.length;
        this.parser.write(text);
    }

    /** The parser's own errors as ours. */
    private parsed(parse: () => unknown): void {
        try {
            parse();
        } catch (error) {
            throw isFlowError(error) || !(error instanceof Error) ? error : this.malformed(this.withOwnMessage(error));
        }
    }

    private withOwnMessage({ message }: Error): string {
        const problem = message.replace(/\.$/, '');
        if (problem === 'unexpected close tag')
            return `the closing tag ${this.closingTag()} does not close <${this.names[this.depth]}>, which is open since line ${this.lines[this.depth]}`;
        if (problem.startsWith('unclosed tag'))
            return `${problem}, which is open since line ${this.lines[this.depth - 1]}`;
        return problem;
    }

    /** As it is written, where the parser is. */
    private closingTag(): string {
        const text = this.before + this.text;
        const parsed = text.slice(0, text.length - (this.parsedTo - this.parser.position));
        return parsed.slice(parsed.lastIndexOf('</'));
    }

    private received(): void {
        this.checkToken();
        this.lastEventAt = this.parser.position;
    }

    private checkToken(): void {
        if (this.parser.position - this.lastEventAt <= MAX_TOKEN) return;
        throw this.malformed(`a text, tag or comment is longer than ${MAX_TOKEN} characters`);
    }

    private checkName(name: string): void {
        if (name.length > MAX_NAME) throw this.malformed(`a name is longer than ${MAX_NAME} characters`);
    }
}

function lineEndIn(text: string, from: number): number {
    const at = text.indexOf('\n', from);
    return at < 0 ? Infinity : at;
}
