import fc from 'fast-check';
import { ENV, BARE_PLACE } from '../../../testing/bare-call';
import type { JsonObject } from '../../value/json';
import { formatNumber } from './format-number';
import { parseNumber } from './parse-number';

const LOCALES = [
    'en-US',
    'de-DE',
    'de-CH',
    'fr-FR',
    'pl-PL',
    'es-ES',
    'sv-SE',
    'en-IN',
    'pt-BR',
    'ar-EG',
    'ja-JP',
    'fa-IR',
];

describe.each(LOCALES)('numbers of %s', locale => {
    const write = (decimals: number, useGrouping: boolean) =>
        formatNumber.compile({ source: 'n', target: 't', locale, decimals, style: 'decimal', useGrouping }, ENV);
    const read = parseNumber.compile({ source: 't', target: 'n', locale }, ENV);

    it('are read as they are written', () => {
        fc.assert(
            fc.property(
                fc.integer({ min: -1e12, max: 1e12 }),
                fc.integer({ min: 0, max: 6 }),
                fc.boolean(),
                (whole, decimals, useGrouping) => {
                    const n = Number((whole / 10 ** decimals).toFixed(decimals));
                    const { t } = write(decimals, useGrouping)({ n }, BARE_PLACE) as JsonObject;
                    expect((read({ t: t! }, BARE_PLACE) as JsonObject).n).toBe(n === 0 ? 0 + n : n);
                },
            ),
        );
    });
});

it.each([
    ['1.5', 'de-DE'],
    ['1,5', 'en-US'],
    ['12,34', 'en-US'],
    ['1,234,5', 'en-US'],
    ['1..5', 'en-US'],
    ['1.2.3', 'en-US'],
    ['--1', 'en-US'],
    ['1e3 €', 'en-US'],
    ['1234,567', 'en-US'],
])('%s is no number of %s rather than another one', (t, locale) => {
    expect(() => parseNumber.compile({ source: 't', locale }, ENV)({ t }, BARE_PLACE)).toThrow(
        expect.objectContaining({ code: 'RECORD_INVALID' }),
    );
});
