import { SaxesParser } from 'saxes';
import { flowError, type FlowError, isFlowError } from '../../core/errors/flow-error';
import { entityProblem, isCutEntity } from './xml-entities';

/** What a reader of markup is told. Names are told as they are written, prefixes included; CDATA is text like any other. */
export interface MarkupEvents {
    open(name: string, attributes: Readonly<Record<string, string>>): void;
    text(text: string): void;
    close(name: string): void;
    /** The encoding that the XML declaration names, if it names one; told before the root. */
    encoding?(name: string | undefined): void;
}

/** Elements within each other. */
export const MAX_DEPTH = 100;
/** Attributes of one element. */
export const MAX_ATTRIBUTES = 1000;
/** Characters in the name of an element or an attribute. */
export const MAX_NAME = 1000;
/** Characters in one text, tag or comment: what the parser must hold before it can tell of it. */
export const MAX_TOKEN = 4 * 1024 * 1024;
/** So much of the text before is kept, for messages. */
const TAIL = 2 * MAX_NAME;

type Parser = SaxesParser<{ xmlns: false; position: false }>;

/** The parser's state, which it tells nobody: behind an "&" it tells text, where that begins an entity, from a comment or CDATA, where it does not. */
function stateOf(parser: Parser): unknown {
    return (parser as unknown as { readonly state: unknown }).state;
}

const IN_ENTITY = stateOf(new SaxesParser({ xmlns: false, position: false }).write('<a>&'));

/**
 * A strict XML parser for documents of strangers: it refuses every DOCTYPE, so there are no entities to expand, and whatever is
 * larger than the limits above as soon as they are passed. Its faults are SOURCE_MALFORMED with line and column.
 */
export class Markup {
    private readonly parser: Parser = new SaxesParser({ xmlns: false, position: false });
    private depth = 0;
    /** The open elements from the root down, and the lines at which they begin; what has been closed stays behind them. */
    private readonly names: string[] = [];
    private readonly lines: number[] = [];
    /** An "&" at the end of what has come, which the next piece says more about. */
    private held = '';
    /** What is being parsed, the end of what was parsed before that, and how much it is in all. */
    private text = '';
    private before = '';
    private parsedTo = 0;
    private attributes = 0;
    private lastEventAt = 0;
    /** The line at which the start tag begins that came last. */
    private tagAt = 1;

    /** `part` names the document in messages, where the source has several. */
    constructor(
        events: MarkupEvents,
        private readonly part?: string,
    ) {
        const { parser } = this;
        // At most seven handlers: with more, V8 turns the parser into a dictionary, and it takes six times as long (bench/xml.ts).
        parser.on('doctype', () => {
            throw this.malformed('a DOCTYPE is not allowed; take it out of the file');
        });
        parser.on('opentagstart', () => {
            // The parser is one character behind the name, which may be a line end.
            this.tagAt = parser.columnIndex === 0 ? parser.line - 1 : parser.line;
        });
        parser.on('attribute', ({ name }) => {
            this.told();
            if (++this.attributes > MAX_ATTRIBUTES)
                throw this.malformed(`an element has more than ${MAX_ATTRIBUTES} attributes`);
            this.checkName(name);
        });
        parser.on('opentag', ({ name, attributes }) => {
            this.told();
            this.checkName(name);
            this.attributes = 0;
            this.names[this.depth] = name;
            this.lines[this.depth] = this.tagAt;
            if (++this.depth > MAX_DEPTH) throw this.malformed(`elements are nested deeper than ${MAX_DEPTH}`);
            if (this.depth === 1) events.encoding?.(parser.xmlDecl.encoding);
            events.open(name, attributes);
        });
        parser.on('closetag', ({ name }) => {
            this.told();
            this.depth--;
            events.close(name);
        });
        const text = (value: string): void => {
            this.told();
            events.text(value);
        };
        parser.on('text', text);
        parser.on('cdata', text);
    }

    /** Characters of the document so far. */
    get position(): number {
        return this.parser.position;
    }

    /** The line at which the element begins that was opened last. */
    get line(): number {
        return this.tagAt;
    }

    /** Takes a piece of the document, cut anywhere. */
    write(piece: string): void {
        this.parsed(() => this.take(this.held + piece, false));
        this.checkToken();
    }

    /** To be called behind the last piece; a document that is not complete is malformed. */
    end(): void {
        this.parsed(() => {
            this.take(this.held, true);
            this.parser.close();
        });
    }

    /** A fault at the place where the parser is. */
    malformed(problem: string): FlowError {
        const { line, column } = this.parser;
        // At the beginning of a line the parser has read nothing of it.
        const where = `line ${line}, column ${Math.max(1, column)}`;
        return flowError('SOURCE_MALFORMED', {
            where: this.part === undefined ? where : `${this.part}, ${where}`,
            problem,
        });
    }

    /** The parser would read on from an "&" to the next semicolon, however far that is, and complain there. */
    private take(text: string, isLast: boolean): void {
        let from = 0;
        for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
            const problem = entityProblem(text, at);
            if (problem === undefined) continue;
            this.parse(text.slice(from, at));
            from = at;
            if (!isLast && isCutEntity(text, at)) break;
            this.parse('&');
            from++;
            if (stateOf(this.parser) === IN_ENTITY) throw this.malformed(problem);
        }
        const isHeld = !isLast && text[from] === '&' && isCutEntity(text, from);
        this.held = isHeld ? text.slice(from) : '';
        if (!isHeld) this.parse(text.slice(from));
    }

    private parse(text: string): void {
        if (text === '') return;
        this.before = (this.text.length >= TAIL ? this.text : this.before + this.text).slice(-TAIL);
        this.text = text;
        this.parsedTo += text.length;
        this.parser.write(text);
    }

    /** The parser's own errors as ours. */
    private parsed(parse: () => unknown): void {
        try {
            parse();
        } catch (error) {
            throw isFlowError(error) || !(error instanceof Error) ? error : this.malformed(this.inOurWords(error));
        }
    }

    private inOurWords({ message }: Error): string {
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

    private told(): void {
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
