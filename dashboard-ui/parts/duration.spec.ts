import { durationText } from './duration';

describe('a span of time on a page', () => {
    it.each([
        [0, '0 s'],
        [420, '0.4 s'],
        [12_900, '12 s'],
        [134_000, '2:14'],
        [3_734_000, '1:02:14'],
    ])('reads %d ms as %s', (ms, text) => {
        expect(durationText(ms, 'en')).toBe(text);
    });
});
