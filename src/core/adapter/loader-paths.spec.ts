import type { KnownFields } from './loader';
import { loaderPaths } from './loader-paths';

const known: KnownFields = new Map<string, KnownFields | undefined>([
    ['__operation', undefined],
    ['title', undefined],
    [
        'translations',
        new Map([
            ['title', undefined],
            ['customFields', undefined],
        ]),
    ],
    ['variants', new Map([['sku', undefined]])],
    ['customFields', undefined],
]);
const holders = { customFields: 'customFields', translations: 'translations' };

describe('the paths of a record for a loader', () => {
    it('are its fields, the custom fields of the shop and the texts in other languages', () =>
        expect(
            loaderPaths(known, { custom: ['material', 'care'], localised: ['care'], languages: ['de', 'fr'] }, holders),
        ).toEqual([
            'title',
            'translations.de.title',
            'translations.de.customFields.care',
            'translations.fr.title',
            'translations.fr.customFields.care',
            'variants',
            'customFields.material',
            'customFields.care',
        ]));

    it('are its fields alone in a shop with one language and no custom fields', () =>
        expect(loaderPaths(known, { custom: [], localised: [], languages: [] }, holders)).toEqual([
            'title',
            'variants',
        ]));
});
