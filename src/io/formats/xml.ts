import { pathOf } from '../../core/data/path';
import type { LogText } from '../../core/log/log-text';
import type { JsonObject } from '../../core/value/json';
import { flowError } from '../../core/errors/flow-error';
import type { EmptyValues } from './empty-values';
import { FoundPaths, type RecordPath } from './detected-paths';
import { nestedListHint } from './nested-list-hint';
import { Markup, type MarkupEvents } from './markup';
import { chunksOf } from './chunks';
import type { OpenText, ReadFrom, RecordPage, RecordReader } from './source';
import { SizedPages } from './sized-pages';
import { XmlElement } from './xml-element';
import { encodingProblem } from './xml-encoding';

export { xmlEncoding } from './xml-encoding';

export interface XmlOptions {
    /** Names of elements from the root down to the records (`catalog.products.product`); without it the root's children are the records. */
    readonly recordPath?: string;
    /** A prefix for the names of attributes. */
    readonly attributePrefix?: string;
    /** What empty elements and attributes become. Default: empty text. */
    readonly emptyValues?: EmptyValues;
    /** Is called with a doubt about where the records are. */
    readonly doubt?: (hint: LogText) => void;
}

/** Characters of one record, including its markup. The limit also bounds memory. */
const MAX_RECORD = 4 * 1024 * 1024;

/** Reads the elements at one path of an XML document as records. All values are strings. */
export function xmlReader(text: OpenText, options: XmlOptions = {}): RecordReader {
    async function* read(from: ReadFrom): AsyncGenerator<RecordPage, void, void> {
        const pages = new SizedPages(from);
        const records = new XmlRecords(options, pages);
        try {
            for await (const piece of chunksOf(text())) {
                records.write(piece);
                yield* pages.full();
            }
            records.end();
        } catch (error) {
            // Records that were read before the error are still returned.
            yield* pages.rest();
            throw error;
        }
        yield* pages.rest();
        const hint = records.hint();
        if (hint !== undefined) options.doubt?.(hint);
    }
    return {
        async check() {
            const pages = new SizedPages({ skip: Infinity });
            const records = new XmlRecords(options, pages);
            for await (const piece of chunksOf(text())) records.write(piece);
            records.end();
            return { rows: pages.rows };
        },
        read,
    };
}

/** The paths at which a document may have its records, the most frequent first. */
export async function xmlRecordPaths(text: OpenText): Promise<readonly RecordPath[]> {
    const found = new FoundPaths();
    const markup = new Markup({
        open: (name, attributes) => found.opens(name, Object.keys(attributes).length > 0),
        text: () => undefined,
        close: () => found.closes(),
    });
    for await (const piece of chunksOf(text())) markup.write(piece);
    markup.end();
    return found.recordPaths;
}

/** Finds the records in a document and gives them to the pages. */
class XmlRecords implements MarkupEvents {
    private readonly markup = new Markup(this);
    private readonly prefix: string;
    /** A name for each step of the path; undefined stands for any. */
    private readonly path: readonly (string | undefined)[];
    private depth = 0;
    /** How many of the open elements are on the path, from the root down. */
    private matched = 0;
    private deepest = 0;
    /** Whether the open element around the records has content, and whether one of these elements was empty. */
    private hasInner = false;
    private isEmptyList = false;
    private root = '';
    /** Gathered until there is a record. */
    private found: FoundPaths | undefined = new FoundPaths();
    /** The open elements of the record that is being read; the record itself comes first. */
    private readonly elements: XmlElement[] = [];
    private recordAt: number | undefined;
    private recordLine = 0;
    private recordName = '';
    /** The first record that is needed. */
    private first: JsonObject | undefined;

    constructor(
        private readonly options: XmlOptions,
        private readonly pages: SizedPages,
    ) {
        this.prefix = options.attributePrefix ?? '@';
        // A dot that belongs to a name is written "\.", as in every path of Flow.
        this.path =
            options.recordPath === undefined
                ? [undefined, undefined]
                : options.recordPath.split(/(?<!\\)\./).map(name => name.replaceAll('\\.', '.'));
    }

    write(piece: string): void {
        this.markup.write(piece);
        this.checkLength();
    }

    /**
     * A document without records is an empty list if the element around them is empty; otherwise the path was
     * mistyped.
     */
    end(): void {
        this.markup.end();
        if (this.pages.rows > 0 || this.isEmptyList) return;
        const end = this.path.slice(0, this.deepest).join('.');
        throw flowError('SOURCE_MALFORMED', {
            where: `the root element "${this.root}"`,
            problem: `the document has no element at the path "${this.options.recordPath}"${end === '' ? '' : `; it ends at "${end}"`}; it has ${String(this.found)}`,
        });
    }

    /** Where the records may be, in a document whose root has only one child. */
    hint(): LogText | undefined {
        if (this.options.recordPath !== undefined || this.pages.rows !== 1 || !this.first) return undefined;
        const root = `${pathOf(this.root)}.${pathOf(this.recordName)}.`;
        return nestedListHint(this.first, { option: 'recordPath', root });
    }

    encoding(name: string | undefined): void {
        const problem = name === undefined ? undefined : encodingProblem(name);
        if (problem !== undefined) throw this.markup.malformed(problem);
    }

    open(name: string, attributes: Readonly<Record<string, string>>): void {
        if (this.depth === 0) this.root = name;
        this.depth++;
        this.found?.opens(name);
        if (this.recordAt === undefined && !this.isRecord(name)) return;
        this.found = undefined;
        if (this.recordAt === undefined) {
            this.recordAt = this.markup.position;
            this.recordLine = this.markup.line;
            this.recordName = name;
        }
        if (this.pages.isSkipping) return;
        const element = new XmlElement(this.options.emptyValues);
        for (const attribute in attributes) element.add(this.prefix + attribute, attributes[attribute]!);
        this.elements.push(element);
    }

    text(text: string): void {
        this.elements.at(-1)?.addText(text);
    }

    close(name: string): void {
        this.depth--;
        this.found?.closes();
        if (this.recordAt === undefined) {
            if (this.matched > this.depth && this.matched === this.path.length - 1 && !this.hasInner)
                this.isEmptyList = true;
            this.matched = Math.min(this.matched, this.depth);
        } else if (this.depth === this.path.length - 1) {
            this.closeRecord(this.recordAt);
        } else {
            const element = this.elements.pop();
            if (element) this.elements.at(-1)!.add(name, element.value());
        }
    }

    /** True when the element that opens is a record; follows the path down. */
    private isRecord(name: string): boolean {
        const step = this.depth - 1;
        this.hasInner = true;
        if (
            this.matched !== step ||
            step >= this.path.length ||
            (this.path[step] !== undefined && this.path[step] !== name)
        )
            return false;
        if (this.depth === this.path.length) return true;
        this.matched = this.depth;
        this.deepest = Math.max(this.deepest, this.matched);
        this.hasInner = false;
        return false;
    }

    private closeRecord(start: number): void {
        this.checkLength();
        this.recordAt = undefined;
        const element = this.elements.pop();
        if (!element) return this.pages.skip();
        const record = element.record();
        this.first ??= record;
        this.pages.add(record, this.markup.position - start, this.recordLine);
    }

    private checkLength(): void {
        if (this.recordAt === undefined || this.markup.position - this.recordAt <= MAX_RECORD) return;
        throw this.markup.malformed(`a record is longer than ${MAX_RECORD} characters`);
    }
}
