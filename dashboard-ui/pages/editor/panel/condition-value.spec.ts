import fc from 'fast-check';
import { needsValue, typedValue, valueText } from './condition-value';

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
    ])('typed as %j for %s', (text, cmp, value) => expect(typedValue(text, cmp)).toEqual(value));

    it('is the same when it is shown and typed again, whatever it is', () =>
        fc.assert(
            fc.property(fc.jsonValue(), fc.constantFrom('eq', 'contains', 'regex'), (value, cmp) => {
                const plain: unknown = JSON.parse(JSON.stringify(value));
                expect(typedValue(valueText(plain, cmp), cmp)).toEqual(plain);
            }),
        ));

    it('of a comparison with a list likewise', () =>
        fc.assert(
            fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), list => {
                const plain: unknown = JSON.parse(JSON.stringify(list));
                expect(typedValue(valueText(plain, 'in'), 'in')).toEqual(plain);
            }),
        ));

    it('is not asked for where there is nothing to compare with', () => {
        expect(needsValue('exists')).toBe(false);
        expect(needsValue('eq')).toBe(true);
    });
});
