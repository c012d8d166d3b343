import { dateText } from './dates';

describe('the number of a date', () => {
    it.each<[serial: number, text: string | undefined]>([
        [1, '1900-01-01'],
        [59, '1900-02-28'],
        // The 29 February 1900, which never was.
        [60, undefined],
        [61, '1900-03-01'],
        [45_351, '2024-02-29'],
        [45_351.5, '2024-02-29T12:00:00.000Z'],
        [2_958_465, '9999-12-31'],
        [2_958_466, undefined],
        [-1, undefined],
    ])('%d is %s where days are counted from 1900', (serial, text) => {
        expect(dateText(serial, 'date', false)).toBe(text);
    });

    it.each<[serial: number, text: string]>([
        [1, '1904-01-02'],
        [60, '1904-03-01'],
        [61, '1904-03-02'],
    ])('%d is %s where they are counted from 1904', (serial, text) => {
        expect(dateText(serial, 'date', true)).toBe(text);
    });

    it('is a time of day below one day, and any time where it is a duration', () => {
        expect(dateText(0.5, 'date', false)).toBe('12:00:00');
        expect(dateText(1.5, 'duration', false)).toBe('36:00:00');
    });
});
