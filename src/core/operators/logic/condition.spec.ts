import { z } from 'zod';
import { naming } from '../../../../test/kit/naming';
import type { JsonObject, JsonValue } from '../../value/json';
import { parseWith } from '../../schema/issues';
import { compileConditions, type Condition, conditions } from './condition';
import { conditionAdvice } from './condition-advice';
import { compileGlob } from './glob';

const schema = z.strictObject({ when: conditions('When', 'When.') });

function meets(condition: Condition, data: JsonObject): boolean {
    const parsed = parseWith(schema, { when: [condition] });
    if (!parsed.ok) throw new Error(parsed.issues.map(issue => issue.message).join('; '));
    return compileConditions(parsed.value.when)(data, doubts);
}

const warned: string[] = [];
const doubts = { warn: (path: string, problem: string) => void warned.push(`${path}: ${problem}`) };
beforeEach(() => void warned.splice(0));

const MISSING = undefined;

describe('a condition', () => {
    it.each<[JsonValue | undefined, Condition & { cmp?: string }, boolean]>([
        ['a', { field: 'f', value: 'a' }, true],
        ['7', { field: 'f', cmp: 'eq', value: 7 }, true],
        ['7.0', { field: 'f', value: 7 }, true],
        [7, { field: 'f', value: '7.0' }, true],
        ['7.0', { field: 'f', value: '7' }, false],
        ['7', { field: 'f', cmp: 'ne', value: 7 }, false],
        ['7e0', { field: 'f', value: 7 }, false],
        ['1,000', { field: 'f', value: 1000 }, false],
        ['', { field: 'f', value: 0 }, false],
        [true, { field: 'f', value: 'true' }, false],
        [null, { field: 'f', value: 0 }, false],
        [['7'], { field: 'f', value: [7] }, false],
        ['9007199254740993', { field: 'f', value: 9007199254740992 }, false],
        ['9007199254740992', { field: 'f', value: 9007199254740992 }, true],
        ['0.1', { field: 'f', value: 0.1 }, true],
        ['0.30000000000000004', { field: 'f', value: 0.1 + 0.2 }, true],
        [[1, { x: 1, y: 2 }], { field: 'f', cmp: 'eq', value: [1, { y: 2, x: 1 }] }, true],
        [MISSING, { field: 'f', cmp: 'eq', value: null }, false],
        [null, { field: 'f', cmp: 'eq', value: null }, true],
        [MISSING, { field: 'f', cmp: 'ne', value: 1 }, true],
        [2, { field: 'f', cmp: 'gt', value: 1 }, true],
        ['10', { field: 'f', cmp: 'gt', value: 9 }, true],
        ['10', { field: 'f', cmp: 'gt', value: '9' }, true],
        [' 10 ', { field: 'f', cmp: 'gt', value: '9' }, true],
        ['9007199254740993', { field: 'f', cmp: 'gt', value: '9007199254740992' }, true],
        ['9007199254740993', { field: 'f', cmp: 'lte', value: 9007199254740992 }, false],
        ['0.10000000000000000001', { field: 'f', cmp: 'gt', value: 0.1 }, true],
        [0.1, { field: 'f', cmp: 'gte', value: '0.10' }, true],
        ['-2', { field: 'f', cmp: 'lt', value: '-1.5' }, true],
        [`1${'0'.repeat(400)}`, { field: 'f', cmp: 'gt', value: 1 }, true],
        [10, { field: 'f', cmp: 'gte', value: '10' }, true],
        ['abc', { field: 'f', cmp: 'lt', value: 9 }, false],
        [MISSING, { field: 'f', cmp: 'lt', value: 9 }, false],
        [null, { field: 'f', cmp: 'lte', value: 9 }, false],
        ['2026-01-02', { field: 'f', cmp: 'lt', value: '2026-01-02T00:00:01Z' }, true],
        ['2026-01-02T02:00:00+02:00', { field: 'f', cmp: 'lte', value: '2026-01-02T00:00' }, true],
        ['2026-01-02', { field: 'f', cmp: 'gt', value: 5 }, false],
        ['2026-13-45', { field: 'f', cmp: 'gt', value: '2026-01-01' }, false],
        [1, { field: 'f', cmp: 'in', value: [1, 2] }, true],
        ['1', { field: 'f', cmp: 'in', value: [1, 2] }, true],
        ['1.0', { field: 'f', cmp: 'notIn', value: [1, 2] }, false],
        [1, { field: 'f', cmp: 'in', value: ['a', '1.0'] }, true],
        ['1', { field: 'f', cmp: 'in', value: ['1.0'] }, false],
        ['abc', { field: 'f', cmp: 'in', value: [1] }, false],
        [[1], { field: 'f', cmp: 'in', value: [[1]] }, true],
        [MISSING, { field: 'f', cmp: 'in', value: [null] }, false],
        [MISSING, { field: 'f', cmp: 'notIn', value: [1] }, true],
        ['Straße', { field: 'f', cmp: 'contains', value: 'aß' }, true],
        [['a', 1], { field: 'f', cmp: 'contains', value: 1 }, true],
        ['a1', { field: 'f', cmp: 'contains', value: 1 }, false],
        [7, { field: 'f', cmp: 'notContains', value: 7 }, true],
        ['abc', { field: 'f', cmp: 'startsWith', value: 'ab' }, true],
        ['abc', { field: 'f', cmp: 'endsWith', value: 'C' }, false],
        ['Größe 42', { field: 'f', cmp: 'regex', value: '\\d{2}$' }, true],
        ['Größe 42', { field: 'f', cmp: 'regex', value: '^\\d' }, false],
        [42, { field: 'f', cmp: 'regex', value: '\\d' }, false],
        [MISSING, { field: 'f', cmp: 'regex', value: '' }, false],
        ['a'.repeat(9999), { field: 'f', cmp: 'regex', value: '(a+)+b' }, false],
        ['a.b', { field: 'f', cmp: 'matches', value: 'a.?' }, true],
        ['axb', { field: 'f', cmp: 'matches', value: 'a.b' }, false],
        [null, { field: 'f', cmp: 'exists' }, true],
        [MISSING, { field: 'f', cmp: 'notExists' }, true],
        [MISSING, { field: 'f', cmp: 'isNull' }, false],
        [null, { field: 'f', cmp: 'isNull' }, true],
        [{}, { field: 'f', cmp: 'isEmpty' }, true],
        [0, { field: 'f', cmp: 'isEmpty' }, false],
        [' \t', { field: 'f', cmp: 'isEmpty' }, true],
        [' ', { field: 'f', cmp: 'isNotEmpty' }, false],
    ])('%j meets %j: %s', (value, condition, expected) => {
        expect(meets(condition, value === undefined ? {} : { f: value })).toBe(expected);
    });

    it.each<[JsonValue, Condition, ReadonlyArray<string | number>]>([
        ['n/a', { field: 'f', cmp: 'lt', value: 9 }, ['"n/a"', 'lt', 9]],
        [true, { field: 'f', cmp: 'gt', value: 0 }, ['true', 'gt', 0]],
        [[1], { field: 'f', cmp: 'gte', value: 0 }, ['list', 'gte', 0]],
        ['1e3', { field: 'f', cmp: 'gt', value: 0 }, ['"1e3"', 'gt', 0]],
        [7, { field: 'f', cmp: 'lt', value: '2026-01-01' }, [7, 'lt', '"2026-01-01"']],
        ['soon', { field: 'f', cmp: 'lt', value: '2026-01-01' }, ['"soon"', 'lt', '"2026-01-01"']],
        ['2026-01-01', { not: { any: [{ field: 'f', cmp: 'gt', value: 5 }] } }, ['"2026-01-01"', 'gt', 5]],
    ])('warns if %j cannot be compared: %j', (value, condition, named) => {
        meets(condition, { f: value });
        expect(warned).toEqual([expect.stringMatching(naming('f', ...named))]);
    });

    it.each<[JsonValue | undefined, Condition]>([
        [MISSING, { field: 'f', cmp: 'lt', value: 9 }],
        [null, { field: 'f', cmp: 'lt', value: 9 }],
        ['  ', { field: 'f', cmp: 'lt', value: '2026-01-01' }],
        ['8', { field: 'f', cmp: 'lt', value: 9 }],
        ['abc', { field: 'f', value: 9 }],
        [7, { field: 'f', cmp: 'startsWith', value: '7' }],
    ])('does not warn about %j with %j', (value, condition) => {
        meets(condition, value === undefined ? {} : { f: value });
        expect(warned).toEqual([]);
    });

    it('nests', () => {
        const condition: Condition = {
            all: [
                {
                    any: [
                        { field: 'a', value: 1 },
                        { field: 'b', value: 1 },
                    ],
                },
                { not: { field: 'c', cmp: 'exists' } },
            ],
        };
        expect(meets(condition, { b: 1 })).toBe(true);
        expect(meets(condition, { b: 1, c: null })).toBe(false);
        expect(meets(condition, {})).toBe(false);
    });

    it.each<[JsonObject, string]>([
        [
            { field: 'a', cmp: 'regex', value: 'a(?=b)' },
            'when.0.value: the pattern is invalid at character 2: "(?=" is a lookahead, which cannot be matched in linear time',
        ],
        [{ field: 'a', cmp: 'regex', value: 7 }, 'when.0.value: the comparison "regex" needs text, not 7'],
        [{ field: 'a', cmp: 'equals', value: 1 }, 'when.0.cmp is "equals"; allowed: "eq", "ne", '],
        [{ field: 'a', cmp: 'eq' }, 'when.0.value: the comparison "eq" needs a value'],
        [{ field: 'a', cmp: 'isNull', value: false }, 'when.0.value: the comparison "isNull" takes no value, so false'],
        [{ field: 'a', cmp: 'in', value: 'x' }, 'when.0.value: the comparison "in" needs a list, not "x"'],
        [
            { field: 'a', cmp: 'gt', value: 'tall' },
            'when.0.value: the comparison "gt" needs a number, text that is a number, or an ISO date, not "tall"',
        ],
        [{ field: 'a', operator: 'eq', value: 1 }, 'when.0.operator is an unknown field; known: field, cmp, value'],
        [
            { all: [{ field: 'a', cmp: 'matches', value: 1 }] },
            'when.0.all.0.value: the comparison "matches" needs text, not 1',
        ],
        [{ any: [] }, 'when.0.any is an empty list'],
        [{ field: '__proto__.x', cmp: 'exists' }, 'when.0.field: path "__proto__.x" must not contain "__proto__"'],
    ])('%j is rejected', (condition, message) => {
        const parsed = parseWith(schema, { when: [condition] });
        expect(parsed.ok ? '' : parsed.issues[0]!.message).toContain(message);
    });
});

describe('advice about conditions', () => {
    it.each(['^a', '^ab*$', 'AB\\d', 'AB.*', '.*', '.+x', '[a-z]+', '[0-9]{4}', '[ab]*', '(a|b)', 'x(a|b)y', 'a\\.b'])(
        'takes the glob %s for a regular expression',
        value => {
            expect(conditionAdvice([{ field: 'f', cmp: 'matches', value }], 'when')).toEqual([
                { code: 'LIKELY_MISTAKE', path: 'when.0.value', problem: expect.stringContaining('regex') as string },
            ]);
        },
    );

    it.each(['*', 'ALT-*', '*.csv', '*.*', 'a.b', '?-[a]', '(new)', 'a|b', '5$', 'a+b', '[1] *', 'C++ (x)'])(
        'takes the glob %s for one',
        value => {
            expect(conditionAdvice([{ field: 'f', cmp: 'matches', value }], 'when')).toEqual([]);
        },
    );

    it('finds nested comparisons, and a value that is never compared', () => {
        const idle: Condition = { field: 'f', cmp: 'isNull', value: true };
        const list: Condition[] = [{ field: 'f', value: '^a$' }, { any: [{ not: { all: [idle] } }] }];
        expect(conditionAdvice(list, 'c')).toEqual([
            {
                code: 'WITHOUT_EFFECT',
                path: 'c.1.any.0.not.all.0.value',
                problem: expect.objectContaining({ message: expect.any(String) as string }) as object,
            },
        ]);
        expect(conditionAdvice(idle, 'condition')).toMatchObject([{ path: 'condition.value' }]);
        expect(meets(idle, { f: null })).toBe(true);
    });
});

describe('globs', () => {
    it.each([
        ['*', '', true],
        ['', '', true],
        ['', 'a', false],
        ['?', '😀', true],
        ['?', '', false],
        ['a*b*c', 'aXbXbc', true],
        ['a*b*c', 'aXbX', false],
        ['*.csv', 'x.csv', true],
        ['*.csv', 'x.csv.bak', false],
        ['[a]', '[a]', true],
        ['a**b', 'ab', true],
        ['ä?', 'äö', true],
    ])('%j on %j: %s', (pattern, text, expected) => {
        expect(compileGlob(pattern)(text)).toBe(expected);
    });

    it('J5: cannot backtrack exponentially', () => {
        const pattern = `${'*a'.repeat(400)}b`;
        const letters = 'a'.repeat(5_000);
        let looks = 0;
        const watched: unknown = new Proxy(Object(letters) as object, {
            get(text, key) {
                if (++looks > pattern.length * letters.length) throw new Error('it looks at the text without end');
                const value: unknown = Reflect.get(text, key);
                return typeof value === 'function' ? (value.bind(text) as unknown) : value;
            },
        });
        expect(compileGlob(pattern)(watched as string)).toBe(false);
        expect(looks).toBeGreaterThan(letters.length);
    });
});
