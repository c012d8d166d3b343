import { naming } from '../../../../test/kit/naming';
import type { Regex } from './linear-regex';
import { compileRegex, groupsOf, regexProblem } from './regex';
import { compileReplacement, replacementProblem } from './replacement';

const LONG = 50_000;
const a = 'a'.repeat(LONG);

/** The number that an error names in addition to the length of the text. */
function namedLimit(run: () => unknown): number {
    try {
        run();
    } catch (error) {
        const numbers = (error as Error).message.match(/\d+/g) ?? [];
        return numbers.map(Number).find(number => number !== LONG)!;
    }
    throw new Error('nothing was thrown');
}

function replaceAll(regex: Regex, text: string, by: string): string {
    return regex.replace(text, compileReplacement(by, regex), true);
}

describe('a pattern', () => {
    it.each([
        ['a(?=b)', 'is invalid at character 2: "(?=" is a lookahead, which cannot be matched in linear time'],
        ['(?!a)', 'is invalid at character 1: "(?!" is a lookahead'],
        ['x(?<=a)b', 'is invalid at character 2: "(?<=" is a lookbehind'],
        ['(?<!a)b', 'is invalid at character 1: "(?<!" is a lookbehind'],
        ['(a)\\1', 'is invalid at character 4: "\\1" is a back-reference, which cannot be matched in linear time'],
        ['(?<n>a)\\k<n>', 'is invalid at character 8: "\\k" is a back-reference'],
        ['(?P<n>a)(?P=n)', 'is invalid at character 9: "(?P=" is a back-reference'],
        ['a++', 'is invalid at character 3: "+" after a repetition makes it possessive'],
        ['a{2}+', 'is invalid at character 5: "+" after a repetition makes it possessive'],
        ['a**', 'is invalid at character 3: "*" repeats a repetition'],
        ['(?>a)', 'is invalid at character 1: "(?>" is an atomic group'],
        ['(?(1)a)', 'is invalid at character 1: "(?(" is a condition'],
        ['(?#x)', 'is invalid at character 1: "(?#" is a comment'],
        ['(?|a)', 'is invalid at character 1: "(?|" renumbers groups'],
        ['(?<>a)', 'is invalid at character 1: a group has no valid name'],
        ['(?y)', 'is invalid at character 1: "(?y" does not open a supported group'],
        ['(?<n>a)(?<n>b)', 'is invalid at character 8: the group name "n" is repeated'],
        ['[a', 'is invalid at character 1: "[" is not closed'],
        ['[a\\', 'is invalid at character 1: "[" is not closed'],
        ['[]', 'is invalid at character 1: "[" is not closed'],
        ['x[z-a]', 'is invalid at character 3: "z-a" is not a range'],
        ['(a', 'is invalid at character 1: "(" is not closed'],
        ['a)', 'is invalid at character 2: ")" has no opening "("'],
        ['*a', 'is invalid at character 1: "*" has nothing to repeat'],
        ['a|+', 'is invalid at character 3: "+" has nothing to repeat'],
        ['a{2,1}', 'is invalid at character 2: "{2,1}" has its minimum after its maximum'],
        ['a{1001}', 'is invalid at character 2: "{1001}" repeats more than 1000 times'],
        ['a\\', 'is invalid at character 2: "\\" escapes nothing'],
        ['\\q', 'is invalid at character 1: "\\q" is not an escape'],
        ['\\u00e9', 'is invalid at character 1: "\\u" is not supported; write a character as \\x{e9}'],
        ['a\\Z', 'is invalid at character 2: "\\Z" is not supported; write \\z, or $'],
        ['\\pX', 'is invalid at character 1: invalid character class range "\\pX"'],
        ['[[:foo:]]', 'is invalid at character 2: invalid character class range "[:foo:]"'],
        [
            '((a{100}){100}){100}',
            'takes 1020200 instructions with its repetitions written out; at most 2000 are allowed',
        ],
        [`(${'x'.repeat(500)}){1000}`, 'instructions with its repetitions written out'],
        ['x'.repeat(1001), naming(1001, 1000)],
    ])('%j is rejected', (pattern, problem) => {
        expect(regexProblem(pattern)?.message).toMatch(problem);
    });

    it.each([
        '',
        'a|',
        '(|a)',
        'a{',
        'a{,3}',
        '[]a]',
        '[\\d-x]',
        '\\Qa.b\\E+',
        '(?i)a',
        '(?i:a)b',
        '\\pL{2}',
        '[[:alpha:]]',
        '\\0',
        '\\101',
        '\\x41',
        '\\x{1F600}',
        '(?P<n>a)',
        '[a-z]{1,64}@[a-z]{1,255}\\.[a-z]{2,63}',
    ])('%j is accepted', pattern => {
        expect(regexProblem(pattern)).toBeUndefined();
    });

    it.each([
        ['(a+)+$', `${a}!`, undefined],
        ['(a|aa)+$', `${a}!`, undefined],
        ['(a*)*b', a, undefined],
        ['(x+x+)+y', 'x'.repeat(LONG), undefined],
        ['(.*a){20}', a, 'a'],
        ['(.*a){20}', `${a.slice(20)}!`, 'a'],
        ['(.*)(.*)(.*)(.*)(.*)x', a, undefined],
        ['^(\\w+\\s?)*$', `${'word '.repeat(LONG / 5)}!`, undefined],
        ['([a-zA-Z]+)*$', `${a}1`, undefined],
        [`(${'a?'.repeat(30)}${'a'.repeat(30)})`, a, 'a'.repeat(60)],
        ['(.*)=(.*)=(.*);', '='.repeat(LONG), undefined],
        ['\\s+(\\d)$', ' '.repeat(LONG), undefined],
    ])('%s is matched in linear time', (pattern, text, found) => {
        const regex = compileRegex(pattern, '', 'f');
        const group = regex.group(text, 1);
        expect(group).toBe(found);
        expect(replaceAll(regex, text, '').length).toBeLessThanOrEqual(text.length);
    });

    it.each([
        ['a*b|a', a],
        ['.*z|.', a],
        ['[^<]*>|<', '<'.repeat(LONG)],
    ])('%s is replaced in linear time however many matches there are', (pattern, text) => {
        expect(replaceAll(compileRegex(pattern, 's', 'f'), text, '-')).toBe('-'.repeat(LONG));
    });

    it('is not matched with a text that is too long for it', () => {
        const regex = compileRegex('((a?){20}){20}b', '', 'name');
        const rejection = expect.objectContaining({
            code: 'RECORD_INVALID',
            details: { path: 'name' },
            message: expect.stringMatching(naming('"name"', a.length)),
        });
        expect(() => regex.test(a)).toThrow(rejection);
        expect(() => regex.group(a, 1)).toThrow(rejection);
        expect(() => replaceAll(regex, a, '')).toThrow(rejection);
        const most = namedLimit(() => regex.test(a));
        expect(regex.test(a.slice(0, most))).toBe(false);
        expect(() => regex.test(a.slice(0, most + 1))).toThrow(naming(most + 1, most));
    });

    it('can only be compiled if it is valid', () => {
        expect(() => compileRegex('(', '', 'f')).toThrow(expect.objectContaining({ code: 'BUG' }));
        expect(() => compileReplacement('$1', groupsOf('a'))).toThrow(expect.objectContaining({ code: 'BUG' }));
    });
});

describe.each([
    ['short', ''],
    ['long', '#'.repeat(LONG)],
])('in a %s text', (_, tail) => {
    it.each([
        ['(\\w+)', '', 'über', 1, 'ber'],
        ['(?i)(STRASSE|straße)', '', 'STRAßE', 1, 'STRAßE'],
        ['k(.)', 'i', 'K😀', 1, '😀'],
        ['^(.*)$', 'm', 'a\r\nb', 1, 'a\r'],
        ['a(.)b', '', 'a\nb', 1, undefined],
        ['a(.)b', 's', 'a\nb', 1, '\n'],
        ['a(.)b', '', 'a\u2028b', 1, '\u2028'],
        ['[^\\S ](.)', '', '\u00a0x\ty', 1, 'y'],
        ['(a)|(b)', '', 'b', 1, undefined],
        ['(?P<x>a)(?<y>b)', '', 'ab', 2, 'b'],
        ['(\\d+?)0*#|$', '', '1200#', 1, '12'],
    ])('%s with flags "%s" in %j', (pattern, flags, text, group, found) => {
        expect(compileRegex(pattern, flags, 'f').group(`${text}\n${tail}`, group)).toBe(found);
    });
});

describe('a replacement', () => {
    it.each([
        ['(a)(b)', '$2$1', 'ba'],
        ['(a)(b)', '[$&]', '[ab]'],
        ['(a)(b)', '$$1', '$1'],
        ['(a)(b)', '$10', 'a0'],
        ['(a)(b)', '$012', 'a2'],
        ['(?P<x>a)b', '$<x>9', 'a9'],
        ['(a)(b)(c)?', '<$3>', '<>'],
        ['ab', '$', '$'],
        ['ab', '$x$', '$x$'],
        ['ab', "$'$`", "$'$`"],
    ])('of %s by %s gives %s', (pattern, replacement, expected) => {
        const regex = compileRegex(pattern, '', 'f');
        expect(replaceAll(regex, 'ab', replacement)).toBe(expected);
        expect(replaceAll(regex, `ab${'-'.repeat(2 * LONG)}`, replacement).slice(0, expected.length)).toBe(expected);
    });

    it.each([
        ['(a)', 'x$2', 'has $2 at character 2, but the pattern has one group; write $$ for a dollar sign'],
        ['a', '$1', 'has $1 at character 1, but the pattern has no group'],
        ['(?P<x>a)(b)', '$<y>', 'has $<y> at character 1, but the pattern has 2 groups, with the names x'],
        ['a', '$0', 'has $0 at character 1; write $& for the whole match'],
    ])('of %s by %s is rejected', (pattern, replacement, problem) => {
        expect(replacementProblem(replacement, groupsOf(pattern))?.message).toContain(problem);
    });
});
