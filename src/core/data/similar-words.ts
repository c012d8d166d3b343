import { factText, type FactText } from '../errors/rendered';

/** The known words that may have been meant by `given`, the most likely first. */
export function similarWords(given: string, known: readonly string[]): readonly string[] {
    const word = given.toLowerCase();
    const measured = known.map(other => ({ other, far: distance(other.toLowerCase(), word) }));
    const near = measured.filter(({ other, far }) => far <= Math.max(1, Math.min(other.length, word.length) / 3));
    return near.sort((a, b) => a.far - b.far).map(({ other }) => other);
}

/** The question for one word, two, and so on. */
export const HINTS = [
    'Did you mean {one}?',
    'Did you mean {one} or {two}?',
    'Did you mean {one} or {two} or {three}?',
] as const;

/** "Did you mean …?" for an unknown word; undefined if no known word is similar. */
export function didYouMean(given: string, known: readonly string[]): FactText | undefined {
    const [one, two, three] = similarWords(given, known).map(word => `"${word}"`);
    if (one === undefined) return undefined;
    if (two === undefined) return factText(HINTS[0], { one });
    return three === undefined ? factText(HINTS[1], { one, two }) : factText(HINTS[2], { one, two, three });
}

/** Levenshtein distance: the number of letters to change, add or remove. */
function distance(a: string, b: string): number {
    let row = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; i++) {
        const next = [i];
        for (let j = 1; j <= b.length; j++) {
            next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
        }
        row = next;
    }
    return row[b.length]!;
}
