import { naming } from '../../../test/kit/naming';
import { problemsOf, specOf } from '../../testing/bare-rule';
import { batchOf } from '../../../test/kit/record';
import { charactersRead } from '../../../test/kit/characters-read';
import { applyRule } from '../../testing/bare-rule';
import type { Rule, RuleContext } from '../adapter/rule';
import type { JsonValue } from '../value/json';
import { business } from './business';
import { ALLOWED_BY } from './checks';
import { enumeration } from './enum';
import { length } from './length';
import { patternRule } from './pattern';
import { range } from './range';
import { required } from './required';
import { type } from './type';
import { unique } from './unique';
import type { ValueType } from './value-types';

describe('the rule type', () => {
    it.each<[ValueType, readonly unknown[], readonly unknown[]]>([
        ['string', ['x', '7'], [7, true, [], {}]],
        ['number', [0, -1.5, 1e300], ['7', true, []]],
        ['integer', [0, -7, 9007199254740991], [1.5, 9007199254740992, '7']],
        ['boolean', [true, false], ['true', 0, 1]],
        ['array', [[], [1]], [{}, 'a,b']],
        ['object', [{}, { a: 1 }], [[], 'x']],
        [
            'date',
            [
                '2024-02-29',
                '0001-01-01',
                '2024-12-31T23:59',
                '2024-12-31T23:59:59.123Z',
                '2024-12-31T23:59:59+01:00',
                '2024-12-31T00:00:00-0500',
            ],
            [
                '2023-02-29',
                '2024-00-01',
                '2024-13-01',
                '2024-01-00',
                '2024-04-31',
                '2024-01-01T24:00',
                '01.02.2024',
                '2024-1-1',
                '2024-01-01 ',
                20240101,
            ],
        ],
        [
            'email',
            ['a@b.de', 'first.last+tag@sub.example.org', 'ü@exämple.de', `${'a'.repeat(64)}@b.de`],
            [
                'a',
                'a@b',
                '@b.de',
                'a@',
                'a b@c.de',
                'a@b..de',
                '.a@b.de',
                'a.@b.de',
                'a..b@c.de',
                'a@-b.de',
                'a@b.de\n',
                `${'a'.repeat(65)}@b.de`,
                `a@${'b'.repeat(250)}.de`,
                'x <a@b.de>',
                7,
            ],
        ],
        [
            'url',
            ['https://example.com/ä?x=1', 'HTTP://localhost:3000'],
            [
                'example.com',
                'javascript:alert(1)',
                'https://',
                'https://a b',
                'http://[',
                `https://a.de/${'x'.repeat(2048)}`,
                7,
            ],
        ],
    ])('accepts %s strictly', async (kind, right, wrong) => {
        const records = [...right, ...wrong].map(value => ({ a: value as string }));
        const problems = await problemsOf(type, { field: 'a', type: kind }, records);
        expect(problems.map(problem => problem === undefined)).toEqual([
            ...right.map(() => true),
            ...wrong.map(() => false),
        ]);
        expect(problems.at(-1)).toMatch(/^is .*; allowed: /s);
    });
});

describe('the rule range', () => {
    it('compares decimals, including both ends', async () => {
        const values = [
            0.1,
            '0.1',
            '0.10000000000000000000001',
            '0.0999999999999999999999',
            ' .3 ',
            '3e-1',
            0.3,
            0.30000000000000004,
        ];
        const problems = await problemsOf(
            range,
            { field: 'a', min: 0.1, max: 0.3 },
            values.map(a => ({ a })),
        );
        expect(problems.map(problem => problem === undefined)).toEqual([
            true,
            true,
            true,
            false,
            true,
            true,
            true,
            false,
        ]);
    });

    it('names the allowed numbers', async () => {
        const problemIn = async (spec: object) =>
            (await applyRule({ rule: range, spec: { field: 'a', ...spec } }, batchOf({ a: 5 })))[0];
        const problem = (facts: { allowed: string; min?: number; max?: number }): unknown => {
            const { allowed, ...bounds } = facts;
            return {
                path: 'a',
                problem: expect.stringMatching(naming(5, ...Object.values(bounds))),
                facts: { value: '5', ...facts, problem: expect.any(String) },
            };
        };
        expect(await problemIn({ min: 6 })).toEqual(problem({ allowed: ALLOWED_BY.least, min: 6 }));
        expect(await problemIn({ max: 4 })).toEqual(problem({ allowed: ALLOWED_BY.most, max: 4 }));
        expect(await problemIn({ min: 1, max: 4 })).toEqual(problem({ allowed: ALLOWED_BY.both, min: 1, max: 4 }));
        expect(await problemIn({ min: 6, max: 6 })).toEqual(problem({ allowed: ALLOWED_BY.same, min: 6, max: 6 }));
    });
});

describe('a rule with one check', () => {
    it.each<readonly [string, Rule, object, JsonValue, string]>([
        ['required', required, { required: true, maxLength: 2 }, 'abc', 'has 3 characters; allowed: at most 2'],
        ['type', type, { type: 'string', pattern: '^a' }, 'b', '"b" does not match ^a'],
        ['range', range, { min: 1, type: 'number' }, '2', 'is "2"; allowed: a number'],
        ['length', length, { minLength: 1, pattern: '^a' }, 'b', '"b" does not match ^a'],
        ['pattern', patternRule, { pattern: '^a', enum: ['ab'] }, 'ac', 'is "ac"; allowed: "ab"'],
        ['enum', enumeration, { enum: ['a', 'b'], pattern: 'a' }, 'b', '"b" does not match a'],
        ['unique', unique, { pattern: '^a' }, 'b', '"b" does not match ^a'],
    ])('also runs the other checks of its spec: %s', async (_, rule, spec, value, problem) => {
        const [judged] = await applyRule({ rule, spec: { field: 'f', ...spec } }, batchOf({ f: value }));
        expect(judged).toMatchObject({ path: 'f', problem });
    });

    it('rejects only the record whose text is too long for a pattern', async () => {
        const spec = { field: 'f', pattern: '(a|b|ab)*c' };
        const [first, second] = await applyRule(
            { rule: unique, spec },
            batchOf({ f: 'a'.repeat(3_000_000) }, { f: 'abc' }),
        );
        expect(first!.problem).toMatch(/^has 3000000 characters; .*\d$/);
        expect(second).toBeUndefined();
    });
});

describe('the rule length', () => {
    it('counts characters, not UTF-16 units', async () => {
        expect(
            await problemsOf(length, { field: 'a', minLength: 2, maxLength: 2 }, [
                { a: '👍👍' },
                { a: 'ab' },
                { a: '👍' },
                { a: [1, 2] },
            ]),
        ).toEqual([undefined, undefined, expect.stringMatching(naming(1, 2)), undefined]);
    });
});

describe('the rule enum', () => {
    it('names the first ten of many values', async () => {
        const [problem] = await problemsOf(enumeration, { field: 'a', enum: Array.from({ length: 25 }, (_, i) => i) }, [
            { a: 'x' },
        ]);
        expect(problem).toMatch(naming('"x"', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9', 15));
        expect(problem).not.toMatch(naming(10));
    });
});

describe('the rule pattern', () => {
    it('is matched in linear time, however hostile pattern and text are', async () => {
        const letters = 20_000;
        const text = `${'a'.repeat(letters)}!`;
        let problems: readonly unknown[] = [];
        const read = await charactersRead(15 * letters, async () => {
            problems = await problemsOf(patternRule, { field: 'a', pattern: '^(a+)+$' }, [{ a: text }]);
        });
        expect(problems).toEqual([expect.stringMatching(naming('^(a+)+$'))]);
        expect(read).toBeGreaterThan(letters);
    });
});

describe('an invalid spec', () => {
    it.each([
        [
            business,
            { field: 'a' },
            'required: the rule checks nothing; set at least one of required, type, enum, min, max, minLength, maxLength, pattern',
        ],
        [business, { field: 'a', required: false, error: 'x' }, 'required: the rule checks nothing'],
        [business, { field: 'a', min: 2, max: 1 }, 'min: is 2, which is more than max (1); no value would pass'],
        [
            business,
            { field: 'a', pattern: 'a', minLength: 2, maxLength: 1 },
            'minLength: is 2, which is more than maxLength (1)',
        ],
        [business, { field: 'a', pattern: '(?=a)' }, 'pattern: pattern'],
        [range, { field: 'a' }, 'min: the rule checks nothing; set at least one of min, max'],
        [length, { field: 'a', minLength: -1 }, 'minLength is -1; allowed: 0 to 1000000000'],
        [enumeration, { field: 'a', enum: [] }, 'enum is an empty list'],
        [unique, { field: 'a', pattern: '(?=a)' }, 'pattern: pattern'],
        [unique, { field: 'a', min: 2, max: 1 }, 'min: is 2, which is more than max (1); no value would pass'],
        [unique, { field: 'a', regex: 'x' }, 'regex is an unknown field; known: field, required, type, enum'],
        [required, { field: 'a', required: false }, 'required is false; allowed: true'],
        [type, { field: '__proto__.a', type: 'string' }, naming('field', '"__proto__"')],
    ])('is rejected: %#', (rule, spec, problem) => {
        expect(() => specOf(rule, spec)).toThrow(problem);
    });

    it('is reported together with all other issues', () => {
        expect(() => specOf(business, { field: 7 })).toThrow(naming('field', 7, 'text', 'required', 'maxLength'));
    });
});

describe('the rule length', () => {
    const emoji = '👍';

    it.each<readonly [string, object, string, string | undefined]>([
        ['exactly up to the limits', { minLength: 2, maxLength: 3 }, emoji.repeat(3), undefined],
        ['where only some of the units are pairs', { minLength: 3 }, `${emoji}ab`, undefined],
        ['and states a short length', { maxLength: 3 }, emoji.repeat(4), 'has 4 characters; allowed: at most 3'],
        ['and finds text too short', { minLength: 3 }, emoji.repeat(2), 'has 2 characters; allowed: at least 3'],
        [
            'no further than it must',
            { maxLength: 3 },
            emoji.repeat(10_001),
            'has more than 10000 characters; allowed: at most 3',
        ],
        [
            'as far as a large limit needs',
            { minLength: 20_001 },
            emoji.repeat(20_000),
            'has 20000 characters; allowed: at least 20001',
        ],
        [
            'and no further than a large limit',
            { maxLength: 20_000 },
            emoji.repeat(20_001),
            'has more than 20000 characters; allowed: at most 20000',
        ],
    ])('counts characters: %s', async (_, limits, text, problem) => {
        expect(await problemsOf(length, { field: 't', ...limits }, [{ t: text }])).toEqual([problem]);
    });
});

describe('the rule unique', () => {
    const spec = { field: 'sku' };
    const judging = { rule: unique, spec };

    it('reads the state of this run, and nothing of an earlier one', async () => {
        const requested: unknown[] = [];
        const recall: RuleContext['recall'] = async (keys, scope) => {
            requested.push([keys, scope]);
            return new Map([['sA', ['other', 4]]]);
        };
        expect(await applyRule(judging, batchOf({ sku: 'A' }), { recall })).toEqual([
            {
                path: 'sku',
                problem: expect.stringMatching(naming('"A"', 5, 'other')),
            },
        ]);
        expect(requested).toEqual([[['sA'], 'run']]);
    });

    it('yields to the event loop at each record whose value becomes a key', async () => {
        let turns = 0;
        let before = 0;
        const recall: RuleContext['recall'] = async () => {
            before = turns;
            return new Map();
        };
        const earlier = [batchOf({ sku: 'B' }, { sku: 'C' })];
        await applyRule(judging, batchOf({ sku: 'A' }, {}, { sku: 'A' }), {
            recall,
            earlier,
            turn: async () => void turns++,
        });
        expect(before).toBe(3);
        expect(turns).toBeGreaterThanOrEqual(5);
    });

    it('stores the first record of each value', async () => {
        const stateEntries: unknown[] = [];
        await applyRule(judging, batchOf({ sku: 'A' }, { sku: 'A' }, { sku: 1 }), {
            remember: (record, key, value) => void stateEntries.push([record.origin.seq, key, value]),
        });
        expect(stateEntries).toEqual([
            [0, 'sA', ['source', 0]],
            [2, 'n1', ['source', 2]],
        ]);
    });

    it('does not compare a record on a second path with itself, but with the others', async () => {
        const earlier = [batchOf({ sku: 'A' }, { sku: 'B' })];
        expect(
            (await applyRule(judging, batchOf({ sku: 'A' }, { sku: 'A' }), { earlier })).map(
                problem => problem?.problem,
            ),
        ).toEqual([undefined, expect.stringMatching(naming('"A"', 1, 'source'))]);
        expect((await applyRule(judging, batchOf({ sku: 'B' }), { earlier })).map(problem => problem?.problem)).toEqual(
            [expect.stringMatching(naming('"B"', 2, 'source'))],
        );
    });

    it('distinguishes two records that were made from one', async () => {
        const [record] = batchOf({ sku: 'A' });
        expect(
            (await applyRule(judging, [record!, { ...record!, data: { sku: 'A' } }])).map(
                problem => problem !== undefined,
            ),
        ).toEqual([false, true]);
    });
});
