import type { JsonValue } from '../value/json';
import { explained } from '../errors/record-invalid';
import { show } from '../value/show';
import type { Check } from './field-check';

/** The types that a rule can require. */
export const VALUE_TYPES = [
    'string',
    'number',
    'integer',
    'boolean',
    'array',
    'object',
    'date',
    'email',
    'url',
] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

/** The types as messages name them. */
/** What each type allows. */
export const ALLOWED: Readonly<Record<ValueType, string>> = {
    string: 'text',
    number: 'a number',
    integer: 'a whole number',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object',
    date: 'an ISO date, with or without a time',
    email: 'an e-mail address',
    url: 'an address that begins with http:// or https://',
};

const IS: Readonly<Record<ValueType, (value: JsonValue) => boolean>> = {
    string: value => typeof value === 'string',
    number: value => typeof value === 'number',
    integer: value => Number.isSafeInteger(value),
    boolean: value => typeof value === 'boolean',
    array: value => Array.isArray(value),
    object: value => typeof value === 'object' && value !== null && !Array.isArray(value),
    date: value => typeof value === 'string' && isIsoDate(value),
    email: value => typeof value === 'string' && isEmail(value),
    url: value => typeof value === 'string' && isUrl(value),
};

/** Strict: "7" is not a number, and 1 is not true. */
export function isOfType(type: ValueType): Check {
    const is = IS[type];
    return value =>
        is(value)
            ? undefined
            : explained('is {value}; allowed: {allowed}', { value: show(value), allowed: ALLOWED[type] });
}

const ISO_DATE =
    /^(\d{4})-(\d{2})-(\d{2})(?:T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?$/;

/** The day must exist in the calendar: 30 February does not. */
function isIsoDate(text: string): boolean {
    const [, year, month, day] = ISO_DATE.exec(text) ?? [];
    if (year === undefined) return false;
    // Valid from year 0: Date reads the numbers 0 to 99 as years of the 20th century.
    const date = new Date(`${year}-${month}-01T00:00:00Z`);
    if (Number.isNaN(date.getTime())) return false;
    date.setUTCDate(Number(day));
    return date.getUTCMonth() + 1 === Number(month) && Number(day) > 0;
}

const MAX_EMAIL = 254;
const MAX_LOCAL = 64;
const LOCAL = /^[^\s@"(),:;<>[\]\\.]+(?:\.[^\s@"(),:;<>[\]\\.]+)*$/u;
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;

/** An address that a shop can write to: no quotes, no comments, a host name with a dot. */
function isEmail(text: string): boolean {
    if (text.length > MAX_EMAIL) return false;
    const at = text.lastIndexOf('@');
    if (at < 1 || at > MAX_LOCAL || !LOCAL.test(text.slice(0, at))) return false;
    const labels = text.slice(at + 1).split('.');
    return labels.length > 1 && labels.every(label => LABEL.test(label));
}

const MAX_URL = 2048;

function isUrl(text: string): boolean {
    return text.length <= MAX_URL && /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}
