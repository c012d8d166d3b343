const LEAST_PREFIX = 3;
/** Without a point, only a long beginning is a shortened word: `descr`. */
const LEAST_WITHOUT_POINT = 5;
/** With fewer letters left out, it is another word. */
const LEAST_LEFT_OUT = 3;
const VOWEL = /[aeiouy]/;

/**
 * Whether a word is short for another: its beginning (`descr.` of `descrizione`) or, with a point, some of its letters (`vrd.` of `voorraad`, `q.ta` of
 * `quantita`). Both are folded.
 */
export function isShortFor(word: string, full: string, hasPoint: boolean): boolean {
    if (word.length >= full.length || word.charAt(0) !== full.charAt(0)) return false;
    if (full.startsWith(word)) return word.length >= (hasPoint ? LEAST_PREFIX : LEAST_WITHOUT_POINT);
    if (!hasPoint || word.length < 2 || full.length < word.length + LEAST_LEFT_OUT || !hasLetters(full, word))
        return false;
    return !VOWEL.test(word) || word.at(-1) === full.at(-1);
}

/** Whether the letters of a word are in another in this order. */
function hasLetters(full: string, word: string): boolean {
    let at = 0;
    for (const letter of full) if (letter === word[at]) at++;
    return at === word.length;
}
