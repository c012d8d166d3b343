import { readHeaderName } from './header-names';

describe('readHeaderName', () => {
    it('separates the language, the currency and the tax from the words', () => {
        expect(readHeaderName('name_de')).toMatchObject({ language: 'de', stripped: ['name'] });
        expect(readHeaderName('Preis brutto EUR')).toMatchObject({ currency: 'EUR', tax: 'WITH', stripped: ['preis'] });
    });

    it('takes a word for with or without as one of tax only before the name of a tax', () => {
        expect(readHeaderName('Precio sin IVA')).toMatchObject({ tax: 'WITHOUT', stripped: ['precio'] });
        expect(readHeaderName('Preço c/ IVA')).toMatchObject({ tax: 'WITH', stripped: ['preco'] });
        const { tax, stripped } = readHeaderName('Art.-Bez.');
        expect([tax, stripped]).toEqual([undefined, ['art', 'bez']]);
    });

    it('reads a contraction as one word, and knows which words are shortened', () => {
        const { stripped, shortened } = readHeaderName('Q.tà in mag.');
        expect(stripped).toEqual(['qta', 'in', 'mag']);
        expect([...(shortened ?? [])].sort()).toEqual(['mag', 'qta']);
        expect(readHeaderName('Quantità')).not.toHaveProperty('shortened');
    });

    it('has the parts around a slash, but not of a unit', () => {
        expect(readHeaderName('SKU / Barcode')).toMatchObject({ parts: ['SKU', 'Barcode'] });
        expect(readHeaderName('EUR/Stk')).not.toHaveProperty('parts');
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
