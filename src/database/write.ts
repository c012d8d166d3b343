import { randomUUID } from 'node:crypto';
import type { Script } from '../core/adapter/loader';
import type { Dialect } from './dialect';
import {
    type Ahead,
    answerOf,
    EMPTY,
    Sql,
    type SqlPart,
    type SqlScalar,
    join,
    name,
    post,
    raw,
    send,
    sql,
} from './statement';
import type { Table } from './table';

export type Id = string | number;
export type Row = Readonly<Record<string, unknown>>;

/** The rows in pieces that fit one statement each. */
function pieces(
    rows: readonly Row[],
    columns: number,
    { maxParams, maxChars }: Dialect,
): ReadonlyArray<readonly Row[]> {
    if (rows.length === 0) return [];
    const most = Math.floor(maxParams / Math.max(1, columns));
    if (maxChars === undefined && rows.length <= most) return [rows];
    const made: Row[][] = [];
    let chars = Infinity;
    for (const row of rows) {
        const size = maxChars === undefined ? 0 : charsOf(row);
        const piece = made[made.length - 1];
        if (!piece || piece.length === most || (maxChars !== undefined && chars + size > maxChars)) {
            made.push([row]);
            chars = size;
        } else {
            piece.push(row);
            chars += size;
        }
    }
    return made;
}

function charsOf(row: Row): number {
    let chars = 0;
    for (const value of Object.values(row)) {
        chars +=
            typeof value === 'string'
                ? value.length
                : typeof value === 'object' && value !== null
                  ? JSON.stringify(value).length
                  : 8;
    }
    return chars;
}

const tuple = (values: readonly SqlPart[]): Sql => sql`(${join(values)})`;

/** Where a statement goes and how it is spelled there. */
export interface WriteTarget {
    readonly table: Table;
    readonly dialect: Dialect;
}

/**
 * Inserts rows with as few statements as the database allows: one for some thousand rows. All rows have the properties of
 * the first; SQL as a value stands as itself. Columns that are left out get the database's defaults.
 */
export function* insertRows({ table, dialect }: WriteTarget, rows: readonly Row[], suffix: Sql = EMPTY): Script<void> {
    const properties = Object.keys(rows[0] ?? {});
    for (const part of pieces(rows, properties.length, dialect)) {
        yield* post(insertion({ table, dialect }, part, { properties, suffix }));
    }
}

function insertion(
    { table, dialect }: WriteTarget,
    rows: readonly Row[],
    { properties, suffix }: { readonly properties: readonly string[]; readonly suffix: Sql },
): Sql {
    const columns = join(properties.map(property => table.column(property)));
    // One goes as it is: in a list, its texts would be escaped, and a large one would hold everybody up for seconds.
    const arrays = dialect.kind === 'postgres' && rows.length > 1 ? unnested(table, rows, properties) : undefined;
    if (arrays) return sql`INSERT INTO ${table.name} (${columns}) SELECT * FROM ${arrays}${suffix}`;
    const values = rows.map(row => tuple(properties.map(property => boundFor(table, property, row[property]))));
    return sql`INSERT INTO ${table.name} (${columns}) VALUES ${join(values)}${suffix}`;
}

function boundFor(table: Table, property: string, value: unknown): SqlPart {
    return value instanceof Sql ? value : table.toColumn(property, value);
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
 * Rows as one array a column, so that PostgreSQL gets a dozen parameters instead of some thousand. Undefined where a column
 * is of a type that is better left to a list of VALUES, and where a value is SQL.
 */
function unnested(table: Table, rows: readonly Row[], properties: readonly string[]): Sql | undefined {
    const types = properties.map(property => table.typeOf(property));
    if (types.length === 0 || !types.every(type => UNNESTED_TYPES.has(type))) return undefined;
    if (rows.some(row => properties.some(property => row[property] instanceof Sql))) return undefined;
    const arrays = properties.map((property, i) => {
        const values = rows.map(row => (table.toColumn(property, row[property]) ?? null) as SqlScalar);
        return sql`${values}::${raw(types[i]!)}[]`;
    });
    return sql`unnest(${join(arrays)})`;
}

/** Inserts rows without an id and answers the ids in the rows' order, whether the database numbers them or not. */
export function* insertNumbered(target: WriteTarget, rows: readonly Row[]): Script<readonly Id[]> {
    return yield* (yield* postNumbered(target, rows))();
}

/** The same without waiting: the answer tells the ids, when they are asked for. */
export function* postNumbered(
    { table, dialect }: WriteTarget,
    rows: readonly Row[],
): Script<() => Script<readonly Id[]>> {
    if (!table.numbersItself) {
        const ids = rows.map(() => randomUUID());
        yield* insertRows(
            { table, dialect },
            rows.map((row, i) => ({ id: ids[i], ...row })),
        );
        return () => known(ids);
    }
    const properties = Object.keys(rows[0] ?? {});
    const returning = dialect.hasReturning ? sql` RETURNING ${table.column('id')} AS ${name('id')}` : EMPTY;
    const parts = pieces(rows, properties.length, dialect);
    const sent: Array<Ahead<{ id: number }>> = [];
    for (const part of parts)
        sent.push(yield* post(insertion({ table, dialect }, part, { properties, suffix: returning })));
    return function* () {
        const ids: Id[] = [];
        for (const [i, ahead] of sent.entries()) {
            const answer = yield* answerOf(ahead);
            if (dialect.hasReturning) for (const row of answer.rows) ids.push(row.id);
            else ids.push(...(yield* numbered(answer.insertId ?? 0, parts[i]!.length, dialect)));
        }
        return ids;
    };
}

// eslint-disable-next-line require-yield -- a script that asks for nothing
function* known(ids: readonly Id[]): Script<readonly Id[]> {
    return ids;
}

/** MySQL answers the first id of an insert and steps by its setting; SQLite answers the last and steps by one. */
function* numbered(insertId: number, count: number, dialect: Dialect): Script<readonly number[]> {
    if (dialect.kind === 'sqlite') return Array.from({ length: count }, (_, i) => insertId - count + 1 + i);
    const { rows } = yield* send<{ step: number }>(raw('SELECT @@auto_increment_increment AS step'));
    const step = Number(rows[0]?.step ?? 1);
    return Array.from({ length: count }, (_, i) => insertId + i * step);
}

/**
 * Updates many rows, each with values of its own, in one statement for some thousand: `key` names the properties that find
 * a row, all others of the first row are written, `updatedAt` with them where the table has it.
 */
export function* updateRows(
    { table, dialect }: WriteTarget,
    rows: readonly Row[],
    key: readonly string[] = ['id'],
): Script<void> {
    const properties = Object.keys(rows[0] ?? {});
    const written = properties.filter(property => !key.includes(property));
    for (const part of pieces(rows, properties.length, dialect)) {
        yield* post(update({ table, dialect }, part, { key, written, properties }));
    }
}

interface UpdateShape {
    readonly key: readonly string[];
    readonly written: readonly string[];
    readonly properties: readonly string[];
}

function update({ table, dialect }: WriteTarget, rows: readonly Row[], { key, written, properties }: UpdateShape): Sql {
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
    if (dialect.kind === 'mysql')
        return sql`UPDATE ${table.name} JOIN (${selects()}) AS ${name('given')} ON ${found} SET ${sets}`;
    // One goes as it is: in a list, its texts would be escaped, and a large one would hold everybody up for seconds.
    const arrays = dialect.kind === 'postgres' && rows.length > 1 ? unnested(table, rows, properties) : undefined;
    return sql`UPDATE ${table.name} SET ${sets} FROM ${arrays ?? sql`(${values()})`} AS ${name('given')}${columns()} WHERE ${found}`;

    /** MySQL names the table in SET since two are joined; the others forbid it. */
    function assigned(property: string): Sql {
        return dialect.kind === 'mysql' ? own(property) : sql`${table.column(property)}`;
    }
    function columns(): Sql {
        return dialect.kind === 'postgres' ? sql` (${join(properties.map((_, i) => name(`c${i}`)))})` : EMPTY;
    }
    function values(): Sql {
        if (dialect.kind === 'sqlite') return selects();
        // The first row's casts give the columns of VALUES their types.
        const lists = rows.map((row, i) =>
            tuple(
                properties.map(property => {
                    const value = table.toColumn(property, row[property]);
                    return i === 0 ? sql`${value}::${raw(table.typeOf(property))}` : value;
                }),
            ),
        );
        return sql`VALUES ${join(lists)}`;
    }
    function selects(): Sql {
        if (dialect.kind === 'sqlite') {
            const names = join(properties.map((_, i) => sql`${name(`column${i + 1}`)} AS ${name(`c${i}`)}`));
            return sql`SELECT ${names} FROM (VALUES ${join(rows.map(row => tuple(properties.map(p => table.toColumn(p, row[p])))))})`;
        }
        const first = (row: Row): Sql =>
            sql`SELECT ${join(properties.map((p, i) => sql`${table.toColumn(p, row[p])} AS ${name(`c${i}`)}`))}`;
        const other = (row: Row): Sql => sql`SELECT ${join(properties.map(p => table.toColumn(p, row[p])))}`;
        return join(
            rows.map((row, i) => (i === 0 ? first(row) : other(row))),
            ' UNION ALL ',
        );
    }
}

/** Deletes rows by one column. */
export function* deleteRows({ table, dialect }: WriteTarget, property: string, values: readonly Id[]): Script<void> {
    if (values.length === 0) return;
    yield* post(sql`DELETE FROM ${table.name} WHERE ${dialect.oneOf(table.column(property), values)}`);
}
