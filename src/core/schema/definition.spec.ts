import { z } from 'zod';
import * as mini from 'zod/mini';
import { definitionOf, findIssues, functionsOf, rulesOf, type Schema, wrappedBy } from './definition';

/** The facts about schemas that every version of zod must provide for messages, references and normal forms. */
describe('what Flow reads of a schema', () => {
    const text = z.string();

    it.each<[string, Schema, object]>([
        ['an object', z.strictObject({ a: text }), { type: 'object', shape: { a: text } }],
        ['a list', z.array(text), { type: 'array', element: text }],
        ['a record', z.record(text, text), { type: 'record', keyType: text, valueType: text }],
        ['a union', z.union([text, z.null()]), { type: 'union', options: [text, expect.anything()] }],
        [
            'alternatives with a tag',
            z.discriminatedUnion('kind', [z.strictObject({ kind: z.literal('A') })]),
            { type: 'union', discriminator: 'kind', options: [expect.anything()] },
        ],
        ['an intersection', z.intersection(text, text), { type: 'intersection', left: text, right: text }],
        ['an enum', z.enum(['A', 'B']), { type: 'enum', entries: { A: 'A', B: 'B' } }],
        ['a literal', z.literal(['A', 1]), { type: 'literal', values: ['A', 1] }],
        ['a default', text.default('x'), { type: 'default', defaultValue: 'x' }],
        ['a default before the parse', text.prefault('x'), { type: 'prefault', defaultValue: 'x' }],
        ['a text', text, { type: 'string' }],
        ['a number', z.number(), { type: 'number' }],
        ['a text of zod/mini', mini.string(), { type: 'string' }],
    ])('reads the definition of %s', (_, schema, definition) => {
        expect(definitionOf(schema)).toMatchObject(definition);
    });

    it.each<[string, Schema]>([
        ['optional', text.optional()],
        ['nullable', text.nullable()],
        ['default', text.default('x')],
        ['prefault', text.prefault('x')],
        ['nonoptional', z.nonoptional(text)],
        ['readonly', text.readonly()],
        ['catch', text.catch('x')],
        ['lazy', z.lazy(() => text)],
    ])('reads the schema that %s wraps', (_, schema) => {
        expect(wrappedBy(schema)).toBe(text);
        expect(wrappedBy(text)).toBeUndefined();
    });

    it.each<[string, Schema, readonly object[]]>([
        ['z.int()', z.int(), [{ check: 'number_format', format: 'safeint' }]],
        ['z.number().int()', z.number().int(), [{ check: 'number_format', format: 'safeint' }]],
        ['min', z.number().min(1), [{ check: 'greater_than', value: 1, inclusive: true }]],
        ['gt', z.number().gt(1), [{ check: 'greater_than', value: 1, inclusive: false }]],
        ['max', z.number().max(1), [{ check: 'less_than', value: 1, inclusive: true }]],
        ['lt', z.number().lt(1), [{ check: 'less_than', value: 1, inclusive: false }]],
        ['min of a text', text.min(1), [{ check: 'min_length', minimum: 1 }]],
        ['max of a list', z.array(text).max(2), [{ check: 'max_length', maximum: 2 }]],
        ['length', text.length(3), [{ check: 'length_equals', length: 3 }]],
        ['no rule', text, []],
    ])('reads the checks of %s', (_, schema, rules) => {
        expect(rulesOf(schema)).toEqual(rules.map(rule => expect.objectContaining(rule)));
    });

    it('reads the functions of checks', () => {
        const [refined, checked] = [(): boolean => true, (): void => undefined];
        expect(functionsOf(text)).toEqual([]);
        expect(functionsOf(text.refine(refined))).toEqual([[expect.any(Function), refined]]);
        expect(functionsOf(text.check(checked))).toEqual([[checked]]);
    });

    it('finds the issues of zod, with its messages or with the given ones', () => {
        const schema = z.strictObject({ a: z.int().min(1), b: z.union([text, z.null()]), c: text.min(2, 'own') });
        for (const params of [{}, { error: () => 'asked' }]) {
            for (const value of [{ a: 0, b: 1, c: '', d: 1 }, { a: 'x' }, 7]) {
                const { faults: issues, full } = findIssues(schema, value, params);
                expect(issues.map(full)).toEqual(schema.safeParse(value, params).error!.issues);
            }
        }
        const right = { a: 1, b: null, c: 'xy' };
        expect(findIssues(schema, right, {})).toMatchObject({ value: right, faults: [] });
        expect(() =>
            findIssues(
                z.string().refine(async () => true),
                '',
                {},
            ),
        ).toThrow(z.core.$ZodAsyncError);
    });
});
