import type { JsonValue } from '../../core/value/json';
import { readingYaml, readYaml } from './yaml';

const read = (text: string): JsonValue => readYaml(text, { maxBytes: 4_000_000 });
const rejected = (message: string | RegExp): Error =>
    expect.objectContaining({ code: 'SOURCE_MALFORMED', message: expect.stringMatching(message) as string }) as Error;

describe('reading YAML', () => {
    it.each<[string, JsonValue]>([
        ['', null],
        ['# nothing', null],
        ['--- 1', 1],
        ['a: no\nb: yes\nc: on', { a: 'no', b: 'yes', c: 'on' }],
        ['[true, False, null, ~, ""]', [true, false, null, null, '']],
        ['[1, -2, +3, 0x1f, 0o17, 00123, 1e3, .5, -0.25]', [1, -2, 3, 31, 15, 123, 1000, 0.5, -0.25]],
        ['[2026-01-01, 12:30, 1_000, 0b1]', ['2026-01-01', '12:30', '1_000', '0b1']],
        ['200: a\ntrue: b\n1e3: c\nno: d', { 200: 'a', true: 'b', '1e3': 'c', no: 'd' }],
        ['a: !!str 12\nb: !!seq [1]', { a: '12', b: [1] }],
        ['<<: {a: 1}', { '<<': { a: 1 } }],
        ['base: &b {x: 1}\nuse: [*b, *b]', { base: { x: 1 }, use: [{ x: 1 }, { x: 1 }] }],
        ['[&a 1, *a, &a 2, *a]', [1, 1, 2, 2]],
        ['? a\n: 1', { a: 1 }],
        ['--- |\n]', ']\n'],
        ['"\\x41\\u0042\\U00000043\\n\\/"', 'ABC\n/'],
    ])('%j gives plain JSON by the core schema of YAML 1.2', (text, value) => {
        expect(read(text)).toEqual(value);
    });

    it.each([
        ['a: 1\na: 2', /line 2, column 1: .*"a".* twice/],
        ['1: a\n"1": b', /line 2, column 1: .*"1".* twice/],
        ['a: .nan', 'at line 1, column 4: NaN is not allowed'],
        ['- 1e999', 'Infinity is not allowed'],
        ['a: !secret x', 'there is a tag'],
        ['a: !!binary aGk=', 'there is a tag'],
        ['a: !!timestamp 2026-01-01', 'there is a tag'],
        ['a: !!js/function x', 'there is a tag'],
        ['!!set {a}', 'there is a tag'],
        ['!!omap [a: 1]', 'there is a tag'],
        ['a: *b', 'at line 1, column 4: '],
        ['{[1]: 2}', 'a key must be a text'],
        ['? {a: 1}\n: 2', 'a key must be a text'],
        [': 1', 'a key must be a text'],
        ['a: 1\n---\nb: 2', 'at line 2, column 1: a second document begins'],
        ['constructor: 1', /line 1, column 1: .*"constructor"/],
        ['{a: {__proto__: 1}}', 'at line 1, column 6: no field'],
        ['a:\n\tb: 1', 'at line 2, column 1: '],
        ['a: [1, 2', 'at line 1, column '],
        ['a: ]', 'at line 1, column 4: there is a ] that closes nothing'],
        ['a: "x\\qy"', 'at line 1, column 6: YAML does not know this escape'],
        ['[&a [*a]]', 'nested deeper than the 64 levels'],
    ])('%j is rejected with its place', (text, message) => {
        expect(() => read(text)).toThrow(rejected(message));
    });

    it('quotes nothing that could be a password', () => {
        for (const text of [
            'password: !s3cret',
            'password: *s3cret',
            'password: "a" s3cret',
            'password: [s3cret',
            'password: "s3cret',
            'password: @s3cret',
            'password: s3cret: x',
            '%s3cret\n---\n]',
        ]) {
            expect(() => read(text)).toThrow(
                expect.objectContaining({ message: expect.not.stringContaining('s3cret') as string }) as Error,
            );
        }
    });

    it('takes at most its limit of bytes', () => {
        expect(readYaml('é', { maxBytes: 2 })).toBe('é');
        expect(() => readYaml('éa', { maxBytes: 2 })).toThrow(rejected('the 2 bytes'));
    });

    const SIZE = 2_000_000;
    const laughs = [
        '- &a0 [x, x, x, x, x, x, x, x, x, x]',
        ...Array.from({ length: 9 }, (_, i) => `- &a${i + 1} [${`*a${i}, `.repeat(10)}]`),
    ].join('\n');
    it.each<[string, string, string]>([
        ['lists within each other', '['.repeat(SIZE), 'deeper than the 64 levels'],
        ['objects within each other', '{a: '.repeat(SIZE / 4), 'deeper than the 64 levels'],
        ['indented lists', '- '.repeat(50_000), 'deeper than the 64 levels'],
        [
            'lines indented further and further',
            Array.from({ length: 1500 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
            'deeper than the 64 levels',
        ],
        ['brackets that close nothing', ']'.repeat(SIZE), 'closes nothing'],
        ['ever more values', `[${'1,'.repeat(SIZE / 2)}]`, 'more than the 200000 parts'],
        ['ever more documents', '---\n'.repeat(SIZE / 4), 'more than the 200000 parts'],
        ['ever more directives', '%\n'.repeat(SIZE / 2), 'more than the 200000 parts'],
        ['wrong escapes', `"${'\\q'.repeat(SIZE / 2)}"`, 'does not know this escape'],
        ['aliases of aliases', laughs, 'aliases stand for more than the 10000 values'],
        [
            'many aliases of a long list',
            `- &a [${'1,'.repeat(2000)}]\n${'- *a\n'.repeat(2000)}`,
            'aliases stand for more than the 10000 values',
        ],
    ])('is not drowned by %s', (_what, text, message) => {
        expect(() => read(text)).toThrow(rejected(message));
    });

    it('is read bit by bit, so that others have their turn, up to as many parts as its reader allows', () => {
        const text = `[${'1,'.repeat(20_000)}]`;
        const bits = readingYaml(text, { maxBytes: SIZE, maxTokens: 80_000 });
        let count = 0;
        while (bits.next().done !== true) count++;
        // Twice over the parts, of which each value has two and each comma one.
        expect(count).toBeGreaterThan((2 * 60_000) / 256 - 2);
        expect(() => readYaml(text, { maxBytes: SIZE, maxTokens: 50_000 })).toThrow(rejected('the 50000 parts'));
    });

    it('reports a key that comes twice among very many', () => {
        const keys = Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`);
        expect(Object.keys(read(keys.join('\n')) as object)).toHaveLength(20_000);
        expect(() => read([...keys, 'k0: 2'].join('\n'))).toThrow(rejected(/ 20001, column 1: .*"k0" .*twice/));
    });
});
