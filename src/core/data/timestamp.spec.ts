import { readTimestamp, readUnambiguousTimestamp } from './timestamp';

describe('a timestamp to store', () => {
    it.each([
        ['seconds since 1970', 1_709_287_200],
        ['a day as workbooks count them', 45_352.5],
        ['nothing', 0],
    ])('is not a small number, which may be %s', (_, value) => {
        expect(readTimestamp(value)).toBeDefined();
        expect(readUnambiguousTimestamp(value)).toBeUndefined();
    });

    it('is a text, or a number that can only be milliseconds', () => {
        expect(readUnambiguousTimestamp('1970-01-20')).toBe(readTimestamp('1970-01-20'));
        expect(readUnambiguousTimestamp(1_709_287_200_000)).toBe(Date.UTC(2024, 2, 1, 10));
        expect(readUnambiguousTimestamp(-1_709_287_200_000)).toBe(-1_709_287_200_000);
    });
});
