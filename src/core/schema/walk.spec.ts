import { z } from 'zod';
import type { Schema } from './definition';
import { childSchema, knownKeys, listedBy } from './walk';

const letters = z.enum(['A', 'B']);

describe('the values that a schema lists', () => {
    it.each<[string, Schema, readonly unknown[]]>([
        ['an enum', letters, ['A', 'B']],
        ['a literal', z.literal(['A', 1]), ['A', 1]],
        ['an optional enum', letters.optional(), ['A', 'B', undefined]],
        ['a nullable enum with a default', letters.nullable().default('A'), ['A', 'B', null]],
        ['a union of such', z.union([letters, z.literal(3), z.null()]), ['A', 'B', 3, null]],
    ])('are those of %s', (_, schema, values) => {
        expect(listedBy(schema)).toEqual(values);
    });

    it.each<[string, Schema]>([
        ['a text', z.string()],
        ['an optional text', z.string().optional()],
        ['a union with a text', z.union([letters, z.string()])],
    ])('are unknown for %s', (_, schema) => {
        expect(listedBy(schema)).toBeUndefined();
    });
});

describe('the alternative that a value selects', () => {
    const size = z.int();
    const shape = z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('A').optional(), size }),
        z.strictObject({ kind: z.literal(['B', 'C']), name: z.string() }),
    ]);

    it.each([
        [{}, ['kind', 'size'], size],
        [{ kind: 'A' }, ['kind', 'size'], size],
        [{ kind: 'C' }, ['kind', 'name'], undefined],
        [{ kind: 'D' }, undefined, undefined],
        [['A'], undefined, undefined],
        ['A', undefined, undefined],
    ])('by its tag, in %j, is the one whose fields are known', (value, keys, child) => {
        expect(knownKeys(shape, value)).toEqual(keys);
        expect(childSchema(shape, 'size', value)).toBe(child);
    });
});
