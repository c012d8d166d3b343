/**
 * Invisible characters that are often copied from web pages and spreadsheets: soft hyphens, zero-width spaces and
 * joiners, byte order marks and direction marks.
 */
const INVISIBLE = /[\s\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/;

/** Every invisible character and all white space. */
export const PADDING = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))
    .filter(character => INVISIBLE.test(character))
    .join('');

/** A text without the white space and the invisible characters around it. */
export function unpadded(text: string): string {
    let from = 0;
    let to = text.length;
    while (from < to && INVISIBLE.test(text[from]!)) from++;
    while (to > from && INVISIBLE.test(text[to - 1]!)) to--;
    return text.slice(from, to);
}
