import type { JsonObject, JsonValue } from '../../core/value/json';
import { logText, type LogText } from '../../core/log/log-text';
import { pathOf } from '../../core/data/path';
import { type CellMarks, type CsvRow, CsvRows } from './csv-rows';
import { freeNames, type HeaderRules, headerOf, OneCell, OneColumn } from './csv-header';
import { otherWidth } from './csv-width';
import { type EmptyValues, emptyValue } from './empty-values';
import { chunksOf, type TextSource } from './chunks';
import { type RowLocation, type RowRules, rowSelection } from './row-selection';
import type { Checked, OpenText, LocationLabel, ReadFrom, RecordPage, RecordReader } from './source';
import { yieldingBetween, readerYield } from './reader-yield';
import { CELL_WEIGHT, lineName, type RowIssue, SizedPages } from './sized-pages';

/** How a table is written. */
export interface CsvLayout extends CellMarks, RowRules, Omit<TableRules, 'delimiter'> {
    /** Converts the rows of a pass, if they differ from those of the text; it is called with the header first. */
    readonly rowsAre?: () => (cells: readonly string[]) => readonly string[];
}

/** How a table is written, and from where to read it. */
export interface CsvOptions extends CsvLayout, ReadFrom {}

/** Some data rows as records. */
export type CsvPage = RecordPage;

/** CSV of any length, read piece by piece. A header alone and an empty text are tables without rows. */
export function csvReader(text: OpenText, layout: CsvLayout): RecordReader {
    const { warn } = layout;
    const said = new Set<string>();
    // Each pass reads the header again.
    const once = (problem: LogText): void => {
        if (!said.has(problem.message)) warn?.(problem);
        said.add(problem.message);
    };
    const options = { ...layout, warn: once };
    return {
        check: () => countRows(text(), options),
        read: from => readCsv(text(), { ...options, ...from }),
    };
}

/**
 * First pass: reads everything and throws SOURCE_MALFORMED if that is not possible, so that a malformed source loads
 * nothing.
 */
export async function checkCsv(source: TextSource, options: CsvOptions): Promise<void> {
    await countRows(source, options);
}

/** Second pass: pages of records in constant memory. Reads on only when the caller has taken the rows. */
export async function* readCsv(source: TextSource, options: CsvOptions): AsyncGenerator<CsvPage, void, void> {
    const pages = new Pages(new CsvTable(options), options);
    const turns = readerYield();
    try {
        for await (const rows of rowsOf(source, options, turns)) {
            for (const { cells, line, length } of rows) {
                const page = pages.add(cells, line, length);
                if (page) yield page;
                if (turns.isDue) await turns.turn();
            }
        }
    } catch (error) {
        // Records that were read before the error are still returned.
        const read = pages.rest();
        if (read) yield read;
        throw error;
    }
    const rest = pages.rest();
    if (rest) yield rest;
}

async function countRows(source: TextSource, options: CsvOptions): Promise<Checked> {
    const table = new CsvTable(options);
    let count = 0;
    for await (const rows of rowsOf(source, options)) {
        for (const { cells, line } of rows) {
            if (table.knows(cells, line)) count++;
        }
    }
    return { rows: count, ...(table.names && { columns: table.names }) };
}

/** The rows of the text, some at a time. */
async function* rowsOf(
    source: TextSource,
    { rowsAre, ...layout }: CsvLayout,
    turns = readerYield(),
): AsyncGenerator<readonly CsvRow[], void, void> {
    const reader = new CsvRows(layout);
    const selection = rowSelection<CsvRow>(layout, layout.hasHeader);
    const cellsOf = rowsAre?.();
    const selected = (rows: readonly CsvRow[]): readonly CsvRow[] =>
        selection ? rows.flatMap(row => selection.next(row, locationOf(row)) ?? []) : rows;
    const asTheyAre = (rows: readonly CsvRow[]): readonly CsvRow[] =>
        cellsOf ? selected(rows).map(row => ({ ...row, cells: cellsOf(row.cells) })) : selected(rows);
    for await (const piece of chunksOf(source, turns))
        for await (const rows of yieldingBetween(reader.push(piece), turns)) yield asTheyAre(rows);
    for await (const rows of yieldingBetween(reader.end(), turns)) yield asTheyAre(rows);
}

function locationOf({ number, line, length }: CsvRow): RowLocation {
    return { number, weight: length, nameOf: () => lineName(line) };
}

/** Gathers the rows of a table into pages of records. */
export class Pages {
    private readonly pages: SizedPages;

    constructor(
        private readonly table: CsvTable,
        from: ReadFrom,
    ) {
        this.pages = new SizedPages(from, table.nameOf);
    }

    /** Takes a row by its number in the source and its length in characters; returns a page when one is full. */
    add(cells: readonly JsonValue[], row: number, length = 0): RecordPage | undefined {
        if (!this.table.knows(cells, row)) return undefined;
        if (this.pages.isSkipping) return void this.pages.skip();
        const weight = length + CELL_WEIGHT * cells.length;
        const issue = this.table.faultOf(cells, row);
        if (issue) this.pages.addFault(issue, weight, row);
        else this.pages.add(this.table.record(cells), weight, row);
        return this.pages.full()[0];
    }

    /** What has not filled a page. */
    rest(): RecordPage | undefined {
        return this.pages.rest()[0];
    }
}

/** How the rows of a table become records. */
export interface TableRules extends HeaderRules {
    readonly hasHeader: boolean;
    /** What empty cells become. Default: empty text. */
    readonly emptyValues?: EmptyValues;
}

/** The columns of a table, known from its first row on. */
export class CsvTable {
    private columns: readonly string[] | undefined;
    private blank: JsonObject = {};
    private hasProto = false;
    private hasWarnedOfLonger = false;
    private oneColumn: OneColumn | OneCell | undefined;
    private readonly empty: '' | null | undefined;

    /** `nameOf` returns the name of a row with this number. */
    constructor(
        private readonly rules: TableRules,
        readonly nameOf: LocationLabel = lineName,
    ) {
        this.empty = emptyValue(rules.emptyValues ?? 'TEXT');
    }

    /** Undefined before its first row. */
    get names(): readonly string[] | undefined {
        return this.columns;
    }

    /** False for the header. Learns the columns from the first row; throws SOURCE_MALFORMED for a header that names no columns. */
    knows(cells: readonly JsonValue[], row: number): boolean {
        if (this.columns) {
            if (this.oneColumn) this.checkFirst(this.oneColumn, cells);
            return true;
        }
        const { hasHeader } = this.rules;
        const where = this.nameOf(row);
        this.columns = hasHeader ? headerOf(cells, where, this.rules) : cells.map((_, i) => `column${i + 1}`);
        this.blank = Object.fromEntries(this.columns.map(column => [column, '']));
        this.hasProto = this.columns.includes('__proto__');
        if (this.columns.length === 1)
            this.oneColumn = hasHeader
                ? OneColumn.of(this.columns[0]!, where, this.rules)
                : OneCell.of(String(cells[0]), where, this.rules);
        return !hasHeader;
    }

    /**
     * A row of another width than the table is not a record, unless it is longer by empty cells alone: a delimiter at
     * its end makes those.
     */
    faultOf(cells: readonly JsonValue[], row: number): RowIssue | undefined {
        const columns = this.columns!;
        if (cells.length === columns.length) return undefined;
        if (cells.length > columns.length && cells.slice(columns.length).every(isEmpty)) {
            this.warnOfLonger(row);
            return undefined;
        }
        const free = freeNames(new Set(columns));
        const names = cells.map((_, i) => columns[i] ?? free(i));
        const path = columns[cells.length] ?? names[columns.length]!;
        const owner = this.rules.hasHeader ? 'the header' : 'the first row';
        return {
            path: pathOf(path),
            data: Object.fromEntries(cells.map((cell, i) => [names[i]!, cell])),
            problem: otherWidth({ cells: cells.length, columns: columns.length }, this.nameOf(row), owner),
        };
    }

    record(cells: readonly JsonValue[]): JsonObject {
        const columns = this.columns!;
        const { empty } = this;
        // A field "__proto__" must be an ordinary field, which only a definition makes it, not a write.
        if (this.hasProto) return withProto(columns, cells, empty);
        const isSparse = empty === undefined && cells.includes('');
        const record: Record<string, JsonValue> = isSparse ? {} : { ...this.blank };
        for (let i = 0; i < columns.length; i++) {
            const cell = cells[i]!;
            if (cell !== '') record[columns[i]!] = cell;
            else if (empty !== undefined) record[columns[i]!] = empty;
        }
        return record;
    }

    private warnOfLonger(row: number): void {
        if (this.hasWarnedOfLonger) return;
        this.hasWarnedOfLonger = true;
        const owner = logText(this.rules.hasHeader ? 'HEADER' : 'FIRST_ROW', {});
        this.rules.warn?.(logText('ROWS_LONGER', { owner, row: this.nameOf(row) }));
    }

    private checkFirst(first: OneColumn | OneCell, cells: readonly JsonValue[]): void {
        this.oneColumn = undefined;
        first.checkRow(cells);
    }
}

function isEmpty(cell: JsonValue): boolean {
    return cell === '' || cell === null;
}

function withProto(columns: readonly string[], cells: readonly JsonValue[], empty: '' | null | undefined): JsonObject {
    const fields = columns.map((column, i) => [column, cells[i] === '' ? empty : cells[i]!] as const);
    return Object.fromEntries(fields.filter((field): field is readonly [string, JsonValue] => field[1] !== undefined));
}
