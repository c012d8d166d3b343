import { z } from 'zod';
import { naming } from '../../../test/kit/naming';
import { said } from '../../../test/kit/said';
import { ALLOWED_TEXTS } from './allowed';
import { ISSUE_TEXTS } from './issue-texts';
import { issuesOf, parseWith, tryParse } from './issues';

const throughput = z.strictObject({
    batchSize: z.int().min(1).max(10_000).default(100),
    code: z.string().min(1).max(5).optional(),
    mode: z.enum(['FIRST', 'ALL']).optional(),
    tags: z.array(z.string()).min(1).optional(),
    names: z.record(z.string().regex(/^[a-z]+$/, 'allowed: lower case letters'), z.string()).optional(),
    own: z
        .string()
        .refine(text => text === 'x', 'must be x')
        .optional(),
    ratio: z.number().min(0).max(1).optional(),
    either: z.union([z.string(), z.number()]).optional(),
    nested: z.union([z.strictObject({ a: z.int() }), z.string()]).optional(),
    shape: z
        .discriminatedUnion('kind', [
            z.strictObject({ kind: z.literal('A'), size: z.int().min(1).max(3) }),
            z.strictObject({ kind: z.literal('B') }),
        ])
        .optional(),
});
const schema = z.strictObject({ throughput });

function messages(input: unknown): readonly string[] {
    const result = parseWith(schema, { throughput: input });
    return result.ok ? [] : result.issues.map(issue => issue.message);
}

describe('messages about a configuration', () => {
    const ofModes = 'allowed: "FIRST", "ALL"';
    it.each<[unknown, unknown]>([
        [{ batchSize: 0 }, said('is-allowed-1-to-10000', { path: 'throughput.batchSize', value: 0 })],
        [{ batchSize: 10_001 }, said('is-allowed-1-to-10000', { path: 'throughput.batchSize', value: 10001 })],
        [{ batchSize: 1.5 }, 'throughput.batchSize is 1.5; allowed: a whole number, 1 to 10000'],
        [{ batchSize: '7' }, 'throughput.batchSize is "7"; allowed: a whole number, 1 to 10000'],
        [{ ratio: 2 }, 'throughput.ratio is 2; allowed: 0 to 1'],
        [{ code: 'abcdef' }, 'throughput.code is "abcdef"; allowed: 1 to 5 characters'],
        [{ code: 7 }, 'throughput.code is 7; allowed: text'],
        [{ mode: 'all' }, `throughput.mode is "all"; ${ofModes}. ${said('did-you-mean', { guess: 'ALL' })}`],
        [{ mode: 'FRST' }, `throughput.mode is "FRST"; ${ofModes}. ${said('did-you-mean', { guess: 'FIRST' })}`],
        [{ mode: 'LAST' }, 'throughput.mode is "LAST"; allowed: "FIRST", "ALL"'],
        [{ mode: 'x'.repeat(9) }, 'throughput.mode is "xxxxxxxxx"; allowed: "FIRST", "ALL"'],
        [{ tags: [] }, 'throughput.tags is an empty list; allowed: at least 1 element'],
        [{ tags: ['a', 7] }, 'throughput.tags.1 is 7; allowed: text'],
        [{ names: { A: 'x' } }, 'throughput.names has the key "A"; allowed: lower case letters'],
        [{ own: 'y' }, 'throughput.own: must be x'],
        [{ either: true }, 'throughput.either is true; allowed: text or a number'],
        [{ nested: { a: 'x' } }, 'throughput.nested.a is "x"; allowed: a whole number'],
        [{ shape: { kind: 'C' } }, 'throughput.shape.kind is "C"; allowed: "A", "B"'],
        [{ shape: { kind: 'A', size: 9 } }, 'throughput.shape.size is 9; allowed: 1 to 3'],
        [{ shape: { kind: 'B', size: 9 } }, 'throughput.shape.size is an unknown field; known: kind'],
        [undefined, expect.stringMatching(naming('throughput', 'object'))],
    ])('%j: %s', (input, message) => {
        expect(messages(input)).toEqual([message]);
    });

    it('name the known fields when a field is unknown', () => {
        expect(messages({ batchsize: 1 })[0]).toMatch(naming('throughput.batchsize', 'batchSize', 'code', 'mode'));
    });

    it('shorten long values', () => {
        expect(messages({ mode: 'x'.repeat(1000) })[0]!.length).toBeLessThan(150);
    });

    it('have the base path, with or without the schema', () => {
        const input = { batchSize: 0, foo: 1 };
        const parsed = tryParse(throughput, input);
        expect(parsed.ok ? [] : issuesOf(parsed.faults, input, 'steps.0.config')).toEqual([
            {
                path: 'steps.0.config.batchSize',
                message: expect.stringMatching(naming('steps.0.config.batchSize', 0, 1)),
                facts: expect.objectContaining({ path: 'steps.0.config.batchSize', value: '0' }) as object,
            },
            {
                path: 'steps.0.config.foo',
                message: expect.stringMatching(naming('steps.0.config.foo')),
                facts: expect.objectContaining({ path: 'steps.0.config.foo' }) as object,
            },
        ]);
    });

    describe('whatever message zod has', () => {
        const usual = z.config();
        const [locale, custom] = [usual.localeError, usual.customError];
        afterEach(() => z.config({ localeError: locale, customError: custom }));

        it.each<[string, () => unknown]>([
            ['in German', () => z.config(z.locales.de())],
            ['in the words of the shop', () => z.config({ customError: () => 'Nope, in the words of the shop' })],
        ])('%s, are the same', (_, configure) => {
            const inputs = [
                { batchSize: 0 },
                { batchSize: '7' },
                { code: 'abcdef' },
                { mode: 'all' },
                { names: { A: 'x' } },
                { either: true },
                { nested: { a: 'x' } },
                { shape: { kind: 'C' } },
                { own: 'y' },
                { unknown: 1 },
                undefined,
            ];
            const before = inputs.map(messages);
            configure();
            expect(inputs.map(messages)).toEqual(before);
        });

        it.each([
            'Invalid colour; write #rrggbb',
            'Too small a picture',
            'Unrecognized unit; known: kg, g',
            'Too big for a parcel',
        ])('keep the message of a check that begins like one of zod: %s', text => {
            const result = parseWith(z.strictObject({ colour: z.string().regex(/^#[0-9a-f]{6}$/, text) }), {
                colour: 'red',
            });
            expect(result).toEqual({
                ok: false,
                issues: [
                    {
                        path: 'colour',
                        message: `colour: ${text}`,
                        facts: { path: 'colour', reason: text, problem: ISSUE_TEXTS.reason },
                    },
                ],
            });
        });

        it('say for a check without a message that another value is allowed', () => {
            const odd = z.strictObject({ count: z.int().refine(count => count % 2 === 1) });
            expect(parseWith(odd, { count: 2 })).toEqual({
                ok: false,
                issues: [
                    {
                        path: 'count',
                        message: expect.stringMatching(naming('count', 2)) as string,
                        facts: {
                            path: 'count',
                            value: '2',
                            allowed: ALLOWED_TEXTS.another,
                            problem: ISSUE_TEXTS.invalid,
                        },
                    },
                ],
            });
        });
    });

    it('do not read inherited properties of the input', () => {
        const named = z.strictObject({ constructor: z.string() });
        expect(parseWith(named, {})).toEqual(parseWith(named, { constructor: undefined }));
        expect(parseWith(named, {})).toEqual({
            ok: false,
            issues: [
                {
                    path: 'constructor',
                    message: expect.stringMatching(naming('constructor', 'text')) as string,
                    facts: { path: 'constructor', allowed: ALLOWED_TEXTS.string, problem: ISSUE_TEXTS.missing },
                },
            ],
        });
    });

    it('return a valid value with its defaults', () => {
        expect(parseWith(throughput, {})).toEqual({ ok: true, value: { batchSize: 100 } });
    });
});
