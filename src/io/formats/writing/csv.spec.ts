import fc from 'fast-check';
import { escapedFormula } from '../formula-escape';
import { fieldColumn } from './batches';
import { csvText, type TableLayout } from './csv';

const LAYOUT: TableLayout = {
    columns: [fieldColumn('a'), fieldColumn('b')],
    delimiter: ',',
    lineEnd: '\n',
    isFormulaSafe: true,
    hasByteOrderMark: false,
};
/** Characters that may matter somewhere, in addition to letters and digits. */
const SIGNS = [
    ...[
        '=',
        '+',
        '-',
        '@',
        '＝',
        '－',
        '﹫',
        "'",
        '"',
        ',',
        ';',
        '|',
        '\t',
        '\r',
        '\n',
        ' ',
        '\u00a0',
        '\u2028',
        '\ufeff',
    ],
    ...['\u200b', '\u0000', '\ud800', '😀', 'é', 'a', 'Z', '0', '9', '.', '_'],
];
const cell = fc.array(fc.constantFrom(...SIGNS), { maxLength: 12 }).map(signs => signs.join(''));

/** A cell as it was meant, read back by the rules of RFC 4180. */
function cellsIn(line: string, delimiter: string): readonly string[] {
    const cells: string[] = [];
    for (let at = 0; ; at += delimiter.length) {
        const isQuoted = line[at] === '"';
        let end = at;
        if (isQuoted) {
            const found = /"(?:[^"]|"")*"/y;
            found.lastIndex = at;
            end += found.exec(line)![0].length;
        } else end = line.includes(delimiter, at) ? line.indexOf(delimiter, at) : line.length;
        const text = line.slice(at, end);
        if (!isQuoted) expect(text).not.toMatch(/["\r\n]/);
        cells.push(isQuoted ? text.slice(1, -1).replaceAll('""', '"') : text);
        at = end;
        if (at === line.length) return cells;
        expect(line.startsWith(delimiter, at)).toBe(true);
    }
}

describe('a table of text', () => {
    it('has each cell as the rules make it, quoted wherever a reader would take it for something else', () => {
        const delimiters = fc.constantFrom(',', ';', '\t', '|', '-', '€', '😀');
        fc.assert(
            fc.property(cell, cell, fc.boolean(), delimiters, (a, b, isFormulaSafe, delimiter) => {
                const text = csvText({ ...LAYOUT, isFormulaSafe, delimiter }).of([{ a, b }]);
                expect(text.endsWith('\n')).toBe(true);
                const desired = isFormulaSafe ? [escapedFormula(a), escapedFormula(b)] : [a, b];
                expect(cellsIn(text.slice(0, -1), delimiter)).toEqual(desired);
                for (const [i, written] of desired.entries())
                    if (/^\s|\s$/.test(written)) expect(text).toContain(`"${written.replaceAll('"', '""')}"`);
                    else if (i === 0 && /^[a-zA-Z0-9_.é]+$/.test(written)) expect(text.startsWith(written)).toBe(true);
            }),
            { numRuns: 1_000 },
        );
    });

    it.each([
        ['\tTab', "'\tTab"],
        ['\rReturn', `"'\rReturn"`],
        ['=1+1', "'=1+1"],
        ['A-123', 'A-123'],
        ['a=b', 'a=b'],
        ['-12.50', '-12.50'],
        ["'quoted", "''quoted"],
        ['x,=1', `"x,'=1"`],
    ])('%j becomes %j', (given, written) => {
        expect(csvText(LAYOUT).of([{ a: given, b: -1 }])).toBe(`${written},-1\n`);
    });

    it('has an empty cell in quotes where that is all of a row', () => {
        const one = { ...LAYOUT, columns: [fieldColumn('a')] };
        expect(csvText(one).of([{ a: '' }, { a: null }, { a: 1 }])).toBe('""\n""\n1\n');
        expect(csvText(LAYOUT).of([{ a: '', b: null }])).toBe(',\n');
    });
});
