import BetterSqlite from 'better-sqlite3';
import { mysql, postgres, render, sqlite } from '../../database/dialect';
import { column, join, name, raw, sql } from '../../database/statement';
import { Keyset, type KeysetPosition, type QuerySort, readKeysetPosition, storedKeysetPosition } from './keyset';
import type { SourceField } from './source';

const fieldOf = (property: string, more: Partial<SourceField> = {}): SourceField =>
    ({ name: property, kind: 'text', isNullable: true, of: alias => column(alias, property), ...more }) as SourceField;
const sortOf = (property: string, isDescending: boolean, more: Partial<QuerySort> = {}): QuerySort => ({
    field: fieldOf(property),
    isDescending,
    id: column('e', 'id'),
    dialect: sqlite,
    ...more,
});

describe('pages that begin after a record', () => {
    const database = new BetterSqlite(':memory:');
    beforeAll(() => {
        database.exec('CREATE TABLE lamp (id INTEGER PRIMARY KEY, colour TEXT)');
        const insert = database.prepare('INSERT INTO lamp VALUES (?, ?)');
        for (const [id, colour] of [
            [1, 'red'],
            [2, null],
            [3, 'blue'],
            [4, 'red'],
            [5, null],
            [6, 'blue'],
            [7, 'red'],
        ])
            insert.run(id, colour);
    });
    afterAll(() => database.close());

    /** The ids of a page, and where it ends. */
    function page(keyset: Keyset, after: KeysetPosition | undefined, size: number) {
        const columns = [sql`${column('e', 'id')} AS ${name('id')}`, ...keyset.columns];
        const condition = after ? sql` WHERE ${keyset.behind(after)}` : raw('');
        const { text, params } = render(
            sql`SELECT ${join(columns)} FROM ${name('lamp')} AS ${name('e')}${condition}
                ORDER BY ${join(keyset.orderBy())} LIMIT ${raw(String(size))}`,
            sqlite,
        );
        const rows = database.prepare(text).all(...params) as ReadonlyArray<{ readonly id: number }>;
        return { ids: rows.map(({ id }) => id), last: rows.length > 0 ? keyset.placeOf(rows.at(-1)!) : undefined };
    }

    function allPages(keyset: Keyset, size: number): readonly number[] {
        const ids: number[] = [];
        for (let after: KeysetPosition | undefined; ;) {
            const { ids: some, last } = page(keyset, after, size);
            if (!last) return ids;
            ids.push(...some);
            // As a checkpoint keeps it.
            after = readKeysetPosition(JSON.parse(JSON.stringify(storedKeysetPosition(last))));
        }
    }

    it.each<[string, string, boolean, readonly number[]]>([
        ['a field, those without a value first', 'colour', false, [2, 5, 3, 6, 1, 4, 7]],
        ['a field in reverse, those without a value last', 'colour', true, [7, 4, 1, 6, 3, 5, 2]],
        ['ids', 'id', false, [1, 2, 3, 4, 5, 6, 7]],
        ['ids in reverse', 'id', true, [7, 6, 5, 4, 3, 2, 1]],
    ])('have each record once, sorted by %s', (_, property, isDescending, expected) => {
        for (const size of [1, 2, 3, 7])
            expect(allPages(new Keyset(sortOf(property, isDescending)), size)).toEqual(expected);
    });

    it('neither miss nor repeat a record if others are added and deleted in between', () => {
        const keyset = new Keyset(sortOf('colour', false));
        const { last } = page(keyset, undefined, 4);
        database.exec("DELETE FROM lamp WHERE id = 6; INSERT INTO lamp VALUES (8, 'amber'), (9, 'green')");
        expect(page(keyset, last, 10).ids).toEqual([9, 1, 4, 7]);
    });
});

describe('the place of a record in a query by date', () => {
    const sorts = (dialect: typeof postgres) =>
        new Keyset(sortOf('at', false, { field: fieldOf('at', { kind: 'date' }), dialect }));

    it('is the text of the database, where a driver loses digits', () => {
        const row = { id: 1, s: new Date(0), k: '1970-01-01 00:00:00.000001' };
        for (const dialect of [postgres, mysql(true)]) {
            expect(sorts(dialect).columns).toHaveLength(2);
            expect(sorts(dialect).placeOf(row)).toEqual({ id: 1, value: row.k });
        }
        expect(sorts(sqlite).columns).toHaveLength(1);
        expect(sorts(sqlite).placeOf({ id: 1, s: '1970-01-01' })).toEqual({ id: 1, value: '1970-01-01' });
    });
});

it('a checkpoint that is not a place is an error of Flow', () => {
    expect(readKeysetPosition(undefined)).toBeUndefined();
    expect(readKeysetPosition({ id: 'a' })).toEqual({ id: 'a', value: null });
    expect(() => readKeysetPosition({ value: 1 })).toThrow(expect.objectContaining({ code: 'BUG' }));
});
