import {
    CURRENCY_SIGNS,
    CURRENCY_WORDS,
    LANGUAGE_WORDS,
    TAX_LETTERS,
    TAX_NAMES,
    TAX_WORDS,
    TAXED_PRICES,
    UNIT_WORDS,
} from './header-terms';

/** The name of a column in words, and what the name says in addition to the field. */
export interface HeaderName {
    /** All words, lower-case and without accents. */
    readonly words: readonly string[];
    /** The words without those of a language. */
    readonly withoutLanguage: readonly string[];
    /** The words without those of a language, a currency, a unit and tax. */
    readonly stripped: readonly string[];
    /** ISO 639-1. */
    readonly language?: string;
    /** ISO 4217. */
    readonly currency?: string;
    readonly tax?: 'WITH' | 'WITHOUT';
}

const LETTERS: Readonly<Record<string, string>> = {
    ß: 'ss',
    ł: 'l',
    ø: 'o',
    æ: 'ae',
    œ: 'oe',
    đ: 'd',
    º: '',
    ª: '',
    '°': '',
};

/** The namespace of elements of XML feeds: `g:title`. */
const NAMESPACE = /^[a-z]:/;

/** Lower-case words without accents and signs; `camelCase`, `image1` and `snake_case` are split. */
export function wordsOfHeader(header: string): readonly string[] {
    return header
        .replace(NAMESPACE, '')
        .replace(/([a-zà-ÿ])([A-ZÀ-Þ])/g, '$1 $2')
        .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
        .toLowerCase()
        .replace(/%/g, ' percentsign ')
        .replace(/[ßłøæœđºª°]/g, letter => LETTERS[letter]!)
        .normalize('NFD')
        .replace(/\p{M}/gu, '')
        .replace(/(\p{L})(\d)/gu, '$1 $2')
        .replace(/['’`]/g, ' ')
        .split(/[^\p{L}\p{N}]+/u)
        .filter(word => word !== '');
}

/** The form in which headers are compared and learned: words without accents, signs and case, joined by spaces. */
export function headerKeyOf(header: string): string {
    return wordsOfHeader(header).join(' ');
}

/** Reads the language, the currency and the tax of a header, and separates them from its words. */
export function readHeaderName(header: string): HeaderName {
    const all = wordsOfHeader(header);
    const language = languageOf(header, all);
    const withoutLanguage = language === undefined ? all : all.filter((_, i) => !language.at.includes(i));
    const isLetter = (word: string, i: number) => word in TAX_LETTERS && TAX_NAMES.has(withoutLanguage[i + 1] ?? '');
    const taxed = withoutLanguage.find((word, i) => word in TAX_WORDS || isLetter(word, i));
    const priced = withoutLanguage.find(word => word in TAXED_PRICES);
    const tax = taxed === undefined ? TAXED_PRICES[priced ?? ''] : (TAX_WORDS[taxed] ?? TAX_LETTERS[taxed]);
    const currency = currencyOf(header, withoutLanguage);
    const stripped = withoutLanguage.filter(
        (word, i) =>
            !(word in CURRENCY_WORDS && withoutLanguage.length > 1) &&
            !(i > 0 && UNIT_WORDS.has(word) && !/^\d+$/.test(withoutLanguage[i - 1]!)) &&
            !(word in TAX_WORDS) &&
            !isLetter(word, i) &&
            !(taxed !== undefined && TAX_NAMES.has(word)) &&
            word !== 'percentsign',
    );
    return {
        words: all,
        withoutLanguage,
        stripped: stripped.length > 0 ? stripped : withoutLanguage,
        ...(language === undefined ? {} : { language: language.code }),
        ...(currency === undefined ? {} : { currency }),
        ...(tax === undefined ? {} : { tax }),
    };
}

/** A language is at the end (`name_de`, `Name (deutsch)`, `name-de_DE`), or before a separator (`DE_Name`). */
function languageOf(
    header: string,
    all: readonly string[],
): { readonly code: string; readonly at: readonly number[] } | undefined {
    if (all.length < 2) return undefined;
    const last = all.length - 1;
    const region = /[-_.:([ ]([a-z]{2})[-_]([A-Z]{2})\)?$/.exec(header);
    if (region !== null && region[1]! in LANGUAGE_WORDS && all.length > 2)
        return { code: LANGUAGE_WORDS[region[1]!]!, at: [last - 1, last] };
    if (all[last]! in LANGUAGE_WORDS) return { code: LANGUAGE_WORDS[all[last]!]!, at: [last] };
    if (/^[A-Za-z]{2}[_:.]/.test(header) && all[0]! in LANGUAGE_WORDS)
        return { code: LANGUAGE_WORDS[all[0]!]!, at: [0] };
    return undefined;
}

function currencyOf(header: string, all: readonly string[]): string | undefined {
    const sign = Object.keys(CURRENCY_SIGNS).find(text => header.includes(text) && !/\p{L}/u.test(text));
    const word = all.find(text => text in CURRENCY_WORDS);
    return word !== undefined ? CURRENCY_WORDS[word] : sign === undefined ? undefined : CURRENCY_SIGNS[sign];
}
