import { PADDING } from '../core/data/unpadded';
import type { Dialect } from './dialect';
import { type Sql, sql } from './statement';

/** Letters that one expression replaces; SQLite nests a call for each. */
const MOST_LETTERS = 200;

/** Letters with a lower case that databases do not know, or know in different ways: what they are replaced by first. */
const OWN_LOWER: ReadonlyArray<readonly [letter: string, lower: string]> = [
    ['ς', 'σ'],
    ['ẞ', 'ß'],
    ['İ', 'i̇'],
];

/** The subject with those letters replaced that the texts have. */
function respelt(subject: Sql, texts: readonly string[]): Sql {
    return OWN_LOWER.filter(([, lower]) => texts.some(text => text.includes(lower))).reduce(
        (text, [letter, lower]) => sql`REPLACE(${text}, ${letter}, ${lower})`,
        subject,
    );
}

/** The subject without blanks and invisible characters around it; TRIM alone takes off spaces. */
function trimmed(kind: Dialect['kind'], subject: Sql): Sql {
    if (kind !== 'mysql')
        return sql`TRIM(${kind === 'postgres' ? sql`BOTH ${PADDING} FROM ${subject}` : sql`${subject}, ${PADDING}`})`;
    return sql`REGEXP_REPLACE(${subject}, ${`^[${PADDING}]+|[${PADDING}]+$`}, '')`;
}

/**
 * A text column in lower case and without blanks around it, to be compared with lower-case `texts`. SQLite, and PostgreSQL in the "C" locale,
 * only lower the letters A to Z, so the other letters of `texts` are replaced one by one.
 */
export function lowered({ kind }: Pick<Dialect, 'kind'>, subject: Sql, texts: readonly string[]): Sql {
    const lower = sql`LOWER(${trimmed(kind, respelt(subject, texts))})`;
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
