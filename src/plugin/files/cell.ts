import type { JsonValue } from '../../core/value/json';
import { neutralised } from '../../io/formats/neutral-cell';

/** A value as a cell that no spreadsheet takes for a formula. Lists and objects become JSON. */
export function cellOf(value: JsonValue | undefined): string {
    if (value === undefined || value === null) return '';
    return neutralised(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** A line of CSV with its end. */
export function lineOf(cells: readonly string[], delimiter: string): string {
    return `${cells.map(cell => quoted(cell, delimiter)).join(delimiter)}\r\n`;
}

function quoted(cell: string, delimiter: string): string {
    return /["\r\n]/.test(cell) || cell.includes(delimiter) || /^\s|\s$/.test(cell)
        ? `"${cell.replaceAll('"', '""')}"`
        : cell;
}
