import type { JsonValue } from '../../core/value/json';
import { DELIMITERS } from '../../io/formats/delimiters';
import { neutralised } from '../../io/formats/neutral-cell';

/** A value as a cell that no spreadsheet takes for a formula. Lists and objects become JSON. */
export function cellOf(value: JsonValue | undefined): string {
    if (value === undefined || value === null) return '';
    return neutralised(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** A line of CSV with its end. Quotes go round whatever a spreadsheet with another list separator would cut at, too. */
export function lineOf(cells: readonly string[], delimiter: string): string {
    return `${cells.map(cell => quoted(cell, delimiter)).join(delimiter)}\r\n`;
}

const NEEDS_QUOTES = new RegExp(`["\\r\\n${DELIMITERS.join('')}]|^\\s|\\s$`);

function quoted(cell: string, delimiter: string): string {
    return NEEDS_QUOTES.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
