import type { SqlDialect } from './sql-tokens';

/** Columns that order the rows of a query and identify each row. */
export interface PageKeys {
    /** Orders them; may be the same in several rows. */
    readonly column: string;
    /** Unique, for rows that are the same in the other one. */
    readonly tieBreaker: string;
}

/** What is read of a query: its words, and how they can be put into others. */
export interface Wrapped {
    readonly dialect: SqlDialect;
    readonly sql: string;
    readonly parameters: number;
    readonly isSorted: boolean;
    readonly isLimited: boolean;
}

/** A name that no user's query has. */
const ALIAS = 'flow_rows';
/** More than any table has: MariaDB forgets the order of an inner query unless that is limited. */
const ENDLESS = '18446744073709551615';

/** A name as the database has it. */
export function quotedName(name: string, dialect: SqlDialect): string {
    const quote = dialect === 'mysql' ? '`' : '"';
    return quote + name.replaceAll(quote, quote + quote) + quote;
}

/** The name of a table, whose parts are separated by dots. */
export function quotedTable(name: string, dialect: SqlDialect): string {
    return name
        .split('.')
        .map(part => quotedName(part, dialect))
        .join('.');
}

/** The parameter with this number, counted from 1. */
export function placeholder(number: number, dialect: SqlDialect): string {
    return dialect === 'postgres' ? `$${number}` : '?';
}

/** All columns of a query, and no row. */
export function describing(query: Wrapped): string {
    return `${around(query)} LIMIT 0`;
}

/** Some of its rows in its own order. */
export function atOffset(
    query: Wrapped,
    { limit, offset }: { readonly limit: number; readonly offset: number },
): string {
    return `${around(query)} LIMIT ${limit}${offset === 0 ? '' : ` OFFSET ${offset}`}`;
}

/** Finds rows without a value in one of these columns: they come after no other row, so no page would have them. */
export function withoutValue(query: Wrapped, { column, tieBreaker }: PageKeys): string {
    const tests = [column, tieBreaker].map(name => `${columnOf(name, query)} IS NULL`);
    return `${around(query)} WHERE ${tests.join(' OR ')} LIMIT 1`;
}

/** What a page is. */
interface PageBounds {
    readonly limit: number;
    /**
     * The parameters for the pair after which the page begins, with the types of their columns; absent for the first
     * page.
     */
    readonly behind?: readonly [column: string, tieBreaker: string] | undefined;
    /** A further condition. */
    readonly and?: string | undefined;
}

/**
 * The rows after a pair, in the order of both columns. Each database gets the form for which it uses an index of
 * both: a comparison of pairs, except for MySQL and MariaDB, which would read the whole index then.
 */
export function afterPair(
    query: Wrapped,
    { column, tieBreaker }: PageKeys,
    { limit, behind, and }: PageBounds,
): string {
    const [first, second] = [columnOf(column, query), columnOf(tieBreaker, query)];
    const conditions = [
        ...(behind ? [after([first, second], behind, query.dialect)] : []),
        ...(and === undefined ? [] : [and]),
    ];
    const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
    return `${around(query)}${where} ORDER BY ${first}, ${second} LIMIT ${limit}`;
}

/** Two rows at most that the database takes for the same in both columns. */
export function equalsPair(
    query: Wrapped,
    { column, tieBreaker }: PageKeys,
    [first, second]: readonly [column: string, tieBreaker: string],
): string {
    return `${around(query)} WHERE ${columnOf(column, query)} = ${first} AND ${columnOf(tieBreaker, query)} = ${second} LIMIT 2`;
}

/** Repeats each of the pair as often as the condition of `afterPair` has it, in the order of its parameters. */
export function pairParameters<T>([column, tieBreaker]: readonly [T, T], dialect: SqlDialect): readonly T[] {
    return dialect === 'mysql' ? [column, column, tieBreaker] : [column, tieBreaker];
}

function after(
    [first, second]: readonly [string, string],
    [column, tieBreaker]: readonly [string, string],
    dialect: SqlDialect,
): string {
    if (dialect === 'mysql') return `${first} >= ${column} AND (${first} > ${column} OR ${second} > ${tieBreaker})`;
    return `(${first}, ${second}) > (${column}, ${tieBreaker})`;
}

/** A column of the query, in a condition. */
export function columnOf(name: string, { dialect }: Pick<Wrapped, 'dialect'>): string {
    return `${ALIAS}.${quotedName(name, dialect)}`;
}

/** The query has separate lines, so that nothing in it, such as a comment, swallows what follows. */
function around({ sql, dialect, isSorted, isLimited }: Wrapped): string {
    const kept = dialect === 'mysql' && isSorted && !isLimited ? `\nLIMIT ${ENDLESS}` : '';
    return `SELECT * FROM (\n${sql}${kept}\n) AS ${ALIAS}`;
}
