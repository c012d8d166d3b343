import { tmpdir } from 'node:os';
import type { LogText } from '../../../core/log/log-text';
import type { EmptyValues } from '../empty-values';
import type { ReadFrom, RecordPage, RecordReader } from '../source';
import { readerYield } from '../reader-yield';
import { type RowLocation, type RowRules, rowSelection } from '../row-selection';
import { SizedPages } from '../sized-pages';
import { Archive, type ArchiveLimits } from './archive';
import type { WorkbookBudget } from './budget';
import { parsePart } from './part';
import { sheetReference } from './cell-position';
import { SharedStrings } from './shared-strings';
import { type SheetRow, SheetRows } from './sheet-rows';
import { isBlankRow, SheetTable } from './sheet-table';
import { readStyles } from './styles';
import { findSheet, readWorkbook } from './workbook';

export interface XlsxOptions extends ArchiveLimits, RowRules {
    /** The name of a sheet, or its place, counted from 0; the first visible one by default. */
    readonly sheet?: string | number;
    /** The first row names the columns; without it they are `column1`, `column2` … */
    readonly hasHeader?: boolean;
    /** What empty cells become. Default: null. */
    readonly emptyValues?: EmptyValues;
    /** Bytes of shared strings that are kept in memory; if there are more, they go to a file in `tempDir`. */
    readonly stringMemory?: number;
    readonly tempDir?: string;
    /** Is called with what is allowed but probably not intended, once for all passes. */
    readonly warn?: (problem: LogText) => void;
}

interface SheetOptions extends XlsxOptions {
    /** Is called with the name of the sheet before its rows come. */
    readonly named?: (name: string) => void;
}

const STRING_MEMORY = 16 * 1024 * 1024;

/** Reads one sheet of a workbook (ADR 10). Cells keep their types, dates become ISO text. */
export function xlsxReader(file: { readonly path: string }, given: XlsxOptions = {}): RecordReader {
    const said = new Set<string>();
    const warn = (problem: LogText): void => {
        if (!said.has(problem.message)) given.warn?.(problem);
        said.add(problem.message);
    };
    const options = { ...given, warn };
    return {
        async check() {
            const pages = new SizedPages({ skip: Infinity });
            const table = tableOf(options);
            for await (const _ of rowsInto(pages, file.path, { ...options, table })) continue;
            return { rows: pages.rows, ...(table.columns && { columns: table.columns }) };
        },
        async *read(from: ReadFrom): AsyncGenerator<RecordPage, void, void> {
            let sheet = '';
            const pages = new SizedPages(from, row => `${sheetReference(sheet)}!A${row}`);
            const named = { ...options, table: tableOf(options), named: (name: string): void => void (sheet = name) };
            for await (const _ of rowsInto(pages, file.path, named)) yield* pages.full();
            yield* pages.rest();
        },
    };
}

/** The names of the sheets that hold rows, in the order of the workbook. */
export async function sheetNames(path: string, signal?: AbortSignal, maxInflated?: number): Promise<readonly string[]> {
    const archive = await Archive.open(path, { signal, maxInflated });
    try {
        return (await readWorkbook(archive)).sheets.map(({ name }) => name);
    } finally {
        await archive.close();
    }
}

/** A sheet of a workbook. */
interface SheetOverview {
    readonly name: string;
    readonly isHidden: boolean;
    /** The sheet that is read if none is named. */
    readonly isDefault: boolean;
}

/** The sheets that hold rows, in the order of the workbook. */
export async function listSheets(path: string, limits: ArchiveLimits = {}): Promise<readonly SheetOverview[]> {
    const archive = await Archive.open(path, limits);
    try {
        const workbook = await readWorkbook(archive);
        const first = findSheet(workbook);
        return workbook.sheets.map(sheet => ({
            name: sheet.name,
            isHidden: sheet.isHidden,
            isDefault: sheet === first,
        }));
    } finally {
        await archive.close();
    }
}

/** The rows of a sheet as they are, without a header. */
export async function* sheetRows(path: string, options: XlsxOptions = {}): AsyncGenerator<SheetRow, void, void> {
    const turns = readerYield(options.signal);
    for await (const { rows } of rowsOf(path, options)) {
        for (const row of rows) {
            yield row;
            if (turns.isDue) await turns.turn();
        }
    }
}

function tableOf({ hasHeader = true, emptyValues, warn }: XlsxOptions): SheetTable {
    return new SheetTable({ hasHeader, emptyValues, warn });
}

/** Puts the rows of the sheet into the pages; turns to the caller whenever one is full. */
async function* rowsInto(
    pages: SizedPages,
    path: string,
    { table, ...options }: SheetOptions & { readonly table: SheetTable },
): AsyncGenerator<void, void, void> {
    const turns = readerYield(options.signal);
    const selection = rowSelection<SheetRow>(options, table.hasHeader);
    for await (const { rows, budget } of rowsOf(path, options)) {
        for (const given of rows) {
            const row = !selection || isBlankRow(given) ? given : selection.next(given, locationOf(given));
            if (row && table.hasRecord(row)) {
                budget.take('fields', table.fields, () => `row ${row.number}`);
                add(row, table, pages);
            }
            if (pages.isFull) yield;
            if (turns.isDue) await turns.turn();
        }
    }
}

function locationOf({ number, weight }: SheetRow): RowLocation {
    return { number, weight, nameOf: () => `row ${number}` };
}

function add(row: SheetRow, table: SheetTable, pages: SizedPages): void {
    if (pages.isSkipping) return pages.skip();
    const issue = table.faultOf(row);
    const { weight, number } = row;
    if (issue) pages.addFault(issue, weight, number);
    else pages.add(table.record(row), weight + table.recordWeight, number);
}

/** The rows that were read with a piece of the sheet, and the rest of their budget. */
interface SheetPiece {
    readonly rows: Iterable<SheetRow>;
    readonly budget: WorkbookBudget;
}

async function* rowsOf(
    path: string,
    { sheet, named, stringMemory: memory = STRING_MEMORY, tempDir = tmpdir(), ...limits }: SheetOptions,
): AsyncGenerator<SheetPiece, void, void> {
    const archive = await Archive.open(path, limits);
    try {
        const workbook = await readWorkbook(archive);
        const { part, name } = findSheet(workbook, sheet);
        named?.(name);
        const kinds = await readStyles(archive, workbook.styles);
        const strings = await SharedStrings.read(archive, workbook.sharedStrings, { memory, tempDir });
        try {
            const { budget } = archive;
            const rows = new SheetRows({ strings, kinds, is1904: workbook.is1904, budget });
            for await (const _ of parsePart(archive, part, rows)) yield { rows: rows.take(), budget };
        } finally {
            await strings.release();
        }
    } finally {
        await archive.close();
    }
}
