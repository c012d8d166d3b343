import { EMPTY, Name, name, Sql, type SqlPart, type SqlScalar, type SqlValue, Tuples, raw, sql } from './statement';

type DialectKind = 'postgres' | 'mysql' | 'sqlite';

/** The differences between the databases that Flow supports. */
export interface Dialect {
    readonly kind: DialectKind;
    /** Bound parameters that one statement may have. */
    readonly maxParams: number;
    /** The greatest length of a statement in characters, if the server's limit is reached in practice. */
    readonly maxChars?: number;
    /** True where INSERT … RETURNING answers the new ids. */
    readonly hasReturning: boolean;
    /** What TypeORM writes into an updatedAt column. */
    readonly now: Sql;
    /** The end of a SELECT that locks the rows until they are written. */
    readonly forUpdate: Sql;
    quote(identifier: string): string;
    placeholder(position: number): string;
    /** A value as the driver wants it bound. */
    bind(value: SqlValue): unknown;
    /** Values of several rows in one text, with commas between them, in any order. */
    listOf(subject: Sql): Sql;
    /**
     * A LEFT JOIN that looks up its rows by an index for each row before it. PostgreSQL would read a whole table if
     * it has few statistics of it, for example after it has just been filled (ADR 23).
     */
    lookUp(table: Name, alias: string, on: Sql): Sql;
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

const joined = (table: Name, alias: string, on: Sql): Sql => sql`LEFT JOIN ${table} AS ${name(alias)} ON ${on}`;

const grouped = (subject: Sql): Sql => sql`GROUP_CONCAT(${subject})`;

export const postgres: Dialect = {
    kind: 'postgres',
    maxParams: 60_000,
    hasReturning: true,
    now: raw('CURRENT_TIMESTAMP'),
    forUpdate: raw(' FOR UPDATE'),
    quote: quoteWith('"'),
    placeholder: position => `$${position}`,
    bind: value => (Array.isArray(value) ? arrayText(value as readonly SqlScalar[]) : value),
    listOf: subject => sql`string_agg(CAST(${subject} AS text), ',')`,
    // What has an OFFSET is not joined in another way.
    lookUp: (table, alias, on) =>
        sql`LEFT JOIN LATERAL (SELECT * FROM ${table} AS ${name(alias)} WHERE ${on} OFFSET 0) AS ${name(alias)} ON TRUE`,
    oneOf: (subject, values) => (values.length === 0 ? raw('1 = 0') : sql`${subject} = ANY(${values})`),
};

/** An array as PostgreSQL reads it. A batch has a dozen with hundreds of values each, which the driver would put together piece by piece. */
function arrayText(values: readonly SqlScalar[]): string | readonly SqlScalar[] {
    const texts: string[] = [];
    for (const value of values) {
        // Missing values are NULLs, too.
        if ((value ?? null) === null) texts.push('NULL');
        else if (typeof value === 'string')
            texts.push(`"${/["\\]/.test(value) ? value.replace(/["\\]/g, '\\$&') : value}"`);
        // The driver knows how to write moments and bytes.
        else if (typeof value === 'object') return values;
        else texts.push(String(value));
    }
    return `{${texts.join(',')}}`;
}

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
        lookUp: joined,
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
    lookUp: joined,
    oneOf: (subject, values) =>
        values.length === 0
            ? raw('1 = 0')
            : sql`${subject} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`,
};

/** The text and the parameters that the driver gets. */
export function render(statement: Sql, dialect: Dialect): { text: string; params: unknown[] } {
    const params: unknown[] = [];
    const pieces: string[] = [];
    const put = (part: SqlPart): void => {
        if (part instanceof Sql) walk(part);
        else if (part instanceof Name) pieces.push(dialect.quote(part.name));
        else if (part instanceof Tuples) list(part);
        else {
            params.push(dialect.bind(part));
            pieces.push(dialect.placeholder(params.length));
        }
    };
    const walk = ({ texts, values }: Sql): void => {
        for (let i = 0; i < texts.length; i++) {
            pieces.push(texts[i]!);
            if (i < values.length) put(values[i]!);
        }
    };
    const list = ({ columns }: Tuples): void => {
        const count = columns[0]?.length ?? 0;
        const first = params.length + 1;
        for (let row = 0; row < count; row++) for (const values of columns) params.push(dialect.bind(values[row]!));
        pieces.push(tuplesText(columns.length, count, i => dialect.placeholder(first + i)));
    };
    walk(statement);
    return { text: pieces.join(''), params };
}

/** The text of `count` tuples of `width` placeholders each. */
function tuplesText(width: number, count: number, placeholder: (index: number) => string): string {
    const tuple = (row: number): string =>
        `(${Array.from({ length: width }, (_, i) => placeholder(row * width + i)).join(', ')})`;
    // Most databases do not number them.
    if (tuple(0) === tuple(1)) return `${`${tuple(0)}, `.repeat(count - 1)}${tuple(0)}`;
    return Array.from({ length: count }, (_, row) => tuple(row)).join(', ');
}
