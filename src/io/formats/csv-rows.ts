import { show } from '../../core/value/show';
import { MAX_ROW_LENGTH, rowMalformed, rowTooLong } from './csv-row-issues';
import { DELIMITERS } from './delimiters';
import { withoutFormulas } from './formula-escape';
import { CHUNK_BYTES } from './chunks';
import { SepLine } from './sep-line';

/** A row as it is written in the text; `line` is where it begins, counted from 1. */
export interface CsvRow {
    readonly cells: readonly string[];
    readonly line: number;
    /** Characters of it in the text. */
    readonly length: number;
}

/** The number of rows that are read at once. */
const ROWS = 500;
const MAX_COLUMNS = 10_000;

const BOM = '\ufeff';
const QUOTE = 34;
const EQUALS = 61;
const LF = 10;
const CR = 13;
const SPACE = 32;
const TAB = 9;

/** How the cells of a text are separated. */
export interface CellMarks {
    /** One character. */
    readonly delimiter: string;
    /** Removes blanks around cells, and lets a quote after blanks open a quoted cell; blanks inside quotes are kept. */
    readonly trim?: boolean;
}

/**
 * Cuts CSV text into rows as the text comes in (RFC 4180; LF, CRLF and CR may be mixed). Lines that are empty or have
 * only empty cells are skipped, and so is a first line `sep=;`. Holds at most the row that is not complete yet and
 * one piece of text.
 *
 * A quote within an unquoted cell (5" pipe) is an ordinary character; `="00123"`, by which programs keep spreadsheets
 * from reading a text as a number, is 00123. A quoted cell with text after its closing quote is malformed, and so is
 * one after blanks without `trim`.
 */
export class CsvRows {
    /** The text from the row on that is not complete. */
    private text = '';
    /** The line at which `text` begins. */
    private line = 1;
    private readonly sepLine = new SepLine();
    private isFirst = true;
    /** The last row ended in the CR that the text ended in; an LF that comes next belongs to it. */
    private isAfterCr = false;
    /** A long row is read again only when the text has doubled; else its cost would grow with the square of its length. */
    private readAgainAt = 0;

    constructor(private readonly marks: CellMarks) {}

    /**
     * The rows that are complete with this piece of text, in stretches: after a long row many short ones may have
     * gathered. The caller must read all of them.
     */
    *push(given: string): Generator<readonly CsvRow[], void, void> {
        const piece = this.sepLine.isOpen ? this.begin(this.sepLine.take(given)) : given;
        if (piece === '') return;
        const isPassedOver = (this.isFirst && piece.startsWith(BOM)) || (this.isAfterCr && piece.startsWith('\n'));
        this.isFirst = false;
        this.isAfterCr = false;
        this.text += isPassedOver ? piece.slice(1) : piece;
        if (this.text.length >= this.readAgainAt) yield* this.read(false);
    }

    /** The rows that are left when the text has ended. */
    *end(): Generator<readonly CsvRow[], void, void> {
        yield* this.push(this.begin(this.sepLine.end()));
        yield* this.read(true);
    }

    private begin(text: string): string {
        if (this.sepLine.delimiter !== undefined) this.line = 2;
        return text;
    }

    private *read(isLast: boolean): Generator<readonly CsvRow[], void, void> {
        const scan = new RowScan({ ...this.marks, text: this.text, line: this.line, isLast });
        let rows: CsvRow[] = [];
        let from = 0;
        for (let row = scan.next(); row; row = scan.next()) {
            rows.push(row);
            if (rows.length < ROWS && scan.start - from < CHUNK_BYTES) continue;
            yield rows;
            rows = [];
            from = scan.start;
        }
        if (rows.length > 0) yield rows;
        this.isAfterCr =
            scan.start > 0 && scan.start === this.text.length && this.text.charCodeAt(scan.start - 1) === CR;
        this.text = this.text.slice(scan.start);
        this.line = scan.line;
        if (this.text.length >= MAX_ROW_LENGTH) throw rowTooLong(scan.lineOfCell);
        this.readAgainAt = Math.min(2 * this.text.length, MAX_ROW_LENGTH);
    }
}

interface Stretch extends CellMarks {
    readonly text: string;
    /** The line at which `text` begins. */
    readonly line: number;
    /** Nothing follows `text`. */
    readonly isLast: boolean;
}

/**
 * Reads the rows of one stretch of text. It goes from mark to mark by `indexOf`, which looks at many characters at once, and keeps
 * each mark found until it has passed it, so that nothing is searched twice.
 */
class RowScan {
    /** Where the next row begins. */
    start = 0;
    /** The line of the next row. */
    line: number;
    /** The line at which the cell begins that was looked at last. */
    lineOfCell: number;

    private readonly text: string;
    private readonly delimiter: string;
    private readonly delimiterCode: number;
    private readonly end: number;
    private readonly isLast: boolean;
    private readonly trim: boolean;
    private at = 0;
    /** Where the row begins that was read last. */
    private rowAt = 0;
    /** The next of each kind at or after `at`, as far as they are known; `end` if there is none. */
    private nextDelimiter = -1;
    private nextLf = -1;
    private nextCr = -1;

    constructor({ text, delimiter, trim = false, line, isLast }: Stretch) {
        this.text = text;
        this.end = text.length;
        this.delimiter = delimiter;
        this.delimiterCode = delimiter.charCodeAt(0);
        this.line = line;
        this.lineOfCell = line;
        this.isLast = isLast;
        this.trim = trim;
    }

    /** The next row that is not empty; undefined if no complete one is left. */
    next(): CsvRow | undefined {
        let row = this.row();
        while (row && this.isBare(row)) row = this.row();
        return row;
    }

    private row(): CsvRow | undefined {
        this.passEmptyLines();
        if (this.start === this.end) return undefined;
        const { start, line } = this;
        const cells: string[] = [];
        this.rowAt = start;
        this.lineOfCell = line;
        do {
            if (cells.length === MAX_COLUMNS)
                throw rowMalformed(
                    line,
                    `the row has ${MAX_COLUMNS + 1} cells or more; at most ${MAX_COLUMNS} are allowed`,
                );
            const code = this.text.charCodeAt(this.at);
            const cell = code === QUOTE ? this.quoted() : this.isBlank(code) ? this.padded() : this.plain();
            if (cell === undefined) return undefined;
            cells.push(cell.charCodeAt(0) === EQUALS ? withoutFormulas(cell) : cell);
        } while (this.passDelimiter());
        if (this.at === this.end && !this.isLast) return undefined;
        if (this.at + 1 - start > MAX_ROW_LENGTH) throw rowTooLong(line);
        const length = this.at - start;
        this.line = this.lineOfCell;
        this.passLineEnd();
        return { cells, line, length };
    }

    /**
     * True for a row with only empty cells. A single cell in quotes is a row: an empty one cannot be written
     * otherwise.
     */
    private isBare({ cells, length }: CsvRow): boolean {
        if (cells.some(cell => cell !== '')) return false;
        return cells.length > 1 || !this.text.slice(this.rowAt, this.rowAt + length).includes('"');
    }

    private passEmptyLines(): void {
        for (
            let code = this.text.charCodeAt(this.start);
            code === LF || code === CR;
            code = this.text.charCodeAt(this.start)
        ) {
            this.at = this.start;
            this.passLineEnd();
        }
        this.at = this.start;
    }

    private passLineEnd(): void {
        const isCrLf = this.text.charCodeAt(this.at) === CR && this.text.charCodeAt(this.at + 1) === LF;
        this.start = Math.min(this.end, this.at + (isCrLf ? 2 : 1));
        this.line++;
    }

    private passDelimiter(): boolean {
        if (this.text.charCodeAt(this.at) !== this.delimiterCode) return false;
        this.at++;
        return true;
    }

    /** Goes to the end of an unquoted cell. */
    private plain(): string {
        const from = this.at;
        if (this.nextDelimiter < from) this.nextDelimiter = this.find(this.delimiter, from);
        if (this.nextLf < from) this.nextLf = this.find('\n', from);
        if (this.nextCr < from) this.nextCr = this.find('\r', from);
        this.at = Math.min(this.nextDelimiter, this.nextLf, this.nextCr);
        const cell = this.text.slice(from, this.at);
        return this.trim ? cell.trim() : cell;
    }

    /** Reads a cell that begins with blanks; undefined if it is not complete. */
    private padded(): string | undefined {
        let at = this.at;
        while (this.isBlank(this.text.charCodeAt(at))) at++;
        if (this.text.charCodeAt(at) !== QUOTE) return this.plain();
        if (this.trim) {
            this.at = at;
            return this.quoted();
        }
        if (this.isQuotedAt(at))
            throw rowMalformed(
                this.lineOfCell,
                'a quoted cell begins after blanks; set trim to remove blanks around cells, so that such a quote opens the cell',
            );
        return this.plain();
    }

    /** Whether a quoted cell begins here that ends on the same line: a quote that is not closed there is a character like any other. */
    private isQuotedAt(at: number): boolean {
        if (this.nextLf < at) this.nextLf = this.find('\n', at);
        if (this.nextCr < at) this.nextCr = this.find('\r', at);
        const lineEnd = Math.min(this.nextLf, this.nextCr);
        let close = this.find('"', at + 1);
        while (close < lineEnd && this.text.charCodeAt(close + 1) === QUOTE) close = this.find('"', close + 2);
        if (close >= lineEnd) return false;
        let after = close + 1;
        while (this.isBlank(this.text.charCodeAt(after))) after++;
        return after === this.end ? this.isLast : this.endsCell(this.text.charCodeAt(after));
    }

    /** Reads a quoted cell and the blanks that follow it; undefined if it is not complete. */
    private quoted(): string | undefined {
        const from = this.at + 1;
        let close = this.find('"', from);
        let hasQuotes = false;
        while (close + 1 < this.end && this.text.charCodeAt(close + 1) === QUOTE) {
            hasQuotes = true;
            close = this.find('"', close + 2);
        }
        if (close === this.end) {
            if (this.isLast) throw rowMalformed(this.lineOfCell, 'a quote is opened and never closed');
            return undefined;
        }
        this.at = close + 1;
        while (this.isBlank(this.text.charCodeAt(this.at))) this.at++;
        if (this.at < this.end && !this.endsCell(this.text.charCodeAt(this.at))) {
            const likely = DELIMITERS.find(other => other === this.text[this.at]);
            throw rowMalformed(
                this.lineOfCell,
                `a quoted cell has text after its closing quote; ${likely === undefined ? 'write a quote within it as ""' : `if ${show(likely)} separates the cells, set delimiter to it`}`,
            );
        }
        this.lineOfCell += this.lineEndsUpTo(from, close);
        const text = this.text.slice(from, close);
        return hasQuotes ? text.replaceAll('""', '"') : text;
    }

    private isBlank(code: number): boolean {
        return (code === SPACE || code === TAB) && code !== this.delimiterCode;
    }

    private endsCell(code: number): boolean {
        return code === this.delimiterCode || code === LF || code === CR;
    }

    private lineEndsUpTo(from: number, to: number): number {
        let count = 0;
        if (this.nextLf < from) this.nextLf = this.find('\n', from);
        for (; this.nextLf < to; this.nextLf = this.find('\n', this.nextLf + 1)) count++;
        if (this.nextCr < from) this.nextCr = this.find('\r', from);
        for (; this.nextCr < to; this.nextCr = this.find('\r', this.nextCr + 1)) {
            if (this.text.charCodeAt(this.nextCr + 1) !== LF) count++;
        }
        return count;
    }

    private find(mark: string, from: number): number {
        const place = this.text.indexOf(mark, from);
        return place < 0 ? this.end : place;
    }
}
