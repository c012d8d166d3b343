import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../core/value/json';
import type { PipelineDocument } from '../../core/pipeline/document';
import { runAtOnce } from '../../core/concurrency/yielding-task';
import { type DocumentFormat, readingDocumentText, writingDocumentText } from './document-text';

const FORMATS = ['JSON', 'YAML'] as const;

const AWKWARD = [
    '',
    ' ',
    'no',
    'yes',
    'on',
    'y',
    'true',
    'null',
    '~',
    '.nan',
    '.inf',
    '1e3',
    '00123',
    '0o17',
    '0x1f',
    '1_000',
    '12:30:45',
    '-',
    '---',
    '...',
    '?',
    ':',
    '-0',
    '2026-01-01',
    '2026-01-01T10:00:00Z',
    '#',
    '# x',
    'a #b',
    'a: b',
    'a:',
    ': a',
    '[a',
    '{a',
    '*a',
    '&a',
    '!a',
    '!!str a',
    '%a',
    '@a',
    '`a',
    '|',
    '>',
    '<<',
    '=',
    '"',
    "'",
    '\\',
    'it\'s "so"',
    'a\nb',
    'a\nb\n',
    'a\n\n\n',
    '\na',
    '\n',
    ' a\n b',
    'a \n b ',
    '\ta\n\tb',
    'a\n---\nb',
    'a\r\nb',
    '\r',
    'a\tb',
    '\t',
    '😀',
    'é',
    'e\u0301',
    '\ud800',
    'x\udc00y',
    '\0',
    '\x07',
    '\x7f',
    '\x85',
    '\u2028',
    '\u2029',
    '\ufeff',
    '\ufeffa',
    '\ufffe',
    '1',
    '10',
    '2',
    'toString',
    'x'.repeat(2000),
    'a b '.repeat(60),
];
const text = fc.oneof(
    fc.constantFrom(...AWKWARD),
    fc.string({ unit: fc.constantFrom(...' \n\t:#-"\'a1?|>&*,[]{}\\'), maxLength: 20 }),
    fc.string({ unit: 'binary' }),
);
const number = fc.oneof(
    fc.constantFrom(
        0,
        -0,
        -1,
        1e21,
        -1e-7,
        5e-324,
        Number.MAX_VALUE,
        Number.MAX_SAFE_INTEGER,
        2 ** 53,
        123456789012345680000,
        0.1,
    ),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
);
const key = text.filter(name => !['__proto__', 'constructor', 'prototype'].includes(name));
const { value } = fc.letrec<{ value: JsonValue }>(tie => ({
    value: fc.oneof(
        { maxDepth: 4 },
        text,
        number,
        fc.constantFrom(true, false, null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    ),
}));
const definition = fc.oneof(
    fc.dictionary(key, value, { maxKeys: 5 }),
    fc.record({
        version: fc.constant(1),
        edges: fc.array(fc.record({ from: text, to: text })),
        throughput: value,
        steps: fc.array(
            fc.record({
                key: text,
                kind: fc.constantFrom('TRANSFORM', 'LOAD'),
                name: text,
                config: fc.dictionary(key, value, { maxKeys: 4 }),
            }),
            { maxLength: 3 },
        ),
    }),
) as fc.Arbitrary<JsonObject>;
const wellFormed = text.filter(one => !/\p{Surrogate}/u.test(one));
const documents: fc.Arbitrary<PipelineDocument> = fc.record({
    code: fc.constantFrom('p', 'null', '007', '1e3'),
    name: wellFormed,
    description: wellFormed,
    definition,
});

const textOfDocument = (document: PipelineDocument, format: DocumentFormat): string =>
    runAtOnce(writingDocumentText(document, format));
const roundTrip = (content: string, format: DocumentFormat, into: DocumentFormat = format): string =>
    textOfDocument(runAtOnce(readingDocumentText(content, format)), into);
const isTooLarge = (content: string, format: string): boolean => format === 'JSON' && content.length > 8 * 1024 * 1024;
const rejected = (message: string | RegExp, code = 'DEFINITION_MALFORMED'): Error =>
    expect.objectContaining({
        code,
        message: (typeof message === 'string'
            ? expect.stringContaining(message)
            : expect.stringMatching(message)) as string,
    }) as Error;

describe('a document as text', () => {
    it.each(FORMATS)('is the same %s after it was read, also by way of the other format', format => {
        const other = format === 'JSON' ? 'YAML' : 'JSON';
        fc.assert(
            fc.property(documents, document => {
                const content = textOfDocument(document, format);
                const [again, across] = [
                    roundTrip(content, format),
                    roundTrip(roundTrip(content, format, other), other, format),
                ];
                if (again !== content || across !== content) expect([again, across]).toEqual([content, content]);
            }),
            { numRuns: 200 },
        );
    });

    it.each(FORMATS)('keeps each awkward text and number in %s', format => {
        const given = {
            texts: AWKWARD,
            keys: Object.fromEntries(AWKWARD.map(name => [name, 1])),
            numbers: [1e21, -1e-7, 5e-324, 2 ** 53, -12],
        };
        const document = { code: 'p', name: 'P', description: '', definition: given };
        expect(runAtOnce(readingDocumentText(textOfDocument(document, format), format))).toEqual(document);
    });

    it('does not depend on the order in which keys were given', () => {
        const one = {
            code: 'p',
            name: 'P',
            description: 'd',
            definition: { version: 1, steps: [{ key: 'a', kind: 'LOAD', config: { z: 1, 2: 1, a: 1 } }], edges: [] },
        };
        const two = {
            definition: { edges: [], steps: [{ config: { a: 1, 2: 1, z: 1 }, kind: 'LOAD', key: 'a' }], version: 1 },
            description: 'd',
            name: 'P',
            code: 'p',
        };
        for (const format of FORMATS) expect(textOfDocument(two, format)).toBe(textOfDocument(one, format));
    });

    it('is written bit by bit, and not at all in YAML where it could not be read again', () => {
        const trims = (count: number): PipelineDocument => ({
            code: 'p',
            name: 'P',
            description: '',
            definition: { operators: Array.from({ length: count }, () => ({ op: 'trim', args: { path: 'a' } })) },
        });
        for (const format of FORMATS) {
            let bits = 0;
            for (const work = writingDocumentText(trims(2_000), format); work.next().done !== true; bits++);
            // Four values for each operator, visited once when they are ordered, once when they are written, and once more for YAML.
            expect(bits).toBeGreaterThan(((format === 'YAML' ? 3 : 1) * 8_000) / 256 - 3);
        }
        expect(() => textOfDocument(trims(5_000), 'YAML')).toThrow(
            rejected(/YAML.* 60000 .*; allowed: JSON/, 'INPUT_INVALID'),
        );
        expect(JSON.parse(textOfDocument(trims(5_000), 'JSON'))).toMatchObject({ code: 'p' });
    });

    it('reads well in YAML', () => {
        const steps: readonly JsonObject[] = [
            { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
            {
                key: 'x',
                kind: 'TRANSFORM',
                config: { operators: [{ op: 'set', args: { path: 'note', value: 'a\nb\n' } }] },
            },
        ];
        expect(
            textOfDocument(
                {
                    code: 'p',
                    name: 'P',
                    description: 'Two\nlines',
                    definition: { version: 1, steps, edges: [{ from: 'start', to: 'x' }] },
                },
                'YAML',
            ),
        ).toBe(
            [
                'flow: 1',
                'code: p',
                'name: P',
                'description: |-',
                '  Two',
                '  lines',
                'definition:',
                '  version: 1',
                '  steps:',
                '    - key: start',
                '      kind: TRIGGER',
                '      config:',
                '        type: MANUAL',
                '    - key: x',
                '      kind: TRANSFORM',
                '      config:',
                '        operators:',
                '          - op: set',
                '            args:',
                '              path: note',
                '              value: |',
                '                a',
                '                b',
                '  edges:',
                '    - from: start',
                '      to: x',
                '',
            ].join('\n'),
        );
    });

    it.each<[string, DocumentFormat, string, string | RegExp]>([
        [
            'broken JSON',
            'JSON',
            '{"flow": 1,}',
            'document is not JSON: line 1, column 12: expected a key in double quotes',
        ],
        [
            'broken YAML',
            'YAML',
            'flow: 1\ncode: [a\n',
            /document is not YAML that Flow can read: line 2, column \d+: |line 3, column 1: /,
        ],
        ['a key that comes twice', 'YAML', 'flow: 1\ncode: a\ncode: b\n', /line 3, column 1: .*"code" .*twice/],
        [
            'a forbidden key',
            'YAML',
            'flow: 1\ncode: a\ndefinition: {steps: {__proto__: 1}}\n',
            'line 3, column 22: no field may be called "__proto__"',
        ],
        ['a forbidden key', 'JSON', '{"flow":1,"code":"a","definition":{"__proto__":1}}', '__proto__ cannot be used'],
        ['too much of it', 'JSON', ' '.repeat(9 * 1024 * 1024), ' 8388608 bytes'],
        ['too much of it', 'YAML', ' '.repeat(9 * 1024 * 1024), ' 8388608 bytes'],
        ['too many parts of it', 'YAML', `[${'1,'.repeat(40_000)}]`, ' 60000 parts'],
        ['no content', 'YAML', '', 'document is null'],
    ])('is rejected for %s (%s)', (_what, format, content, message) => {
        expect(() => runAtOnce(readingDocumentText(content, format))).toThrow(
            rejected(
                message,
                (_what === 'a forbidden key' && format === 'JSON') || isTooLarge(content, format)
                    ? 'INPUT_INVALID'
                    : undefined,
            ),
        );
    });

    it('may begin with a byte order mark', () => {
        for (const content of ['\ufeff{"flow":1,"code":"a","definition":{}}']) {
            for (const format of FORMATS)
                expect(runAtOnce(readingDocumentText(content, format))).toMatchObject({ code: 'a' });
        }
    });
});
