import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../data/json';
import { parseWith } from '../../schema/issues';
import { compileConditions, type Condition, conditions } from './condition';
import { compileGlob } from './glob';

const schema = z.strictObject({ when: conditions('When', 'When.') });

function meets(condition: Condition, data: JsonObject): boolean {
    const parsed = parseWith(schema, { when: [condition] });
    if (!parsed.ok) throw new Error(parsed.issues.map(issue => issue.message).join('; '));
    return compileConditions(parsed.value.when)(data);
}

const MISSING = undefined;

describe('a condition', () => {
    it.each<[JsonValue | undefined, Condition & { cmp?: string }, boolean]>([
        ['a', { field: 'f', value: 'a' }, true],
        ['7', { field: 'f', cmp: 'eq', value: 7 }, false],
        [[1, { x: 1, y: 2 }], { field: 'f', cmp: 'eq', value: [1, { y: 2, x: 1 }] }, true],
        [MISSING, { field: 'f', cmp: 'eq', value: null }, false],
        [null, { field: 'f', cmp: 'eq', value: null }, true],
        [MISSING, { field: 'f', cmp: 'ne', value: 1 }, true],
        [2, { field: 'f', cmp: 'gt', value: 1 }, true],
        ['10', { field: 'f', cmp: 'gt', value: 9 }, true],
        ['10', { field: 'f', cmp: 'gt', value: '9' }, false],
        [10, { field: 'f', cmp: 'gte', value: '10' }, true],
        ['abc', { field: 'f', cmp: 'lt', value: 9 }, false],
        [MISSING, { field: 'f', cmp: 'lt', value: 9 }, false],
        [null, { field: 'f', cmp: 'lte', value: 9 }, false],
        ['2026-01-02', { field: 'f', cmp: 'lt', value: '2026-01-02T00:00:01Z' }, true],
        ['2026-01-02T02:00:00+02:00', { field: 'f', cmp: 'lte', value: '2026-01-02T00:00' }, true],
        ['2026-01-02', { field: 'f', cmp: 'gt', value: 5 }, false],
        ['2026-13-45', { field: 'f', cmp: 'gt', value: '2026-01-01' }, false],
        [1, { field: 'f', cmp: 'in', value: [1, 2] }, true],
        ['1', { field: 'f', cmp: 'in', value: [1, 2] }, false],
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
        [' ', { field: 'f', cmp: 'isNotEmpty' }, true],
    ])('%j meets %j: %s', (value, condition, expected) => {
        expect(meets(condition, value === undefined ? {} : { f: value })).toBe(expected);
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
            'when.0.value: the pattern has a fault at character 2: "(?=" looks ahead, which cannot be matched in linear time',
        ],
        [{ field: 'a', cmp: 'regex', value: 7 }, 'when.0.value: the comparison "regex" needs text, not 7'],
        [{ field: 'a', cmp: 'equals', value: 1 }, 'when.0.cmp is "equals"; allowed: "eq", "ne", '],
        [{ field: 'a', cmp: 'eq' }, 'when.0.value: the comparison "eq" needs a value'],
        [{ field: 'a', cmp: 'isNull', value: true }, 'when.0.value: the comparison "isNull" takes no value'],
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
    ])('%j is refused', (condition, message) => {
        const parsed = parseWith(schema, { when: [condition] });
        expect(parsed.ok ? '' : parsed.issues[0]!.message).toContain(message);
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

    it('J5: cannot be made to explode', () => {
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
