import { show } from '../../core/value/show';
import { flowError, type FlowError } from '../../core/errors/flow-error';
import type { AroundItems, ElementSink, ItemsPath } from './element-sink';
import { JsonPath, kindOf } from './json-path';
import { MAX_VALUES, scanValue } from './json-scan';
import { ElementValues, MAX_LENGTH } from './json-span';
import {
    skipBlanks,
    valueIssue,
    type JsonSyntaxIssue,
    JsonSyntax,
    type JsonToken,
    tokenAt,
    tooDeep,
} from './json-syntax';
import { CHUNK_BYTES } from './chunks';
import { TextLocation } from './text-location';

/** The number of elements, or of tokens around them, that are read at once. */
const STEPS = 500;
const BOM = '\ufeff';

/**
 * What is being read: the root, what is around the records, the records, a root that is one record, the text after
 * that, or records on separate lines.
 */
type Stage = 'root' | 'around' | 'items' | 'record' | 'behindRecord' | 'lines';

/**
 * Cuts JSON text into its records as the text comes in: those of a list at the root or at a path, a root that is one
 * record, or NDJSON. Holds at most the record that is not complete yet and one piece of text. The text around the
 * records is checked, too.
 */
export class JsonRecordSplitter {
    private readonly syntax = new JsonSyntax();
    private readonly path: JsonPath;
    private transformationStage: Stage = 'root';
    /** Depth of the list of records. */
    private itemsDepth = 0;
    /** The text from the place on that is not read yet, which is at `at` while it is read. */
    private text = '';
    private at = 0;
    /** The pieces that followed it, and the length of all. */
    private readonly pieces: string[] = [];
    private held = 0;
    private readonly place = new TextLocation();
    private readonly values: ElementValues;
    private isFirst = true;
    /** The line of a root that is one record; undefined if it covers several lines, which NDJSON does not allow. */
    private recordLine: number | undefined;
    /** A long record is read again only when the text has doubled; else its cost would grow with the square of its length. */
    private readAgainAt = 0;
    /** Many elements were read at once, so other work should run now. */
    private isStretch = false;

    constructor(
        sink: ElementSink,
        private readonly itemsPath?: ItemsPath,
        private readonly around?: AroundItems,
    ) {
        this.values = new ElementValues(sink, this.place);
        this.path = new JsonPath(itemsPath?.segments ?? [], itemsPath);
    }

    /** Whether the text that has been read is one record, no list and not several lines. */
    get isOneRecord(): boolean {
        return this.transformationStage === 'behindRecord';
    }

    /**
     * Reads the elements that are complete with this piece of text, in stretches: after a long one many short ones
     * may have gathered. The caller must run it to its end.
     */
    *push(piece: string): Generator<void, void, void> {
        const more = this.isFirst && piece.startsWith(BOM) ? piece.slice(1) : piece;
        this.pieces.push(more);
        this.held += more.length;
        this.isFirst &&= piece === '';
        if (this.held >= this.readAgainAt) yield* this.read(false);
    }

    /** Reads the rest when the text has ended. */
    *end(): Generator<void, void, void> {
        if (this.isFirst)
            throw flowError('SOURCE_MALFORMED', {
                where: 'byte 0',
                problem: 'the file is empty (0 bytes), which is not JSON',
            });
        yield* this.read(true);
        if (this.transformationStage === 'behindRecord' || this.transformationStage === 'lines') return;
        if (this.syntax.isDone) {
            if (this.text === '') return;
            throw this.malformed({
                at: 0,
                problem: 'the end of the text should come here, not a quote that is never closed',
            });
        }
        if (this.text !== '') {
            this.check(valueIssue(this.text));
            this.syntax.valueEnds();
        }
        throw this.malformed({
            at: this.text.length,
            problem: `the text ends where ${this.syntax.wanted()} should come`,
        });
    }

    private *read(isLast: boolean): Generator<void, void, void> {
        // Joined, a text is one run of characters; one that + puts together is looked up in both its halves at every step.
        if (this.pieces.length > 0) this.text = [this.text].concat(this.pieces.splice(0)).join('');
        let next = CHUNK_BYTES;
        for (let steps = 1; this.continueFrom(isLast); steps++) {
            if (steps % STEPS !== 0 && this.at < next && !this.isStretch) continue;
            this.isStretch = false;
            yield;
            next = this.at + CHUNK_BYTES;
        }
        this.forget();
        if (this.text.length > MAX_LENGTH) throw this.tooLong();
        this.readAgainAt = Math.min(2 * this.text.length, MAX_LENGTH + 1);
        yield;
    }

    /** False if nothing complete is left. */
    private continueFrom(isLast: boolean): boolean {
        this.at = skipBlanks(this.text, this.at);
        return this.at < this.text.length && this.step(isLast);
    }

    /** Reads one thing, no white space; false when it is not complete. */
    private step(isLast: boolean): boolean {
        switch (this.transformationStage) {
            case 'root':
                return this.root(isLast);
            case 'around':
                return this.syntax.expectsValue && this.path.isOne(this.text[this.at]!, this.syntax.depth)
                    ? this.onlyRecord()
                    : this.token(isLast);
            case 'items':
                return this.syntax.expectsValue && !'],:}'.includes(this.text[this.at]!)
                    ? this.element()
                    : this.token(isLast);
            case 'record':
                return this.record();
            case 'behindRecord':
                return this.behindRecord();
            case 'lines':
                return this.recordOfLine(isLast);
        }
    }

    private root(isLast: boolean): boolean {
        const mark = this.text[this.at]!;
        if (this.itemsPath || mark === '[') {
            this.transformationStage = 'around';
            return true;
        }
        if (mark === '{') {
            this.transformationStage = 'record';
            return true;
        }
        const token = tokenAt(this.text, this.at, isLast);
        if (!token) return false;
        this.check(this.syntax.take(token));
        throw this.malformed({
            at: this.at,
            problem: `the root is ${kindOf(mark)}; allowed: a list of records, one record, or NDJSON`,
        });
    }

    private token(isLast: boolean): boolean {
        const token = tokenAt(this.text, this.at, isLast);
        if (!token) return false;
        if (token.end - token.start > MAX_LENGTH) throw this.tooLong();
        const { expectsValue, expectsKey, depth } = this.syntax;
        const wasAround = this.transformationStage === 'around';
        this.check(this.syntax.take(token));
        if (expectsKey && token.kind === 'string') this.astray(this.path.key(JSON.parse(token.text) as string, depth));
        else if (expectsValue && token.kind !== ']') this.opened(token, depth);
        else if (token.kind === '}' || token.kind === ']') this.astray(this.path.end(depth));
        if (this.transformationStage === 'items' && this.syntax.depth < this.itemsDepth)
            this.transformationStage = 'around';
        if (wasAround || this.transformationStage === 'around') this.around?.add(token.text);
        this.at = token.end;
        return true;
    }

    /** Replaces the list, which is empty for readers of the values around it. */
    private onlyRecord(): boolean {
        const end = this.value();
        if (end === undefined) return false;
        this.path.value('{', this.syntax.depth);
        this.syntax.valueEnds();
        this.around?.add('{}');
        this.at = end;
        return true;
    }

    private opened({ text }: JsonToken, depth: number): void {
        const step = this.path.value(text[0]!, depth);
        if (typeof step === 'object') this.astray(step.problem);
        if (step !== 'items') return;
        this.transformationStage = 'items';
        this.itemsDepth = this.syntax.depth;
    }

    private element(): boolean {
        const parallelBranch = this.values.runBranch(this.text, this.at);
        this.isStretch = parallelBranch !== undefined;
        const end = parallelBranch ?? this.value();
        if (end === undefined) return false;
        this.syntax.valueEnds();
        this.at = end;
        return true;
    }

    /** The root, as the only record or the first of NDJSON. */
    private record(): boolean {
        const firstLine = this.place.moveTo(this.at, this.text).lineNumber;
        const end = this.value();
        if (end === undefined) return false;
        this.at = end;
        const lastLine = this.place.moveTo(end, this.text).lineNumber;
        this.recordLine = firstLine === lastLine ? lastLine : undefined;
        this.transformationStage = 'behindRecord';
        return true;
    }

    private behindRecord(): boolean {
        if (this.recordLine === undefined || this.place.moveTo(this.at, this.text).lineNumber === this.recordLine) {
            throw this.malformed({
                at: this.at,
                problem:
                    'the text continues after the record; write several records as a list, or each on a separate line',
            });
        }
        this.transformationStage = 'lines';
        return true;
    }

    private recordOfLine(isLast: boolean): boolean {
        if (isLast && !this.text.endsWith('\n')) this.text += '\n';
        const lineEnd = this.text.indexOf('\n', this.at);
        if (lineEnd < 0) return false;
        const end = this.value();
        if (end === undefined || end > lineEnd || skipBlanks(this.text, end) < lineEnd)
            throw this.rejection(this.text.slice(this.at, lineEnd));
        this.at = lineEnd;
        return true;
    }

    /** Reads the value at `at` and returns its end. */
    private value(): number | undefined {
        const scanned = scanValue(this.text, this.at);
        if (scanned === 'incomplete') return undefined;
        if (scanned === 'tooDeep') throw this.malformed({ at: this.at, problem: tooDeep });
        if (scanned === 'tooMany') throw this.tooLarge(`holds more than ${MAX_VALUES} values`);
        const { at } = this;
        if (scanned.end - at > MAX_LENGTH) throw this.tooLong();
        if (!this.values.giveOne(this.text, { ...scanned, at })) throw this.rejection(this.text.slice(at, scanned.end));
        return scanned.end;
    }

    /** What is wrong with the value that begins at `at`. */
    private rejection(text: string): FlowError {
        const { at, problem } = valueIssue(text) ?? { at: 0, problem: 'this is not JSON' };
        return this.malformed({ at: this.at + at, problem });
    }

    private check(issue: JsonSyntaxIssue | undefined): void {
        if (issue) throw this.malformed(issue);
    }

    private astray(problem: string | undefined): void {
        if (problem === undefined || !this.itemsPath) return;
        const where = `${this.itemsPath.option} ${show(this.itemsPath.text)} (${this.placeOf(this.at)})`;
        throw flowError('SOURCE_MALFORMED', { where, problem });
    }

    private tooLong(): FlowError {
        return this.tooLarge(`is longer than ${MAX_LENGTH} characters`);
    }

    /** A bracket or quote that is not closed makes many records look like one, so that is checked first. */
    private tooLarge(problem: string): FlowError {
        const issue = valueIssue(this.text.slice(this.at), false);
        if (issue) return this.malformed({ at: this.at + issue.at, problem: issue.problem });
        const hint =
            this.transformationStage === 'record'
                ? '; does the file need itemsPath, to say where its records are?'
                : '';
        return this.malformed({ at: this.at, problem: `a record or value ${problem}${hint}` });
    }

    private malformed({ at, problem }: JsonSyntaxIssue): FlowError {
        return flowError('SOURCE_MALFORMED', { where: this.placeOf(at), problem });
    }

    private placeOf(at: number): string {
        return String(this.place.moveTo(at, this.text));
    }

    /** Drops the text before `at`. */
    private forget(): void {
        this.place.moveTo(this.at, this.text).cut();
        this.text = this.text.slice(this.at);
        this.held = this.text.length;
        this.values.cut(this.at);
        this.at = 0;
    }
}
