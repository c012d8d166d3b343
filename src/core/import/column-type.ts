import { readTimestamp } from '../data/timestamp';
import { detectDates } from './date-cells';
import { shapeOf } from './cell-shapes';
import { BOOLEAN_WORDS } from './header-terms';
import { type HeaderMeaning, readHeader } from './header-words';
import type { ColumnType, DecimalStyle, ImportWarning } from './import-profile';
import { currencyOfSign, isCurrencySign, type NumberCell, readNumberCell } from './number-cells';

/** What is known of a column before its type. */
interface TypedColumn {
    readonly name: string;
    /** The filled values of the sample, trimmed. */
    readonly values: readonly string[];
    /** All records of the sample, the empty ones included. */
    readonly records: number;
    readonly language?: string;
    /** The decimal sign of the file, for numbers that may be read in two ways. */
    readonly decimals?: DecimalStyle;
    /** The values of the column differ within groups of rows. */
    readonly variesInGroup: boolean;
    /** The file says that the values are lists. */
    readonly isList: boolean;
}

/** The type of a column and what belongs to it. */
export interface DetectedType {
    readonly type: ColumnType;
    readonly exceptions: number;
    readonly firstException?: string;
    readonly unit?: string;
    readonly currency?: string;
    readonly currencySign?: string;
    readonly decimals?: DecimalStyle;
    readonly dateFormat?: string;
    readonly separator?: string;
    readonly emptyWords?: readonly string[];
    readonly warnings: readonly ImportWarning[];
}

const USUAL_SHARE = 0.95;
/** The share of values that a type with exceptions fits. */
const LOWEST_SHARE = 0.8;

const EMPTY_WORDS = new Set([
    '-',
    '–',
    '—',
    'n/a',
    'na',
    '#n/a',
    '#nv',
    '#wert!',
    'null',
    'none',
    'nan',
    'k. a.',
    'k.a.',
    'n.v.t.',
    'nvt',
    'n.v.',
    'brak',
    's/d',
    'n.d.',
    'n/d',
    '?',
]);
const BITS = new Set(['1', '0']);
const YES_NO = new Set(BOOLEAN_WORDS.flat().filter(word => word !== '' && !BITS.has(word)));
const EMAIL = /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>.]{2,}$/;
const URL_START = /^(?:https?:)?\/\/\S+\.\S+$|^www\.\S+\.\S+$/i;
const IMAGE_URL = /^\S+\.(?:jpe?g|png|webp|gif|svg|avif|tiff?|bmp)(?:[?#]\S*)?$/i;
const HTML = /<\/?[a-z][a-z0-9]*(?:\s[^<>]*)?\/?>/i;
const SIZE =
    /^(?:(?:\d{0,2}X{0,4}[SL]|M|XX[SL]|one ?size|einheitsgr(?:öße|.)|[2-6]XL)|(?:3[4-9]|4\d|5\d|6[0-2])(?:[.,]5)?)$/i;
const COLOURS = new Set(
    'red blue green black white yellow orange purple pink grey gray brown beige navy gold silver rot blau grün schwarz weiß weiss gelb lila violett rosa grau braun türkis rouge bleu vert noir blanc jaune gris marron rojo azul verde negro blanco amarillo rosso blu nero bianco giallo grigio rood blauw groen zwart wit geel grijs bruin czerwony niebieski zielony czarny biały żółty szary vermelho preto branco amarelo cinza'.split(
        ' ',
    ),
);
const SHORTENED = /^\d[.,]\d+E\+\d{1,2}$/i;
const COUNTRIES =
    'AD AE AF AG AI AL AM AO AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'.split(
        ' ',
    );

/** The type that most values of a column have. */
export function detectType(column: TypedColumn): DetectedType {
    const words = emptyWordsOf(column.values);
    const values = words.size > 0 ? column.values.filter(value => !words.has(value)) : column.values;
    const found = typeOf({ ...column, values }, readHeader(column.name));
    // A word such as "-" is a value like any other in a column of text.
    if (words.size === 0 || found.type === 'TEXT' || found.type === 'EMPTY')
        return words.size === 0 ? found : typeOf(column, readHeader(column.name));
    return { ...found, emptyWords: [...words] };
}

function emptyWordsOf(values: readonly string[]): ReadonlySet<string> {
    const found = values.filter(value => value.length <= 7 && EMPTY_WORDS.has(value.toLowerCase()));
    return found.length < values.length / 2 ? new Set(found) : new Set();
}

function typeOf(column: TypedColumn, header: HeaderMeaning): DetectedType {
    const { values } = column;
    if (values.length === 0) return simple('EMPTY');
    if (column.isList) return simple('LIST');
    return (
        booleanOf(column, header) ??
        barcodeOf(column, header) ??
        datesOf(column, header) ??
        (header.isOption ? optionOf(column, header) : undefined) ??
        numberOf(column, header) ??
        fitting('EMAIL', values, value => EMAIL.test(value)) ??
        addressOf(values) ??
        countryOf(values, header) ??
        htmlOf(values) ??
        listOf(column) ??
        optionOf(column, header) ??
        codeOf(column, header) ??
        simple('TEXT')
    );
}

function simple(type: ColumnType, more: Partial<DetectedType> = {}): DetectedType {
    return { type, exceptions: 0, warnings: [], ...more };
}

/** The type if enough values fit; undefined otherwise. */
function fitting(
    type: ColumnType,
    values: readonly string[],
    fits: (value: string) => boolean,
): DetectedType | undefined {
    const exceptions = values.filter(value => !fits(value));
    if (values.length - exceptions.length < shareFor(values.length) * values.length) return undefined;
    return simple(type, {
        exceptions: exceptions.length,
        ...(exceptions[0] !== undefined && { firstException: exceptions[0] }),
    });
}

/** The type with further facts, if there is one. */
function withFacts(found: DetectedType | undefined, more: Partial<DetectedType>): DetectedType | undefined {
    return found && { ...found, ...more };
}

/** Few values must all fit. */
function shareFor(count: number): number {
    return count < 3 ? 1 : LOWEST_SHARE;
}

/** How many values have to be numbers. One of three or four may be "on request" if the header says that they are prices. */
function leastNumbers(count: number, { isPrice }: HeaderMeaning): number {
    return isPrice && (count === 3 || count === 4) ? count - 1 : shareFor(count) * count;
}

function booleanOf({ values }: TypedColumn, header: HeaderMeaning): DetectedType | undefined {
    const isWord = (value: string): boolean => YES_NO.has(value.toLowerCase());
    if (values.every(value => value.toLowerCase() === 'n' || value.toLowerCase() === 'x') && !header.isYesNo)
        return undefined;
    return fitting('BOOLEAN', values, value => isWord(value) || (header.isYesNo && BITS.has(value)));
}

function barcodeOf({ name, values }: TypedColumn, header: HeaderMeaning): DetectedType | undefined {
    const shortened = values.filter(value => SHORTENED.test(value)).length;
    const isLong = (value: string): boolean => /^(?:\d{8}|\d{12,14})$/.test(value);
    const usual = values.filter(isLong);
    const isMostly =
        usual.length + shortened >= USUAL_SHARE * values.length || (header.isBarcode && usual.length + shortened > 0);
    if (!isMostly || (!header.isBarcode && (shortened > 0 || values.length < 3))) return undefined;
    const wrong = usual.filter(value => !hasCheckDigit(value)).length;
    if (!header.isBarcode && wrong > 0.1 * usual.length) return undefined;
    // Eight digits may be a date or a number of any kind.
    if (!header.isBarcode && usual.some(value => value.length === 8)) return undefined;
    const warnings: ImportWarning[] = [];
    if (wrong > 0) warnings.push({ code: 'BARCODE_CHECK_DIGITS', args: { wrong, total: values.length }, column: name });
    if (shortened > 0) warnings.push({ code: 'BARCODE_SHORTENED', args: { count: shortened }, column: name });
    const exceptions = values.filter(value => !isLong(value));
    if (exceptions.length > 0.5 * values.length && shortened === 0) return undefined;
    return simple('BARCODE', {
        exceptions: exceptions.length,
        ...(exceptions[0] !== undefined && { firstException: exceptions[0] }),
        warnings,
    });
}

function hasCheckDigit(digits: string): boolean {
    let sum = 0;
    for (let i = 0; i < digits.length - 1; i++) sum += Number(digits[i]) * ((digits.length - i) % 2 === 0 ? 3 : 1);
    return (10 - (sum % 10)) % 10 === Number(digits.at(-1));
}

function datesOf({ name, values, language }: TypedColumn, header: HeaderMeaning): DetectedType | undefined {
    const dates = detectDates(values, shareFor(values.length), language);
    if (dates) {
        const warnings: ImportWarning[] = [];
        if (dates.other !== undefined)
            warnings.push({
                code: 'DATE_ORDER',
                args: { format: dates.format ?? '', other: dates.other },
                column: name,
            });
        if (dates.isIrregular && !values.every(value => readTimestamp(value) !== undefined))
            warnings.push({ code: 'DATE_WITHOUT_FORMAT', args: {}, column: name });
        const exceptions = values.length - dates.matches;
        return simple('DATE', {
            exceptions,
            warnings,
            ...(dates.format !== undefined && { dateFormat: dates.format }),
        });
    }
    if (!header.isDate) return undefined;
    const isPlain = (value: string): boolean => /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/.test(value);
    const isSerial = (value: string): boolean =>
        /^\d{5}(?:\.\d+)?$/.test(value) && Number(value) >= 20_000 && Number(value) <= 60_000;
    return (
        withFacts(fitting('DATE', values, isPlain), { dateFormat: 'YYYYMMDD' }) ??
        withFacts(fitting('DATE', values, isSerial), {
            warnings: [{ code: 'DATE_SERIAL_NUMBERS', args: {}, column: name }],
        })
    );
}

function numberOf(column: TypedColumn, header: HeaderMeaning): DetectedType | undefined {
    const { name, values } = column;
    const numbers = values.map(readNumberCell);
    const unit = mostOf(numbers.map(number => number?.unit));
    // Words that only few numbers have make them another kind of text: "2XL", "36A".
    const isUnit = (number: NumberCell): boolean => number.unit === undefined || number.unit === unit?.value;
    const isSame = unit === undefined || unit.count >= LOWEST_SHARE * values.length;
    const fits = numbers.map(number => number !== undefined && (isUnit(number) || header.isPrice));
    const count = fits.filter(Boolean).length;
    if (count < leastNumbers(values.length, header)) return undefined;
    if (!isSame && !header.isPrice && unit.count > (1 - LOWEST_SHARE) * values.length) return undefined;
    const fitted = numbers.filter((number, i): number is NumberCell => number !== undefined && fits[i] === true);
    if (isCode(column, header, fitted)) return simple('CODE');
    const sign = mostOf(fitted.map(number => number.currencySign));
    const fromHeader = currencyIn(name);
    const currency = (sign && currencyOfSign(sign.value)) ?? fromHeader.currency;
    const style = decimalsOf(fitted);
    const isAmbiguous = style === undefined && fitted.some(number => number.isAmbiguous);
    const decimals = style ?? (isAmbiguous ? column.decimals : undefined);
    const isWhole = fitted.every(
        number => number.isWhole && !(number.isAmbiguous && decimals !== undefined && isDecimalSign(values, decimals)),
    );
    const warnings: ImportWarning[] = [];
    if (isAmbiguous) warnings.push({ code: 'DECIMALS_UNCLEAR', args: { decimals: decimals ?? '' }, column: name });
    const signs = new Set(
        fitted.flatMap(number =>
            number.currencySign === undefined ? [] : [currencyOfSign(number.currencySign) ?? number.currencySign],
        ),
    );
    if (signs.size > 1)
        warnings.push({ code: 'SEVERAL_CURRENCIES', args: { currencies: [...signs].join(', ') }, column: name });
    else if (sign && currencyOfSign(sign.value) === undefined && currency === undefined)
        warnings.push({ code: 'CURRENCY_UNCLEAR', args: { sign: sign.value }, column: name });
    const isPercent = fitted.filter(number => number.isPercent).length >= USUAL_SHARE * fitted.length || /%/.test(name);
    const isPrice = sign !== undefined || fromHeader.isThere || (header.isPrice && unit === undefined && !isPercent);
    const exception = values[fits.indexOf(false)];
    return simple(isPercent ? 'PERCENT' : isPrice ? 'PRICE' : isWhole ? 'INTEGER' : 'NUMBER', {
        exceptions: values.length - count,
        ...(exception !== undefined && { firstException: exception }),
        ...(unit !== undefined && isSame && { unit: unit.value }),
        ...(currency !== undefined && (isPrice || sign) && { currency }),
        ...(sign !== undefined && { currencySign: sign.value }),
        ...(decimals !== undefined && { decimals }),
        warnings,
    });
}

/** Digits that identify something: they have leading zeros, or their header says so. */
function isCode({ values }: TypedColumn, header: HeaderMeaning, numbers: readonly NumberCell[]): boolean {
    if (numbers.some(number => number.unit !== undefined || number.currencySign !== undefined || number.isPercent))
        return false;
    if (numbers.some(number => number.hasLeadingZero)) return values.every(value => /^\d+$/.test(value));
    return header.isCode && !header.isPrice && values.every(value => /^[\d -]+$/.test(value));
}

/** The decimal sign that at least 98 % of the numbers with a clear one have. */
export function decimalsOf(numbers: readonly NumberCell[]): DecimalStyle | undefined {
    const clear = numbers.filter(number => number.decimals !== undefined);
    const commas = clear.filter(number => number.decimals === 'COMMA').length;
    if (clear.length === 0) return undefined;
    return commas >= 0.98 * clear.length ? 'COMMA' : commas <= 0.02 * clear.length ? 'POINT' : undefined;
}

function isDecimalSign(values: readonly string[], decimals: DecimalStyle): boolean {
    const sign = decimals === 'COMMA' ? ',' : '.';
    return values.some(value => value.includes(sign));
}

function currencyIn(name: string): { readonly isThere: boolean; readonly currency?: string } {
    const parts = name.split(/[\s_()[\]/.,:;-]+/).filter(part => /^(?:[A-Za-z]{3}|[€£$¥₹]|zł|Kč|R\$|US\$)$/.test(part));
    const sign = parts.find(
        part => isCurrencySign(part) && (part.length !== 3 || part === part.toUpperCase() || /[_-]/.test(name)),
    );
    if (sign === undefined) return { isThere: false };
    const currency = currencyOfSign(sign);
    return { isThere: true, ...(currency !== undefined && { currency }) };
}

function addressOf(values: readonly string[]): DetectedType | undefined {
    const separator = ['|', ';', ',', '\n', ' '].find(
        sign =>
            values.some(value => value.includes(sign)) &&
            values.every(
                value =>
                    !value.includes(sign) ||
                    value.split(sign).every(part => part.trim() === '' || isAddress(part.trim())),
            ),
    );
    const partsOf = (value: string): readonly string[] =>
        separator === undefined
            ? [value]
            : value
                  .split(separator)
                  .map(part => part.trim())
                  .filter(part => part !== '');
    const isList = separator !== undefined && values.some(value => partsOf(value).length > 1);
    const more = isList ? { separator } : {};
    const isPicture = (value: string): boolean =>
        partsOf(value).every(part => IMAGE_URL.test(part) && !/\s/.test(part));
    return (
        withFacts(fitting('IMAGE_URL', values, isPicture), more) ??
        withFacts(
            fitting('URL', values, value => partsOf(value).every(part => URL_START.test(part))),
            more,
        )
    );
}

function isAddress(text: string): boolean {
    return URL_START.test(text) || (IMAGE_URL.test(text) && !/\s/.test(text));
}

let countryNames: ReadonlySet<string> | undefined;

function countryOf(values: readonly string[], header: HeaderMeaning): DetectedType | undefined {
    const codes = new Set(COUNTRIES);
    const areCodes = values.every(value => codes.has(value));
    if (!header.isCountry)
        return areCodes && values.length >= 3 && new Set(values).size > 2 ? simple('COUNTRY') : undefined;
    countryNames ??= namesOfCountries();
    const names = countryNames;
    return fitting('COUNTRY', values, value => codes.has(value.toUpperCase()) || names.has(value.toLowerCase()));
}

function namesOfCountries(): ReadonlySet<string> {
    const names = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt'].flatMap(language => {
        const display = new Intl.DisplayNames([language], { type: 'region' });
        return COUNTRIES.map(code => (display.of(code) ?? code).toLowerCase());
    });
    return new Set([...names, 'usa', 'uk', 'great britain', 'holland', 'czech republic', 'deutschland']);
}

function htmlOf(values: readonly string[]): DetectedType | undefined {
    return values.filter(value => HTML.test(value)).length >= 0.2 * values.length ? simple('HTML') : undefined;
}

const PATH_SEPARATORS = ['>', '»', '::', '/', '|', '\\'] as const;
const LIST_SEPARATORS = ['|', ';', ',', '\n'] as const;

function listOf({ values }: TypedColumn): DetectedType | undefined {
    for (const sign of PATH_SEPARATORS) {
        const parted = values.filter(value => value.split(sign).length > 1);
        if (parted.length < 0.6 * values.length || !parted.every(value => partsAt(value, sign).every(isShort)))
            continue;
        const firsts = new Set(values.map(value => value.split(sign)[0]!.trim()));
        const isFew = firsts.size <= Math.max(1, values.length / 3) && firsts.size <= 50;
        // Parts such as `brand:apple` are values of facets.
        if (sign === '|' && parted.some(value => value.includes(':'))) continue;
        if ((sign === '>' || sign === '»' || sign === '::' || isFew) && !isCodeLike(parted)) {
            const text = parted.every(value => value.includes(` ${sign} `)) ? ` ${sign} ` : sign;
            return simple('PATH', { separator: text });
        }
    }
    for (const sign of LIST_SEPARATORS) {
        const parted = values.filter(value => partsAt(value, sign).length > 1);
        if (parted.length < 0.3 * values.length || values.length < 3) continue;
        const parts = values.flatMap(value => partsAt(value, sign));
        const isRepeated = new Set(parts.map(part => part.toLowerCase())).size <= 0.8 * parts.length;
        const isTagged =
            parts.filter(part => part.length <= 25 && part.split(/\s+/).length <= 3).length >=
            USUAL_SHARE * parts.length;
        const isClear = sign === '|' || sign === '\n' || isRepeated;
        if (isTagged && isClear && !parts.every(part => /^\d+$/.test(part))) return simple('LIST', { separator: sign });
    }
    return undefined;
}

function partsAt(value: string, sign: string): readonly string[] {
    return value
        .split(sign)
        .map(part => part.trim())
        .filter(part => part !== '');
}

function isShort(part: string): boolean {
    return part.length <= 60 && !/[.!?]\s/.test(part);
}

/** `12/34/A` are codes, not paths. */
function isCodeLike(values: readonly string[]): boolean {
    return values.filter(value => /\d/.test(value) && !/\s/.test(value)).length > values.length / 2;
}

function optionOf({ values, variesInGroup }: TypedColumn, header: HeaderMeaning): DetectedType | undefined {
    const distinct = new Set(values);
    const length = values.reduce((sum, value) => sum + value.length, 0) / values.length;
    if (length > 20 || distinct.size > 60) return undefined;
    const isKnown = [...distinct].every(value => SIZE.test(value) || COLOURS.has(value.toLowerCase()));
    if (isKnown && distinct.size >= 2) return simple('OPTION');
    if (header.isOption && distinct.size >= 1) return simple('OPTION');
    return variesInGroup && distinct.size >= 2 && distinct.size <= 0.9 * values.length ? simple('OPTION') : undefined;
}

function codeOf({ values, records }: TypedColumn, header: HeaderMeaning): DetectedType | undefined {
    const count = values.length;
    const inRange = values.filter(value => value.length >= 2 && value.length <= 40 && !/\s/.test(value)).length;
    if (inRange < 0.9 * count) return undefined;
    const isSlug =
        values.filter(value => /^[a-z0-9]+(?:[-_][a-z0-9]+)+$/.test(value)).length >= 0.9 * count && count >= 3;
    const shapes = mostOf(values.map(shapeOf));
    const isUniform = shapes !== undefined && shapes.count >= 0.6 * count;
    const isUnique = new Set(values).size >= 0.98 * count && count >= 0.95 * records;
    const hasDigits = values.filter(value => /\d/.test(value)).length >= 0.6 * count;
    if (isSlug && (header.isCode || isUnique)) return simple('CODE');
    if (isUnique && isUniform && (hasDigits || header.isCode) && count >= 3) return simple('CODE');
    return (header.isCode || header.isGroup) && (hasDigits || isUniform || isSlug) ? simple('CODE') : undefined;
}

/** The most frequent of the values that are there. */
function mostOf(
    values: ReadonlyArray<string | undefined>,
): { readonly value: string; readonly count: number } | undefined {
    const counts = new Map<string, number>();
    for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
    const [best] = [...counts].sort(([, a], [, b]) => b - a);
    return best && { value: best[0], count: best[1] };
}
