import fc from 'fast-check';
import { neutralised, restored } from './neutral-cell';

const cell = fc.string({
    unit: fc.constantFrom("'", '=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n', 'a', '1', ' ', '.'),
});

describe('a neutral cell', () => {
    it.each([
        '=1+1',
        '@brand',
        '+49 171 1234567',
        '-A1',
        '-',
        '\t=1',
        '\r=1',
        '\n=1',
        '-2+3|cmd',
        '＝1+1',
        '＋1',
        '－1',
        '＠A1',
        "'x",
        "'",
    ])('has an apostrophe before %j', text => {
        expect(neutralised(text)).toBe(`'${text}`);
    });

    it.each(['', '-5', '+3.20', '1.234,50', '-1.234,50', '1e5', 'a=b', "it's"])('is %j as it is', text =>
        expect(neutralised(text)).toBe(text),
    );

    it.each(["'x", "' =1", "x'", "'"])('that it has not made, such as %j, is left alone', text =>
        expect(restored(text)).toBe(text),
    );

    it('is no formula, and gives back what it was made of', () => {
        fc.assert(
            fc.property(cell, text => {
                expect(neutralised(text)).not.toMatch(/^[=@＝＋－＠\t\r\n]|^[+-](?!\d)/);
                expect(restored(neutralised(text))).toBe(text);
            }),
        );
    });
});
