import type { PageFault } from '../../core/adapter/extractor';
import type { JsonObject, JsonValue } from '../../core/data/json';
import { pathOf } from '../../core/data/path';
import { flowError } from '../../core/errors/flow-error';
import { CsvRows } from './csv-rows';

/** A text, or one in pieces of any size and cut anywhere. */
export type TextSource = string | AsyncIterable<string> | Iterable<string>;

export interface CsvOptions {
    /** One character. */
    readonly delimiter: string;
    readonly hasHeader: boolean;
    /** Data rows to leave out at the start, cheaply; a resumed run has read them before. */
    readonly skip?: number;
    readonly pageSize?: number;
}

/** Some rows as records. `rows` counts all data rows so far, the skipped and the faulty ones included. */
export interface CsvPage {
    readonly records: readonly JsonObject[];
    readonly faults: readonly PageFault[];
    readonly rows: number;
}

const PAGE_SIZE = 1000;
/** So much text is turned into rows at once, however large the pieces are that come in. */
const PIECE = 64 * 1024;

/** First pass: reads everything and throws SOURCE_MALFORMED where it cannot be read, so that a malformed source loads nothing. */
export async function checkCsv(source: TextSource, options: CsvOptions): Promise<void> {
    const table = new Table(options.hasHeader);
    const rows = new CsvRows(options.delimiter);
    for await (const piece of piecesOf(source)) rows.push(piece).forEach(row => table.knows(row.cells, `line ${row.line}`));
    rows.end().forEach(row => table.knows(row.cells, `line ${row.line}`));
}

/** Second pass: pages of records in constant memory. The source is asked for more only when its rows have been taken. */
export async function* readCsv(source: TextSource, options: CsvOptions): AsyncGenerator<CsvPage, void, void> {
    const reader = new CsvRows(options.delimiter);
    const pages = new Pages(new Table(options.hasHeader), options);
    for await (const piece of piecesOf(source)) {
        for (const row of reader.push(piece)) {
            const page = pages.add(row.cells, `line ${row.line}`);
            if (page) yield page;
        }
    }
    for (const row of reader.end()) {
        const page = pages.add(row.cells, `line ${row.line}`);
        if (page) yield page;
    }
    const rest = pages.rest();
    if (rest) yield rest;
}

async function* piecesOf(source: TextSource): AsyncGenerator<string, void, void> {
    for await (const text of typeof source === 'string' ? [source] : source) {
        for (let from = 0; from < text.length; from += PIECE) yield text.length <= PIECE ? text : text.slice(from, from + PIECE);
    }
}

/** Gathers rows to pages. `where` names a row in messages. */
export class Pages {
    private records: JsonObject[] = [];
    private faults: PageFault[] = [];
    private rows = 0;
    private yielded = 0;

    constructor(private readonly table: Table, private readonly options: Pick<CsvOptions, 'skip' | 'pageSize'>) {
        this.yielded = options.skip ?? 0;
    }

    /** Takes a row; answers a page when one is full. */
    add(cells: readonly JsonValue[], where: string): CsvPage | undefined {
        if (!this.table.knows(cells, where)) return undefined;
        this.rows++;
        if (this.rows <= (this.options.skip ?? 0)) return undefined;
        const fault = this.table.faultOf(cells, where);
        if (fault) this.faults.push({ ...fault, index: this.records.length });
        else this.records.push(this.table.record(cells));
        return this.rows - this.yielded >= (this.options.pageSize ?? PAGE_SIZE) ? this.take() : undefined;
    }

    /** What has not filled a page. */
    rest(): CsvPage | undefined {
        return this.rows > this.yielded ? this.take() : undefined;
    }

    private take(): CsvPage {
        const page = { records: this.records, faults: this.faults, rows: this.rows };
        this.records = [];
        this.faults = [];
        this.yielded = this.rows;
        return page;
    }
}

/** The columns of a table, known from its first row on. */
export class Table {
    private columns: readonly string[] | undefined;
    private blank: JsonObject = {};

    constructor(private readonly hasHeader: boolean) {}

    /** False for the header. Learns the columns from the first row; throws SOURCE_MALFORMED for a header that names no columns. */
    knows(cells: readonly JsonValue[], where: string): boolean {
        if (this.columns) return true;
        this.columns = this.hasHeader ? headerOf(cells, where) : cells.map((_, i) => `column${i + 1}`);
        this.blank = Object.fromEntries(this.columns.map(column => [column, '']));
        return !this.hasHeader;
    }

    /** A row of another width than the table is no record. */
    faultOf(cells: readonly JsonValue[], where: string): Omit<PageFault, 'index'> | undefined {
        const columns = this.columns!;
        if (cells.length === columns.length) return undefined;
        const names = cells.map((_, i) => columns[i] ?? `column${i + 1}`);
        const path = columns[cells.length] ?? `column${columns.length + 1}`;
        const owner = this.hasHeader ? 'the header' : 'the first row';
        return {
            path: pathOf(path), data: Object.fromEntries(cells.map((cell, i) => [names[i]!, cell])),
            problem: `${where} has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'} and ${owner} ${columns.length}`,
        };
    }

    record(cells: readonly JsonValue[]): JsonObject {
        const columns = this.columns!;
        // A field "__proto__" must be an ordinary field, which only a definition makes it, not a write.
        if (columns.includes('__proto__')) return Object.fromEntries(columns.map((column, i) => [column, cells[i]!]));
        const record: Record<string, JsonValue> = { ...this.blank };
        for (let i = 0; i < columns.length; i++) record[columns[i]!] = cells[i]!;
        return record;
    }
}

function headerOf(cells: readonly JsonValue[], where: string): readonly string[] {
    const seen = new Set<string>();
    return cells.map((cell, i) => {
        const name = String(cell ?? '').trim();
        if (name === '') throw flowError('SOURCE_MALFORMED', { where, problem: `column ${i + 1} of the header has no name` });
        if (seen.has(name)) throw flowError('SOURCE_MALFORMED', { where, problem: `the header names two columns "${name}"` });
        seen.add(name);
        return name;
    });
}
