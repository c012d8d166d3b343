import { clause, type FactText } from '../../errors/rendered';
import { canonicalJson, type JsonValue } from '../../value/json';
import { isNothing } from '../../data/decimal';
import { compareNumerics, isAmong, type Numeric, numericOf, type Scalar } from '../../data/numeric';
import { compileRegex, regexProblem } from '../../data/regex/regex';
import { show } from '../../value/show';
import { compileGlob } from './glob';

/** The comparisons of conditions. */
export const COMPARISONS = [
    'eq',
    'ne',
    'gt',
    'gte',
    'lt',
    'lte',
    'in',
    'notIn',
    'contains',
    'notContains',
    'startsWith',
    'endsWith',
    'regex',
    'matches',
    'exists',
    'notExists',
    'isNull',
    'isEmpty',
    'isNotEmpty',
] as const;
export type Comparison = (typeof COMPARISONS)[number];

type Need = 'any' | 'ordered' | 'list' | 'text' | 'nothing';

/** The type of value that a comparison needs. */
export const NEEDS: Readonly<Record<Comparison, Need>> = {
    eq: 'any',
    ne: 'any',
    gt: 'ordered',
    gte: 'ordered',
    lt: 'ordered',
    lte: 'ordered',
    in: 'list',
    notIn: 'list',
    contains: 'any',
    notContains: 'any',
    startsWith: 'text',
    endsWith: 'text',
    regex: 'text',
    matches: 'text',
    exists: 'nothing',
    notExists: 'nothing',
    isNull: 'nothing',
    isEmpty: 'nothing',
    isNotEmpty: 'nothing',
};

const MAX_GLOB = 1000;

/** What is wrong with a comparison's value; undefined if it is valid. */
export function valueProblem(cmp: Comparison, value: JsonValue | undefined): FactText | undefined {
    const need = NEEDS[cmp];
    if (need === 'nothing') {
        // Any other value has no effect; false would have the opposite effect of what is meant.
        if (value !== false) return undefined;
        return clause`the comparison "${cmp}" takes no value, so false does not negate it; use {"not": …}`;
    }
    if (value === undefined) return clause`the comparison "${cmp}" needs a value`;
    if (need === 'list' && !Array.isArray(value))
        return clause`the comparison "${cmp}" needs a list, not ${show(value)}`;
    if (need === 'text' && typeof value !== 'string')
        return clause`the comparison "${cmp}" needs text, not ${show(value)}`;
    const issue = cmp === 'regex' ? regexProblem(String(value)) : undefined;
    if (issue !== undefined) return clause`the pattern ${issue}`;
    if (cmp === 'matches' && String(value).length > MAX_GLOB)
        return clause`a pattern may have at most ${MAX_GLOB} characters`;
    if (need === 'ordered' && orderOf(value) === undefined) {
        return clause`the comparison "${cmp}" needs a number, text that is a number, or an ISO date, not ${show(value)}`;
    }
    return undefined;
}

/** Undefined if the value is present but cannot be compared with the operand; this counts as not met. */
type ValueTest = (value: JsonValue | undefined) => boolean | undefined;
type SureTest = (value: JsonValue | undefined) => boolean;

/** The values to compare. */
export interface Compared {
    readonly field: string;
    readonly operand: JsonValue | undefined;
}

/** Compiles a comparison with an operand that `valueProblem` has accepted. A missing field is undefined. */
export function compareWith(cmp: Comparison, { field, operand }: Compared): ValueTest {
    switch (cmp) {
        case 'eq':
            return equals(operand);
        case 'ne':
            return not(equals(operand));
        case 'gt':
            return ordered(operand, difference => difference > 0);
        case 'gte':
            return ordered(operand, difference => difference >= 0);
        case 'lt':
            return ordered(operand, difference => difference < 0);
        case 'lte':
            return ordered(operand, difference => difference <= 0);
        case 'in':
            return oneOf(operand as readonly JsonValue[]);
        case 'notIn':
            return not(oneOf(operand as readonly JsonValue[]));
        case 'contains':
            return contains(operand);
        case 'notContains':
            return not(contains(operand));
        case 'startsWith':
            return value => typeof value === 'string' && value.startsWith(operand as string);
        case 'endsWith':
            return value => typeof value === 'string' && value.endsWith(operand as string);
        case 'regex':
            return regex(operand as string, field);
        case 'matches':
            return glob(operand as string);
        case 'exists':
            return value => value !== undefined;
        case 'notExists':
            return value => value === undefined;
        case 'isNull':
            return value => value === null;
        case 'isEmpty':
            return isEmpty;
        case 'isNotEmpty':
            return not(isEmpty);
    }
}

function not(test: SureTest): SureTest {
    return value => !test(value);
}

/** Type-strict, except that a number equals a text with the same number. */
function equals(operand: JsonValue | undefined): SureTest {
    return operand !== undefined && isScalar(operand) ? isAmong([operand]) : same(operand);
}

/** Of the same type; objects and lists are equal if their contents are. */
function same(operand: JsonValue | undefined): SureTest {
    if (operand === undefined || isScalar(operand)) return value => value === operand;
    const text = canonicalJson(operand);
    return value => typeof value === 'object' && value !== null && canonicalJson(value) === text;
}

function oneOf(operands: readonly JsonValue[]): SureTest {
    const isScalarAmong = isAmong(operands.filter(isScalar));
    const others = new Set(operands.filter(operand => !isScalar(operand)).map(operand => canonicalJson(operand)));
    return value =>
        isScalarAmong(value) ||
        (others.size > 0 && typeof value === 'object' && value !== null && others.has(canonicalJson(value)));
}

function isScalar(value: JsonValue): value is Scalar {
    return typeof value !== 'object' || value === null;
}

function contains(operand: JsonValue | undefined): SureTest {
    const isSame = same(operand);
    return value => {
        if (typeof value === 'string') return typeof operand === 'string' && value.includes(operand);
        return Array.isArray(value) && value.some(isSame);
    };
}

/** True if the text contains it, case-sensitive. */
function regex(pattern: string, field: string): ValueTest {
    const compiled = compileRegex(pattern, '', field);
    return value => typeof value === 'string' && compiled.test(value);
}

function glob(pattern: string): ValueTest {
    const test = compileGlob(pattern);
    return value => typeof value === 'string' && test(value);
}

/** As in all checks for a value, blank text is empty. */
function isEmpty(value: JsonValue | undefined): boolean {
    if (value === undefined || isNothing(value)) return true;
    return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** The order of values. */
type Order = { readonly numeric: Numeric } | { readonly time: number };

const ISO_DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;
const MAX_DATE = 64;

function orderOf(value: JsonValue | undefined): Order | undefined {
    const numeric = numericOf(value);
    if (numeric !== undefined) return { numeric };
    if (typeof value !== 'string' || value.length > MAX_DATE) return undefined;
    const text = value.trim();
    if (!ISO_DATE.test(text)) return undefined;
    // Without a time zone it is UTC on every worker, like a date without a time.
    const time = Date.parse(/T.*(Z|[+-]\d{2}:?\d{2})$/.test(text) || !text.includes('T') ? text : `${text}Z`);
    return Number.isNaN(time) ? undefined : { time };
}

/** Numbers and numeric texts, compared exactly, or two ISO dates. */
function ordered(operand: JsonValue | undefined, holds: (difference: number) => boolean): ValueTest {
    const right = orderOf(operand);
    if (right === undefined) return () => false;
    if ('numeric' in right) {
        const { numeric } = right;
        return value => {
            const left = numericOf(value);
            if (left === undefined) return value === undefined || isNothing(value) ? false : undefined;
            return holds(compareNumerics(left, numeric));
        };
    }
    const { time } = right;
    return value => {
        const left = orderOf(value);
        if (left && 'time' in left) return holds(left.time - time);
        return value === undefined || isNothing(value) ? false : undefined;
    };
}
