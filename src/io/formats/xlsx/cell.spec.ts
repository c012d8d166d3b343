import { WorkbookBudget } from './budget';
import { cellValue } from './cell';
import type { SharedStrings } from './shared-strings';

const strings: SharedStrings = { length: 0, get: () => undefined } as unknown as SharedStrings;

describe('the number of a cell', () => {
    it.each<[string, unknown]>([
        ['19.99', 19.99],
        // Seventeen digits, as Excel writes them.
        ['0.10000000000000001', 0.1],
        ['19.989999999999998', 19.99],
        ['1.0049999999999999', 1.005],
        ['1.23456789012345E+16', 12345678901234500],
        ['1.2345678901234501E+16', '1.2345678901234501E+16'],
        ['1E-3', 0.001],
        ['9007199254740991', 9007199254740991],
        ['9007199254740993', '9007199254740993'],
        ['4006381333931123456', '4006381333931123456'],
        ['0.1234567890123456789', '0.1234567890123456789'],
        ['0.10000000000000002', 0.10000000000000002],
        ['0.50000000000000003', '0.50000000000000003'],
        ['1E400', '1E400'],
        ['-1E-400', '-1E-400'],
    ])('that is written %s is %p', (text, value) => {
        const cell = { row: 1, column: 0, type: 'n', style: '', text };
        expect(cellValue(cell, { strings, kinds: [], is1904: false, budget: new WorkbookBudget(1000) })).toBe(value);
    });
});
