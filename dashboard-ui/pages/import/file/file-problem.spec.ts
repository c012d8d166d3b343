import { problemOfFile } from './file-problem';

describe('a file that cannot be imported', () => {
    it.each([
        ['mueller.XLS', 10, 'OLD_EXCEL'],
        ['photo.png', 10, 'PICTURE'],
        ['scan.JPEG', 0, 'PICTURE'],
        ['catalogue.pdf', 10, 'DOCUMENT'],
        ['prices.csv', 0, 'EMPTY'],
        ['prices.csv', 101, 'TOO_LARGE'],
    ])('%s of %d bytes is recognised before it is sent', (name, size, problem) => {
        expect(problemOfFile({ name, size }, 100)).toBe(problem);
    });

    it.each(['prices.csv', 'prices.xlsx', 'prices.txt', 'prices', 'prices.png.csv'])('%s is sent', name => {
        expect(problemOfFile({ name, size: 100 }, 100)).toBeUndefined();
    });

    it('is of any size as long as the limit is not known', () => {
        expect(problemOfFile({ name: 'prices.csv', size: 1e12 })).toBeUndefined();
    });
});
