import fc from 'fast-check';
import { Document, visit } from 'yaml';
import type { JsonValue } from '../../core/value/json';
import { runAtOnce, SMALL_STEPS } from '../../core/concurrency/yielding-task';
import { readYaml } from './yaml';
import { writingYaml } from './yaml-writer';

const written = (value: JsonValue): string => runAtOnce(writingYaml(value));

/** What the library writes, all of it in one stretch. */
function byTheLibrary(value: JsonValue): string {
    const document = new Document(value, {
        version: '1.2',
        schema: 'core',
        aliasDuplicateObjects: false,
        compat: 'yaml-1.1',
    });
    visit(document, {
        Scalar: (_, node) => {
            if (typeof node.value === 'string' && /\n/.test(node.value) && /^\s|[ \t](?:\n|$)|\n{2}$/.test(node.value))
                node.type = 'QUOTE_DOUBLE';
        },
    });
    return document.toString({ lineWidth: 0, blockQuote: 'literal', doubleQuotedAsJSON: true });
}

const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(...' \n\t:#-"\'a1?|>&*,[]{}\\%.'), maxLength: 12 }),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
        '---',
        '...',
        '%a',
        'a\n---\nb',
        '',
        'no',
        '012',
        '~',
        'x'.repeat(1_100),
        '2026-01-01',
        '<<',
        '\ud800',
    ),
);
const { value } = fc.letrec<{ value: JsonValue }>(tie => ({
    value: fc.oneof(
        { maxDepth: 5 },
        text,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer(),
        fc.constantFrom(true, false, null, -0),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(text, tie('value'), { maxKeys: 4 }).map((object): JsonValue => object),
    ),
}));

describe('writing YAML', () => {
    it('quotes what this or an older version of YAML would read as something else', () => {
        expect(
            written([
                'no',
                'plain text',
                '1e3',
                '00123',
                '2026-01-01',
                '12:30:45',
                '1_000',
                '~',
                'a: b',
                ' a',
                '*a',
                'a\r\nb',
            ]),
        ).toBe(
            [
                '- "no"',
                '- plain text',
                '- "1e3"',
                '- "00123"',
                '- "2026-01-01"',
                '- "12:30:45"',
                '- "1_000"',
                '- "~"',
                '- "a: b"',
                '- " a"',
                '- "*a"',
                '- "a\\r\\nb"',
                '',
            ].join('\n'),
        );
    });

    it('repeats what comes twice instead of referring to it', () => {
        const shared = { a: 1 };
        expect(written([shared, shared])).toBe('- a: 1\n- a: 1\n');
    });

    it('writes what the library would write, whatever it is given', () => {
        const container = value.filter(one => typeof one === 'object' && one !== null);
        fc.assert(
            fc.property(container, given => expect(written(given)).toBe(byTheLibrary(given))),
            { numRuns: 2_000 },
        );
    });

    it('lets others have a turn between a few hundred values', () => {
        const given = Array.from({ length: 10_000 }, (_, i) => ({ [`k${i}`]: [i, `text ${i}`] }));
        let [between, most] = [0, 0];
        const counted = given.map(object =>
            Object.defineProperty({}, Object.keys(object)[0]!, {
                enumerable: true,
                get: () => {
                    most = Math.max(most, ++between);
                    return Object.values(object)[0];
                },
            }),
        );
        const work = writingYaml(counted as JsonValue);
        let last = work.next();
        for (; last.done !== true; last = work.next()) between = 0;
        expect(most).toBeLessThanOrEqual(SMALL_STEPS);
        expect(readYaml(last.value, { maxBytes: 4_000_000 })).toEqual(given);
    });
});
