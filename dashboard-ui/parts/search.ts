import { SYNONYM_GROUPS } from './synonyms';

/** The texts of something that is searched. */
export interface SearchedTexts {
    readonly titles: readonly string[];
    readonly codes: readonly string[];
    /** What it does. */
    readonly about: string;
}

/** How well something matches; lower is better. */
type Rank = 0 | 1 | 2 | 3 | 4;

const MIN_PREFIX = 3;

/**
 * What has all words of a search, in titles, codes or descriptions. First what is called so, last what only has words with the same meaning:
 * "column" finds what works on fields, "Spalte" too. An empty search finds everything.
 */
export function searched<T>(all: readonly T[], text: string, textsOf: (one: T) => SearchedTexts): readonly T[] {
    const whole = text.trim().toLowerCase();
    const words = wordsIn(whole);
    return all
        .flatMap(one => {
            const rank = rankOf(textsOf(one), whole, words);
            return rank === undefined ? [] : [{ one, rank }];
        })
        .sort((a, b) => a.rank - b.rank)
        .map(({ one }) => one);
}

function rankOf({ titles, codes, about }: SearchedTexts, whole: string, words: readonly string[]): Rank | undefined {
    const names = [...titles, ...codes].map(name => name.toLowerCase());
    const called = names.join(' ');
    const all = `${called} ${about.toLowerCase()}`;
    if (names.some(name => name.startsWith(whole))) return 0;
    if (words.every(word => all.includes(word))) {
        if (names.some(name => name.startsWith(words[0] ?? ''))) return 1;
        return words.every(word => called.includes(word)) ? 2 : 3;
    }
    const parts = wordsIn(all);
    return words.every(word => all.includes(word) || synonymsOf(word).some(other => hasWord(parts, other)))
        ? 4
        : undefined;
}

function synonymsOf(word: string): readonly string[] {
    return SYNONYM_GROUPS.filter(group => group.some(one => isMeant(one, word))).flat();
}

/** Whether a word of a group is typed, its beginning, or another form of it: "umbenennen" of "umbenenn". */
function isMeant(one: string, word: string): boolean {
    if (one === word) return true;
    return Math.min(one.length, word.length) >= MIN_PREFIX && (one.startsWith(word) || word.startsWith(one));
}

/** Words of a text may be longer: "fields" of "field". */
function hasWord(parts: readonly string[], word: string): boolean {
    return parts.some(part => part.startsWith(word));
}

function wordsIn(text: string): readonly string[] {
    return text.split(/[^\p{L}\p{N}€$%]+/u).filter(Boolean);
}
