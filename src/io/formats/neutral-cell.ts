/** The column of exported rejected records that says why each was rejected. The csv extractor knows a file by it that comes back corrected. */
export const REASON = 'Flow: reason';
/** The column beside it that says where the record stood at its source. */
export const PLACE = 'Flow: place';

/** What a spreadsheet takes for a formula, full-width signs included; a number with a sign is none. */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;
const NUMBER = /^[+-]?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?$/i;
/** An apostrophe that `neutralised` has put in front. */
const GIVEN = /^'['=+\-@＝＋－＠\t\r\n]/;

/** A cell that no spreadsheet takes for a formula: an apostrophe in front makes it text. One that is there already is doubled, so that none is ambiguous. */
export function neutralised(cell: string): string {
    return cell.startsWith("'") || (FORMULA.test(cell) && !NUMBER.test(cell)) ? `'${cell}` : cell;
}

/** The cell that `neutralised` was given; one that it has not written stays as it is. */
export function restored(cell: string): string {
    return GIVEN.test(cell) ? cell.slice(1) : cell;
}
