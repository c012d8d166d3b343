import { normalizeString } from '@vendure/common/lib/normalize-string';
import { nextSlug, numberedKey, slugOf } from './slug';

describe('slugs', () => {
    it.each([
        ['Lämp Nr 1', 'laemp-nr-1'],
        ['  A  B ', 'a-b'],
        [' my slug\u00a0', 'my-slug'],
        ['Straße', 'strasse'],
        ['50% off!', '50-off'],
        ['a--b', 'a-b'],
        ['lamp-7', 'lamp-7'],
        ['Café', 'cafe'],
        ['!!!', ''],
    ])('are made of %j as Vendure makes them', (text, slug) => {
        expect(slugOf(text)).toBe(slug);
    });

    it.each(['Lämp Nr 1', 'Straße', '50% off!', 'a -- b', '! A', '- x -', 'Größe ½ – neu', 'Кофе 咖啡', '!!!'])(
        'are of %j, which has no blanks round it, what Vendure makes',
        text => {
            expect(slugOf(text)).toBe(normalizeString(text, '-'));
        },
    );

    it('are counted up from 2 when they are taken, in place of a number that is there', () => {
        expect([nextSlug('lamp', 2), nextSlug('lamp-2', 3), nextSlug('lamp-7', 2)]).toEqual([
            'lamp-2',
            'lamp-3',
            'lamp-2',
        ]);
    });

    it('that are made of names keep their spelling, followed by a number', () => {
        for (const made of ['lamp', 'lamp-', 'lamp-7'])
            for (const suffix of [2, 30]) {
                const key = numberedKey(made, suffix);
                expect([made, slugOf(key)]).toEqual([made, key]);
            }
        expect(['lamp', 'lamp-', 'lamp-7'].map(made => numberedKey(made, 2))).toEqual(['lamp-2', 'lamp-2', 'lamp-7-2']);
    });
});
