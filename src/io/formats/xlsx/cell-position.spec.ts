import fc from 'fast-check';
import { cellName, columnName, cellPositionOf, rowOf, sheetReference } from './cell-position';

describe('the name of a cell', () => {
    it.each([
        [0, 'A'],
        [25, 'Z'],
        [26, 'AA'],
        [701, 'ZZ'],
        [702, 'AAA'],
        [16_383, 'XFD'],
    ])('has for column %i the letters %s', (column, name) => expect(columnName(column)).toBe(name));

    it('gives back its place', () => {
        fc.assert(
            fc.property(fc.integer({ min: 1, max: 1_048_576 }), fc.nat(16_383), (row, column) => {
                expect(cellPositionOf(cellName(row, column))).toEqual({ row, column });
            }),
        );
    });

    it.each(['', 'A', '1', 'a1', 'A0', 'A-1', 'A1.5', 'A1B', 'ABCD1', 'A12345678', 'Ä1', '$A$1'])('is not "%s"', name =>
        expect(cellPositionOf(name)).toBeUndefined(),
    );

    it.each(['', '0', '-1', '1e3', ' 1', '12345678'])('has no row "%s"', text => expect(rowOf(text)).toBeUndefined());
});

describe('the name of a sheet in front of a cell', () => {
    it.each([
        ['Sheet1', 'Sheet1'],
        ['Größen_2.a', 'Größen_2.a'],
        ['Price list', "'Price list'"],
        ["Bob's", "'Bob''s'"],
        ['2026', "'2026'"],
        ['', "''"],
        // What Excel takes for a cell.
        ['AB12', "'AB12'"],
        ['r1c1', "'r1c1'"],
        ['R', "'R'"],
    ])('of %j is %s', (name, reference) => {
        expect(sheetReference(name)).toBe(reference);
    });
});
