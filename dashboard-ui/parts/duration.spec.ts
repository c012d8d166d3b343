import { aheadText, durationText } from './duration';

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

it.each([
    [0, 'now', 'jetzt'],
    [59_999, 'in 59 seconds', 'in 59 Sekunden'],
    [60_000, 'in 1 minute', 'in 1 Minute'],
    [1_267_000, 'in 21 minutes', 'in 21 Minuten'],
    [3_600_000, 'in 1 hour', 'in 1 Stunde'],
    [86_400_000, 'tomorrow', 'morgen'],
    [30 * 86_400_000, 'in 30 days', 'in 30 Tagen'],
])('a time %d ms ahead is given in the largest unit that fits', (ms, english, german) => {
    expect([aheadText(ms, 'en'), aheadText(ms, 'de')]).toEqual([english, german]);
});
