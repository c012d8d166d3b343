import {
    CURRENCY_SIGNS,
    CURRENCY_WORDS,
    LANGUAGE_WORDS,
    TAX_PREFIXES,
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
    /** The texts before and after a slash: two names of the column. */
    readonly parts?: readonly string[];
    /** Words that a point marks as shortened: `Descr.`. */
    readonly shortened?: ReadonlySet<string>;
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

/** `Q.tà` is one shortened word, as `Qtà` is. */
const CONTRACTED = /(?<![\p{L}\p{N}.])(\p{L})\.(\p{L}{1,3})(?![\p{L}\p{N}.])/gu;
/** The namespace of elements of XML feeds: `g:title`. */
const NAMESPACE = /^[a-z]:/;

/** Lower-case words without accents and signs; `camelCase`, `image1` and `snake_case` are split. */
export function wordsOfHeader(header: string): readonly string[] {
    return header
        .replace(CONTRACTED, '$1$2')
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
    const isPrefix = (word: string, i: number) => TAX_PREFIXES.has(word) && TAX_NAMES.has(withoutLanguage[i + 1] ?? '');
    const taxed = withoutLanguage.find((word, i) => TAX_WORDS.has(word) || isPrefix(word, i));
    const priced = withoutLanguage.find(word => TAXED_PRICES.has(word));
    const tax =
        taxed === undefined ? TAXED_PRICES.get(priced ?? '') : (TAX_WORDS.get(taxed) ?? TAX_PREFIXES.get(taxed));
    const currency = currencyOf(header, withoutLanguage);
    const shortened = new Set([
        ...wordsOfHeader([...header.matchAll(/\p{L}{2,}(?=\.)/gu)].join(' ')),
        ...wordsOfHeader([...header.matchAll(CONTRACTED)].map(([word]) => word).join(' ')),
    ]);
    const stripped = withoutLanguage.filter(
        (word, i) =>
            !(CURRENCY_WORDS.has(word) && withoutLanguage.length > 1) &&
            !(i > 0 && UNIT_WORDS.has(word) && !/^\d+$/.test(withoutLanguage[i - 1]!)) &&
            !TAX_WORDS.has(word) &&
            !isPrefix(word, i) &&
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
        ...(shortened.size > 0 && { shortened }),
        ...(/\s\/\s/.test(header) && { parts: header.split(/\s\/\s/) }),
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
    const ofRegion = all.length > 2 ? LANGUAGE_WORDS.get(region?.[1] ?? '') : undefined;
    if (ofRegion !== undefined) return { code: ofRegion, at: [last - 1, last] };
    const atEnd = LANGUAGE_WORDS.get(all[last]!);
    if (atEnd !== undefined) return { code: atEnd, at: [last] };
    const atStart = /^[A-Za-z]{2}[_:.]/.test(header) ? LANGUAGE_WORDS.get(all[0]!) : undefined;
    return atStart === undefined ? undefined : { code: atStart, at: [0] };
}

function currencyOf(header: string, all: readonly string[]): string | undefined {
    const sign = [...CURRENCY_SIGNS.keys()].find(text => header.includes(text) && !/\p{L}/u.test(text));
    const word = all.find(text => CURRENCY_WORDS.has(text));
    return word !== undefined ? CURRENCY_WORDS.get(word) : CURRENCY_SIGNS.get(sign ?? '');
}
