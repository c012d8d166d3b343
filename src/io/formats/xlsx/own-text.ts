/** V8 copies what is shorter when it is cut out of a text; of longer pieces it remembers where they stand. */
const LEAST_REMEMBERED = 13;
const LATIN1 = /^[\0-\xff]*$/;

/** The same text as a copy of its own: one that is cut out of a larger text keeps all of that in memory. */
export function ownText(text: string): string {
    if (text.length < LEAST_REMEMBERED) return text;
    const encoding = LATIN1.test(text) ? 'latin1' : 'utf16le';
    return Buffer.from(text, encoding).toString(encoding);
}
