import { suspectsOf } from './suspects';

const row = { 'Article No': 'A-1', 'RRP EUR': 'on request', Tax: 'Standard' };

describe('the invalid fields of a rejected record', () => {
    it('is the field that the step names', () => {
        expect(suspectsOf({ payload: { price: 'x' }, path: 'price', message: 'Field "price": is "x"' })).toEqual([
            'price',
        ]);
    });

    it('is the field that it was made of, where the message quotes its value', () => {
        expect(
            suspectsOf({ payload: row, path: 'price', message: 'Field "price": "on request" is not a number.' }),
        ).toEqual(['RRP EUR']);
    });

    it('is the blank one where something is missing', () => {
        const message = 'Field "price": is required but missing.';
        expect(suspectsOf({ payload: { ...row, 'RRP EUR': ' ' }, path: 'price', message })).toEqual(['RRP EUR']);
        const without = { payload: { 'Article No': 'A-2', Tax: 'Standard' }, path: 'price', message };
        expect(suspectsOf(without, [{ payload: row, path: 'price', message }])).toEqual(['RRP EUR']);
    });

    it('is what the step names where nothing else is likely, or too much', () => {
        expect(suspectsOf({ payload: row, path: 'price', message: 'is missing' })).toEqual(['price']);
        expect(suspectsOf({ payload: { a: '', b: '', c: '' }, path: 'price', message: 'is missing' })).toEqual([
            'price',
        ]);
        expect(suspectsOf({ payload: null, path: 'price', message: 'is •••' })).toEqual(['price']);
        expect(suspectsOf({ payload: row, path: null, message: 'is wrong' })).toEqual([]);
    });
});
