/**
 * The column of exported rejected records with the reason for the rejection. The csv extractor uses it to recognize a
 * corrected file.
 */
export const REASON_COLUMN = 'Flow: reason';
/** The column next to it with the record's place in its source. */
export const LOCATION_COLUMN = 'Flow: place';

/** The signs that begin a formula, full-width and small ones included. */
const SIGN = '[=+\\-@＝＋－＠﹦﹢﹣﹫]';
/** What a spreadsheet may skip before a formula: blanks, invisible characters, and other delimiters than the file's. */
const PASSED_OVER = '[\\s\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u2800,;|]*';
/** What a spreadsheet reads as a formula, or skips before one; a number with a sign is not a formula. */
const FORMULA = new RegExp(`^(?:[\\t\\r\\n]|(${PASSED_OVER})${SIGN})`, 'u');
const NUMBER = /^[+-]?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?$/i;
/** An apostrophe that `escapedFormula` has put in front. */
const GIVEN = new RegExp(`^'(?:['\\t\\r\\n]|${PASSED_OVER}${SIGN})`, 'u');

/**
 * What a spreadsheet that splits at another delimiter than the file's reads as a separate cell: it respects quotes
 * only at the beginning of a cell.
 */
const PIECE = /([,;\t\r\n])([^,;\t\r\n]*)/g;
const BLANK = '(?:(?![,;\\t\\r\\n])[\\s\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u2800|])*';
const FORMULA_WITHIN = new RegExp(`^'*(${BLANK})${SIGN}`, 'u');
const GIVEN_WITHIN = new RegExp(`^'+${BLANK}${SIGN}`, 'u');

/**
 * A cell that no spreadsheet reads as a formula, and neither any piece of it: an apostrophe before it makes it text.
 * An existing apostrophe is doubled, so that the result is unambiguous.
 */
export function escapedFormula(cell: string): string {
    const text = cell.startsWith("'") || isFormula(cell) ? `'${cell}` : cell;
    return text.replace(PIECE, (...found: [string, string, string, number]) => {
        const [whole, cut, piece, at] = found;
        const formula = FORMULA_WITHIN.exec(piece);
        if (!formula || NUMBER.test(upTo(cut, text, at + 1 + formula[1]!.length))) return whole;
        return `${cut}'${piece}`;
    });
}

/** The cell that was passed to `escapedFormula`; a cell that was not escaped stays unchanged. */
export function unescapedFormula(cell: string): string {
    const text = cell.replace(PIECE, (whole, cut: string, piece: string) =>
        GIVEN_WITHIN.test(piece) ? cut + piece.slice(1) : whole,
    );
    return GIVEN.test(text) ? text.slice(1) : text;
}

function isFormula(cell: string): boolean {
    const found = FORMULA.exec(cell);
    if (!found) return false;
    const [, before] = found;
    return before === undefined || !NUMBER.test(cell.slice(before.length));
}

/** What follows, as it is cut out where only this sign cuts. */
function upTo(cut: string, text: string, from: number): string {
    const end = text.indexOf(cut, from);
    return text.slice(from, end < 0 ? undefined : end);
}

/**
 * The text in a cell whose formula is a single text: `="00123"`, which programs write so that spreadsheets keep the
 * zeros. Any other cell stays unchanged.
 */
export function withoutFormulas(cell: string): string {
    const text = /^="((?:[^"]|"")*)"[ \t]*$/.exec(cell)?.[1];
    return text === undefined ? cell : text.replaceAll('""', '"');
}
