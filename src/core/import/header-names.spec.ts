import { readHeaderName } from './header-names';

describe('readHeaderName', () => {
    it('separates the language, the currency and the tax from the words', () => {
        expect(readHeaderName('name_de')).toMatchObject({ language: 'de', stripped: ['name'] });
        expect(readHeaderName('Preis brutto EUR')).toMatchObject({ currency: 'EUR', tax: 'WITH', stripped: ['preis'] });
    });

    it.each([
        'constructor',
        'My constructor',
        'constructor_de',
        'Preis valueOf',
        'price __proto__',
        'has own property',
    ])('has no language, currency or tax of a name of all objects: %s', header => {
        const { language, currency, tax, words } = readHeaderName(header);
        expect([language === undefined || language === 'de', currency, tax]).toEqual([true, undefined, undefined]);
        expect(words.length).toBeGreaterThan(0);
    });
});
