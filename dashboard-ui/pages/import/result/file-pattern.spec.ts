import { filePatternOf } from './file-pattern';

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
