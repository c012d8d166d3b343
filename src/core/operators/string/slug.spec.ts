import fc from 'fast-check';
import { slugOfText } from './slug';

describe('slugs', () => {
    it.each([
        ['Café Crème', 'cafe-creme'],
        ['Cafe\u0301', 'cafe'],
        ['Käse, Öl & Übermaß', 'kaese-oel-uebermass'],
        ['GROẞE ÄRMEL', 'grosse-aermel'],
        ['naïve Zoë', 'naive-zoe'],
        ['Łódź Đakovo Þór Smørrebrød cœur', 'lodz-dakovo-thor-smorrebrod-coeur'],
        ["Men's ‘best’ rock'n'roll", 'mens-best-rocknroll'],
        ["rock ' roll", 'rock-roll'],
        ['  --a__b--  ', 'a-b'],
        ['Brand™ © 2024', 'brand-2024'],
        ['İstanbul', 'istanbul'],
        ['x² ½ ㎏', 'x2-1-2-kg'],
        ['ガンダム', 'ガンダム'],
        ['한국어', '한국어'],
        ['हिन्दी', 'हिन्दी'],
        ['👍 ok', 'ok'],
        ['!?', ''],
        ['', ''],
    ])('%j is %j', (text, slug) => {
        expect(slugOfText(text, '-')).toBe(slug);
    });

    it('are slugs of themselves', () => {
        fc.assert(
            fc.property(fc.string({ unit: 'binary' }), text => {
                const slug = slugOfText(text, '-');
                expect(slugOfText(slug, '-')).toBe(slug);
            }),
        );
    });

    it('are the same on both paths: a letter of another script changes nothing about the Latin ones', () => {
        const latin = fc.string({ unit: fc.integer({ min: 0, max: 0x24f }).map(code => String.fromCharCode(code)) });
        fc.assert(
            fc.property(latin, text => {
                const slug = slugOfText(text, '_');
                expect(slugOfText(`${text} Ж`, '_')).toBe(slug === '' ? 'ж' : `${slug}_ж`);
            }),
            { numRuns: 1000 },
        );
    });

    it('keep the separator unchanged', () => {
        expect(slugOfText('A b', 'X')).toBe('aXb');
        expect(slugOfText('Ä Ж', '')).toBe('aeж');
    });
});
