/** V8 copies shorter pieces when they are cut out of a text; longer pieces refer to the whole text. */
const LEAST_REMEMBERED = 13;
const LATIN1 = /^[\0-\xff]*$/;

/** A separate copy of a text: a piece that is cut out of a larger text keeps all of that in memory. */
export function ownText(text: string): string {
    if (text.length < LEAST_REMEMBERED) return text;
    const encoding = LATIN1.test(text) ? 'latin1' : 'utf16le';
    return Buffer.from(text, encoding).toString(encoding);
}
