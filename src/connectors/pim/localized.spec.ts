import type { JsonObject, JsonValue } from '../../core/value/json';
import { buildTranslations, extractLocalizedValue, generateSlug } from './localized';

describe('extractLocalizedValue', () => {
    const list: readonly JsonObject[] = [
        { language: 'en', value: 'Lamp' },
        { locale: 'de_AT', text: 'Lampe' },
    ];
    const table: ReadonlyArray<
        readonly [JsonValue | undefined, string | undefined, string | undefined, string | undefined]
    > = [
        ['Lamp', 'de', undefined, 'Lamp'],
        ['  Lamp ', undefined, undefined, 'Lamp'],
        [7, 'de', undefined, '7'],
        ['', 'de', undefined, undefined],
        [null, 'de', undefined, undefined],
        [undefined, 'de', undefined, undefined],
        [true, 'de', undefined, undefined],
        [{ en: 'Lamp', de: 'Lampe' }, 'de', 'en', 'Lampe'],
        [{ en: 'Lamp', de: 'Lampe' }, 'fr', 'de', 'Lampe'],
        [{ en: 'Lamp', de: 'Lampe' }, 'fr', undefined, 'Lamp'],
        [{ en: '', de: null, fr: 'Lampe' }, 'en', 'de', 'Lampe'],
        [{ pt: 'Lustre' }, 'pt_BR', 'en', 'Lustre'],
        [{ 'pt-BR': 'Lustre', pt: 'Candeeiro' }, 'pt_BR', 'en', 'Lustre'],
        [{ en: { value: 'x' } }, 'en', undefined, undefined],
        [{}, 'en', undefined, undefined],
        [list, 'de_AT', 'en', 'Lampe'],
        [list, 'fr', 'en', 'Lamp'],
        [[], 'en', undefined, undefined],
    ];
    it.each(table)('of %j in %s, or else %s, is %s', (value, language, otherwise, expected) => {
        expect(extractLocalizedValue(value, language, otherwise)).toBe(expected);
    });
});

describe('buildTranslations', () => {
    const fields = { name: 'name', slug: 'slug', description: 'description' };
    it('takes the fields that pimGraphQL requests in each language', () => {
        const node = {
            name: 'Lamp',
            name__de: 'Lampe',
            slug__de: 'Die Lampe',
            description__de: null,
            name__pt_BR: 'Lustre',
        };
        expect(buildTranslations(node, fields, ['de', 'pt_BR', 'fr'])).toEqual({
            de: { name: 'Lampe', slug: 'die-lampe', description: '' },
            pt_BR: { name: 'Lustre' },
        });
    });

    it('takes values by language', () => {
        const node = {
            name: { en: 'Lamp', de: 'Lampe' },
            description: [{ language: 'de', value: 'Hell' }],
            slug: 'lamp',
        };
        expect(buildTranslations(node, fields, ['en', 'de'])).toEqual({
            en: { name: 'Lamp' },
            de: { name: 'Lampe', description: 'Hell' },
        });
    });

    it('leaves out a language without a name, and fields that there are none of', () => {
        expect(buildTranslations({ name__de: '', description__de: 'Hell' }, fields, ['de'])).toEqual({});
        expect(buildTranslations({ title__de: 'Lampe' }, { name: 'title', slug: null }, ['de'])).toEqual({
            de: { name: 'Lampe' },
        });
    });
});

describe('generateSlug', () => {
    it.each([
        ['Desk Lamp', 'desk-lamp'],
        ['  Größe: 40 ', 'groesse-40'],
        ['Café & Bar', 'cafe-bar'],
        ['日本語', '日本語'],
        ['&&', ''],
        ['', ''],
    ])('of %j is %j', (text, slug) => {
        expect(generateSlug(text)).toBe(slug);
    });
});
