/** The plain spelling of letters that have no decomposition. */
const PLAIN: Readonly<Record<string, string>> = {
    ß: 'ss',
    æ: 'ae',
    œ: 'oe',
    ø: 'o',
    đ: 'd',
    ð: 'd',
    ł: 'l',
    þ: 'th',
    ı: 'i',
    ħ: 'h',
    ŋ: 'n',
    ŧ: 't',
    ĸ: 'k',
    ſ: 's',
};
const SPECIAL = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'g');
/** Apostrophes within words are removed: "Men's" becomes "mens". */
const APOSTROPHES = /['’‘`´ʼ]/g;
/** These would turn into letters ("tm"); they separate words instead. */
const SIGNS = /[©®™]/g;

/** Below this code (Latin with all European letters), one table has the plain spelling of every character. */
const LATIN_END = 0x250;
/**
 * By character code: the replacement within a word, '' to skip the character, null to separate words, undefined for
 * characters that need more ("¼").
 */
const LATIN: ReadonlyArray<string | null | undefined> = Array.from({ length: LATIN_END }, (_, code) => {
    const letter = String.fromCharCode(code);
    if (letter.replace(APOSTROPHES, '') === '') return '';
    const words = wordsOf(letter);
    if (words.length === 0) return null;
    return words[0] === fold(letter) ? words[0] : undefined;
});

/**
 * The slug of a text: lower case, words joined by the separator, '' if the text has no letters or digits. Accents are
 * removed, so "Café" and "Cafe" have the same slug; ä, ö, ü become ae, oe, ue, as in Vendure.
 */
export function slugOfText(text: string, separator: string): string {
    return latinSlug(text.toLowerCase(), separator) ?? wordsOf(text).join(separator).normalize('NFC');
}

/** One pass over the letters; undefined if there are others than Latin ones. */
function latinSlug(text: string, separator: string): string | undefined {
    let out = '';
    /** The start of a run of plain letters and digits that is not copied yet. */
    let start = -1;
    let isNewWord = false;
    for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i);
        if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57)) {
            if (start < 0) start = i;
            continue;
        }
        const plain = LATIN[code];
        if (plain === undefined) return undefined;
        if (start >= 0) {
            out += isNewWord ? separator + text.slice(start, i) : text.slice(start, i);
            start = -1;
            isNewWord = false;
        }
        if (plain === null) {
            isNewWord = out !== '';
        } else if (plain !== '') {
            out += isNewWord ? separator + plain : plain;
            isNewWord = false;
        }
    }
    if (start < 0) return out;
    return start === 0 ? text : out + (isNewWord ? separator : '') + text.slice(start);
}

function fold(text: string): string {
    return text
        .replace(SIGNS, ' ')
        .replace(APOSTROPHES, '')
        .normalize('NFKD')
        .toLowerCase()
        .replace(/([aou])\u0308/g, '$1e')
        .replace(/[\u0300-\u036f]/g, '')
        .replace(/ʼ/g, '')
        .replace(SPECIAL, letter => PLAIN[letter]!);
}

/** Marks that are not accents belong to their letters (Devanagari, Thai, kana). */
function wordsOf(text: string): readonly string[] {
    return fold(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}
