import fc from 'fast-check';
import { charactersRead } from '../../../test/kit/characters-read';
import { escapedFormula, unescapedFormula } from './formula-escape';

const cell = fc.string({
    unit: fc.constantFrom(
        ...["'", '=', '+', '-', '@', '＝', '＋', '－', '＠', '﹦', '\t', '\r', '\n', 'a', '1', ' ', '.', ',', ';', '|'],
        ...[
            '\u00a0',
            '\u200b',
            '\ufeff',
            '\u2060',
            '\u3000',
            '\u2800',
            '\u0000',
            '\u00ad',
            '\u202e',
            '"',
            '😀',
            '\ud83d',
        ],
    ),
});

describe('a neutral cell', () => {
    it.each([
        '=1+1',
        '@brand',
        '+49 171 1234567',
        '-A1',
        '-',
        '-2+3|cmd',
        '＝1+1',
        '＋1',
        '－1',
        '＠A1',
        "'x",
        "'",
        ' =1+1',
        '   @brand',
        '\u00a0=1+1',
        '\u200b=1+1',
        '\ufeff=1+1',
        '\u00ad\u2060+cmd',
        '\u202e=1',
        '\u3000＝1',
        '\u2800-A1',
        '\u0000=1',
        '\u{e0020}=1',
        '|=1',
        '﹦1+1',
    ])('has an apostrophe before %j', text => {
        expect(escapedFormula(text)).toBe(`'${text}`);
    });

    it.each([
        ['\t=1', "'\t'=1"],
        ['\r=1', "'\r'=1"],
        ['\n=1', "'\n'=1"],
        [',=1+1', "','=1+1"],
        [';=1+1', "';'=1+1"],
        ['; @x', "';' @x"],
        [' ;,\u00a0-A1', "' ;,'\u00a0-A1"],
        ['a;=1+1', "a;'=1+1"],
        ['a,\u200b@x;-1;b', "a,'\u200b@x;-1;b"],
        ['a\t=1', "a\t'=1"],
        ['a\n=cmd', "a\n'=cmd"],
        ["a;-1,5+cmd|'x'!A0", "a;'-1,5+cmd|'x'!A0"],
        ["a;'=1", "a;''=1"],
        ["a;'b", "a;'b"],
        ["'a;=1", "''a;'=1"],
    ])('has one before each formula that a spreadsheet cuts out of %j', (text, cell) => {
        expect(escapedFormula(text)).toBe(cell);
        expect(unescapedFormula(cell)).toBe(text);
    });

    it.each([
        '',
        '-5',
        '+3.20',
        '1.234,50',
        '-1.234,50',
        '1e5',
        'a=b',
        "it's",
        ' -5',
        ';+3,20',
        'a;-1,5;b',
        ' a=b',
        ', b',
        '…=1',
    ])('is %j as it is', text => expect(escapedFormula(text)).toBe(text));

    it.each(["'x", "' x", "x'", "'", "', b"])('that it has not made, such as %j, is left alone', text =>
        expect(unescapedFormula(text)).toBe(text),
    );

    it('is not a formula, and restores the original text', () => {
        fc.assert(
            fc.property(cell, text => {
                expect(escapedFormula(text)).not.toMatch(/^[=@＝＋－＠\t\r\n]|^[+-](?!\d)/);
                expect(escapedFormula(text)).not.toMatch(
                    /^[^\p{L}\p{N}\p{S}'".…@+\ud83d-]+(?:[=@＝＋－＠﹦]|[+-](?!\d))/u,
                );
                for (const cut of [',', ';', '\t', '\n'])
                    for (const piece of escapedFormula(text).split(cut))
                        expect(piece).not.toMatch(/^\s*[=@＝＋－＠﹦]|^[+-](?!\d)/u);
                expect(unescapedFormula(escapedFormula(text))).toBe(text);
            }),
        );
    });

    it('is found quickly, however much precedes the sign', async () => {
        const blanks = ' ;'.repeat(50_000);
        for (const cell of [`${blanks}=1`, blanks, `'${blanks}`, `${blanks}1`, `a;${"'".repeat(50_000)}`])
            await charactersRead(8 * cell.length, () => unescapedFormula(escapedFormula(cell)));
    });
});
