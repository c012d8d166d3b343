import fc from 'fast-check';
import { ENV, TEST_LOCATION } from '../../../testing/bare-call';
import { Registry } from '../../adapter/registry';
import { DROP, recordOperator } from '../../adapter/operator';
import type { JsonObject, JsonValue } from '../../value/json';
import { isFlowError } from '../../errors/flow-error';
import { operatorEnv } from '../../steps/compile-operators';
import { operators as ofCore } from '../index';
import { each } from './each';
import { z } from 'zod';

const failing = recordOperator({
    code: 'failing',
    title: 'Failing',
    summary: 'Fails.',
    config: z.strictObject({}),
    examples: [],
    compile: () => () => {
        throw new TypeError('it cannot');
    },
});
let pieces = 0;
const counted = recordOperator({
    code: 'counted',
    title: 'Counted',
    summary: 'Counts what it is given.',
    config: z.strictObject({}),
    examples: [],
    compile: () => data => {
        pieces++;
        return data;
    },
});

const env = operatorEnv({
    env: ENV,
    registry: Registry.of(ofCore, [failing, counted]),
    place: 'step',
    bounds: ENV.bounds,
});

type Calls = ReadonlyArray<{ readonly op: string; readonly args?: object }>;

function made(data: JsonObject, path: string, operators: Calls): unknown {
    return each.compile(each.config.parse({ path, operators }), env)(data, TEST_LOCATION);
}

function issue(data: JsonObject, path: string, operators: Calls): unknown {
    try {
        made(data, path, operators);
    } catch (error) {
        if (isFlowError(error)) return { code: error.code, path: error.details?.['path'], message: error.message };
        throw error;
    }
    return 'none';
}

const set = (path: string, value: JsonValue): Calls[number] => ({ op: 'set', args: { path, value } });

describe('each', () => {
    it('rejects an element that becomes too many, before the next operator gets them all', () => {
        const list = Array.from({ length: 400 }, (_, n) => ({ n }));
        const expand = (path: string): Calls[number] => ({ op: 'expand', args: { path, mergeParent: true } });
        const data = { v: [{ a: list, b: list, c: list }] };
        pieces = 0;
        const operators = [expand('a'), expand('b'), { op: 'counted' }, expand('c')];
        expect(issue(data, 'v', operators)).toMatchObject({ code: 'RECORD_INVALID', path: 'v.0' });
        expect(pieces).toBe(0);
    });

    it('applies the operators to every element as to a record', () => {
        const records = fc.array(
            fc.record({ a: fc.constantFrom<JsonValue>(' x ', 'y', 7, null), n: fc.integer() }, { requiredKeys: [] }),
        );
        const calls = fc.array(
            fc.constantFrom<Calls[number]>(
                { op: 'trim', args: { path: 'a' } },
                { op: 'copy', args: { source: 'n', target: 'b.c' } },
                { op: 'when', args: { conditions: [{ field: 'a', cmp: 'ne', value: 'y' }], action: 'keep' } },
                set('s', [1]),
            ),
            { minLength: 1, maxLength: 4 },
        );
        fc.assert(
            fc.property(records, calls, (elements, operators) => {
                const inner = operators.map(({ op, args }) => {
                    const operator = ofCore.find(({ code }) => code === op)!;
                    if (operator.form !== 'record') throw new Error('not reached');
                    return operator.compile(operator.config.parse(args) as never, env);
                });
                const alone = elements.flatMap((element): JsonObject[] => {
                    let data: JsonObject = element;
                    for (const fn of inner) {
                        const result = fn(data, TEST_LOCATION);
                        if (result === DROP) return [];
                        data = result as JsonObject;
                    }
                    return [data];
                });
                expect(made({ l: elements, k: 1 }, 'l', operators)).toEqual({ l: alone, k: 1 });
            }),
        );
    });

    it('returns the same record if no element has changed', () => {
        for (const data of [{ l: [{ a: 1 }, 'b', null] }, { l: [] }, { l: null }, {}] as JsonObject[])
            expect(made(data, 'l', [{ op: 'trim', args: { path: 'x' } }])).toBe(data);
    });

    it.each<[string, Calls, JsonValue]>([
        ['the value of _item afterwards', [set('_item', [1]), set('scratch', 1)], [[1], [1]]],
        [
            'the record itself where there is no _item any more',
            [{ op: 'rename', args: { from: '_item', to: 'name' } }],
            [{ name: 'a' }, { name: 7 }],
        ],
        [
            'each of several',
            [set('_item', ['x', 'y']), { op: 'expand', args: { path: '_item' } }],
            ['x', 'y', 'x', 'y'],
        ],
    ])('handles an element that is not an object %s', (_, operators, elements) => {
        expect(made({ l: ['a', 7] }, 'l', operators)).toEqual({ l: elements });
    });

    it('reads lists within lists, and names with dots', () => {
        expect(
            made({ 'a.b': { l: [[' x '], [' y ', 1]] } }, 'a\\.b.l', [
                { op: 'each', args: { path: '_item', operators: [{ op: 'trim', args: { path: '_item' } }] } },
            ]),
        ).toEqual({ 'a.b': { l: [['x'], ['y', 1]] } });
    });

    it('identifies each element, also those of another list and those that an operator has made', () => {
        const operators: Calls = [
            { op: 'expand', args: { path: 'm', mergeParent: true } },
            { op: 'each', args: { path: 'l', operators: [{ op: 'uuid', args: { target: 'id' } }] } },
            { op: 'uuid', args: { target: 'id' } },
        ];
        const element = { m: [{}, {}], l: [{}, {}] };
        const text = JSON.stringify(made({ v: [element, element] }, 'v', operators));
        const ids = text.match(/"id":"[^"]+"/g)!;
        expect(ids).toHaveLength(12);
        expect(new Set(ids).size).toBe(12);
        expect(JSON.stringify(made({ v: [element, element] }, 'v', operators))).toBe(text);
    });

    it.each<[string, JsonObject, Calls, object]>([
        [
            'of an object',
            { l: [{ p: 1 }, { p: 'x' }] },
            [{ op: 'round', args: { source: 'p' } }],
            { code: 'RECORD_INVALID', path: 'l.1.p', message: 'Field "l.1.p": "x" is not a number.' },
        ],
        [
            'of any other value',
            { l: [1, 'x'] },
            [{ op: 'round', args: { source: '_item' } }],
            { code: 'RECORD_INVALID', path: 'l.1', message: 'Field "l.1": "x" is not a number.' },
        ],
        [
            'within an element of an element',
            { l: [{ m: [{ p: ['x'] }] }] },
            [
                {
                    op: 'each',
                    args: {
                        path: 'm',
                        operators: [
                            {
                                op: 'each',
                                args: { path: 'p', operators: [{ op: 'round', args: { source: '_item' } }] },
                            },
                        ],
                    },
                },
            ],
            { code: 'RECORD_INVALID', path: 'l.0.m.0.p.0' },
        ],
        [
            'that an operator did not mean',
            { l: [{}] },
            [set('a', 1), { op: 'failing' }],
            { code: 'OPERATOR_FAILED', path: 'l.0', message: 'Field "l.0": Operator failing (number 2): it cannot.' },
        ],
        ['of a value that is not a list', { l: 'x' }, [set('a', 1)], { code: 'RECORD_INVALID', path: 'l' }],
    ])('names the path of an error %s', (_, data, operators, expected) => {
        expect(issue(data, 'l', operators)).toMatchObject(expected);
    });

    it('rejects a list that is or becomes too long', () => {
        const hundredThousand = Array<number>(100_000).fill(1);
        expect(issue({ l: [...hundredThousand, 1] }, 'l', [set('a', 1)])).toMatchObject({ path: 'l' });
        expect(
            issue({ l: [{ m: hundredThousand }, { m: [1] }] }, 'l', [{ op: 'expand', args: { path: 'm' } }]),
        ).toMatchObject({ path: 'l' });
    });
});
