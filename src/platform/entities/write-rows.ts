import type { Script } from '../../core/adapter/loader';
import type { JsonValue } from '../../core/value/json';
import type { Dialect } from '../../database/dialect';
import { name, type Sql, Sql as SqlText, post, raw, select, sql } from '../../database/statement';
import type { JoinTable, Table } from '../../database/table';
import { deleteRows, type Id, type Row, insertRows, updateRows } from '../../database/write';
import type { CustomField } from './custom-fields';
import type { Columns, Members, TextState } from './columns';

/** Where something is written. */
interface Place {
    readonly dialect: Dialect;
}

export type Pair = readonly [owner: Id, member: Id];

/** Writes rows of a join table. */
export function* addPairs({ dialect }: Place, table: JoinTable, pairs: readonly Pair[]): Script<void> {
    if (pairs.length > 0)
        yield* insertRows(
            { table, dialect },
            pairs.map(([owner, member]) => ({ [table.owner]: owner, [table.member]: member })),
        );
}

/** Writes those rows of a join table that are not there yet. */
export function* addMissingPairs(place: Place, table: JoinTable, pairs: readonly Pair[]): Script<void> {
    if (pairs.length === 0) return;
    const owners = [...new Set(pairs.map(([owner]) => owner))];
    const rows = yield* select<{ owner: Id; member: Id }>(
        sql`SELECT ${table.column(table.owner)} AS ${name('owner')}, ${table.column(table.member)} AS ${name('member')}
        FROM ${table.name} WHERE ${place.dialect.oneOf(table.column(table.owner), owners)}`,
    );
    const seen = new Set(rows.map(({ owner, member }) => `${owner} ${member}`));
    const missing = pairs.filter(
        ([owner, member]) => !seen.has(`${owner} ${member}`) && seen.add(`${owner} ${member}`),
    );
    yield* addPairs(place, table, missing);
}

/** Removes rows of a join table. */
export function* removePairs({ dialect }: Place, table: JoinTable, pairs: readonly Pair[]): Script<void> {
    for (let start = 0; start < pairs.length; start += 5_000) {
        const part = pairs.slice(start, start + 5_000).map(([owner, member]) => sql`(${owner}, ${member})`);
        const list: Sql = new SqlText(['', ...part.slice(1).map(() => ', '), ''], part);
        const values = dialect.kind === 'mysql' ? list : sql`VALUES ${list}`;
        yield* post(
            sql`DELETE FROM ${table.name} WHERE (${table.column(table.owner)}, ${table.column(table.member)}) IN (${cast(dialect.kind === 'postgres', values, table)})`,
        );
    }
}

/** PostgreSQL takes the untyped parameters of a VALUES list for text. */
function cast(isPostgres: boolean, values: Sql, table: JoinTable): Sql {
    if (!isPostgres) return values;
    return sql`SELECT a::${raw(table.typeOf(table.owner))}, b::${raw(table.typeOf(table.member))} FROM (${values}) AS pairs (a, b)`;
}

interface Changed {
    readonly id: Id;
    readonly columns: Columns;
}

const MOST_UPDATES = 4;

/**
 * Updates rows, each in the columns in which it changed: a statement for each set of columns. When there are many sets, one
 * statement writes all their columns, so that the number of statements does not depend on the batch.
 */
export function* updateChanged({ dialect }: Place, table: Table, rows: readonly Changed[]): Script<void> {
    const bySet = new Map<string, Changed[]>();
    for (const row of rows) {
        const key = changedIn(table, row).sort().join();
        const group = bySet.get(key);
        if (group) group.push(row);
        else bySet.set(key, [row]);
    }
    const groups = bySet.size > MOST_UPDATES ? [[...rows]] : [...bySet.values()];
    for (const group of groups) {
        const properties = new Set(group.flatMap(row => changedIn(table, row)));
        yield* updateRows(
            { table, dialect },
            group.map(({ id, columns }) => valuesOf(columns, [...properties], { id })),
        );
    }
}

/** The columns of a row that changed; what stands in other tables is none of them. */
function changedIn(table: Table, { columns }: Changed): string[] {
    return [...columns.changed].filter(property => table.has(property));
}

function valuesOf(columns: Columns, properties: readonly string[], first: Row): Row {
    const row: Record<string, unknown> = { ...first };
    for (const property of properties) row[property] = columns.get(property);
    return row;
}

/**
 * New rows with the same columns each: those that all of them have, and the custom fields that any of them has, with the
 * database's own default where one has none.
 */
export function newRows<T>(
    states: readonly T[],
    {
        columnsOf,
        properties,
        custom,
        rest,
    }: {
        readonly columnsOf: (state: T) => Columns;
        readonly properties: readonly string[];
        readonly custom: readonly CustomField[];
        /** Further columns: owners, languages. */
        readonly rest: (state: T) => Row;
    },
): readonly Row[] {
    const used = custom.filter(field => states.some(state => field.property in columnsOf(state).values));
    return states.map(state => {
        const { values } = columnsOf(state);
        const row: Record<string, unknown> = { ...rest(state) };
        for (const property of properties) row[property] = values[property];
        for (const { property, defaultValue } of used)
            row[property] = property in values ? (values[property] as JsonValue) : defaultValue;
        return row;
    });
}

interface Owner {
    readonly id: Id | undefined;
}

/** Writes what joined and what left a relation. */
export function* writeMembers<O extends Owner, T>(
    place: Place,
    table: JoinTable,
    {
        owners,
        membersOf,
        idOf,
    }: {
        readonly owners: readonly O[];
        readonly membersOf: (owner: O) => Members<T> | undefined;
        readonly idOf: (member: T) => Id;
    },
): Script<void> {
    const moved = owners.filter(owner => membersOf(owner)?.isChanged === true);
    if (moved.length === 0) return;
    yield* removePairs(
        place,
        table,
        moved.flatMap(owner => membersOf(owner)!.removed.map(member => [owner.id!, idOf(member)] as const)),
    );
    yield* addPairs(
        place,
        table,
        moved.flatMap(owner => membersOf(owner)!.added.map(member => [owner.id!, idOf(member)] as const)),
    );
}

/** What has custom fields that are lists of relations. */
interface RelationsPlace extends Place {
    readonly relations: ReadonlyMap<string, JoinTable>;
}

/** Writes the custom fields that are lists of relations, where they changed. */
export function* writeRelations(
    place: RelationsPlace,
    states: ReadonlyArray<Owner & { readonly columns: Columns }>,
): Script<void> {
    for (const [property, table] of place.relations) {
        const changed = states.filter(({ columns }) => columns.changed.has(property));
        const ids = changed.map(({ id }) => id!);
        yield* deleteRows({ table, dialect: place.dialect }, table.owner, ids);
        const pairs = changed.flatMap(({ id, columns }) =>
            (columns.get(property) as readonly Id[]).map(to => [id!, to] as const),
        );
        yield* addPairs(place, table, pairs);
    }
}

interface TextOwner extends Owner {
    readonly texts: ReadonlyMap<string, TextState>;
}

/** Writes translations: the new ones in one statement, the changed ones by the columns that changed. */
export function* writeTexts(
    { dialect }: Place,
    owners: readonly TextOwner[],
    {
        table,
        properties,
        custom,
    }: {
        readonly table: Table;
        readonly properties: readonly string[];
        readonly custom: readonly CustomField[];
    },
): Script<void> {
    const all = owners.flatMap(owner => [...owner.texts].map(([language, text]) => ({ owner, language, ...text })));
    const fresh = all.filter(({ id }) => id === undefined);
    yield* insertRows(
        { table, dialect },
        newRows(fresh, {
            columnsOf: ({ columns }) => columns,
            properties,
            custom,
            rest: ({ owner, language }) => ({ languageCode: language, base: owner.id }),
        }),
    );
    const stored = all.flatMap(({ id, columns }) =>
        id !== undefined && columns.changed.size > 0 ? [{ id, columns }] : [],
    );
    yield* updateChanged({ dialect }, table, stored);
}
