import type { Dialect } from './dialect';
import { type Sql, sql } from './statement';

/** Letters that one expression replaces; SQLite nests a call for each. */
const MOST_LETTERS = 200;

/**
 * A text column in lower case and without blanks around it, to be compared with lower-case `texts`. SQLite, and PostgreSQL in the "C" locale,
 * only lower the letters A to Z, so the other letters of `texts` are replaced one by one.
 */
export function lowered({ kind }: Pick<Dialect, 'kind'>, subject: Sql, texts: readonly string[]): Sql {
    const lower = sql`LOWER(TRIM(${subject}))`;
    if (kind === 'mysql') return lower;
    const letters = new Map<string, string>();
    for (const letter of new Set(texts.join(''))) {
        const capital = letter.toUpperCase();
        if (letter > '\x7f' && capital !== letter && capital.toLowerCase() === letter && letters.size < MOST_LETTERS)
            letters.set(capital, letter);
    }
    if (letters.size === 0) return lower;
    if (kind === 'postgres')
        return sql`TRANSLATE(${lower}, ${[...letters.keys()].join('')}, ${[...letters.values()].join('')})`;
    return [...letters].reduce((text, [capital, letter]) => sql`REPLACE(${text}, ${capital}, ${letter})`, lower);
}
