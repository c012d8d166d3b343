import { isShortFor } from './short-words';

describe('a shortened word', () => {
    it.each([
        ['descr', 'descrizione', true],
        ['bez', 'bezeichnung', true],
        ['vrd', 'voorraad', true],
        ['qta', 'quantita', true],
        ['omschr', 'omschrijving', true],
        ['descri', 'description', false],
    ])('%s is short for %s', (word, full, hasPoint) => {
        expect(isShortFor(word, full, hasPoint)).toBe(true);
    });

    it.each([
        ['another beginning', 'escr', 'descrizione', true],
        ['the same word', 'preis', 'preis', true],
        ['a short beginning without a point', 'bez', 'bezeichnung', false],
        ['letters without a point', 'vrd', 'voorraad', false],
        ['letters that are not in it', 'vrz', 'voorraad', true],
        ['letters in another order', 'vdr', 'voorraad', true],
        ['almost all letters', 'vorrad', 'voorraad', true],
        ['a word with another end', 'pria', 'prijs', true],
        ['one letter', 'v', 'voorraad', true],
    ])('is not %s: %s and %s', (_, word, full, hasPoint) => {
        expect(isShortFor(word, full, hasPoint)).toBe(false);
    });
});
