import fc from 'fast-check';
import { ENV, TEST_LOCATION } from '../../../testing/bare-call';
import { truncate } from './truncate';

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });
const charactersOf = (text: string): string[] => [...characters.segment(text)].map(({ segment }) => segment);

function truncated(d: string, length: number, suffix = ''): unknown {
    return (truncate.compile({ source: 'd', length, suffix }, ENV)({ d }, TEST_LOCATION) as { d: unknown }).d;
}

describe('a shortened text', () => {
    it('counts visible characters, including the suffix', () => {
        const part = fc.constantFrom(
            'a',
            ' ',
            '\r',
            '\n',
            '\r\n',
            'e\u0301',
            '\u0301',
            '👨‍👩‍👧',
            '🇩🇪',
            '🇩',
            '👍🏽',
            'ä',
            '\ud800',
            '한',
            'ᄒ',
        );
        const text = fc.array(part, { maxLength: 12 }).map(parts => parts.join(''));
        fc.assert(
            fc.property(text, fc.nat(12), text, (given, length, suffix) => {
                const whole = charactersOf(given);
                const end = charactersOf(suffix).slice(0, length);
                const expected =
                    whole.length <= length ? given : whole.slice(0, length - end.length).join('') + end.join('');
                expect(truncated(given, length, suffix)).toBe(expected);
            }),
            { numRuns: 500 },
        );
    });

    it.each([
        ['e\u0301'.repeat(4_000), 3_000],
        ['🇩🇪'.repeat(2_000), 1_500],
        [`a${'\u0301'.repeat(5_000)}bä`, 1],
        ['👨‍👩‍👧'.repeat(1_000), 700],
        [`${'x'.repeat(1_023)}👍🏽äää`, 1_025],
    ])('is segmented in chunks, and cut where the whole text would be: %.10s', (text, length) => {
        let most = 0;
        const { segment } = Intl.Segmenter.prototype;
        const seen = jest.spyOn(Intl.Segmenter.prototype, 'segment').mockImplementation(function (
            this: Intl.Segmenter,
            piece,
        ) {
            most = Math.max(most, piece.length);
            return segment.call(this, piece);
        });
        const cut = truncated(text, length);
        seen.mockRestore();
        expect(cut).toBe(charactersOf(text).slice(0, length).join(''));
        expect(most).toBeLessThanOrEqual(8_192);
        expect(most).toBeGreaterThan(0);
    });

    it.each([
        ['plain', 2, 'pl'],
        ['a\r\nb', 2, 'a\r\n'],
        ['ab', 0, ''],
        ['abe\u0301', 3, 'abe\u0301'],
        ['🇩🇪🇫🇷🇮🇹', 2, '🇩🇪🇫🇷'],
    ])('%j, to %i', (text, length, expected) => {
        expect(truncated(text, length)).toBe(expected);
    });
});
