import { PADDING } from '../core/data/unpadded';
import { type Dialect, mysql, postgres, render, sqlite } from './dialect';
import { lowerCased } from './lower-case';
import { column, sql } from './statement';

const rendered = (dialect: Dialect, texts: readonly string[]) =>
    render(sql`${lowerCased(dialect, column('t', 'name'), texts)}`, dialect);
const BLANKS = `^[${PADDING}]+|[${PADDING}]+$`;

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
    });

    it('is compared by a collation on MariaDB and MySQL, and is trimmed only where it has something around it', () => {
        expect(rendered(mysql(true), ['äpfel', 'öl'])).toEqual({
            text:
                'IF(ASCII(`t`.`name`) BETWEEN 33 AND 126 AND ASCII(RIGHT(CAST(`t`.`name` AS BINARY), 1)) BETWEEN 33 AND 126, ' +
                "CONVERT(`t`.`name` USING utf8mb4), REGEXP_REPLACE(CONVERT(`t`.`name` USING utf8mb4), ?, '')) COLLATE utf8mb4_general_ci",
            params: [BLANKS],
        });
    });

    it('has letters lowered that databases lower in different ways', () => {
        expect(rendered(sqlite, ['straße'])).toEqual({
            text: 'LOWER(TRIM(REPLACE("t"."name", ?, ?), ?))',
            params: ['ẞ', 'ß', PADDING],
        });
        // Letters that the collation does not know: Georgian capitals, and the sign for Kelvin.
        const replaced = 'REPLACE(REPLACE(CONVERT(`t`.`name` USING utf8mb4), ?, ?), ?, ?)';
        expect(rendered(mysql(true), ['აk'])).toEqual({
            text: expect.stringContaining(`126, ${replaced}, REGEXP_REPLACE(${replaced}, ?, '')) COLLATE`),
            params: ['Ა', 'ა', '\u212a', 'k', 'Ა', 'ა', '\u212a', 'k', BLANKS],
        });
    });

    it('has every letter lowered that has the same lower case', () => {
        // "ǅ" is neither a capital nor a small letter; the signs for Ångström and Ohm are not capitals of their
        // letters either.
        expect(rendered(postgres, ['ǆ', 'å', 'ω', '𐐨']).params.slice(1)).toEqual(['ǄǅÅ\u212bΩ\u2126𐐀', 'ǆǆååωω𐐨']);
    });

    it('is left alone where there is nothing to replace, and is replaced a bounded number of times', () => {
        expect(rendered(sqlite, ['apples', '日本'])).toEqual({
            text: 'LOWER(TRIM("t"."name", ?))',
            params: [PADDING],
        });
        const letters = Array.from({ length: 2_000 }, (_, i) => String.fromCodePoint(0x80 + i))
            .join('')
            .toLowerCase();
        for (const dialect of [sqlite, mysql(true)])
            expect(rendered(dialect, [letters]).params.length).toBeLessThanOrEqual(dialect === sqlite ? 410 : 820);
    });
});
