import { naming } from './kit/naming';

describe('a pattern of named values', () => {
    it('matches texts that name all of them, in any order and on any line', () => {
        const pattern = naming('"a.b"', 10, 'sku');
        expect('sku:\n"a.b" is not 10.').toMatch(pattern);
        expect('10 is not "a.b" (sku)').toMatch(pattern);
        for (const text of ['sku: "a.b"', '"a.b": 10', 'sku: "axb" is not 10']) expect(text).not.toMatch(pattern);
    });

    it('takes neither parts of words and numbers nor parts of paths for a value', () => {
        for (const text of ['10', '1.5', '0.1', '-1', 'a1', '1-2']) expect(text).not.toMatch(naming(1));
        for (const text of ['skus', 'variant.sku', 'sku.de', 'sku-field']) expect(text).not.toMatch(naming('sku'));
        for (const text of ['1', '1.', '(1)', '1,2', 'at 1: a']) expect(text).toMatch(naming(1));
        expect('-1').toMatch(naming(-1));
        expect('3-1').not.toMatch(naming(-1));
    });

    it('needs a value', () => {
        expect(() => naming()).toThrow('naming()');
    });
});
