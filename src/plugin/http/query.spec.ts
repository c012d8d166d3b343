import { knownOnly } from './query';

it('passes parameters that are known and names one that is not', () => {
    expect(knownOnly({ rows: '5' }, ['rows', 'encoding'])).toEqual({ rows: '5' });
    const ofVendure = { rows: '5', 'vendure-token': 'x', languageCode: 'de', currencyCode: 'EUR' };
    expect(knownOnly(ofVendure, ['rows'])).toEqual(ofVendure);
    expect(() => knownOnly({ rows: '5', mimetype: 'x' }, ['rows', 'mimeType'])).toThrow(
        expect.objectContaining({
            code: 'INPUT_INVALID',
            message: expect.stringMatching(/"mimetype".*; allowed: rows, mimeType/) as string,
        }),
    );
});
