import type { DecimalStyle } from './import-profile';

/** A cell that contains a number, possibly with a currency or a unit. */
export interface NumberCell {
    /** Undefined if the number has no separator, or one that may be either: `1.234`. */
    readonly decimals?: DecimalStyle;
    /** The number has one separator with three digits after it. `decimals` is then undefined; the value is that sign as a decimal one or not. */
    readonly isAmbiguous: boolean;
    /** Has no decimal places. An ambiguous number counts as whole. */
    readonly isWhole: boolean;
    readonly isPercent: boolean;
    readonly hasLeadingZero: boolean;
    /** The text of the currency: `€`, `EUR`. */
    readonly currencySign?: string;
    /** The word after the number that is not a currency: `Stk`. */
    readonly unit?: string;
}

const CURRENCY_OF_SIGN: ReadonlyMap<string, string | undefined> = new Map([
    ['€', 'EUR'],
    ['£', 'GBP'],
    ['zł', 'PLN'],
    ['kč', 'CZK'],
    ['r$', 'BRL'],
    ['us$', 'USD'],
    ['₹', 'INR'],
    ['₺', 'TRY'],
    ['₽', 'RUB'],
    ['ft', 'HUF'],
    ['lei', 'RON'],
    ['fr.', 'CHF'],
    ['sfr.', 'CHF'],
    ['euro', 'EUR'],
    // Signs of several currencies: the shop decides.
    ['$', undefined],
    ['kr', undefined],
    ['kr.', undefined],
    ['¥', undefined],
]);
const CODES: ReadonlySet<string> = new Set(
    'EUR USD GBP CHF PLN CZK SEK NOK DKK HUF RON BGN TRY RUB UAH BRL MXN ARS CLP COP CAD AUD NZD JPY CNY INR KRW ZAR AED ILS SGD HKD THB ISK'.split(
        ' ',
    ),
);

const BLANK = '[ \\u00a0\\u202f\\u2009]';
const SIGNS = 'US\\$|R\\$|[€£$¥₹₺₽]|zł|Kč|kr\\.?|S?Fr\\.|Euro';
const NUMBER = new RegExp(
    `^([+-]?)(?:(${SIGNS}|[A-Z]{3})${BLANK}*)?([+-]?)((?:\\d[\\d.,'’ \\u00a0\\u202f\\u2009]*|[.,]\\d+)(?:[-–—]{1,2})?)${BLANK}*(%|${SIGNS}|[\\p{L}°µ"″][\\p{L}\\d²³.\\/"″]{0,11})?$`,
    'iu',
);

/** Reads a cell that is a number as a whole; undefined for other text. */
export function readNumberCell(cell: string): NumberCell | undefined {
    const found = NUMBER.exec(cell.trim());
    if (!found) return undefined;
    const [, , prefix, , digits = '', suffix] = found;
    if (prefix !== undefined && !isCurrencySign(prefix)) return undefined;
    const number = readDigits(digits.trimEnd());
    if (!number) return undefined;
    const sign = prefix ?? (suffix !== undefined && isCurrencySign(suffix) ? suffix : undefined);
    const isPercent = suffix === '%';
    const unit = suffix === undefined || isPercent || suffix === sign ? undefined : suffix;
    if (unit !== undefined && !/^(?:\p{L}{1,10}[²³.]?|[\p{L}.]{1,6}\/?\p{L}{1,6}\.?|["″°]|°\p{L})$/u.test(unit))
        return undefined;
    return {
        ...number,
        isPercent,
        ...(sign !== undefined && { currencySign: sign }),
        ...(unit !== undefined && { unit }),
    };
}

/** True for the sign or the ISO code of a currency. */
export function isCurrencySign(text: string): boolean {
    return CODES.has(text.toUpperCase()) || CURRENCY_OF_SIGN.has(text.toLowerCase());
}

/** The ISO code of a sign or code; undefined if it is the sign of several currencies, such as `$`. */
export function currencyOfSign(sign: string): string | undefined {
    return CODES.has(sign.toUpperCase()) ? sign.toUpperCase() : CURRENCY_OF_SIGN.get(sign.toLowerCase());
}

type Digits = Pick<NumberCell, 'decimals' | 'isAmbiguous' | 'isWhole' | 'hasLeadingZero'>;

function readDigits(text: string): Digits | undefined {
    const dash = /^(.*?)([.,]?)\s*[-–—]+$/.exec(text);
    if (dash) {
        const [, whole = '', separator] = dash;
        const read = separator === '' ? undefined : readDigits(whole);
        return read && { ...read, isWhole: true, isAmbiguous: false, decimals: separator === ',' ? 'COMMA' : 'POINT' };
    }
    const blanks = /[ '’\u00a0\u202f\u2009]/;
    const hasBlanks = blanks.test(text);
    if (hasBlanks && !/^\d{1,3}(?:[ '’\u00a0\u202f\u2009]\d{3})+(?:[.,]\d+)?$/.test(text)) return undefined;
    const plain = hasBlanks ? text.replace(/[ '’\u00a0\u202f\u2009]/g, '') : text;
    const points = plain.split('.').length - 1;
    const commas = plain.split(',').length - 1;
    const whole = { isAmbiguous: false, isWhole: true, hasLeadingZero: /^0\d/.test(plain) };
    if (points === 0 && commas === 0) return whole;
    if (points > 0 && commas > 0) {
        const [decimal, thousands] = plain.lastIndexOf(',') > plain.lastIndexOf('.') ? [',', '.'] : ['.', ','];
        const [before = '', after = '', more] = plain.split(decimal);
        if (more !== undefined || !isGrouped(before, thousands) || !/^\d+$/.test(after)) return undefined;
        return { ...whole, isWhole: /^0+$/.test(after), decimals: decimal === ',' ? 'COMMA' : 'POINT' };
    }
    const sign = points > 0 ? '.' : ',';
    const style = sign === ',' ? 'COMMA' : 'POINT';
    if (points + commas > 1) {
        if (!isGrouped(plain, sign)) return undefined;
        return { ...whole, decimals: sign === ',' ? 'POINT' : 'COMMA' };
    }
    const [before = '', after = ''] = plain.split(sign);
    if (after === '') return undefined;
    if (after.length === 3 && !hasBlanks && /^[1-9]\d{0,2}$/.test(before)) return { ...whole, isAmbiguous: true };
    return { ...whole, isWhole: false, decimals: style };
}

function isGrouped(text: string, separator: string): boolean {
    const [first = '', ...others] = text.split(separator);
    return /^\d{1,3}$/.test(first) && others.every(group => /^\d{3}$/.test(group))
        ? true
        : others.length === 0 && /^\d+$/.test(text);
}
