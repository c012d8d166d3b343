import { EMPTY, Name, Sql, type SqlValue, raw, sql } from './statement';

export type DialectKind = 'postgres' | 'mysql' | 'sqlite';

/** Where the databases differ in what Flow asks of them. */
export interface Dialect {
    readonly kind: DialectKind;
    /** Bound parameters that one statement may have. */
    readonly maxParams: number;
    /** Characters that one statement may have, where the server sets a limit that is met in practice. */
    readonly maxChars?: number;
    /** True where INSERT … RETURNING answers the new ids. */
    readonly hasReturning: boolean;
    /** What TypeORM writes into an updatedAt column. */
    readonly now: Sql;
    /** Ends a SELECT whose rows are about to be written, so that nobody else writes them in between. */
    readonly forUpdate: Sql;
    quote(identifier: string): string;
    placeholder(position: number): string;
    /** A value as the driver wants it bound. */
    bind(value: SqlValue): unknown;
    /** Values of several rows in one text, with commas between them, in any order. */
    listOf(subject: Sql): Sql;
    /** `subject` is one of `values`, with as few parameters as the database allows. */
    oneOf(subject: Sql | Name, values: ReadonlyArray<string | number>): Sql;
}

const quoteWith = (mark: string) => (identifier: string) =>
    identifier
        .split('.')
        .map(part => mark + part.replaceAll(mark, mark + mark) + mark)
        .join('.');

const listed = (subject: Sql | Name, values: ReadonlyArray<string | number>): Sql =>
    values.length === 0
        ? raw('1 = 0')
        : sql`${subject} IN (${new Sql(['', ...values.slice(1).map(() => ', '), ''], values)})`;

const grouped = (subject: Sql): Sql => sql`GROUP_CONCAT(${subject})`;

export const postgres: Dialect = {
    kind: 'postgres',
    maxParams: 60_000,
    hasReturning: true,
    now: raw('CURRENT_TIMESTAMP'),
    forUpdate: raw(' FOR UPDATE'),
    quote: quoteWith('"'),
    placeholder: position => `$${position}`,
    bind: value => value,
    listOf: subject => sql`string_agg(CAST(${subject} AS text), ',')`,
    oneOf: (subject, values) => (values.length === 0 ? raw('1 = 0') : sql`${subject} = ANY(${values})`),
};

/** MySQL and MariaDB; only MariaDB answers RETURNING. */
export function mysql(isMariaDb: boolean): Dialect {
    return {
        kind: 'mysql',
        maxParams: 60_000,
        // Well below max_allowed_packet, 16 MB by default.
        maxChars: 4_000_000,
        hasReturning: isMariaDb,
        now: raw('CURRENT_TIMESTAMP(6)'),
        forUpdate: raw(' FOR UPDATE'),
        quote: quoteWith('`'),
        placeholder: () => '?',
        bind: value => (typeof value === 'boolean' ? Number(value) : value),
        listOf: grouped,
        oneOf: listed,
    };
}

export const sqlite: Dialect = {
    kind: 'sqlite',
    maxParams: 30_000,
    hasReturning: false,
    now: raw("datetime('now')"),
    forUpdate: EMPTY,
    quote: quoteWith('"'),
    placeholder: () => '?',
    bind: value => {
        if (typeof value === 'boolean') return Number(value);
        if (value instanceof Date) return value.toISOString().replace('T', ' ').replace('Z', '');
        return value;
    },
    listOf: grouped,
    oneOf: (subject, values) =>
        values.length === 0
            ? raw('1 = 0')
            : sql`${subject} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`,
};

/** The text and the parameters that the driver gets. */
export function render(statement: Sql, dialect: Dialect): { text: string; params: unknown[] } {
    const params: unknown[] = [];
    const pieces: string[] = [];
    const walk = (part: Sql): void => {
        const { texts, values } = part;
        for (let i = 0; i < texts.length; i++) {
            pieces.push(texts[i]!);
            if (i >= values.length) continue;
            const value = values[i]!;
            if (value instanceof Sql) walk(value);
            else if (value instanceof Name) pieces.push(dialect.quote(value.name));
            else {
                params.push(dialect.bind(value));
                pieces.push(dialect.placeholder(params.length));
            }
        }
    };
    walk(statement);
    return { text: pieces.join(''), params };
}
