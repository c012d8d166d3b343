import Papa from 'papaparse';
import { flowError, type FlowError } from '../../core/errors/flow-error';

/** A row as it stands in the text; `line` is where it begins, counted from 1. */
export interface CsvRow {
    readonly cells: readonly string[];
    readonly line: number;
}

/** A longer row is taken for a quote that was never closed; it also bounds what is held in memory. */
const MAX_ROW_LENGTH = 4 * 1024 * 1024;
const MAX_COLUMNS = 10_000;

const QUOTE = '"';
const LONE_CR = '\r\r\n';

/** `row` counts the rows of the parsed text, `index` its characters up to behind the opening quote. */
interface QuoteError {
    readonly code: 'MissingQuotes' | 'InvalidQuotes';
    readonly row: number;
    readonly index: number;
}

/** What Papa's parser answers; its typing leaves that open. `cursor` is where the last row that it answers ends. */
interface Parsed {
    readonly data: ReadonlyArray<string[]>;
    readonly errors: readonly QuoteError[];
    readonly meta: { readonly cursor: number };
}

/**
 * Cuts CSV text into rows as the text comes in (RFC 4180; LF, CRLF and CR may be mixed, empty lines are passed over). Holds
 * no more than the row that is not complete yet and one piece of text. A quote within an unquoted cell (5" pipe) is a
 * character like any other; a quoted cell that goes on behind its closing quote is malformed.
 *
 * Papa reads the rows: its `Parser`, for `Papa.parse` pushes, tells no lines and takes half the speed. The last row of a text,
 * which the next piece may change, is left out and read again together with that.
 */
export class CsvRows {
    private readonly parser: Papa.Parser;
    private text = '';
    /** The line at which `text` begins. */
    private line = 1;
    private isFirst = true;
    private endsInCr = false;
    /** A long row is read again only when the text has doubled; else its cost would grow with the square of its length. */
    private readAgainAt = 0;

    constructor(delimiter: string) {
        this.parser = new Papa.Parser({ delimiter, newline: '\n' });
    }

    /** The rows that are complete with this piece of text. */
    push(piece: string): CsvRow[] {
        if (piece === '') return [];
        const withoutBom = this.isFirst && piece.startsWith('\ufeff') ? piece.slice(1) : piece;
        this.isFirst = false;
        const whole = this.endsInCr ? `\r${withoutBom}` : withoutBom;
        // A CR at the end may be half of a CRLF.
        this.endsInCr = whole.endsWith('\r');
        this.text += withLf(this.endsInCr ? whole.slice(0, -1) : whole);
        return this.text.length < this.readAgainAt ? [] : this.read(false);
    }

    /** The rows that are left when the text has ended. */
    end(): CsvRow[] {
        this.text += this.endsInCr ? withLf('\r') : '\n';
        return this.read(true);
    }

    private read(isLast: boolean): CsvRow[] {
        const { data, errors: [error], errors, meta } = this.parse(isLast);
        // A lone error in the row that is not complete may only mean that what stands behind a closing quote is still to come.
        if (error && (isLast || errors.length > 1 || error.row < data.length)) throw this.malformedQuote(error);
        const rows: CsvRow[] = [];
        const lines = new Lines(this.text, this.line);
        const hasQuotes = this.text.includes(QUOTE);
        const hasLoneCr = this.text.includes(LONE_CR);
        let line = this.line;
        for (const cells of data) {
            const next = line + 1 + (hasQuotes ? lineEndsIn(cells) : 0);
            if (cells.length > MAX_COLUMNS) throw malformed(line, `the row has ${cells.length} cells; at most ${MAX_COLUMNS} are allowed`);
            restore(cells, hasLoneCr);
            const isEmpty = cells.length === 1 && cells[0] === '' && !(hasQuotes && this.text[lines.startOf(line)] === QUOTE);
            if (!isEmpty) rows.push({ cells, line });
            if (this.text.length > MAX_ROW_LENGTH && lines.lengthOf(line, next) > MAX_ROW_LENGTH) throw tooLong(line);
            line = next;
        }
        this.keepFrom(meta.cursor, line);
        return rows;
    }

    private parse(isLast: boolean): Parsed {
        return this.parser.parse(this.text, 0, !isLast) as Parsed;
    }

    /** Keeps the text of the row that is not complete. */
    private keepFrom(start: number, line: number): void {
        this.text = this.text.slice(start);
        this.line = line;
        const { length } = this.text;
        this.readAgainAt = Math.min(2 * length, MAX_ROW_LENGTH + 1);
        if (length > MAX_ROW_LENGTH) throw tooLong(this.lineOf(this.parse(true).errors[0]?.index ?? 0));
    }

    private lineOf(place: number): number {
        return this.line + lineEndsIn([this.text.slice(0, place)]);
    }

    /** Names the line of the opening quote: what stands behind a closing one tends to be the work of a quote not closed before. */
    private malformedQuote({ code, index }: QuoteError): FlowError {
        const problem = code === 'MissingQuotes'
            ? 'a quote is opened and never closed'
            : 'a quoted cell goes on behind its closing quote; write a quote within it as ""';
        return malformed(this.lineOf(index), problem);
    }
}

/** Finds where lines begin, each behind the ones before. */
class Lines {
    private at = 0;

    constructor(private readonly text: string, private line: number) {}

    startOf(line: number): number {
        for (; this.line < line; this.line++) this.at = this.text.indexOf('\n', this.at) + 1;
        return this.at;
    }

    lengthOf(line: number, next: number): number {
        const start = this.startOf(line);
        return this.startOf(next) - start;
    }
}

function lineEndsIn(cells: readonly string[]): number {
    let count = 0;
    for (const cell of cells) {
        for (let at = cell.indexOf('\n'); at >= 0; at = cell.indexOf('\n', at + 1)) count++;
    }
    return count;
}

/**
 * Papa knows one line end, so each gets an LF: a CR alone becomes CR CR LF. Within cells that is told from CRLF, and what it
 * leaves behind a cell is white space, which Papa allows behind a closing quote.
 */
function withLf(text: string): string {
    return text.includes('\r') ? text.replace(/\r(?!\n)/g, LONE_CR) : text;
}

/** Takes back what `withLf` did. A CR without its LF stands only where an unquoted last cell ends. */
function restore(cells: string[], hasLoneCr: boolean): void {
    const last = cells.length - 1;
    if (cells[last]!.endsWith('\r')) cells[last] = cells[last]!.replace(/\r+$/, '');
    if (!hasLoneCr) return;
    for (let i = 0; i <= last; i++) cells[i] = cells[i]!.replaceAll(LONE_CR, '\r');
}

function tooLong(line: number): FlowError {
    return malformed(line, `the row is longer than ${MAX_ROW_LENGTH} characters; is a quote not closed?`);
}

function malformed(line: number, problem: string): FlowError {
    return flowError('SOURCE_MALFORMED', { where: `line ${line}`, problem });
}
