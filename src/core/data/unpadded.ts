/**
 * Characters that show nothing and that come along when text is copied from web pages and spreadsheets: soft hyphens, zero-width blanks and joiners, byte
 * order marks, and marks of direction.
 */
const INVISIBLE = /[\s\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/;

/** All of them, and all blanks. */
export const PADDING = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))
    .filter(character => INVISIBLE.test(character))
    .join('');

/** A text without the blanks and the invisible characters around it. */
export function unpadded(text: string): string {
    let from = 0;
    let to = text.length;
    while (from < to && INVISIBLE.test(text[from]!)) from++;
    while (to > from && INVISIBLE.test(text[to - 1]!)) to--;
    return text.slice(from, to);
}
