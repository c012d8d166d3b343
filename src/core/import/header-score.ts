import {
    CHANGING_PREFIXES,
    CHANGING_WORDS,
    COMMON_WORDS,
    NEUTRAL_PREFIXES,
    NEUTRAL_WORDS,
    UNIT_WORDS,
} from './header-terms';
import { readHeaderName, wordsOfHeader, type HeaderName } from './header-names';
import type { SuggestionReason } from './import-suggestion';
import { isShortFor } from './short-words';
import { SYNONYMS } from './synonyms';

/** How well a header names a field, 0 to 1, and why. */
interface HeaderScore {
    readonly score: number;
    readonly reason: SuggestionReason;
}

/** A word or phrase that means a field. */
interface Synonym {
    readonly words: readonly string[];
    readonly joined: string;
    readonly languages: readonly string[];
    /** A small deduction, so that the more usual of two synonyms wins. */
    readonly rarity: number;
}

/** The synonyms of a field, prepared for comparison. */
export interface FieldSynonyms {
    readonly exact: ReadonlySet<string>;
    readonly list: readonly Synonym[];
    readonly byJoined: ReadonlyMap<string, Synonym>;
    /** The words of the synonyms with their languages, by their first letters. */
    readonly byLetter: ReadonlyMap<
        string,
        ReadonlyArray<{ readonly text: string; readonly languages: ReadonlySet<string> }>
    >;
}

/** What is known about a header, and what leaves its meaning as it is in addition to the words that always do. */
interface HeaderOptions {
    readonly language?: string | undefined;
    /** Numbers: the field takes several columns. */
    readonly isMany?: boolean | undefined;
    readonly neutral?: ReadonlySet<string>;
}

const NO_WORDS: ReadonlySet<string> = new Set();
const NO_SCORE: HeaderScore = { score: 0, reason: { code: 'NONE', args: {} } };
const OTHER_MEANING = 0.3;
const MOST_RARITY = 0.01;

type Prepared = Omit<FieldSynonyms, 'exact'>;

/** The dictionary's synonyms, prepared once for each field. */
const PREPARED = new Map<string, Prepared>();

/** Prepares the synonyms of a field; `exact` are its own names, such as the id and the label of a custom field. */
export function buildFieldSynonyms(
    key: string,
    exact: readonly string[],
    added: readonly string[] = [],
): FieldSynonyms {
    const known = added.length === 0 ? PREPARED.get(key) : undefined;
    const prepared = known ?? prepareSynonyms(key, added);
    if (added.length === 0) PREPARED.set(key, prepared);
    return { ...prepared, exact: new Set(exact.map(name => wordsOfHeader(name).join(''))) };
}

function prepareSynonyms(key: string, added: readonly string[]): Prepared {
    const byJoined = new Map<string, Synonym>();
    const add = (text: string, language: string | undefined, rarity: number) => {
        const words = wordsOfHeader(text);
        const joined = words.join('');
        if (joined === '') return;
        const known = byJoined.get(joined);
        const languages = [...(known?.languages ?? []), ...(language === undefined ? [] : [language])];
        byJoined.set(joined, {
            words: known?.words ?? words,
            joined,
            languages,
            rarity: Math.min(known?.rarity ?? 1, rarity),
        });
    };
    for (const [language, texts] of Object.entries(SYNONYMS[key] ?? {}))
        texts.split(', ').forEach((text, i) => add(text, language, Math.min(MOST_RARITY, i * 0.001)));
    for (const text of added) add(text, undefined, 0);
    const list = [...byJoined.values()];
    return { list, byJoined, byLetter: wordsByLetter(list) };
}

function wordsByLetter(list: readonly Synonym[]): FieldSynonyms['byLetter'] {
    const languages = new Map<string, Set<string>>();
    for (const synonym of list) {
        for (const word of synonym.words) {
            const known = languages.get(word) ?? new Set();
            languages.set(word, known);
            for (const language of synonym.languages) known.add(language);
        }
    }
    const found = new Map<string, Array<{ readonly text: string; readonly languages: ReadonlySet<string> }>>();
    for (const [text, own] of languages) {
        const begins = found.get(text.charAt(0)) ?? [];
        found.set(text.charAt(0), begins);
        begins.push({ text, languages: own });
    }
    return found;
}

/** All words that are the name of a field by themselves. A further word of this kind changes what a header means. */
const FIELD_WORDS: ReadonlySet<string> = new Set(
    Object.values(SYNONYMS).flatMap(texts =>
        Object.values(texts)
            .flatMap(text => text.split(', '))
            .map(text => wordsOfHeader(text))
            .flatMap(words => (words.length === 1 ? words : [])),
    ),
);

/** The most that a header gets whose words are shortened, or that has several names for a column. */
const INDIRECT = 0.66;

/** Scores how well a header names a field. A header with shortened words is scored with the words that it may mean, and `SKU / Barcode` by its parts. */
export function scoreHeader(name: HeaderName, field: FieldSynonyms, options: HeaderOptions = {}): HeaderScore {
    const plain = scoreWords(name, field, options);
    if (plain.score >= INDIRECT) return plain;
    const full = fullName(name, field, options.language);
    const others = [
        ...(full ? [{ ...scoreWords(full, field, options), meant: full.stripped.join(' ') }] : []),
        ...(name.parts ?? []).map(part => ({ ...scoreWords(readHeaderName(part), field, options), meant: part })),
    ];
    const best = others.reduce((found, each) => (each.score > found.score ? each : found), { ...plain, meant: '' });
    if (best.score === plain.score || best.score <= OTHER_MEANING) return plain;
    const word = best.reason.args['word'] ?? best.meant;
    return { score: Math.min(best.score, INDIRECT), reason: { code: 'SIMILAR', args: { word } } };
}

/** The name with the words of the field that its words are short for; undefined if none is. */
function fullName(name: HeaderName, field: FieldSynonyms, language: string | undefined): HeaderName | undefined {
    const { words, stripped, shortened = NO_WORDS } = name;
    const found = new Map<string, string>();
    for (const word of stripped) {
        if (!mayBeShort(word, shortened) || field.byJoined.has(word)) continue;
        const meant = longNumber(word, field) ?? longWord(word, { field, language, hasPoint: shortened.has(word) });
        if (meant !== undefined) found.set(word, meant);
    }
    const written = (all: readonly string[]) => all.map(word => found.get(word) ?? word);
    const number = numberedName(stripped, field);
    if (number) return { ...name, words: number, withoutLanguage: number, stripped: number };
    if (found.size === 0) return undefined;
    return {
        ...name,
        words: written(words),
        withoutLanguage: written(name.withoutLanguage),
        stripped: written(stripped),
    };
}

function mayBeShort(word: string, shortened: ReadonlySet<string>): boolean {
    const isKnown =
        NEUTRAL_WORDS.has(word) || CHANGING_WORDS.has(word) || UNIT_WORDS.has(word) || FIELD_WORDS.has(word);
    return !isKnown && (shortened.has(word) || word.length >= 5);
}

/** A word of the field's synonyms in the language of the file. */
function longWord(
    word: string,
    {
        field,
        language,
        hasPoint,
    }: { readonly field: FieldSynonyms; readonly language: string | undefined; readonly hasPoint: boolean },
): string | undefined {
    const begins = field.byLetter.get(word.charAt(0)) ?? [];
    return begins.find(
        ({ text, languages }) =>
            (language === undefined || languages.size === 0 || languages.has(language)) &&
            isShortFor(word, text, hasPoint),
    )?.text;
}

const NUMBER_WORDS: ReadonlySet<string> = new Set(['nr', 'no', 'num', 'number', 'nummer', 'numero']);
const NUMBER_ENDING = /(?:nummer|number)$/;

/** `Modellnr.` is short for `Modellnummer`. */
function longNumber(word: string, field: FieldSynonyms): string | undefined {
    const full = word.replace(/n(?:um|o)?r$/, 'nummer');
    return full !== word && field.byJoined.has(full) ? full : undefined;
}

/** `Best.-Nr.` is short for the compound `Bestellnummer`. */
function numberedName(words: readonly string[], field: FieldSynonyms): readonly string[] | undefined {
    const at = words.findIndex((word, i) => i > 0 && NUMBER_WORDS.has(word));
    if (at < 1) return undefined;
    const begin = words[at - 1]!;
    const meant = field.list.find(
        ({ words: full, joined }) =>
            full.length === 1 &&
            NUMBER_ENDING.test(joined) &&
            isShortFor(begin, joined, true) &&
            joined.startsWith(begin),
    );
    return meant && [...words.slice(0, at - 1), meant.joined, ...words.slice(at + 1)];
}

/** Scores the words of a header as they are. */
function scoreWords(
    name: HeaderName,
    field: FieldSynonyms,
    { language, isMany = false, neutral = NO_WORDS }: HeaderOptions = {},
): HeaderScore {
    const forms = [name.words, name.withoutLanguage, name.stripped, ...(isMany ? [withoutNumbers(name.stripped)] : [])];
    const joined = forms.map(words => words.join('')).filter(text => text !== '');
    if (field.exact.has(joined[0] ?? '')) return { score: 1, reason: { code: 'EXACT', args: {} } };
    if (joined.some(text => field.exact.has(text))) return { score: 0.97, reason: { code: 'EXACT', args: {} } };
    const synonym = joined.map(text => field.byJoined.get(text)).find(found => found !== undefined);
    if (synonym !== undefined) return synonymScore(synonym, language);
    const words = forms.at(-1)!;
    const scores = [
        scoreParts(words, field, { isMany, neutral }),
        scoreCompound(words, field),
        scoreSimilar(words, field),
    ];
    return scores.reduce((best, score) => (score.score > best.score ? score : best), NO_SCORE);
}

function synonymScore(synonym: Synonym, language: string | undefined): HeaderScore {
    const isSame = synonym.languages.length === 0 || language === undefined || synonym.languages.includes(language);
    return {
        score: (isSame ? 0.95 : 0.9) - synonym.rarity,
        reason: {
            code: 'SYNONYM',
            args: {
                word: synonym.words.join(' '),
                language: isSame ? (language ?? synonym.languages[0] ?? '') : synonym.languages[0]!,
            },
        },
    };
}

function withoutNumbers(words: readonly string[]): readonly string[] {
    return words.filter(word => !/^\d+$/.test(word));
}

interface NeutralWords {
    readonly isMany: boolean;
    readonly neutral: ReadonlySet<string>;
}

/** All words of a synonym and further ones. */
function scoreParts(words: readonly string[], field: FieldSynonyms, options: NeutralWords): HeaderScore {
    let best = NO_SCORE;
    for (const synonym of field.list) {
        if (synonym.words.length >= words.length || !containsPhrase(words, synonym.words)) continue;
        const rest = words.filter(word => !synonym.words.includes(word));
        const isCommon = synonym.words.length === 1 && COMMON_WORDS.has(synonym.joined);
        const score = scoreOfRest(rest, field, { ...options, isCommon }) - synonym.rarity;
        if (score > best.score) best = { score, reason: { code: 'PART', args: { word: synonym.words.join(' ') } } };
    }
    return best;
}

function containsPhrase(words: readonly string[], phrase: readonly string[]): boolean {
    return phrase.every(word => words.includes(word));
}

function scoreOfRest(
    rest: readonly string[],
    field: FieldSynonyms,
    { isMany, neutral, isCommon }: NeutralWords & { readonly isCommon: boolean },
): number {
    const isNeutral = (word: string) =>
        neutral.has(word) ||
        NEUTRAL_WORDS.has(word) ||
        field.byJoined.has(word) ||
        (/^\d+$/.test(word) && (isMany || (word === '1' && !rest.some(other => UNIT_WORDS.has(other)))));
    const meaning = rest.filter(word => !isNeutral(word));
    if (meaning.length === 0) return 0.8;
    if (meaning.some(word => CHANGING_WORDS.has(word) || FIELD_WORDS.has(word) || /^\d+$/.test(word)))
        return OTHER_MEANING;
    return meaning.length === 1 && !isCommon ? 0.6 : OTHER_MEANING;
}

const LEAST_COMPOUND = 4;

/** A German or Dutch compound that ends with a synonym: `Artikelbezeichnung`. */
function scoreCompound(words: readonly string[], field: FieldSynonyms): HeaderScore {
    const meaning = words.filter(word => !NEUTRAL_WORDS.has(word));
    if (meaning.length !== 1) return NO_SCORE;
    const word = meaning[0]!;
    let best = NO_SCORE;
    for (const synonym of field.list) {
        if (synonym.words.length > 1 || synonym.joined.length < LEAST_COMPOUND || !word.endsWith(synonym.joined))
            continue;
        if (!synonym.languages.some(language => language === 'de' || language === 'nl')) continue;
        const prefix = word.slice(0, -synonym.joined.length);
        if (prefix.length < 3) continue;
        const score = scoreOfPrefix(prefix, field);
        if (score > best.score) best = { score, reason: { code: 'PART', args: { word: synonym.joined } } };
    }
    return best;
}

function scoreOfPrefix(prefix: string, field: FieldSynonyms): number {
    const bare = prefix.replace(/s$/, '');
    if ([prefix, bare].some(word => NEUTRAL_PREFIXES.has(word) || field.byJoined.has(word))) return 0.75;
    if ([prefix, bare].some(word => CHANGING_PREFIXES.has(word) || CHANGING_WORDS.has(word) || FIELD_WORDS.has(word)))
        return OTHER_MEANING;
    return 0.6;
}

/** One letter of a word differs, or two of a long word. The words are compared one by one, so that `product id` is not `product no`. */
function scoreSimilar(words: readonly string[], field: FieldSynonyms): HeaderScore {
    for (const synonym of field.list) {
        if (words.length === 1 && synonym.words.length > 1 && isSimilar(words[0]!, synonym.joined, 1))
            return { score: 0.7, reason: { code: 'SIMILAR', args: { word: synonym.words.join(' ') } } };
        if (synonym.words.length !== words.length) continue;
        const changed = words.filter((word, i) => word !== synonym.words[i]);
        if (changed.length !== 1) continue;
        if (isSimilar(changed[0]!, synonym.words[words.indexOf(changed[0]!)]!))
            return { score: 0.7, reason: { code: 'SIMILAR', args: { word: synonym.words.join(' ') } } };
    }
    return NO_SCORE;
}

const SHORTEST_SIMILAR = 5;
const LONG = 9;

function isSimilar(word: string, meant: string, limit = 2): boolean {
    if (word.length < SHORTEST_SIMILAR || meant.length < SHORTEST_SIMILAR || word.charAt(0) !== meant.charAt(0))
        return false;
    if (FIELD_WORDS.has(word) || CHANGING_WORDS.has(word)) return false;
    const most = Math.min(word.length, meant.length) >= LONG ? limit : 1;
    return Math.abs(word.length - meant.length) <= most && isWithin(word, meant, most);
}

/** Whether at most `most` letters have to be changed, added or removed. */
function isWithin(a: string, b: string, most: number): boolean {
    let row = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; i++) {
        const next = [i];
        for (let j = 1; j <= b.length; j++)
            next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
        if (Math.min(...next) > most) return false;
        row = next;
    }
    return row[b.length]! <= most;
}
