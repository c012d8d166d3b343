import { fieldTypes } from './field-types';

const typeOf = (values: readonly unknown[], areTexts: boolean): string =>
    fieldTypes(
        values.map(value => ({ v: value }) as never),
        { areTexts },
    )[0]!.type;

describe('the type of a field', () => {
    it.each<[string, readonly string[]]>([
        ['number', ['1', '-2.50', '+3', '0', '0.5', '']],
        ['string', ['007']],
        ['string', ['1,5']],
        ['string', ['1e3']],
        ['string', ['12345678901234567890']],
        ['string', ['2026-13-01']],
        ['string', ['x', '']],
        ['boolean', ['true', 'FALSE', ' ']],
        ['date', ['2026-01-31', '2026-01-31T10:20:30.5Z', '2026-01-31 10:20', '2026-01-31T10:20+02:00']],
        ['mixed', ['1', 'x']],
        ['mixed', ['007', '1']],
        ['mixed', ['1', '2026-01-31']],
        ['null', ['', '  ']],
    ])('of texts is %s for %j', (type, values) => expect(typeOf(values, true)).toBe(type));

    it.each<[string, readonly unknown[]]>([
        ['number', [1, 2.5, null]],
        ['string', ['1']],
        ['string', ['']],
        ['boolean', [true]],
        ['date', ['2026-01-31']],
        ['object', [{}]],
        ['array', [[]]],
        ['null', [null]],
        ['mixed', [1, '1']],
        ['mixed', [{}, []]],
    ])('of values is %s for %j', (type, values) => expect(typeOf(values, false)).toBe(type));

    it('is detected for each field, in the order in which they appear', () => {
        const records = [{ b: 1 }, JSON.parse('{"a": 1, "__proto__": "x"}') as never, { b: 'x' }];
        expect(fieldTypes(records, { areTexts: false })).toEqual([
            { name: 'b', type: 'mixed' },
            { name: 'a', type: 'number' },
            { name: '__proto__', type: 'string' },
        ]);
    });
});
