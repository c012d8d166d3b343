import type { JsonValue } from '../../../core/value/json';
import { flowError, type FlowError } from '../../../core/errors/flow-error';
import type { MarkupEvents } from '../markup';
import { CELL_WEIGHT } from '../sized-pages';
import { type CellContext, CellIssue, cellValue, type RawCell } from './cell';
import { MAX_CELL, MAX_COLUMNS, MAX_ROW, MAX_ROWS } from './limits';
import { localName } from './part';
import { cellName, cellPositionOf, rowOf } from './cell-position';
import { RichText } from './rich-text';
import { type PlainCell, type PlainRows, SheetFastPath } from './sheet-fast-path';

/** The cells of a row that are not empty, from left to right. */
export interface SheetRow {
    /** Counted from 1. */
    readonly number: number;
    readonly cells: readonly SheetCell[];
    /** About its size in characters. */
    readonly weight: number;
}

export interface SheetCell {
    /** Counted from 0. */
    readonly column: number;
    readonly value: JsonValue | CellIssue;
}

interface RawRow {
    readonly number: number;
    readonly cells: readonly RawCell[];
}

/**
 * Reads the rows from the markup of a sheet. Only the content of `sheetData` counts; the sheet's dimension may be
 * wrong and does not count.
 */
export class SheetRows implements MarkupEvents, PlainRows {
    readonly shortcut = new SheetFastPath(this);
    private rows: RawRow[] = [];
    private isInData = false;
    private row = 0;
    private cells: RawCell[] = [];
    private weight = 0;
    private column = -1;
    private isInCell = false;
    private isInValue = false;
    private hasFormula = false;
    private hasValue = false;
    private readonly rich = new RichText();
    private type = 'n';
    private style = '';
    private content = '';

    constructor(private readonly context: CellContext) {}

    /**
     * The rows that are complete since the last call. Each is built when it is requested: few bytes of a sheet can
     * name many long strings.
     */
    *take(): Generator<SheetRow, void, void> {
        const { rows } = this;
        this.rows = [];
        for (const row of rows) yield sheetRow(row, this.context);
    }

    open(name: string, attributes: Readonly<Record<string, string>>): void {
        const element = localName(name);
        if (!this.isInData) {
            this.isInData = element === 'sheetData';
        } else if (this.isInCell) {
            if (element === 'v') this.isInValue = this.hasValue = true;
            else if (element === 'f') this.hasFormula = true;
            else this.rich.open(element);
        } else if (element === 'c') {
            this.openCell({ name: attributes['r'], type: attributes['t'], style: attributes['s'] });
            this.isInCell = true;
        } else if (element === 'row') {
            this.openRow(attributes['r']);
        }
    }

    text(text: string): void {
        if (!this.isInValue && !this.rich.takesText) return;
        this.content += text;
        this.checkLength();
    }

    close(name: string): void {
        const element = localName(name);
        if (this.isInCell) {
            if (element === 'v') this.isInValue = false;
            else if (element === 'c') this.closeCell();
            else this.rich.close(element);
        } else if (element === 'row' && this.isInData) {
            this.closeRow();
        } else if (element === 'sheetData') {
            this.isInData = false;
        }
    }

    get takesRows(): boolean {
        return this.isInData && !this.isInCell;
    }

    /** A whole cell. */
    cell(cell: PlainCell): void {
        this.openCell(cell);
        this.content = cell.text;
        this.checkLength();
        this.closeCell();
    }

    closeRow(): void {
        if (this.cells.length > 0) this.rows.push({ number: this.row, cells: this.cells });
    }

    /** Rows and cells may state their place; without it they follow the previous one. */
    openRow(name: string | undefined): void {
        const row = name === undefined ? this.row + 1 : rowOf(name);
        if (row === undefined || row > MAX_ROWS)
            throw malformed(
                `the row after row ${this.row}`,
                `it has the number ${JSON.stringify(name ?? row)}; allowed: 1 to ${MAX_ROWS}`,
            );
        if (row <= this.row) throw malformed(`row ${row}`, `it comes after row ${this.row}`);
        this.row = row;
        this.cells = [];
        this.weight = 0;
        this.column = -1;
    }

    private openCell({ name, type = 'n', style = '0' }: Omit<PlainCell, 'text'>): void {
        const column = name === undefined ? this.column + 1 : this.columnOf(name);
        if (column >= MAX_COLUMNS) throw malformed(`row ${this.row}`, `it has more than ${MAX_COLUMNS} columns`);
        if (column <= this.column)
            throw malformed(
                `cell ${cellName(this.row, column)}`,
                `it comes after cell ${cellName(this.row, this.column)}`,
            );
        this.column = column;
        this.type = type;
        this.style = style;
        this.content = '';
        this.hasFormula = false;
        this.hasValue = false;
        this.rich.reset();
    }

    private checkLength(): void {
        if (this.content.length <= MAX_CELL) return;
        throw malformed(`cell ${cellName(this.row, this.column)}`, `its text is longer than ${MAX_CELL} characters`);
    }

    private columnOf(name: string): number {
        const place = cellPositionOf(name);
        if (place?.row === this.row) return place.column;
        throw malformed(`row ${this.row}`, `a cell in it has the name ${JSON.stringify(name)}`);
    }

    private closeCell(): void {
        this.isInCell = false;
        this.isInValue = false;
        const { row, column, type, style, content: text } = this;
        this.context.budget.take('cells', 1, () => `row ${row}`);
        // Excel stores a formula that yields an empty text as `<v></v>` of the type "str".
        const isUncalculated = this.hasFormula && text === '' && !(type === 'str' && this.hasValue);
        this.cells.push({ row, column, type, style, text, isUncalculated });
        this.weight += CELL_WEIGHT + text.length;
        if (this.weight > MAX_ROW) throw tooLong(row);
    }
}

function sheetRow({ number, cells: raw }: RawRow, context: CellContext): SheetRow {
    const cells: SheetCell[] = [];
    let weight = 0;
    for (const cell of raw) {
        const value = cellValue(cell, context);
        if (value === null) continue;
        cells.push({ column: cell.column, value });
        weight +=
            CELL_WEIGHT +
            (value instanceof CellIssue ? value.text.length : typeof value === 'string' ? value.length : 0);
        if (weight > MAX_ROW) throw tooLong(number);
    }
    context.budget.take('characters', weight - CELL_WEIGHT * cells.length, () => `row ${number}`);
    return { number, cells, weight };
}

function tooLong(row: number): FlowError {
    return malformed(`row ${row}`, `its cells are longer than ${MAX_ROW} characters`);
}

function malformed(where: string, problem: string): FlowError {
    return flowError('SOURCE_MALFORMED', { where, problem });
}
