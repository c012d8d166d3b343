import { FORBIDDEN_KEYS } from '../pipeline/read-input';
import type { JsonObject, JsonValue } from '../value/json';
import type { Conversion, Remedy } from './import-plan';
import type { DecimalStyle } from './import-profile';

/** A field's value, its conversions, and what the user decided about rows that the check rejected. */
interface ConvertedValue {
    readonly path: string;
    readonly conversions: readonly Conversion[];
    /** Those of this field. */
    readonly remedies: readonly Remedy[];
    /** Decimals of the shop's amounts. Default: 2. */
    readonly moneyDecimals?: number | undefined;
}

/** A call of an operator, as a TRANSFORM step has it. */
export function operatorCall(op: string, args: JsonObject): JsonObject {
    return { op, args };
}

/** An element of a list that is not an object has this path for the operators of `each`. */
const ITEM = '_item';
/** Holds a value while a field is converted. */
const NUMBER = '_number';
const LIST = '_list';
const KEPT = '_kept';

/**
 * The locale that has the separators of a style. That of the comma reads both `1.234,50` and `1 234,50`; a point followed by three digits separates
 * thousands.
 */
const LOCALES: Readonly<Record<DecimalStyle, string>> = { COMMA: 'de-AT', POINT: 'en-US' };

/** ISO codes of signs: a column may have both. */
const CURRENCIES: ReadonlyMap<string, string> = new Map([
    ['€', 'EUR'],
    ['$', 'USD'],
    ['£', 'GBP'],
    ['¥', 'JPY'],
    ['zł', 'PLN'],
    ['Kč', 'CZK'],
    ['R$', 'BRL'],
]);

const DASH_DECIMALS = '[.,]\\s*[-–—]+\\s*$';
const NUMBER_IN_TEXT = "[-−]?\\d(?:[\\d.,' ]*\\d)?";

/** The operators that convert a value in its place. After a conversion into a list, the others convert its elements. */
export function conversionOperators(value: ConvertedValue): readonly JsonObject[] {
    const conversions = withRemedies(value);
    const splitAt = conversions.findIndex(({ type }) => type === 'SPLIT');
    const whole = splitAt < 0 ? conversions : conversions.slice(0, splitAt + 1);
    const ofElements = conversions.slice(whole.length);
    const operators = whole.flatMap(one => operatorsOf(one, value));
    if (splitAt < 0) return operators;
    const inner = ofElements.flatMap(one => operatorsOf(one, { ...value, path: ITEM }));
    return [...operators, eachCall(value.path, [dropEmpty(ITEM), ...inner])];
}

/** Whether a field's text becomes a list. */
export function isSplit(conversions: readonly Conversion[]): boolean {
    return conversions.some(({ type }) => type === 'SPLIT');
}

/** A filter that drops the records without a value. */
export function dropEmpty(path: string): JsonObject {
    return operatorCall('when', { conditions: [{ field: path, cmp: 'isEmpty' }], action: 'drop' });
}

export function eachCall(path: string, operators: readonly JsonObject[]): JsonObject {
    return operatorCall('each', { path, operators });
}

/** The conversions that the user chose, changed as the remedies of the field require. */
function withRemedies({ conversions, remedies }: ConvertedValue): readonly Conversion[] {
    const has = (type: Remedy['type']): boolean => remedies.some(remedy => remedy.type === type);
    const format = remedies.find(remedy => remedy.type === 'DATE_ORDER')?.format;
    const dated = conversions.map((one): Conversion =>
        one.type === 'DATE' && format !== undefined ? { type: 'DATE', format } : one,
    );
    const read = remedies.some(isAboutNumbers) ? withNumber(dated) : dated;
    const numbers = has('NUMBER_IN_TEXT') ? withNumberInText(read) : read;
    const values = remedies.flatMap(remedy => (remedy.type === 'LOOKUP' ? Object.entries(remedy.values) : []));
    const isNeverNegative = remedies.some(remedy => remedy.type === 'TREAT_AS_ZERO' && remedy.when === 'NEGATIVE');
    return [
        ...numbers,
        ...(values.length === 0 ? [] : [{ type: 'LOOKUP' as const, values: Object.fromEntries(values) }]),
        ...(isNeverNegative ? [{ type: 'NEGATIVE_TO_ZERO' as const }] : []),
    ];
}

/** Whether a remedy is about texts that are not numbers. */
function isAboutNumbers(remedy: Remedy): boolean {
    if (remedy.type === 'SKIP_ROWS') return remedy.when === 'NOT_A_NUMBER';
    if (remedy.type === 'TREAT_AS_ZERO') return remedy.when !== 'NEGATIVE';
    return ['LEAVE_EMPTY', 'CREATE_HIDDEN', 'DECIMALS'].includes(remedy.type);
}

/** An amount with decimal points needs no conversion into a number before it becomes cents, but its remedies do. */
function withNumber(conversions: readonly Conversion[]): readonly Conversion[] {
    if (conversions.some(({ type }) => type === 'NUMBER')) return conversions;
    const index = conversions.findIndex(({ type }) => type === 'TO_CENTS');
    const at = index < 0 ? conversions.length : index;
    return [...conversions.slice(0, at), { type: 'NUMBER', decimals: 'POINT' }, ...conversions.slice(at)];
}

/** Before the value is read as a number. */
function withNumberInText(conversions: readonly Conversion[]): readonly Conversion[] {
    if (conversions.some(({ type }) => type === 'NUMBER_IN_TEXT')) return conversions;
    const index = conversions.findIndex(({ type }) => type === 'NUMBER' || type === 'TO_CENTS');
    const at = index < 0 ? conversions.length : index;
    return [...conversions.slice(0, at), { type: 'NUMBER_IN_TEXT' }, ...conversions.slice(at)];
}

function operatorsOf(conversion: Conversion, value: ConvertedValue): readonly JsonObject[] {
    const { path } = value;
    switch (conversion.type) {
        case 'TRIM':
            return [operatorCall('trim', { path })];
        case 'REMOVE_TEXT':
            return [removedText(path, conversion)];
        case 'DASH_DECIMALS':
            return [replaced(path, DASH_DECIMALS)];
        case 'NUMBER':
            return numberOperators(conversion.decimals, value);
        case 'NUMBER_IN_TEXT':
            return [operatorCall('extractRegex', { source: path, target: path, pattern: NUMBER_IN_TEXT, group: 0 })];
        case 'TO_CENTS':
            return [minorUnits(path, value.moneyDecimals)];
        case 'REMOVE_TAX':
            return multiplied(path, 'divide', conversion.percent);
        case 'ADD_TAX':
            return multiplied(path, 'multiply', conversion.percent);
        case 'STRIP_HTML':
            return [operatorCall('stripHtml', { source: path })];
        case 'SPLIT':
            return [splitCall(path, conversion)];
        case 'BOOLEAN':
            return [operatorCall('lowercase', { path }), lookedUp(path, truthValues(conversion))];
        case 'DATE':
            return [
                operatorCall('dateParse', {
                    source: path,
                    target: path,
                    format: conversion.format,
                    onMismatch: 'REJECT',
                }),
            ];
        case 'UNIT':
            return [operatorCall('unit', { source: path, target: path, from: conversion.from, to: conversion.to })];
        case 'EMPTY_WORDS':
            return emptied(path, conversion.words);
        case 'LOOKUP':
            return [lookedUp(path, conversion.values)];
        case 'DEFAULT':
            return [filledIn(path, conversion.value)];
        case 'NEGATIVE_TO_ZERO':
            return [
                operatorCall('ifThenElse', {
                    condition: [{ field: path, cmp: 'lt', value: 0 }],
                    thenValue: 0,
                    target: path,
                }),
            ];
        case 'SLUGIFY':
            return [operatorCall('slugify', { source: path, target: path })];
    }
}

/** Splits a text into a list of texts without white space around them. */
export function splitCall(path: string, { separator, escaped }: Extract<Conversion, { type: 'SPLIT' }>): JsonObject {
    return operatorCall('split', {
        source: path,
        target: path,
        delimiter: separator,
        trim: true,
        ...(escaped && { escape: true }),
    });
}

/** Sets a field that is missing, null or blank. */
function filledIn(path: string, value: JsonValue): JsonObject {
    return operatorCall('ifThenElse', {
        condition: [{ field: path, cmp: 'isEmpty' }],
        thenValue: value,
        target: path,
    });
}

/** Takes another field where one is empty. */
export function filledFrom(path: string, from: string): readonly JsonObject[] {
    return [filledIn(path, null), operatorCall('coalesce', { paths: [path, from], target: path })];
}

function replaced(path: string, pattern: string, flags = ''): JsonObject {
    return operatorCall('replaceRegex', { path, pattern, replacement: '', ...(flags !== '' && { flags }) });
}

/** A currency may be before or after the amount, a unit is after it. */
function removedText(path: string, { text, of }: Extract<Conversion, { type: 'REMOVE_TEXT' }>): JsonObject {
    if (of === 'UNIT') return replaced(path, `\\s*${escaped(text)}\\.?\\s*$`, 'i');
    const code = CURRENCIES.get(text);
    const words = code === undefined ? [text] : [text, code];
    return replaced(path, `\\s*(${words.map(escaped).join('|')})\\s*`, 'gi');
}

function escaped(text: string): string {
    return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/** Fields of a definition must not have some names, such as "constructor", so that a table with these values is a list of cases. */
function lookedUp(path: string, map: Readonly<Record<string, JsonValue>>): JsonObject {
    const entries = Object.entries(map);
    if (!entries.some(([value]) => FORBIDDEN_KEYS.has(value)))
        return operatorCall('lookup', { source: path, map, target: path });
    const cases = entries.map(([value, result]) => ({ value, result }));
    return operatorCall('switch', { source: path, cases, target: path });
}

function truthValues({ yes, no }: Extract<Conversion, { type: 'BOOLEAN' }>): Readonly<Record<string, JsonValue>> {
    const entries = [...yes.map(word => [word, true] as const), ...no.map(word => [word, false] as const)];
    return Object.fromEntries(entries.map(([word, isYes]) => [word.toLowerCase(), isYes]));
}

function minorUnits(path: string, decimals = 2): JsonObject {
    if (decimals === 2) return operatorCall('toCents', { source: path, target: path });
    return operatorCall('currency', { source: path, target: path, decimals });
}

/** `math` rejects records without the number, so it is applied to a list that has one element or does not exist. */
function multiplied(path: string, operation: 'multiply' | 'divide', percent: number): readonly JsonObject[] {
    const operand = Number((1 + percent / 100).toFixed(6));
    return [
        operatorCall('split', { source: path, target: LIST, delimiter: '|' }),
        eachCall(LIST, [operatorCall('math', { operation, source: ITEM, operand, decimals: 4 })]),
        operatorCall('coalesce', { paths: [`${LIST}.0`], target: path }),
        omitted(LIST),
    ];
}

/** A record does not have the field at all afterwards; null and blank text would be values for the loader. */
function emptied(path: string, words: readonly string[]): readonly JsonObject[] {
    return [
        lookedUp(path, Object.fromEntries(words.map(word => [word, null]))),
        operatorCall('coalesce', { paths: [path], target: KEPT }),
        omitted(path),
        operatorCall('coalesce', { paths: [KEPT], target: path }),
        omitted(KEPT),
    ];
}

function omitted(path: string): JsonObject {
    return operatorCall('omit', { fields: [path] });
}

/**
 * Reads a text as a number. A text that is not one rejects the record, unless a remedy of the field decides otherwise: it is read in the other style,
 * its row is skipped, or it is 0 or missing. Empty fields stay empty.
 */
function numberOperators(style: DecimalStyle, { path, remedies }: ConvertedValue): readonly JsonObject[] {
    const others = remedies.flatMap(remedy =>
        remedy.type === 'DECIMALS' && remedy.decimals !== style ? [remedy.decimals] : [],
    );
    const decimals = others.at(-1) ?? style;
    const exceptions = remedies.flatMap(remedy => exceptionOperators(remedy, path));
    return [
        ...(others.length === 0
            ? []
            : [
                  parsed(path, style, NUMBER),
                  operatorCall('coalesce', { paths: [NUMBER, path], target: path }),
                  omitted(NUMBER),
              ]),
        ...(exceptions.length === 0 ? [] : [parsed(path, decimals, NUMBER), ...exceptions, omitted(NUMBER)]),
        parsed(path, decimals),
    ];
}

/** With a target, a text that is not a number becomes null there. */
function parsed(path: string, decimals: DecimalStyle, target?: string): JsonObject {
    const locale = LOCALES[decimals];
    if (target === undefined) return operatorCall('parseNumber', { source: path, locale });
    return operatorCall('parseNumber', { source: path, target, locale, default: null });
}

/** What becomes of a text that is not a number; `NUMBER` is null then. */
function exceptionOperators(remedy: Remedy, path: string): readonly JsonObject[] {
    const isText = [
        { field: path, cmp: 'isNotEmpty' },
        { field: NUMBER, cmp: 'isNull' },
    ];
    if (remedy.type === 'SKIP_ROWS' && remedy.when === 'NOT_A_NUMBER')
        return [operatorCall('when', { conditions: isText, action: 'drop' })];
    if (remedy.type === 'TREAT_AS_ZERO' && remedy.when !== 'NEGATIVE')
        return [operatorCall('ifThenElse', { condition: isText, thenValue: 0, target: path })];
    if (remedy.type === 'LEAVE_EMPTY' || remedy.type === 'CREATE_HIDDEN')
        return [omitted(path), operatorCall('coalesce', { paths: [NUMBER], target: path })];
    return [];
}
