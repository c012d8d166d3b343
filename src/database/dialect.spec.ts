import { mysql, postgres, render, sqlite } from './dialect';
import { column, join, name, raw, type SqlScalar, sql } from './statement';

const statement = sql`SELECT ${column('p', 'we"ird`name')} FROM ${name('shop.product')} WHERE ${name('slug')} = ${'x'} AND ${name('enabled')} = ${true} AND ${name('n')} IN (${join([1, 2])})`;

describe('a rendered statement', () => {
    it("has PostgreSQL's quotes and numbered placeholders, values in order", () => {
        expect(render(statement, postgres)).toEqual({
            text: 'SELECT "p"."we""ird`name" FROM "shop"."product" WHERE "slug" = $1 AND "enabled" = $2 AND "n" IN ($3, $4)',
            params: ['x', true, 1, 2],
        });
    });

    it("has MySQL's quotes and question marks, booleans as numbers", () => {
        expect(render(statement, mysql(true))).toEqual({
            text: 'SELECT `p`.`we"ird``name` FROM `shop`.`product` WHERE `slug` = ? AND `enabled` = ? AND `n` IN (?, ?)',
            params: ['x', 1, 1, 2],
        });
    });

    it("has SQLite's quotes, dates as TypeORM stores them", () => {
        expect(render(sql`SELECT ${new Date('2026-02-03T04:05:06.007Z')}`, sqlite)).toEqual({
            text: 'SELECT ?',
            params: ['2026-02-03 04:05:06.007'],
        });
    });

    it('binds values and never writes them into the text', () => {
        const nasty = "x'; DROP TABLE product; --";
        for (const dialect of [postgres, mysql(false), sqlite]) {
            const { text, params } = render(sql`SELECT ${nasty} WHERE ${dialect.oneOf(name('sku'), [nasty])}`, dialect);
            expect(text).not.toContain('DROP');
            expect(JSON.stringify(params)).toContain('DROP');
        }
    });

    it('looks for a list with one parameter where the database can, and for an empty one without any', () => {
        expect(render(postgres.oneOf(name('id'), [1, 2]), postgres)).toEqual({
            text: '"id" = ANY($1)',
            params: ['{1,2}'],
        });
        expect(render(sqlite.oneOf(name('id'), [1, 2]), sqlite)).toEqual({
            text: '"id" IN (SELECT value FROM json_each(?))',
            params: ['[1,2]'],
        });
        expect(render(mysql(true).oneOf(name('id'), [1, 2]), mysql(true))).toEqual({
            text: '`id` IN (?, ?)',
            params: [1, 2],
        });
        for (const dialect of [postgres, mysql(true), sqlite])
            expect(render(dialect.oneOf(name('id'), []), dialect)).toEqual({ text: '1 = 0', params: [] });
    });

    it('writes lists of texts for PostgreSQL as they are, and leaves moments to the driver', () => {
        const bound = (values: readonly SqlScalar[]): unknown => render(sql`${values}`, postgres).params[0];
        expect(bound(['a,b', 'c"d', String.raw`e\f`, '', 'NULL', '{}', ' g ', 'h\ni', null])).toBe(
            String.raw`{"a,b","c\"d","e\\f","","NULL","{}"," g ","h` + '\n' + 'i",NULL}',
        );
        expect(bound([true, 1.5, 2n])).toBe('{true,1.5,2}');
        const moments = [new Date(0), null];
        expect(bound(moments)).toEqual(moments);
    });

    it('joins nothing to nothing', () => {
        expect(render(sql`a${join([])}b${raw('c')}`, sqlite).text).toBe('abc');
    });
});
