import { filePatternOf, matchesPattern } from './file-pattern';

describe('the pattern for later files', () => {
    it.each([
        ['mueller.csv', 'mueller*.csv'],
        ['prices-2026-11-29.csv', 'prices-*.csv'],
        ['3-price_list 12.xlsx', '*-price_list *.xlsx'],
        ['stock[new].csv', 'stock?new?*.csv'],
        ['prices', 'prices*'],
        ['', '*.csv'],
    ])('of %j is %j', (filename, pattern) => expect(filePatternOf(filename)).toBe(pattern));
});

describe('a name of a file', () => {
    it.each([
        ['prices-12.csv', 'prices-*.csv', true],
        ['Prices-12.CSV', 'prices-*.csv', true],
        ['prices-12.csv.bak', 'prices-*.csv', false],
        ['pricesXcsv', 'prices.csv', false],
        ['stock(1).csv', 'stock(?).csv', true],
        ['stock1.csv', 'stock[12].csv', undefined],
    ])('%j matches %j: %j', (name, pattern, expected) => expect(matchesPattern(name, pattern)).toBe(expected));
});
