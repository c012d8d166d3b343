import { parseDecimal } from '../../core/data/decimal';
import { clause, type FactText } from '../../core/errors/rendered';
import { show } from '../../core/value/show';
import type { JsonValue } from '../../core/value/json';
import type { Dialect } from '../../database/dialect';
import { join, raw, type Sql, sql, type SqlScalar } from '../../database/statement';
import type { FieldKind } from './fields';
import type { SourceField } from './source';

/** What a filter needs of a field. */
export type ComparedField = Pick<SourceField, 'kind' | 'of' | 'toColumn'>;

/** A field of a related entity: it has several values, and any of them may match. */
export interface LinkedField {
    readonly kind: FieldKind;
    /** That there is one at all, or one that fits. */
    any(alias: string, fits?: (field: ComparedField) => Sql): Sql;
}

/** The operators of filters. */
export const FILTER_OPERATORS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'like', 'contains'] as const;
type FilterOperator = (typeof FILTER_OPERATORS)[number];

/** One condition; all of them must hold. */
export interface QueryFilter {
    readonly field: string;
    readonly operator: FilterOperator;
    readonly value: JsonValue;
}

/** The maximum number of values in a list. */
export const MAX_LISTED = 1_000;

/** What is wrong with the value of a filter; undefined if nothing is. */
export function filterProblem({ operator, value }: QueryFilter, kind: FieldKind): FactText | undefined {
    if (operator === 'like' || operator === 'contains') {
        if (kind !== 'text')
            return clause`is a comparison by ${operator}, which is for text; the field is ${KINDS[kind]}`;
        return typeof value === 'string' ? undefined : clause`is ${show(value)}; allowed: ${KINDS.text}`;
    }
    if (operator === 'in') {
        if (!Array.isArray(value) || value.length === 0 || value.length > MAX_LISTED)
            return clause`is ${show(value)}; allowed: a list of 1 to ${MAX_LISTED} values`;
        const odd = (value as readonly JsonValue[]).find(one => !fits(one, kind));
        return odd === undefined ? undefined : clause`is a list with ${show(odd)}; allowed: ${ALLOWED[kind]}`;
    }
    if (value === null && (operator === 'eq' || operator === 'ne')) return undefined;
    return fits(value, kind) ? undefined : clause`is ${show(value)}; allowed: ${ALLOWED[kind]}`;
}

const KINDS: Readonly<Record<FieldKind, FactText>> = {
    id: clause`an id`,
    text: clause`text`,
    number: clause`a number`,
    flag: clause`true or false`,
    date: clause`a date`,
    json: clause`JSON`,
};

const ALLOWED: Readonly<Record<FieldKind, FactText>> = {
    id: clause`an id`,
    text: clause`text`,
    number: clause`a number`,
    flag: clause`true or false`,
    date: clause`an ISO date such as 2026-01-31 or 2026-01-31T12:00:00Z`,
    json: clause`nothing, as fields that hold JSON are not compared`,
};

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Whether a text is a date in the form for filters. Without a zone it is UTC. */
export function isIsoDate(text: string): boolean {
    return DATE.test(text) && !Number.isNaN(dateOf(text).getTime());
}

/** The moment that a text names. */
export function dateOf(text: string): Date {
    return new Date(/T.*(Z|[+-]\d{2}:?\d{2})$/.test(text) || !text.includes('T') ? text : `${text}Z`);
}

function fits(value: JsonValue, kind: FieldKind): boolean {
    switch (kind) {
        case 'id':
            return (typeof value === 'string' && value !== '') || Number.isSafeInteger(value);
        case 'text':
            return typeof value === 'string' && isStorable(value);
        case 'number':
            return typeof value === 'number' || (typeof value === 'string' && Number.isFinite(parseDecimal(value)));
        case 'flag':
            return typeof value === 'boolean';
        case 'date':
            return typeof value === 'string' && isIsoDate(value);
        case 'json':
            return false;
    }
}

/** No database could store it, and some raise an error when they search for it. */
function isStorable(text: string): boolean {
    return !/[\0\p{Surrogate}]/u.test(text);
}

/** What is needed to build a filter's condition. */
interface FilterEnv {
    readonly dialect: Dialect;
    /** Of ids: those that can be one in this shop. */
    isId(value: JsonValue): boolean;
}

/** The condition of a filter with a validated value. `ne` and null apply to all targets of a linked field, other operators to any one. */
export function filterCondition(filter: QueryFilter, field: ComparedField | LinkedField, env: FilterEnv): Sql {
    if (!('any' in field)) return conditionOf(filter, field, env);
    const { operator, value } = filter;
    if (value === null) return operator === 'eq' ? sql`NOT ${field.any('e')}` : field.any('e');
    if (operator !== 'ne') return field.any('e', inner => conditionOf(filter, inner, env));
    return sql`NOT ${field.any('e', inner => conditionOf({ ...filter, operator: 'eq' }, inner, env))}`;
}

/** The condition of a filter with a validated value. Values are bound, never written into the text. */
export function conditionOf({ operator, value }: QueryFilter, field: ComparedField, env: FilterEnv): Sql {
    const { dialect } = env;
    const given = comparable(field, dialect);
    if (value === null) return operator === 'eq' ? sql`${field.of('e')} IS NULL` : sql`${field.of('e')} IS NOT NULL`;
    if (operator === 'like' || operator === 'contains')
        return matching(
            field.of('e'),
            operator === 'like' ? patternOf(value as string) : `%${literal(value as string)}%`,
        );
    if (operator === 'in') {
        const possible = (value as readonly JsonValue[]).filter(one => field.kind !== 'id' || env.isId(one));
        if (possible.length === 0) return raw('1 = 0');
        const bound = possible.map(one => boundOf(one, field, dialect));
        return exactly(sql`${given} IN (${join(bound)})`, { field, dialect, bound });
    }
    if (field.kind === 'id' && !env.isId(value)) return raw(operator === 'ne' ? '1 = 1' : '1 = 0');
    const bound = boundOf(value, field, dialect);
    if (operator === 'eq') return exactly(sql`${given} = ${bound}`, { field, dialect, bound: [bound] });
    if (operator === 'ne') {
        const same = exactly(sql`${given} = ${bound}`, { field, dialect, bound: [bound] });
        return sql`(${field.of('e')} IS NULL OR NOT (${same}))`;
    }
    return sql`${given} ${COMPARISON[operator]} ${bound}`;
}

const COMPARISON = { gt: raw('>'), gte: raw('>='), lt: raw('<'), lte: raw('<=') } as const;

/** SQLite has dates as texts, some of them with milliseconds and some without. */
function comparable(field: ComparedField, { kind }: Dialect): Sql {
    return field.kind === 'date' && kind === 'sqlite'
        ? sql`strftime('%Y-%m-%d %H:%M:%f', ${field.of('e')})`
        : field.of('e');
}

function boundOf(value: JsonValue, field: ComparedField, { kind }: Dialect): SqlScalar {
    if (field.kind === 'date') {
        const date = dateOf(value as string);
        return kind === 'sqlite' ? date.toISOString().replace('T', ' ').replace('Z', '') : date;
    }
    return (field.kind === 'flag' ? field.toColumn(value) : value) as SqlScalar;
}

/** MySQL and MariaDB take a for A, and é for e; the index is used by the first half, and the letters count by the second. */
function exactly(
    condition: Sql,
    {
        field,
        dialect,
        bound,
    }: { readonly field: ComparedField; readonly dialect: Dialect; readonly bound: readonly SqlScalar[] },
): Sql {
    if (dialect.kind !== 'mysql' || field.kind !== 'text') return condition;
    return sql`(${condition} AND BINARY ${field.of('e')} IN (${join(bound.map(one => sql`BINARY ${one}`))}))`;
}

function matching(subject: Sql, pattern: string): Sql {
    return sql`LOWER(${subject}) LIKE LOWER(${pattern}) ESCAPE '!'`;
}

/** Escapes a text for a pattern. */
function literal(text: string): string {
    return text.replace(/[!%_]/g, '!$&');
}

/**
 * A pattern of users, in which a backslash escapes % and _. It is converted to ! as the escape character, because databases handle a backslash
 * differently.
 */
function patternOf(pattern: string): string {
    return pattern.replace(/\\([\s\S])|!/g, (whole, escaped: string | undefined) =>
        escaped === undefined ? '!!' : literal(escaped),
    );
}
