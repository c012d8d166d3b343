import fc from 'fast-check';
import { needsValue, typedValue, valueFor, valueText } from './condition-value';

describe('the value of a condition', () => {
    it.each([
        ['7', 'eq', 7],
        ['7.50', 'eq', 7.5],
        ['true', 'eq', true],
        ['lamp', 'eq', 'lamp'],
        [' lamp ', 'eq', 'lamp'],
        ['"7"', 'eq', '7'],
        ['lamp, shade', 'in', ['lamp', 'shade']],
        ['lamp', 'notIn', ['lamp']],
        ['1, "a, b", x', 'in', [1, 'a, b', 'x']],
        ['["a", ""]', 'in', ['a', '']],
        ['', 'eq', undefined],
        ['10', 'startsWith', '10'],
        [' 1', 'regex', ' 1'],
        ['"', 'endsWith', '"'],
        ['', 'matches', undefined],
    ])('typed as %j for %s', (text, cmp, value) => expect(typedValue(text, cmp)).toEqual(value));

    it('is the same when it is shown and typed again, whatever it is', () =>
        fc.assert(
            fc.property(fc.jsonValue(), fc.constantFrom('eq', 'contains'), (value, cmp) => {
                const plain: unknown = JSON.parse(JSON.stringify(value));
                expect(typedValue(valueText(plain, cmp), cmp)).toEqual(plain);
            }),
        ));

    it('of a comparison with a text likewise', () =>
        fc.assert(
            fc.property(fc.string({ minLength: 1 }), fc.constantFrom('startsWith', 'regex'), (text, cmp) => {
                expect(typedValue(valueText(text, cmp), cmp)).toBe(text);
            }),
        ));

    it('of a comparison with a list likewise', () =>
        fc.assert(
            fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), list => {
                const plain: unknown = JSON.parse(JSON.stringify(list));
                expect(typedValue(valueText(plain, 'in'), 'in')).toEqual(plain);
            }),
        ));

    it.each([
        ['eq', '7', 'startsWith', '7'],
        ['eq', 7, 'startsWith', '7'],
        ['startsWith', '7', 'eq', 7],
        ['eq', 'lamp', 'in', ['lamp']],
        ['in', ['a', 'b'], 'eq', 'a, b'],
        ['eq', 7, 'exists', undefined],
        ['exists', undefined, 'startsWith', undefined],
    ])('of %s, %j, goes over to %s', (before, value, cmp, after) =>
        expect(valueFor(cmp, { value, before })).toEqual(after),
    );

    it('is not required if there is nothing to compare with', () => {
        expect(needsValue('exists')).toBe(false);
        expect(needsValue('eq')).toBe(true);
    });
});
