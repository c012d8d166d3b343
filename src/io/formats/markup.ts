import { SaxesParser } from 'saxes';
import { flowError, type FlowError, isFlowError } from '../../core/errors/flow-error';

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

/**
 * A strict XML parser for documents of strangers: it refuses every DOCTYPE, so there are no entities to expand, and whatever is
 * larger than the limits above as soon as they are passed. Its faults are SOURCE_MALFORMED with line and column.
 */
export class Markup {
    private readonly parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false });
    private depth = 0;
    private attributes = 0;
    private lastEventAt = 0;

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

    /** Takes a piece of the document, cut anywhere. */
    write(piece: string): void {
        this.parsed(() => this.parser.write(piece));
        this.checkToken();
    }

    /** To be called behind the last piece; a document that is not complete is malformed. */
    end(): void {
        this.parsed(() => this.parser.close());
    }

    /** A fault at the place where the parser is. */
    malformed(problem: string): FlowError {
        const { line, column } = this.parser;
        return flowError('SOURCE_MALFORMED', {
            where: `${this.part === undefined ? '' : `${this.part}, `}line ${line}, column ${column}`,
            problem,
        });
    }

    /** The parser's own errors as ours. */
    private parsed(parse: () => unknown): void {
        try {
            parse();
        } catch (error) {
            throw isFlowError(error) || !(error instanceof Error)
                ? error
                : this.malformed(error.message.replace(/\.$/, ''));
        }
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
