import { isDateCell } from './date-cells';
import { readNumberCell } from './number-cells';

/** Letters and digits of a text as runs: `MÜL-0001` is `A-0`. */
export function shapeOf(text: string): string {
    return text
        .replace(/\p{Lu}+/gu, 'A')
        .replace(/\p{L}+/gu, letters => (letters === 'A' ? 'A' : 'a'))
        .replace(/\d+/g, '0')
        .replace(/\s+/g, ' ');
}

const ADDRESS = /^(?:https?:\/\/\S+|\S+@\S+\.\S+)$/i;
const WORDS = /^[\p{L}\p{N}("'“„#*€$£][\p{L}\p{N}\p{M} .'’"“”„\-–_/&()+%€$£°#*:!?®™²³×]*$/u;

/** True for a cell that is a whole value: a number, a date, an address or words without a sign that separates cells. */
export function isCellValue(cell: string): boolean {
    const text = cell.trim();
    if (text === '') return true;
    if (text.length > 200) return false;
    return WORDS.test(text) || readNumberCell(text) !== undefined || isDateCell(text) || ADDRESS.test(text);
}
