import fc from 'fast-check';
import type { RE2JS } from 're2js';
import { compileLinear, LinearRegex } from './linear-regex';
import { type Native, nativeOf } from './native-regex';
import { type PatternMode, readPattern } from './read';
import { compileReplacement } from './replacement';
import { regexProblem } from './regex';

const character = fc.constantFrom('a', 'b', 'k', 'S', '0', '_', ' ', '-', '\\.', '\\x{e9}', 'é', '😀', '\\n', 'ſ');
const charClass = fc.constantFrom(
    '.',
    '\\d',
    '\\D',
    '\\w',
    '\\W',
    '\\s',
    '\\S',
    '[ab]',
    '[^a]',
    '[^\\s@]',
    '[a-z]',
    '[^a-zA-Z]',
    '[\\d-]',
    '[^\\n]',
    '[]a]',
    '[k-s_]',
    '[a\\W]',
    '[é-ü]',
    '[^\\x00-\\x{ffff}]',
    '\\pL',
    '[[:alpha:]]',
);
const place = fc.constantFrom('^', '$', '\\b', '\\B', '\\A', '\\z');
const quantifier = fc.constantFrom('*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{0,2}', '{2,}', '{1,3}?', '{,2}');

const { pattern } = fc.letrec<{ pattern: string; sequence: string; item: string }>(tie => ({
    pattern: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        tie('sequence'),
        fc.tuple(tie('sequence'), tie('pattern')).map(pair => pair.join('|')),
    ),
    sequence: fc.array(tie('item'), { minLength: 0, maxLength: 4 }).map(items => items.join('')),
    item: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        {
            weight: 6,
            arbitrary: fc
                .tuple(fc.oneof(character, charClass), fc.option(quantifier, { nil: '', freq: 2 }))
                .map(pair => pair.join('')),
        },
        { weight: 1, arbitrary: place },
        {
            weight: 3,
            arbitrary: fc
                .tuple(fc.constantFrom('(', '(?:', '(?P<n>'), tie('pattern'), fc.option(quantifier, { nil: '' }))
                .map(([open, inner, times]) => `${open}${inner})${times}`),
        },
    ),
}));
const text = fc
    .array(
        fc.constantFrom(
            'a',
            'b',
            'k',
            'K',
            's',
            'S',
            '0',
            '9',
            '_',
            ' ',
            '-',
            '.',
            '@',
            '\n',
            '\r',
            '\v',
            '\u2028',
            'é',
            'É',
            'ß',
            '\u212a',
            '\u017f',
            '😀',
            '\ud83d',
            '\ude00',
        ),
        { maxLength: 12 },
    )
    .map(parts => parts.join(''));
const patternMode: fc.Arbitrary<PatternMode> = fc.record({
    ignoreCase: fc.boolean(),
    multiline: fc.boolean(),
    dotAll: fc.boolean(),
});

/** Every match with its groups, as the library's own matcher finds them. */
function matchesOf(library: RE2JS, subject: string): ReadonlyArray<readonly unknown[]> {
    return Array.from(library.matchAll(subject), match => [match.index, ...match]);
}

function nativeMatchesOf({ every }: Native, subject: string): ReadonlyArray<readonly unknown[]> {
    return Array.from(subject.matchAll(every), match => [match.index, ...match]);
}

describe('the three engines', () => {
    let native = 0;
    let all = 0;

    it('find the same matches with the same groups, and replace in the same way', () => {
        fc.assert(
            fc.property(pattern, patternMode, text, (source, how, subject) => {
                fc.pre(regexProblem(source) === undefined);
                const reading = readPattern(source, how);
                const library = compileLinear(source, how);
                const linear = new LinearRegex(source, how, { ...reading, field: 'f' });
                expect(reading.groupCount).toBe(library.groupCount());
                expect(Object.fromEntries(reading.names)).toEqual({ ...library.namedGroups() });

                const expected = matchesOf(library, subject);
                const first = expected[0]?.slice(1);
                expect(linear.test(subject)).toBe(first !== undefined);
                for (let group = 0; group <= reading.groupCount; group++)
                    expect(linear.group(subject, group)).toBe(first?.[group]);

                const by = compileReplacement(`<$&|${reading.groupCount > 0 ? '$1' : ''}>0$$`, reading);
                const replaced = linear.replace(subject, by, true);
                const platform = nativeOf(reading.tree);
                all++;
                if (!platform) return;
                native++;
                expect(nativeMatchesOf(platform, subject)).toEqual(expected);
                expect(subject.replace(platform.every, by.template)).toBe(replaced);
                expect(subject.replace(platform.first, by.template)).toBe(linear.replace(subject, by, false));
            }),
            { numRuns: Number(process.env['FC_RUNS'] ?? 400) },
        );
        // Else it would be no comparison.
        expect(native).toBeGreaterThan(all / 10);
    });
});
