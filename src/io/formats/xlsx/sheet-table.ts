import type { JsonObject, JsonValue } from '../../../core/value/json';
import { logText, type LogText } from '../../../core/log/log-text';
import { pathOf } from '../../../core/data/path';
import { flowError, type FlowError } from '../../../core/errors/flow-error';
import { freeNames, nameOfColumn } from '../csv-header';
import { type EmptyValues, emptyValue } from '../empty-values';
import { CELL_WEIGHT, type RowIssue } from '../sized-pages';
import { CellIssue } from './cell';
import { cellName, columnName } from './cell-position';
import type { SheetCell, SheetRow } from './sheet-rows';

/**
 * An object with more fields becomes a dictionary: V8 builds it faster than it copies it, and it takes four times the
 * memory.
 */
const MOST_PLAIN = 1000;
const DICTIONARY_WEIGHT = 4;

/** At most this number of columns without a name is reported. */
const MAX_REPORTED = 20;

/** How the rows of a sheet become records. */
interface SheetRules {
    readonly hasHeader: boolean;
    /** Default: null. */
    readonly emptyValues?: EmptyValues | undefined;
    /** Is called with what is allowed but probably not intended. */
    readonly warn?: ((problem: LogText) => void) | undefined;
}

/**
 * The columns of a sheet, known from its first row on. The rules are those of a CSV header, except for what a sheet
 * does not show: a shorter row has empty cells, and a column without a name, even after the last named one, is left
 * out as long as all its cells are empty.
 */
export class SheetTable {
    private names: string[] | undefined;
    private nextName: (column: number) => string = freeNames(new Set());
    /** How many columns without a name were reported. */
    private reported = 0;
    private named = 0;
    /** The columns without their own name in which all cells have been empty so far. */
    private readonly nameless = new Set<number>();
    private headerRow = 0;
    readonly hasHeader: boolean;
    private readonly emptyValues: EmptyValues;
    private blank: () => Record<string, JsonValue> = () => ({});

    constructor(private readonly rules: SheetRules) {
        this.hasHeader = rules.hasHeader;
        this.emptyValues = rules.emptyValues ?? 'NULL';
    }

    /**
     * The number of fields of a record whose row is empty: those of the columns that have a name, unless empty cells
     * are not fields.
     */
    get fields(): number {
        return emptyValue(this.emptyValues) === undefined ? 0 : this.named;
    }

    /** About what a record takes in addition to its texts, in characters. */
    get recordWeight(): number {
        return CELL_WEIGHT * this.named * (this.named > MOST_PLAIN ? DICTIONARY_WEIGHT : 1);
    }

    /** Those that have a name, or something in them; undefined before the first row. */
    get columns(): readonly string[] | undefined {
        return this.names?.filter((_, column) => !this.nameless.has(column));
    }

    /** False for the header and for blank rows. Throws SOURCE_MALFORMED for a header that does not name the columns. */
    hasRecord(row: SheetRow): boolean {
        if (isBlankRow(row)) return false;
        if (this.names) {
            this.addColumns(widthOf(row));
            if (this.nameless.size > 0) this.findNameless(row);
            return true;
        }
        this.names = this.hasHeader
            ? this.header(row)
            : Array.from({ length: widthOf(row) }, (_, i) => `column${i + 1}`);
        const columns = this.columns!;
        this.named = columns.length;
        const empty = emptyValue(this.emptyValues);
        if (empty !== undefined) this.blank = blankOf(columns, empty);
        return !this.hasHeader;
    }

    /** A row with a cell that has no valid value is not a record. */
    faultOf(row: SheetRow): RowIssue | undefined {
        const broken = row.cells.find(({ value }) => value instanceof CellIssue);
        if (!broken) return undefined;
        const where = cellName(row.number, broken.column);
        return this.issue(row, broken, `cell ${where} ${(broken.value as CellIssue).problem}`);
    }

    record(row: SheetRow): JsonObject {
        const record = this.blank();
        for (const cell of row.cells) {
            if (isBlank(cell)) continue;
            const { column, value } = cell;
            const name = this.names![column];
            // A field "__proto__" must be an ordinary field, which only a definition makes it, not a write.
            if (name === '__proto__')
                Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true });
            else if (name !== undefined) record[name] = value as JsonValue;
        }
        return record;
    }

    private issue(row: SheetRow, { column }: SheetCell, problem: string): RowIssue {
        const data = row.cells.map(
            cell => [this.nameOf(cell.column), cell.value instanceof CellIssue ? cell.value.text : cell.value] as const,
        );
        return { path: pathOf(this.nameOf(column)), data: Object.fromEntries(data), problem };
    }

    private nameOf(column: number): string {
        return this.names![column]!;
    }

    /** Columns after the last known one. */
    private addColumns(width: number): void {
        const names = this.names!;
        for (let column = names.length; column < width; column++) {
            this.nameless.add(column);
            names.push(this.nextName(column));
        }
    }

    private header(row: SheetRow): string[] {
        const given = headerOf(row, this.rules.warn);
        const free = freeNames(new Set(given.filter(name => name !== undefined)));
        this.nextName = free;
        this.headerRow = row.number;
        return given.map((name, column) => {
            if (name === undefined) this.nameless.add(column);
            return name ?? free(column);
        });
    }

    private findNameless({ number, cells }: SheetRow): void {
        for (const cell of cells) {
            const { column } = cell;
            if (isBlank(cell) || !this.nameless.delete(column) || ++this.reported > MAX_REPORTED) continue;
            const facts = {
                column: columnName(column),
                cell: cellName(number, column),
                name: this.names![column]!,
                row: this.headerRow,
            };
            const event = this.named === 1 ? 'SHEET_AFTER_TITLE' : 'SHEET_COLUMN_UNNAMED';
            this.rules.warn?.(logText(this.hasHeader ? event : 'SHEET_ROW_SHORT', facts));
        }
    }
}

function headerOf({ number, cells }: SheetRow, warn: SheetRules['warn']): ReadonlyArray<string | undefined> {
    const names: (string | undefined)[] = [];
    const seen = new Set<string>();
    for (const { column, value } of cells) {
        if (value instanceof CellIssue)
            throw malformed(`cell ${cellName(number, column)}`, `the header ${value.problem}`);
        const name = nameOfColumn(String(value), warn);
        if (name === '') continue;
        if (seen.has(name)) throw malformed(`row ${number}`, `the header names two columns "${name}"`);
        seen.add(name);
        while (names.length < column) names.push(undefined);
        names.push(name);
    }
    if (names.length === 0) throw malformed(`row ${number}`, 'the header names no column');
    return names;
}

/** Makes empty records. */
function blankOf(names: readonly string[], empty: JsonValue): () => Record<string, JsonValue> {
    if (names.length <= MOST_PLAIN || names.includes('__proto__')) {
        const blank = Object.fromEntries(names.map(name => [name, empty]));
        return () => ({ ...blank });
    }
    return () => {
        const record: Record<string, JsonValue> = {};
        for (const name of names) record[name] = empty;
        return record;
    };
}

function widthOf({ cells }: SheetRow): number {
    return 1 + (cells.findLast(cell => !isBlank(cell))?.column ?? -1);
}

/** True for a row without values. */
export function isBlankRow({ cells }: SheetRow): boolean {
    return cells.every(isBlank);
}

function isBlank({ value }: SheetCell): boolean {
    return value === '' || value === null;
}

function malformed(where: string, problem: string): FlowError {
    return flowError('SOURCE_MALFORMED', { where, problem });
}
