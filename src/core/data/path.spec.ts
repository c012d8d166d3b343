import fc from 'fast-check';
import { naming } from '../../../test/kit/naming';
import { isFlowError } from '../errors/flow-error';
import type { JsonObject, JsonValue } from '../value/json';
import { compilePath, pathOf, pathProblem } from './path';

/** The error that rejects a write to a path, and what its message names. */
const rejection = (path: string, ...named: ReadonlyArray<string | number>): Error => {
    const message = expect.stringMatching(naming(`"${path}"`, ...named)) as string;
    return expect.objectContaining({ code: 'RECORD_INVALID', details: { path }, message }) as Error;
};

function frozen<T>(value: T): T {
    if (typeof value === 'object' && value !== null) {
        Object.freeze(value);
        Object.values(value).forEach(frozen);
    }
    return value;
}

/** Few names, so that paths often match fields of records. */
const name = fc.constantFrom(
    'a',
    'b',
    'c',
    'é',
    'toString',
    'hasOwnProperty',
    '$1',
    'Art.-Nr.',
    '.',
    'a.b',
    '\\',
    'a\\.b',
);
const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>(tie => ({
    value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<JsonValue>(null, '', 'x', 0, 7, true),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
})).value;
const record = fc.dictionary(name, value, { maxKeys: 5, noNullPrototype: true }).map(data => frozen(data));
const segments = fc.array(fc.oneof(name, fc.constantFrom('0', '1', '2')), { minLength: 1, maxLength: 4 });
const pathText = segments.map(parts => parts.map(pathOf).join('.'));

/** The record after a write, or undefined if the path leads through a value that is not an object or list. */
function written(data: JsonObject, text: string, newValue: JsonValue): JsonObject | undefined {
    try {
        return compilePath(text).set(data, newValue);
    } catch (error) {
        if (isFlowError(error) && error.code === 'RECORD_INVALID') return undefined;
        throw error;
    }
}

describe('paths obey the laws of', () => {
    it('get after set', () => {
        fc.assert(
            fc.property(record, pathText, value, (data, text, newValue) => {
                const after = written(data, text, newValue);
                if (after !== undefined) expect(compilePath(text).get(after)).toBe(newValue);
            }),
        );
    });

    it('set of the current value: an equal record', () => {
        fc.assert(
            fc.property(record, pathText, (data, text) => {
                const path = compilePath(text);
                const present = path.get(data);
                if (present !== undefined) expect(path.set(data, present)).toEqual(data);
            }),
        );
    });

    it('unset: missing afterwards, and the same object if there was nothing', () => {
        fc.assert(
            fc.property(record, pathText, (data, text) => {
                const path = compilePath(text);
                const after = path.unset(data);
                if (path.get(data) === undefined) expect(after).toBe(data);
                else if (!/\d$/.test(text)) expect(path.get(after)).toBeUndefined();
            }),
        );
    });

    it('unset after set of a new field: an equal record', () => {
        fc.assert(
            fc.property(record, value, (data, newValue) => {
                const path = compilePath('quite.new');
                expect(compilePath('quite').unset(path.set(data, newValue))).toEqual(data);
            }),
        );
    });

    it('isolation: everything outside of the path is the same object', () => {
        fc.assert(
            fc.property(record, segments, value, (data, parts, newValue) => {
                const after = written(data, parts.map(pathOf).join('.'), newValue);
                for (const key of Object.keys(data)) {
                    if (after !== undefined && key !== parts[0]) expect(after[key]).toBe(data[key]);
                }
            }),
        );
    });

    it('names: every field, with any name, is at its path', () => {
        const anyName = fc
            .oneof(
                name,
                fc.string({ minLength: 1, maxLength: 20, unit: fc.constantFrom('.', '\\', 'a', '0', 'ä', '😀') }),
            )
            .filter(key => !/^\d{10,}$/.test(key));
        fc.assert(
            fc.property(anyName, anyName, (outer, inner) => {
                const data = frozen({ [outer]: { [inner]: 1, other: 2 }, other: 3 });
                const path = compilePath(`${pathOf(outer)}.${pathOf(inner)}`);
                expect(path.get(data)).toBe(1);
                expect(path.set(data, 4)).toEqual({ [outer]: { [inner]: 4, other: 2 }, other: 3 });
                expect(path.unset(data)).toEqual({ [outer]: { other: 2 }, other: 3 });
            }),
        );
    });

    it('never touching Object.prototype', () => {
        const before = Object.getOwnPropertyNames(Object.prototype).join();
        fc.assert(
            fc.property(record, pathText, value, (data, text, newValue) => {
                written(data, text, newValue);
                compilePath(text).unset(data);
                expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(before);
            }),
        );
    });
});

describe('paths', () => {
    it.each<[string, JsonObject, JsonValue | undefined]>([
        ['a', { a: 1 }, 1],
        ['a', {}, undefined],
        ['a.b.0.c', { a: { b: [{ c: 'x' }] } }, 'x'],
        ['a.0', { a: 'text' }, undefined],
        ['a.length', { a: [1, 2] }, undefined],
        ['a.01', { a: [1, 2] }, undefined],
        ['a.0', { a: { 0: 'key' } }, 'key'],
        ['a.b', { a: null }, undefined],
        ['a', { a: null }, null],
        ['toString', {}, undefined],
        ['a.valueOf', { a: {} }, undefined],
        ['Art\\.-Nr\\.', { 'Art.-Nr.': 'x' }, 'x'],
        ['a.b\\.c.0', { a: { 'b.c': ['x'], b: { c: ['y'] } } }, 'x'],
        ['a\\\\.b', { 'a\\': { b: 'x' }, 'a\\.b': 'y' }, 'x'],
    ])('%s of %j is %j', (text, data, expected) => {
        expect(compilePath(text).get(data)).toEqual(expected);
    });

    it('create missing parents: lists for an index, objects for a name', () => {
        expect(compilePath('a.0.b').set({}, 1)).toEqual({ a: [{ b: 1 }] });
        expect(compilePath('a.b').set({ a: null }, 1)).toEqual({ a: { b: 1 } });
    });

    it('keep lists dense: a gap is filled with null, a far index is a record error', () => {
        expect(compilePath('a.2').set({ a: ['x'] }, 'z')).toEqual({ a: ['x', null, 'z'] });
        expect(() => compilePath('a.5000').set({ a: [] }, 1)).toThrow(rejection('a.5000', '"a"', 0, 5000, 1000));
        expect((compilePath('a.1000').set({ a: [] }, 1)['a'] as JsonValue[]).length).toBe(1001);
    });

    it('reject writing through a text, a number or a name in a list', () => {
        expect(() => compilePath('a.b').set({ a: 'x' }, 1)).toThrow(rejection('a.b', '"a"', 'string'));
        expect(() => compilePath('a.b').set({ a: 7 }, 1)).toThrow(rejection('a.b', '"a"', 'number'));
        expect(() => compilePath('a.b').set({ a: [1] }, 1)).toThrow(rejection('a.b', '"a"', 'list', '"b"'));
    });

    it('name fields in errors as they are written in paths', () => {
        expect(() => compilePath('a\\.b.c').set({ 'a.b': 'x' }, 1)).toThrow(rejection('a\\.b.c', '"a\\.b"', 'string'));
    });

    it('remove an element of a list, and the rest move up', () => {
        expect(compilePath('a.1').unset({ a: [1, 2, 3] })).toEqual({ a: [1, 3] });
        expect(compilePath('a.1.x').unset({ a: [1, { x: 1, y: 2 }] })).toEqual({ a: [1, { y: 2 }] });
    });

    it('copy only objects and lists along the path', () => {
        const data = frozen({ a: { b: { c: 1 }, other: {} }, far: {} });
        const after = compilePath('a.b.c').set(data, 2) as typeof data;
        expect(after.far).toBe(data.far);
        expect(after.a.other).toBe(data.a.other);
        expect(after.a.b).not.toBe(data.a.b);
    });

    it.each([
        ['an empty path', '', 'must not be empty'],
        ['an empty segment', 'a..b', '"a..b" has an empty segment; write it like "variants.0.sku"'],
        ['a leading dot', '.a', 'or "\\.a" if the dots belong to a name'],
        ['dots of a name, showing how they are written', 'Art.-Nr.', naming('"Art\\.-Nr\\."')],
        ['such dots some of which are escaped', 'Art\\.-Nr.', naming('"Art\\.-Nr\\."')],
        [
            'a backslash that escapes nothing',
            'a\\b',
            '"a\\b" has a backslash that escapes nothing at character 2; write it "\\\\"',
        ],
        ['a backslash at the end', 'a\\.b\\', 'escapes nothing at character 5'],
        ['__proto__ with an escaped dot', 'a\\.b.__proto__', naming('"__proto__"')],
        ['__proto__', '__proto__.x', '"__proto__.x" must not contain "__proto__"'],
        ['constructor', 'constructor.prototype.y', '"constructor"'],
        ['prototype', 'a.prototype', '"prototype"'],
        ['an absurd index', 'a.4294967294', 'list index that is too large'],
        ['33 segments', Array(33).fill('a').join('.'), 'has 33 segments; at most 32 are allowed'],
        ['10,000 segments', Array(10_000).fill('a').join('.'), 'characters; at most 512 are allowed'],
        ['513 characters', 'a'.repeat(513), naming(513, 512)],
    ])('J6: reject %s', (_, text, problem) => {
        expect(pathProblem(text)?.message).toMatch(problem);
        expect(() => compilePath(text)).toThrow('path');
    });

    it('accept any other name of a field', () => {
        for (const text of ['Preis (€)', 'a-b', 'x y.z', '0', 'a.0', 'a'.repeat(512)])
            expect(pathProblem(text)).toBeUndefined();
    });
});
