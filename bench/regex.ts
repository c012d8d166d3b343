import { strictEqual } from 'node:assert';
import type { RE2JS } from 're2js';
import { compileLinear, LinearRegex, type Regex } from '../src/core/data/regex/linear-regex';
import { type PatternMode, readPattern } from '../src/core/data/regex/read';
import { compileRegex } from '../src/core/data/regex/regex';
import { compileReplacement, type Replacement } from '../src/core/data/regex/replacement';
import { ratePerSecond } from './rate';
import type { Row } from './report';

const USUAL_ROUNDS = 60;
/** The number of characters that are matched in one slice. */
const SLICE = 200_000;
const PLAIN: PatternMode = { ignoreCase: false, multiline: false, dotAll: false };

/**
 * A pattern, a text for it, and the operation: with `by` all matches are replaced, without it the first match is
 * searched.
 */
interface Case {
    readonly name: string;
    readonly pattern: string;
    readonly text: string;
    readonly by?: string;
}

const SENTENCES =
    'Die <b>Jacke</b> „Polarfuchs“ ist winddicht, wiegt 480 g und kostet 129,95 € &ndash; in den Größen S, M, L und XL. ';
const DESCRIPTION = SENTENCES.repeat(20);
const LONG = SENTENCES.repeat(500);

const USUAL: readonly Case[] = [
    { name: 'extract, 13 characters', pattern: '(\\d+) ?x ?\\d+', text: 'Ø 35 x 120 mm' },
    { name: 'an address, 16 characters', pattern: '^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$', text: 'info@example.com' },
    { name: 'replace \\s+, 2,300 characters', pattern: '\\s+', text: DESCRIPTION, by: '-' },
    { name: 'replace tags, 2,300 characters', pattern: '<[^>]*>', text: DESCRIPTION, by: '' },
    { name: 'replace \\pL+, 2,300 characters', pattern: '\\pL+', text: DESCRIPTION, by: '<$&>' },
    { name: 'find none, 2,300 characters', pattern: '(\\pL+) kostet nichts', text: DESCRIPTION },
    { name: 'replace a price, 57,000 characters', pattern: '(\\d+),(\\d\\d) ?€', text: LONG, by: '$1.$2 EUR' },
    { name: 'replace \\pL+, 57,000 characters', pattern: '\\pL+', text: LONG, by: '<$&>' },
];

/** Texts that are designed to take long, in several lengths to show how the time grows. */
const HOSTILE: readonly Case[] = [2_000, 4_000, 8_000].flatMap(length => [
    { name: `replace a*b|a, ${length} times a`, pattern: 'a*b|a', text: 'a'.repeat(length), by: '-' },
    { name: `replace <[^>]*>|<, ${length} times <`, pattern: '<[^>]*>|<', text: '<'.repeat(length), by: '-' },
    { name: `find (x+x+)+y, ${length} times x`, pattern: '(x+x+)+y', text: 'x'.repeat(length) },
    { name: `find (.*a){20}, ${length} times a`, pattern: '(.*a){20}', text: 'a'.repeat(length) },
]);

/**
 * Compares Flow's regular expressions with each of the engines that they use: characters per second, also of re2js
 * alone.
 */
export function benchRegex(rounds = USUAL_ROUNDS): readonly Row[] {
    return [
        ...USUAL.flatMap(one => race(one, rounds, true)),
        ...HOSTILE.flatMap(one => race(one, Math.min(rounds, 5), false)),
    ];
}

function race(one: Case, rounds: number, isUsual: boolean): readonly Row[] {
    const { name, pattern, text, by } = one;
    const reading = readPattern(pattern, PLAIN);
    const regexes: Record<string, Regex> = {
        're2js alone': alone(pattern),
        'own walk of its program': new LinearRegex(pattern, PLAIN, { ...reading, field: 'text' }),
        Flow: compileRegex(pattern, '', 'text'),
    };
    const replacement = by === undefined ? undefined : compileReplacement(by, reading);
    const works = Object.values(regexes).map(
        regex => () => (replacement ? regex.replace(text, replacement, true) : regex.group(text, 0)),
    );
    for (const work of works) strictEqual(work(), works[0]!(), `${name}: the engines have different results`);
    const times = isUsual ? Math.max(Math.ceil(SLICE / text.length), 1) : 1;
    const took = works.map(() => [] as number[]);
    for (let round = 0; round < rounds; round++) {
        works.forEach((work, i) => {
            const start = performance.now();
            for (let time = 0; time < times; time++) work();
            took[i]!.push(performance.now() - start);
        });
    }
    const rates = took.map(all => ratePerSecond(all, times * text.length));
    return Object.keys(regexes).map((engine, i) => ({
        bench: `${name}: ${engine}`,
        database: '–',
        records: text.length,
        recordsPerSecond: rates[i]!,
        statementsPerRecord: null,
        peakRssMb: process.memoryUsage.rss() / 1024 / 1024,
        ratioToRaw: rates[i]! / rates[0]!,
        ratioToVendure: null,
    }));
}

/** The library without Flow's limit on the text. */
function alone(pattern: string): Regex {
    const library: RE2JS = compileLinear(pattern, PLAIN);
    return {
        ...readPattern(pattern, PLAIN),
        test: text => library.test(text),
        group(text, group) {
            const matcher = library.matcher(text);
            return matcher.find() ? (matcher.group(group) ?? undefined) : undefined;
        },
        replace(text, { template }: Replacement, all) {
            const matcher = library.matcher(text);
            return all ? matcher.replaceAll(template) : matcher.replaceFirst(template);
        },
    };
}
