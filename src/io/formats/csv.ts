import type { JsonObject, JsonValue } from '../../core/data/json';
import { pathOf } from '../../core/data/path';
import { flowError } from '../../core/errors/flow-error';
import { type CsvRow, CsvRows } from './csv-rows';
import { piecesOf, type TextSource } from './pieces';
import type { OpenText, ReadFrom, RecordPage, RecordReader } from './source';
import { inTurns, Turns } from './turns';
import { CELL_WEIGHT, type RowFault, WeighedPages } from './weighed-pages';

/** How a table is written, and from where to read it. */
export interface CsvOptions extends ReadFrom {
    /** One character. */
    readonly delimiter: string;
    readonly hasHeader: boolean;
}

/** Some data rows as records. */
export type CsvPage = RecordPage;

/** CSV of any length, read piece by piece (spec 4, "streaming"). A header alone and an empty text are tables without rows. */
export function csvReader(text: OpenText, options: Pick<CsvOptions, 'delimiter' | 'hasHeader'>): RecordReader {
    return {
        check: async () => ({ rows: await countRows(text(), options) }),
        read: from => readCsv(text(), { ...options, ...from }),
    };
}

/** First pass: reads everything and throws SOURCE_MALFORMED where it cannot be read, so that a malformed source loads nothing. */
export async function checkCsv(source: TextSource, options: CsvOptions): Promise<void> {
    await countRows(source, options);
}

/** Second pass: pages of records in constant memory. The source is asked for more only when its rows have been taken. */
export async function* readCsv(source: TextSource, options: CsvOptions): AsyncGenerator<CsvPage, void, void> {
    const pages = new Pages(new Table(options.hasHeader), options);
    const turns = new Turns();
    for await (const rows of rowsOf(source, options.delimiter, turns)) {
        for (const { cells, line, length } of rows) {
            const page = pages.add(cells, `line ${line}`, length);
            if (page) yield page;
            if (turns.isDue) await turns.take();
        }
    }
    const rest = pages.rest();
    if (rest) yield rest;
}

async function countRows(source: TextSource, { delimiter, hasHeader }: CsvOptions): Promise<number> {
    const table = new Table(hasHeader);
    let count = 0;
    for await (const rows of rowsOf(source, delimiter)) {
        for (const { cells, line } of rows) {
            if (table.knows(cells, `line ${line}`)) count++;
        }
    }
    return count;
}

/** The rows of the text, some at a time. */
async function* rowsOf(
    source: TextSource,
    delimiter: string,
    turns = new Turns(),
): AsyncGenerator<readonly CsvRow[], void, void> {
    const reader = new CsvRows(delimiter);
    for await (const piece of piecesOf(source, turns)) yield* inTurns(reader.push(piece), turns);
    yield* inTurns(reader.end(), turns);
}

/** Gathers the rows of a table into pages of records. `where` names a row in messages. */
export class Pages {
    private readonly pages: WeighedPages;

    constructor(
        private readonly table: Table,
        from: ReadFrom,
    ) {
        this.pages = new WeighedPages(from);
    }

    /** Takes a row of so many characters; answers a page when one is full. */
    add(cells: readonly JsonValue[], where: string, length = 0): RecordPage | undefined {
        if (!this.table.knows(cells, where)) return undefined;
        if (this.pages.isSkipping) return void this.pages.skip();
        const weight = length + CELL_WEIGHT * cells.length;
        const fault = this.table.faultOf(cells, where);
        if (fault) this.pages.addFault(fault, weight);
        else this.pages.add(this.table.record(cells), weight);
        return this.pages.full()[0];
    }

    /** What has not filled a page. */
    rest(): RecordPage | undefined {
        return this.pages.rest()[0];
    }
}

/** The columns of a table, known from its first row on. */
export class Table {
    private columns: readonly string[] | undefined;
    private blank: JsonObject = {};
    private hasProto = false;

    constructor(private readonly hasHeader: boolean) {}

    /** False for the header. Learns the columns from the first row; throws SOURCE_MALFORMED for a header that names no columns. */
    knows(cells: readonly JsonValue[], where: string): boolean {
        if (this.columns) return true;
        this.columns = this.hasHeader ? headerOf(cells, where) : cells.map((_, i) => `column${i + 1}`);
        this.blank = Object.fromEntries(this.columns.map(column => [column, '']));
        this.hasProto = this.columns.includes('__proto__');
        return !this.hasHeader;
    }

    /** A row of another width than the table is no record. */
    faultOf(cells: readonly JsonValue[], where: string): RowFault | undefined {
        const columns = this.columns!;
        if (cells.length === columns.length) return undefined;
        const names = cells.map((_, i) => columns[i] ?? `column${i + 1}`);
        const path = columns[cells.length] ?? `column${columns.length + 1}`;
        const owner = this.hasHeader ? 'the header' : 'the first row';
        return {
            path: pathOf(path),
            data: Object.fromEntries(cells.map((cell, i) => [names[i]!, cell])),
            problem: `${where} has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'} and ${owner} ${columns.length}`,
        };
    }

    record(cells: readonly JsonValue[]): JsonObject {
        const columns = this.columns!;
        // A field "__proto__" must be an ordinary field, which only a definition makes it, not a write.
        if (this.hasProto) return Object.fromEntries(columns.map((column, i) => [column, cells[i]!]));
        const record: Record<string, JsonValue> = { ...this.blank };
        for (let i = 0; i < columns.length; i++) record[columns[i]!] = cells[i]!;
        return record;
    }
}

function headerOf(cells: readonly JsonValue[], where: string): readonly string[] {
    const seen = new Set<string>();
    return cells.map((cell, i) => {
        const name = String(cell ?? '').trim();
        if (name === '')
            throw flowError('SOURCE_MALFORMED', { where, problem: `column ${i + 1} of the header has no name` });
        if (seen.has(name))
            throw flowError('SOURCE_MALFORMED', { where, problem: `the header names two columns "${name}"` });
        seen.add(name);
        return name;
    });
}
