import { PADDING } from '../core/data/unpadded';
import type { Dialect } from './dialect';
import { type Sql, sql } from './statement';

/** Letters that one expression replaces; SQLite nests a call for each. */
const MOST_LETTERS = 200;

/** Letters whose lower case databases do not know, or know in different ways, with their replacements. */
const OWN_LOWER: ReadonlyArray<readonly [letter: string, lower: string]> = [
    ['ς', 'σ'],
    ['ẞ', 'ß'],
    ['İ', 'i̇'],
];

/** The first code point after all letters that have another case. */
const END_OF_LETTERS = 0x1f000;
const LAST_ASCII = 0x7f;
const LAST_OF_PLANE = 0xffff;

/** Capitals whose lower case the collation utf8mb4_general_ci knows, by their first and last code point. */
const KNOWN_TO_COLLATION: ReadonlyArray<readonly [first: number, last: number]> = [
    [0, 0x21f],
    [0x386, 0x3ab],
    [0x400, 0x489],
    [0x531, 0x556],
    [0x1e00, 0x1ef9],
    [0x1f00, 0x1fff],
    [0xff21, 0xff3a],
    // Treats all letters there as equal: the rows that are found are compared again.
    [LAST_OF_PLANE + 1, END_OF_LETTERS],
];

let capitals: ReadonlyMap<string, readonly string[]> | undefined;

/** The letters beyond ASCII that have a letter as their lower case: "Å" and the Ångström sign have "å", the Kelvin sign has "k". */
function capitalsOf(letter: string): readonly string[] {
    capitals ??= findCapitals();
    return capitals.get(letter) ?? [];
}

function findCapitals(): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, string[]>();
    for (let code = LAST_ASCII + 1; code < END_OF_LETTERS; code++) {
        const capital = String.fromCodePoint(code);
        const letter = capital.toLowerCase();
        if (letter === capital || letter.length > capital.length) continue;
        const others = found.get(letter);
        if (others) others.push(capital);
        else found.set(letter, [capital]);
    }
    return found;
}

/** The subject with those letters replaced that the texts have. */
function respelt(subject: Sql, texts: readonly string[]): Sql {
    return OWN_LOWER.filter(([, lower]) => texts.some(text => text.includes(lower))).reduce(
        (text, [letter, lower]) => sql`REPLACE(${text}, ${letter}, ${lower})`,
        subject,
    );
}

/** The capitals of letters that texts have, each with its lower case. */
function lettersOf(texts: readonly string[], isWanted: (capital: string) => boolean): ReadonlyMap<string, string> {
    const letters = new Map<string, string>();
    for (const letter of new Set(texts.join('')))
        for (const capital of capitalsOf(letter))
            if (letters.size < MOST_LETTERS && isWanted(capital) && !OWN_LOWER.some(([own]) => own === capital))
                letters.set(capital, letter);
    return letters;
}

function replaced(subject: Sql, letters: ReadonlyMap<string, string>): Sql {
    return [...letters].reduce((text, [capital, letter]) => sql`REPLACE(${text}, ${capital}, ${letter})`, subject);
}

/**
 * A text column in lower case and without blanks around it, for comparison with lower-case `texts`. The rows that are
 * found may still differ from them in ways that a collation ignores.
 */
export function lowerCased({ kind }: Pick<Dialect, 'kind'>, subject: Sql, texts: readonly string[]): Sql {
    if (kind === 'mysql') return collated(subject, texts);
    // SQLite, and PostgreSQL in the "C" locale, only lower the letters A to Z, so the others are replaced one by one.
    const letters = lettersOf(texts, () => true);
    const inner = respelt(subject, texts);
    const trimmed = kind === 'postgres' ? sql`BOTH ${PADDING} FROM ${inner}` : sql`${inner}, ${PADDING}`;
    const lower = sql`LOWER(TRIM(${trimmed}))`;
    if (letters.size === 0) return lower;
    if (kind === 'postgres')
        return sql`TRANSLATE(${lower}, ${[...letters.keys()].join('')}, ${[...letters.values()].join('')})`;
    return replaced(lower, letters);
}

/**
 * A collation compares without regard to case, many times faster than a text is lowered. An expression that trims
 * blanks is several times slower than a check that a text begins and ends with another character.
 */
function collated(subject: Sql, texts: readonly string[]): Sql {
    const isUnknown = (capital: string): boolean => {
        const code = capital.codePointAt(0)!;
        return !KNOWN_TO_COLLATION.some(([first, last]) => first <= code && code <= last);
    };
    const own = sql`CONVERT(${subject} USING utf8mb4)`;
    const text = replaced(respelt(own, texts), lettersOf(texts, isUnknown));
    const isPlain = sql`ASCII(${subject}) BETWEEN 33 AND 126 AND ASCII(RIGHT(CAST(${subject} AS BINARY), 1)) BETWEEN 33 AND 126`;
    const trimmed = sql`REGEXP_REPLACE(${text}, ${`^[${PADDING}]+|[${PADDING}]+$`}, '')`;
    return sql`IF(${isPlain}, ${text}, ${trimmed}) COLLATE utf8mb4_general_ci`;
}
