import type { JsonValue } from '../../core/data/json';

/** What a spreadsheet would take for a formula; a number with a sign is none. */
const FORMULA = /^[=+\-@\t\r\n]/;
const NUMBER = /^[+-]?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?$/i;

/** A value as a cell that no spreadsheet takes for a formula: an apostrophe in front makes it text. Lists and objects become JSON. */
export function cellOf(value: JsonValue | undefined): string {
    if (value === undefined || value === null) return '';
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

/** A line of CSV with its end. */
export function lineOf(cells: readonly string[], delimiter: string): string {
    return `${cells.map(cell => quoted(cell, delimiter)).join(delimiter)}\r\n`;
}

function quoted(cell: string, delimiter: string): string {
    return /["\r\n]/.test(cell) || cell.includes(delimiter) || /^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
