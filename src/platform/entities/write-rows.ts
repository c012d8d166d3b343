import type { StatementProgram } from '../../core/adapter/loader';
import type { Dialect } from '../../database/dialect';
import { name, type Sql, Sql as SqlText, post, raw, select, sql } from '../../database/statement';
import type { JoinTable, Table } from '../../database/table';
import type { ColumnValues } from '../../database/column-values';
import { deleteRows, type Id, insertByColumn, updateByColumn } from '../../database/write';
import type { CustomField } from './custom-fields';
import type { Columns, Members, TextState } from './columns';

/** Where something is written. */
interface Place {
    readonly dialect: Dialect;
}

export type Pair = readonly [owner: Id, member: Id];

/** Writes rows of a join table. */
export function* addPairs(keysetPosition: Place, table: JoinTable, pairs: readonly Pair[]): StatementProgram<void> {
    const owners = pairs.map(([owner]) => owner);
    const members = pairs.map(([, member]) => member);
    yield* insertByColumn(
        { table, dialect: keysetPosition.dialect },
        new Map([
            [table.owner, owners],
            [table.member, members],
        ]),
    );
}

/** Writes those rows of a join table that are not there yet. */
export function* addMissingPairs(
    keysetPosition: Place,
    table: JoinTable,
    pairs: readonly Pair[],
): StatementProgram<void> {
    if (pairs.length === 0) return;
    const owners = [...new Set(pairs.map(([owner]) => owner))];
    const rows = yield* select<{ owner: Id; member: Id }>(
        sql`SELECT ${table.column(table.owner)} AS ${name('owner')}, ${table.column(table.member)} AS ${name('member')}
        FROM ${table.name} WHERE ${keysetPosition.dialect.oneOf(table.column(table.owner), owners)}`,
    );
    const seen = new Set(rows.map(({ owner, member }) => `${owner} ${member}`));
    const missing = pairs.filter(
        ([owner, member]) => !seen.has(`${owner} ${member}`) && seen.add(`${owner} ${member}`),
    );
    yield* addPairs(keysetPosition, table, missing);
}

/** Removes rows of a join table. */
export function* removePairs({ dialect }: Place, table: JoinTable, pairs: readonly Pair[]): StatementProgram<void> {
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
export function* updateChanged({ dialect }: Place, table: Table, rows: readonly Changed[]): StatementProgram<void> {
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
        const values = new Map<string, readonly unknown[]>([['id', group.map(({ id }) => id)]]);
        for (const property of properties)
            values.set(
                property,
                group.map(({ columns }) => columns.get(property)),
            );
        yield* updateByColumn({ table, dialect }, values);
    }
}

/** The changed columns of a row, without values in other tables. */
function changedIn(table: Table, { columns }: Changed): string[] {
    return [...columns.changed].filter(property => table.has(property));
}

/**
 * The values of new rows: in the columns that all of them have, and in the custom fields that any of them has, with
 * the database's default for missing values.
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
        readonly rest: Readonly<Record<string, (state: T) => unknown>>;
    },
): ColumnValues {
    const rows = states.map(state => columnsOf(state).values);
    const values = new Map<string, readonly unknown[]>();
    for (const [property, of] of Object.entries(rest)) values.set(property, states.map(of));
    for (const property of properties)
        values.set(
            property,
            rows.map(row => row[property]),
        );
    for (const { property, defaultValue } of custom)
        if (rows.some(row => property in row))
            values.set(
                property,
                rows.map(row => (property in row ? row[property] : defaultValue)),
            );
    return values;
}

interface Owner {
    readonly id: Id | undefined;
}

/** Writes the added and removed members of a relation. */
export function* writeMembers<O extends Owner, T>(
    keysetPosition: Place,
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
): StatementProgram<void> {
    const removed: Pair[] = [];
    const added: { readonly owners: Id[]; readonly members: Id[] } = { owners: [], members: [] };
    for (const owner of owners) {
        const members = membersOf(owner);
        if (members?.isChanged !== true) continue;
        for (const member of members.removed) removed.push([owner.id!, idOf(member)]);
        for (const member of members.added) {
            added.owners.push(owner.id!);
            added.members.push(idOf(member));
        }
    }
    yield* removePairs(keysetPosition, table, removed);
    yield* insertByColumn(
        { table, dialect: keysetPosition.dialect },
        new Map([
            [table.owner, added.owners],
            [table.member, added.members],
        ]),
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
): StatementProgram<void> {
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

/** Writes translations: the new ones in one statement, the changed ones by their changed columns. */
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
): StatementProgram<void> {
    const fresh: Array<{ readonly owner: TextOwner; readonly language: string; readonly columns: Columns }> = [];
    const stored: Changed[] = [];
    for (const owner of owners) {
        for (const [language, { id, columns }] of owner.texts) {
            if (id === undefined) fresh.push({ owner, language, columns });
            else if (columns.changed.size > 0) stored.push({ id, columns });
        }
    }
    yield* insertByColumn(
        { table, dialect },
        newRows(fresh, {
            columnsOf: ({ columns }) => columns,
            properties,
            custom,
            rest: { languageCode: ({ language }) => language, base: ({ owner }) => owner.id },
        }),
    );
    yield* updateChanged({ dialect }, table, stored);
}
