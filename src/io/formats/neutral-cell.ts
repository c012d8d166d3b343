/** The column of exported rejected records that says why each was rejected. The csv extractor knows a file by it that comes back corrected. */
export const REASON = 'Flow: reason';
/** The column beside it that says where the record stood at its source. */
export const PLACE = 'Flow: place';

/** The signs that begin a formula, full-width and small ones included. */
const SIGN = '[=+\\-@＝＋－＠﹦﹢﹣﹫]';
/** What a spreadsheet may pass over before one: blanks, characters that show nothing, and delimiters of other files than this one. */
const PASSED_OVER = '[\\s\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u2800,;|]*';
/** What a spreadsheet takes for a formula, or as nothing; a number with a sign is none. */
const FORMULA = new RegExp(`^(?:[\\t\\r\\n]|(${PASSED_OVER})${SIGN})`, 'u');
const NUMBER = /^[+-]?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?$/i;
/** An apostrophe that `neutralised` has put in front. */
const GIVEN = new RegExp(`^'(?:['\\t\\r\\n]|${PASSED_OVER}${SIGN})`, 'u');

/** A cell that no spreadsheet takes for a formula: an apostrophe in front makes it text. One that is there already is doubled, so that none is ambiguous. */
export function neutralised(cell: string): string {
    return cell.startsWith("'") || isFormula(cell) ? `'${cell}` : cell;
}

/** The cell that `neutralised` was given; one that it has not written stays as it is. */
export function restored(cell: string): string {
    return GIVEN.test(cell) ? cell.slice(1) : cell;
}

function isFormula(cell: string): boolean {
    const found = FORMULA.exec(cell);
    if (!found) return false;
    const [, before] = found;
    return before === undefined || !NUMBER.test(cell.slice(before.length));
}
