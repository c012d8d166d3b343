import { SYNONYMS } from './synonyms';

/** Names of columns by language, in addition to those that mean a field. All are written as `foldHeader` returns them. */
const FURTHER_WORDS: Readonly<Record<string, string>> = {
    en: 'sale price, special price, type, updated at, unit, width, height, length, depth, gender, age group, facets, collections, options, option groups, option values, assets, product assets, variant assets, track inventory, variant facets, supplier, notes',
    de: 'verpackungseinheit, einheit, ve, lieferzeit, lange, breite, hohe, tiefe, lieferant, kundennummer, mindestmenge, sprache, geschlecht, bemerkung',
    fr: 'unite, largeur, hauteur, longueur, fournisseur',
    es: 'unidad, ancho, alto, largo, proveedor',
    it: 'unita, larghezza, altezza, lunghezza, fornitore',
    nl: 'eenheid, breedte, hoogte, lengte, leverancier',
    pl: 'jednostka, szerokosc, wysokosc, dlugosc, dostawca',
    pt: 'unidade, largura, altura, comprimento, fornecedor',
};
/** Words of all languages. */
const NEUTRAL = 'ean,gtin,upc,isbn,ean13,id,sku,mpn,url,vpe,html,pcs';

const LANGUAGES_OF_WORD = languagesOfWord();

const CODE_WORDS =
    /\b(sku|id|nr|no|number|code|kod|codigo|codice|reference|referencia|riferimento|ref|artikelnummer|artnr|bestellnummer|handle|slug|symbol|indeks|mpn|plz|zip|postcode|postal|postleitzahl|cep|phone|telefon|tel|mobile|artikelcode|kundennummer)\b/;
const PRICE_WORDS =
    /\b(price|compare at|total|subtotal|amount|betrag|montant|importe|importo|kwota|preis|prix|precio|prezzo|prijs|cena|preco|uvp|rrp|msrp|pvp|vk|ek|cost|tarif|tarifa|listino|kosten)\b|preis\b|prijs\b/;
const DATE_WORDS = /\b(date|datum|fecha|data|created at|updated at|placed at|birthday|geburtstag)\b|datum\b/;
const BARCODE_WORDS =
    /\b(ean\d*|gtin\d*|upc|barcode|strichcode|gencod|isbn|code barres?|kod kreskowy|codice a barre|codigo de barras|streepjescode)\b/;
const COUNTRY_WORDS = /\b(country|land|pays|pais|paese|kraj|nation|countrycode)\b/;
const YES_NO_WORDS =
    /\b(active|enabled|published|visible|online|available|taxable|aktiv|sichtbar|freigegeben|actif|publie|activo|publicado|attivo|actief|aktywny|ativo|is|has|gift card|requires shipping|newsletter|opt in|featured|in stock|track inventory)\b/;
const OPTION_WORDS =
    /\b(size|color|colour|farbe|grosse|taille|couleur|coloris|pointure|talla|taglia|colore|kleur|maat|kolor|rozmiar|cor|tamanho|option\d* value)\b/;
const GROUP_WORDS =
    /\b(handle|parent|item group id|group id|style|style number|modell(?:nr|nummer|code)?|hauptartikel(?:nr|nummer)?|parent sku|parent id|eltern sku|vaterartikel(?:nr|nummer)?|modele|modelo|modello)\b/;

const WITH_TAX =
    /\b(brutto|gross|ttc|incl|inkl|iva incl|con iva|com iva|incl btw|uvp|rrp|msrp|pvp|tax included|including tax)\b|brutto/;
const WITHOUT_TAX =
    /\b(netto|net|ht|excl|exkl|sans tva|sin iva|sem iva|ek|wholesale|tax excluded|excluding tax|zzgl)\b|netto/;

const LANGUAGES = 'de|en|fr|es|it|nl|pl|pt|cs|sk|da|sv|fi|hu|ro|tr|ru|uk|bg|hr|sl|lt|lv|et|ja|zh';
const LANGUAGE_NAMES: ReadonlyArray<readonly [RegExp, string]> = [
    [/\b(deutsch|german)\b/, 'de'],
    [/\b(english|englisch|anglais|ingles|inglese)\b/, 'en'],
    [/\b(francais|french|franzosisch)\b/, 'fr'],
    [/\b(espanol|spanish|spanisch)\b/, 'es'],
    [/\b(italiano|italian|italienisch)\b/, 'it'],
    [/\b(nederlands|dutch|niederlandisch)\b/, 'nl'],
    [/\b(polski|polish|polnisch)\b/, 'pl'],
    [/\b(portugues|portuguese|portugiesisch)\b/, 'pt'],
];

/** What the name of a column says about its values. */
export interface HeaderMeaning {
    readonly isCode: boolean;
    readonly isPrice: boolean;
    readonly isDate: boolean;
    readonly isBarcode: boolean;
    readonly isCountry: boolean;
    readonly isYesNo: boolean;
    readonly isOption: boolean;
    readonly isGroup: boolean;
    readonly language?: string;
    readonly tax?: 'WITH' | 'WITHOUT';
}

/** A name in lower case without accents and signs; its words are separated by one blank. `camelCase` is two words. */
export function foldHeader(name: string): string {
    return name
        .replace(/(\p{Ll})(\p{Lu}\p{Ll})/gu, '$1 $2')
        .toLowerCase()
        .replace(/ł/g, 'l')
        .replace(/ß/g, 'ss')
        .normalize('NFD')
        .replace(/\p{M}/gu, '')
        .replace(/[^\p{L}\p{N}]+/gu, ' ')
        .trim();
}

/** What the name of a column says about its values. */
export function readHeader(name: string): HeaderMeaning {
    const words = foldHeader(name);
    const language =
        new RegExp(`(?:^|[\\p{L}\\p{N})])[ ._(\\[:-]+(${LANGUAGES})(?:[_-][a-z]{2})?[)\\]]?$`, 'iu')
            .exec(name)?.[1]
            ?.toLowerCase() ?? LANGUAGE_NAMES.find(([pattern]) => pattern.test(words))?.[1];
    const tax = WITHOUT_TAX.test(words) ? 'WITHOUT' : WITH_TAX.test(words) ? 'WITH' : undefined;
    return {
        isCode: CODE_WORDS.test(words) || /nummer$|nr$/.test(words),
        isPrice: PRICE_WORDS.test(words),
        isDate: DATE_WORDS.test(words),
        isBarcode: BARCODE_WORDS.test(words),
        isCountry: COUNTRY_WORDS.test(words),
        isYesNo: YES_NO_WORDS.test(words),
        isOption: OPTION_WORDS.test(words),
        isGroup: GROUP_WORDS.test(words),
        ...(language !== undefined && { language }),
        ...(tax !== undefined && { tax }),
    };
}

/** True for a word that headers have, also with a language, a currency or a number after it: `name_de`, `image 2`. */
export function isHeaderWord(cell: string): boolean {
    return languagesIn(cell).length > 0;
}

/** The language of most names; undefined if it is not clear. */
export function languageOfHeaders(names: readonly string[]): string | undefined {
    const scores = new Map<string, number>();
    for (const name of names) {
        const languages = languagesIn(name).filter(language => language !== '');
        for (const language of languages) scores.set(language, (scores.get(language) ?? 0) + 1 / languages.length);
    }
    const [first, second] = [...scores].sort(([, a], [, b]) => b - a);
    return first && first[1] >= 1 && first[1] >= 1.5 * (second?.[1] ?? 0) ? first[0] : undefined;
}

/** The languages of a name; one that all languages have gives an empty text. */
function languagesIn(name: string): readonly string[] {
    const words = foldHeader(name);
    const short = words
        .replace(/^(?:variant|product|produkt|artikel|google shopping|option) /, '')
        .replace(
            new RegExp(` (?:${LANGUAGES}|eur|usd|gbp|chf|pln|\\d+|brutto|netto|gross|net|kg|g|cm|mm|value|name)$`),
            '',
        )
        .replace(/(\D)\d$/, '$1');
    return LANGUAGES_OF_WORD.get(words) ?? LANGUAGES_OF_WORD.get(short) ?? [];
}

function languagesOfWord(): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, Set<string>>();
    for (const texts of [FURTHER_WORDS, ...Object.values(SYNONYMS)]) {
        for (const [language, list] of Object.entries(texts)) {
            for (const word of list.split(', ').map(foldHeader)) {
                const languages = found.get(word) ?? new Set();
                found.set(word, languages.add(language));
            }
        }
    }
    for (const word of NEUTRAL.split(',')) found.set(word, new Set(['']));
    return new Map([...found].map(([word, languages]) => [word, [...languages]]));
}
