import { randomUUID } from 'node:crypto';
import type { StatementProgram } from '../core/adapter/loader';
import { type ColumnValues, columnValuesOf, statementChunks, type Row, rowsIn } from './column-values';
import type { Dialect } from './dialect';
import {
    type Ahead,
    resultOf,
    EMPTY,
    Sql,
    type SqlPart,
    type SqlScalar,
    type SqlValue,
    Tuples,
    join,
    name,
    post,
    raw,
    send,
    sql,
} from './statement';
import type { Table } from './table';

export type { Row };
export type Id = string | number;

/**
 * Rows by their ids, the oldest first. The database does not sort them: PostgreSQL might read a whole table in the
 * order of its ids instead of finding a few rows by another column and sorting them (ADR 23).
 */
export function oldestFirst<R extends { readonly id: Id }>(rows: readonly R[]): readonly R[] {
    return [...rows].sort(({ id: one }, { id: other }) => {
        if (typeof one === 'number' && typeof other === 'number') return one - other;
        const [a, b] = [String(one), String(other)];
        // Large numbers come as texts.
        if (a.length !== b.length) return a.length - b.length;
        return a < b ? -1 : Number(a > b);
    });
}

/** The database of a statement, and its dialect. */
export interface WriteTarget {
    readonly table: Table;
    readonly dialect: Dialect;
}

/**
 * Inserts rows with as few statements as the database allows: one for some thousand rows. All rows have the properties of the first; SQL values are
 * inserted unchanged. Omitted columns get the database's defaults.
 */
export function* insertRows(target: WriteTarget, rows: readonly Row[], suffix: Sql = EMPTY): StatementProgram<void> {
    yield* insertByColumn(target, columnValuesOf(rows), suffix);
}

/** The same for rows in column format. */
export function* insertByColumn(target: WriteTarget, rows: ColumnValues, suffix: Sql = EMPTY): StatementProgram<void> {
    for (const part of statementChunks(rows, target.dialect)) yield* post(insertion(target, part, suffix));
}

/** The end of an INSERT whose rows replace those with the same key: these properties get the new values. */
export function onConflictUpdate(
    { table, dialect }: WriteTarget,
    { key, written }: { readonly key: readonly string[]; readonly written: readonly string[] },
): Sql {
    const columns = written.map(property => table.column(property));
    if (dialect.kind === 'mysql')
        return sql` ON DUPLICATE KEY UPDATE ${join(columns.map(one => sql`${one} = VALUES(${one})`))}`;
    const unique = join(key.map(property => table.column(property)));
    return sql` ON CONFLICT (${unique}) DO UPDATE SET ${join(columns.map(one => sql`${one} = excluded.${one}`))}`;
}

function insertion({ table, dialect }: WriteTarget, rows: ColumnValues, suffix: Sql): Sql {
    const columns = join([...rows.keys()].map(property => table.column(property)));
    const values = boundFor(table, rows);
    const arrays = dialect.kind === 'postgres' ? unnested(table, rows, values) : undefined;
    if (arrays) return sql`INSERT INTO ${table.name} (${columns}) SELECT * FROM ${arrays}${suffix}`;
    return sql`INSERT INTO ${table.name} (${columns}) VALUES ${tuples(values)}${suffix}`;
}

type Bound = ReadonlyArray<SqlValue | Sql>;

/** The values as they are bound, column by column. */
function boundFor(table: Table, rows: ColumnValues): readonly Bound[] {
    return [...rows].map(([property, values]) => table.toColumns(property, values));
}

const hasSql = (bound: readonly Bound[]): boolean => bound.some(values => values.some(value => value instanceof Sql));

function tuples(bound: readonly Bound[]): SqlPart {
    if (!hasSql(bound)) return new Tuples(bound as ReadonlyArray<readonly SqlValue[]>);
    return join((bound[0] ?? []).map((_, row) => sql`(${join(bound.map(values => values[row]!))})`));
}

const UNNESTED_TYPES = new Set([
    'integer',
    'character varying',
    'text',
    'boolean',
    'bigint',
    'double precision',
    'timestamp without time zone',
    'jsonb',
    'uuid',
]);

/**
 * Rows as one array for each column, so that PostgreSQL gets a dozen parameters instead of some thousand. Undefined
 * if the type of a column works better with a list of VALUES, or if a value is SQL.
 */
function unnested(table: Table, rows: ColumnValues, bound: readonly Bound[]): Sql | undefined {
    // A single row is sent as it is: in a list its texts would be escaped, and a large one would block the event loop
    // for seconds.
    if (rowsIn(rows) < 2) return undefined;
    const types = [...rows.keys()].map(property => table.typeOf(property));
    if (!types.every(type => UNNESTED_TYPES.has(type))) return undefined;
    if (hasSql(bound)) return undefined;
    return sql`unnest(${join(bound.map((values, i) => sql`${values as readonly SqlScalar[]}::${raw(types[i]!)}[]`))})`;
}

/** Inserts rows without an id and returns the ids in the rows' order, whether the database numbers them or not. */
export function* insertNumbered(target: WriteTarget, rows: readonly Row[]): StatementProgram<readonly Id[]> {
    return yield* numberedByColumn(target, columnValuesOf(rows));
}

/** The same for rows in column format. */
export function* numberedByColumn(target: WriteTarget, rows: ColumnValues): StatementProgram<readonly Id[]> {
    return yield* (yield* postNumbered(target, rows))();
}

/** The same without waiting: the returned script yields the ids. */
export function* postNumbered(
    { table, dialect }: WriteTarget,
    rows: ColumnValues,
): StatementProgram<() => StatementProgram<readonly Id[]>> {
    if (!table.numbersItself) {
        const ids = Array.from({ length: rowsIn(rows) }, () => randomUUID());
        yield* insertByColumn({ table, dialect }, new Map([['id', ids], ...rows]));
        return () => known(ids);
    }
    const returning = dialect.hasReturning ? sql` RETURNING ${table.column('id')} AS ${name('id')}` : EMPTY;
    const parts = statementChunks(rows, dialect);
    const sent: Array<Ahead<{ id: number }>> = [];
    for (const part of parts) sent.push(yield* post(insertion({ table, dialect }, part, returning)));
    return function* () {
        const ids: Id[] = [];
        for (const [i, ahead] of sent.entries()) {
            const answer = yield* resultOf(ahead);
            if (dialect.hasReturning) for (const row of answer.rows) ids.push(row.id);
            else ids.push(...(yield* numbered(answer.insertId ?? 0, rowsIn(parts[i]!), dialect)));
        }
        return ids;
    };
}

// eslint-disable-next-line require-yield -- a script without statements
function* known(ids: readonly Id[]): StatementProgram<readonly Id[]> {
    return ids;
}

/**
 * MySQL returns the first id of an insert and increments by its setting; SQLite returns the last and increments by
 * one.
 */
function* numbered(insertId: number, count: number, dialect: Dialect): StatementProgram<readonly number[]> {
    if (dialect.kind === 'sqlite') return Array.from({ length: count }, (_, i) => insertId - count + 1 + i);
    const { rows } = yield* send<{ step: number }>(raw('SELECT @@auto_increment_increment AS step'));
    const step = Number(rows[0]?.step ?? 1);
    return Array.from({ length: count }, (_, i) => insertId + i * step);
}

/**
 * Updates many rows with different values, in one statement for some thousand. `key` names the properties that find a row; all others of the first
 * row are written, and `updatedAt` if the table has it.
 */
export function* updateRows(
    target: WriteTarget,
    rows: readonly Row[],
    key?: readonly string[],
): StatementProgram<void> {
    yield* updateByColumn(target, columnValuesOf(rows), key);
}

/** The same for rows in column format. */
export function* updateByColumn(
    target: WriteTarget,
    rows: ColumnValues,
    key: readonly string[] = ['id'],
): StatementProgram<void> {
    for (const part of statementChunks(rows, target.dialect)) yield* post(update(target, part, key));
}

function update({ table, dialect }: WriteTarget, rows: ColumnValues, key: readonly string[]): Sql {
    const properties = [...rows.keys()];
    const written = properties.filter(property => !key.includes(property));
    const given = (property: string): Sql => sql`${name('given')}.${name(`c${properties.indexOf(property)}`)}`;
    const own = (property: string): Sql => sql`${table.name}.${table.column(property)}`;
    const found = join(
        key.map(property => sql`${own(property)} = ${given(property)}`),
        ' AND ',
    );
    const touched =
        table.has('updatedAt') && !properties.includes('updatedAt')
            ? [sql`${assigned('updatedAt')} = ${dialect.now}`]
            : [];
    const sets = join([...written.map(property => sql`${assigned(property)} = ${given(property)}`), ...touched]);
    const bound = boundFor(table, rows);
    if (dialect.kind === 'mysql')
        return sql`UPDATE ${table.name} JOIN (${unitedSelects(bound)}) AS ${name('given')} ON ${found} SET ${sets}`;
    const arrays = dialect.kind === 'postgres' ? unnested(table, rows, bound) : undefined;
    return sql`UPDATE ${table.name} SET ${sets} FROM ${arrays ?? sql`(${values()})`} AS ${name('given')}${columns()} WHERE ${found}`;

    /** MySQL names the table in SET since two are joined; the others forbid it. */
    function assigned(property: string): Sql {
        return dialect.kind === 'mysql' ? own(property) : sql`${table.column(property)}`;
    }
    function columns(): Sql {
        return dialect.kind === 'postgres' ? sql` (${join(properties.map((_, i) => name(`c${i}`)))})` : EMPTY;
    }
    function values(): Sql {
        if (dialect.kind === 'sqlite') {
            const names = join(properties.map((_, i) => sql`${name(`column${i + 1}`)} AS ${name(`c${i}`)}`));
            return sql`SELECT ${names} FROM (VALUES ${tuples(bound)})`;
        }
        // The first row's casts give the columns of VALUES their types.
        const cast = bound.map(([first, ...others], i) => [
            sql`${first!}::${raw(table.typeOf(properties[i]!))}`,
            ...others,
        ]);
        return sql`VALUES ${tuples(cast)}`;
    }
}

/**
 * Rows for MySQL, whose older versions do not support VALUES in the place of a table; the first one names the
 * columns.
 */
function unitedSelects(bound: readonly Bound[]): Sql {
    const count = bound[0]?.length ?? 0;
    const rows = Array.from({ length: count }, (_, row) =>
        join(bound.map((values, i) => (row === 0 ? sql`${values[row]!} AS ${name(`c${i}`)}` : values[row]!))),
    );
    return join(
        rows.map(row => sql`SELECT ${row}`),
        ' UNION ALL ',
    );
}

/** Deletes rows by one column. */
export function* deleteRows(
    { table, dialect }: WriteTarget,
    property: string,
    values: readonly Id[],
): StatementProgram<void> {
    if (values.length === 0) return;
    yield* post(sql`DELETE FROM ${table.name} WHERE ${dialect.oneOf(table.column(property), values)}`);
}
