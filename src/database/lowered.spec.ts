import { PADDING } from '../core/data/unpadded';
import { type Dialect, mysql, postgres, render, sqlite } from './dialect';
import { lowered } from './lowered';
import { column, sql } from './statement';

const rendered = (dialect: Dialect, texts: readonly string[]) =>
    render(sql`${lowered(dialect, column('t', 'name'), texts)}`, dialect);

describe('a column in lower case', () => {
    it('has the letters lowered that a database leaves as they are', () => {
        expect(rendered(postgres, ['äpfel', 'öl'])).toEqual({
            text: 'TRANSLATE(LOWER(TRIM(BOTH $1 FROM "t"."name")), $2, $3)',
            params: [PADDING, 'ÄÖ', 'äö'],
        });
        expect(rendered(sqlite, ['äpfel', 'öl'])).toEqual({
            text: 'REPLACE(REPLACE(LOWER(TRIM("t"."name", ?)), ?, ?), ?, ?)',
            params: [PADDING, 'Ä', 'ä', 'Ö', 'ö'],
        });
        expect(rendered(mysql(true), ['äpfel', 'öl'])).toEqual({
            text: "LOWER(REGEXP_REPLACE(`t`.`name`, ?, ''))",
            params: [`^[${PADDING}]+|[${PADDING}]+$`],
        });
    });

    it('has letters lowered that databases lower in different ways', () => {
        expect(rendered(sqlite, ['straße'])).toEqual({
            text: 'LOWER(TRIM(REPLACE("t"."name", ?, ?), ?))',
            params: ['ẞ', 'ß', PADDING],
        });
    });

    it('is left alone where there is nothing to replace, and is replaced a bounded number of times', () => {
        expect(rendered(sqlite, ['apples', '日本'])).toEqual({
            text: 'LOWER(TRIM("t"."name", ?))',
            params: [PADDING],
        });
        const letters = Array.from({ length: 2_000 }, (_, i) => String.fromCodePoint(0x80 + i))
            .join('')
            .toLowerCase();
        expect(rendered(sqlite, [letters]).params.length).toBeLessThanOrEqual(410);
    });
});
