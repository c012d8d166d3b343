import fc from 'fast-check';
import { ENV, TEST_LOCATION } from '../../../testing/bare-call';
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
                    const { t } = write(decimals, useGrouping)({ n }, TEST_LOCATION) as JsonObject;
                    expect((read({ t: t! }, TEST_LOCATION) as JsonObject).n).toBe(n === 0 ? 0 + n : n);
                },
            ),
        );
    });
});

/** Every locale of these languages that this Node.js knows. */
const MANY = [
    'de',
    'en',
    'fr',
    'it',
    'es',
    'pt',
    'nl',
    'da',
    'sv',
    'nb',
    'fi',
    'cs',
    'hu',
    'uk',
    'tr',
    'ar',
    'hi',
    'bn',
]
    .flatMap(language => [language, ...regionsOf(language)])
    .concat('ff-Adlm', 'th-u-nu-thai', 'zh-u-nu-hanidec', 'ar-u-nu-latn');
const AMOUNTS = [0, 1, -1, 12.5, -12.5, 123.45, 1234.5, -1234.5, 9999.99, 12345.67, 1234567.89, -1e12];

function regionsOf(language: string): readonly string[] {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    return letters
        .flatMap(first => letters.map(second => `${language}-${first}${second}`))
        .filter(tag => new Intl.NumberFormat(tag).resolvedOptions().locale === tag);
}

function formatted(n: number, args: Partial<Parameters<typeof formatNumber.compile>[0]>): string {
    const write = formatNumber.compile(
        { source: 'n', target: 't', locale: 'en-US', style: 'decimal', useGrouping: true, ...args },
        ENV,
    );
    return (write({ n }, TEST_LOCATION) as { t: string }).t;
}

function parsed(t: string, locale: string): unknown {
    return (parseNumber.compile({ source: 't', locale }, ENV)({ t }, TEST_LOCATION) as JsonObject).t;
}

it('numbers of every locale are read as they are written', () => {
    expect(MANY.length).toBeGreaterThan(200);
    const wrong = MANY.flatMap(locale =>
        AMOUNTS.filter(n => parsed(formatted(n, { locale }), locale) !== n).map(n => `${n} of ${locale}`),
    );
    expect(wrong).toEqual([]);
});

describe.each(['de-AT', 'fr-CH', 'en-ZA', 'de-DE', 'de-CH', 'fr-FR', 'en-US', 'en-IN', 'es-AR', 'pt-PT', 'sv-SE'])(
    'amounts of money of %s',
    locale => {
        it('are read as they are written, without their sign', () => {
            fc.assert(
                fc.property(fc.integer({ min: -1e12, max: 1e12 }), fc.boolean(), (cents, hasDecimals) => {
                    const [n, decimals] = hasDecimals ? [cents / 100, 2] : [cents, 0];
                    const text = formatted(n, { locale, style: 'currency', currency: 'EUR', decimals });
                    expect(parsed(text.replace(/€|EUR/, ''), locale)).toBe(n);
                }),
            );
        });
    },
);

it.each([
    ['1.234', 'de-AT', 1234],
    ['1 234,5', 'de-AT', 1234.5],
    ['1,234', 'fr-CH', 1.234],
    ['1 234.50', 'fr-CH', 1234.5],
    ['12.5', 'fr-FR', 12.5],
    ['1 234.50', 'en-ZA', 1234.5],
    ['1,234', 'en-DE', 1.234],
    ['- 1.234,50', 'de-AT', -1234.5],
    ['+,5', 'de-AT', 0.5],
    ['5,', 'de-AT', 5],
])('%s of %s is read', (text, locale, n) => {
    expect(parsed(text, locale)).toBe(n);
});

describe('zero', () => {
    it('never has a sign', () => {
        for (const style of ['decimal', 'percent', 'currency'] as const)
            for (const n of [-0, -0.0001, -1e-30])
                expect(formatted(n, { style, currency: 'EUR', decimals: 1 })).not.toMatch(/[-\u2212]/);
        const write = formatNumber.compile(
            { source: 'n', target: 't', locale: 'sv-SE', style: 'decimal', useGrouping: true },
            ENV,
        );
        expect(write({ n: '-0.00' }, TEST_LOCATION)).toMatchObject({ t: '0' });
    });

    it('does not take the sign of other numbers', () => {
        expect(formatted(-0.06, { decimals: 1 })).toBe('-0.1');
        expect(formatted(-5, { style: 'currency', currency: 'EUR' })).toBe('-€5.00');
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
    ['12.50', 'de-AT'],
    ['1.234 567', 'de-AT'],
    ['1 234.567,50', 'de-AT'],
    ['1,234.50', 'en-DE'],
    ['1,234.50', 'fr-CH'],
    ['12 €', 'de-AT'],
])('%s is not a number of %s, instead of a wrong one', (t, locale) => {
    expect(() => parseNumber.compile({ source: 't', locale }, ENV)({ t }, TEST_LOCATION)).toThrow(
        expect.objectContaining({ code: 'RECORD_INVALID' }),
    );
});
