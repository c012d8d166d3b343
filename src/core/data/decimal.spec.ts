import fc from 'fast-check';
import { ENV, PLACE } from '../../testing/bare-call';
import { parseDecimal, type Rounding, scaled } from './decimal';
import { toCents } from '../operators/numeric/to-cents';

function cents(price: string | number, round: Rounding = 'round'): unknown {
    return toCents.compile({ source: 'p', target: 'c', round }, ENV)({ p: price }, PLACE);
}

describe('J9: money in cents', () => {
    it.each<[string | number, number, number, number, number]>([
        // value, round, floor, ceil, halfEven
        [0.1 + 0.2, 30, 30, 31, 30],
        [1.005, 101, 100, 101, 100],
        ['1.005', 101, 100, 101, 100],
        [1.015, 102, 101, 102, 102],
        ['-1.005', -101, -101, -100, -100],
        [19.99, 1999, 1999, 1999, 1999],
        ['19.9', 1990, 1990, 1990, 1990],
        ['.5', 50, 50, 50, 50],
        ['5.', 500, 500, 500, 500],
        ['+7', 700, 700, 700, 700],
        [' 7 ', 700, 700, 700, 700],
        ['1e-3', 0, 0, 1, 0],
        ['-0.001', 0, -1, 0, 0],
        [1e-7, 0, 0, 1, 0],
        ['0.0050000000000000000000000000000001', 1, 0, 1, 1],
        ['12345678901234.56', 1234567890123456, 1234567890123456, 1234567890123456, 1234567890123456],
        [-0, 0, 0, 0, 0],
        ['1e2', 10000, 10000, 10000, 10000],
    ])('%j', (price, round, floor, ceil, halfEven) => {
        const all = (['round', 'floor', 'ceil', 'halfEven'] as const).map(
            mode => (cents(price, mode) as { c: number }).c,
        );
        expect(all).toEqual([round, floor, ceil, halfEven]);
    });

    it('of whatever the shop shows are what they were', () => {
        fc.assert(
            fc.property(fc.integer({ min: -1e13, max: 1e13 }), amount => {
                const text = `${amount < 0 ? '-' : ''}${Math.trunc(Math.abs(amount) / 100)}.${String(Math.abs(amount) % 100).padStart(2, '0')}`;
                expect(cents(text)).toMatchObject({ c: amount });
                expect(cents(Number(text))).toMatchObject({ c: amount });
            }),
        );
    });

    it('are the same on the short way and the long way', () => {
        const text = fc.tuple(
            fc.constantFrom('', '-'),
            fc.nat(99_999),
            fc.string({ unit: fc.constantFrom('0', '4', '5', '9'), maxLength: 5 }),
        );
        fc.assert(
            fc.property(
                text,
                fc.constantFrom<Rounding>('round', 'floor', 'ceil', 'halfEven'),
                ([sign, units, fraction], mode) => {
                    const price = `${sign}${units}.${fraction}`;
                    expect(cents(price, mode)).toMatchObject({ c: scaled(price, 2, mode) });
                },
            ),
            { numRuns: 1000 },
        );
    });

    it.each(['', ' '])('leave %j alone', price => {
        expect(cents(price)).toEqual({ p: price });
    });

    it.each(['1.234,56', '12 €', 'abc', '-', '.', '1.2.3', '0x10', 'Infinity', '1'.repeat(500), '1e9999'])(
        'refuse %.20s',
        price => {
            expect(() => cents(price)).toThrow(expect.objectContaining({ code: 'RECORD_INVALID' }));
        },
    );
});

it('a decimal number is read only from decimal notation', () => {
    const texts = [
        '1',
        ' -1.5 ',
        '1e3',
        '.5',
        '5.',
        '',
        '.',
        'e5',
        '0x10',
        '1,5',
        'Infinity',
        'NaN',
        '1_000',
        '1e400',
        '١٢',
    ];
    expect(texts.map(parseDecimal)).toEqual([1, -1.5, 1000, 0.5, 5, ...Array(10).fill(undefined)]);
});
