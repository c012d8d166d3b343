import fc from 'fast-check';
import { ENV, TEST_LOCATION } from '../../testing/bare-call';
import { EXACT, quotient } from './arithmetic';
import { Decimal, decimalOf, isExact, nearestNumber, parseDecimal, scaled, type Rounding } from './decimal';
import { toCents } from '../operators/numeric/to-cents';

function cents(price: string | number, round: Rounding = 'round'): unknown {
    return toCents.compile({ source: 'p', target: 'c', round }, ENV)({ p: price }, TEST_LOCATION);
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
        ['-0.001', 0, -1, 0, 0],
        [1e-7, 0, 0, 1, 0],
        ['0.0050000000000000000000000000000001', 1, 0, 1, 1],
        ['12345678901234.56', 1234567890123456, 1234567890123456, 1234567890123456, 1234567890123456],
        [-0, 0, 0, 0, 0],
    ])('%j', (price, round, floor, ceil, halfEven) => {
        const all = (['round', 'floor', 'ceil', 'halfEven'] as const).map(
            mode => (cents(price, mode) as { c: number }).c,
        );
        expect(all).toEqual([round, floor, ceil, halfEven]);
    });

    it('that the shop displays are unchanged', () => {
        fc.assert(
            fc.property(fc.integer({ min: -1e13, max: 1e13 }), amount => {
                const text = `${amount < 0 ? '-' : ''}${Math.trunc(Math.abs(amount) / 100)}.${String(Math.abs(amount) % 100).padStart(2, '0')}`;
                expect(cents(text)).toMatchObject({ c: amount });
                expect(cents(Number(text))).toMatchObject({ c: amount });
            }),
        );
    });

    it('are the same on the fast path and the slow path', () => {
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

    it.each(['', ' '])('leave %j unchanged', price => {
        expect(cents(price)).toEqual({ p: price });
    });

    it.each([
        '1.234,56',
        '12 €',
        'abc',
        '-',
        '.',
        '1.2.3',
        '0x10',
        'Infinity',
        '1'.repeat(500),
        '1e9999',
        '1e2',
        '1e-3',
    ])('reject %.20s', price => {
        expect(() => cents(price)).toThrow(expect.objectContaining({ code: 'RECORD_INVALID' }));
    });
});

it('a decimal number is read only from decimal notation', () => {
    const texts = ['1', ' -1.5 ', '1e3', '.5', '5.', '', '.', 'e5', '0x10', '1,5', 'Infinity', 'NaN', '1_000', '١٢'];
    expect(texts.map(parseDecimal)).toEqual([1, -1.5, 1000, 0.5, 5, ...Array(9).fill(undefined)]);
});

describe('a decimal number is held', () => {
    it.each([
        '0',
        '-0.0',
        '0e400',
        '0.1',
        '00.1000',
        '1e21',
        '1.7976931348623157e308',
        '9007199254740991',
        '100000000000000000000e-20',
        `0.${'0'.repeat(300)}1`,
    ])('by a number with the same text: %s', text => {
        expect([isExact(text), parseDecimal(text)]).toEqual([true, Number(text) || 0]);
    });

    it.each([
        '9007199254740993',
        '-9007199254740993',
        '9007199254740993e0',
        '9007199254740992',
        '0.1234567890123456789',
        '0.10000000000000001',
        '1e400',
        '-1e400',
        '1e-400',
        `1${'0'.repeat(400)}`,
        `1.${'0'.repeat(400)}1`,
        `1e${'9'.repeat(30)}`,
    ])('by no number: %.30s', text => {
        expect([isExact(text), parseDecimal(text)]).toEqual([false, NaN]);
    });

    it('only by the number that was written', () => {
        fc.assert(
            fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.nat(9), (number, digit) => {
                const shortest = String(number);
                fc.pre(number !== 0 && (!Number.isInteger(number) || Number.isSafeInteger(number)));
                expect(isExact(shortest)).toBe(true);
                const longer = new Decimal(number)
                    .toFixed()
                    .concat(Number.isInteger(number) ? '.' : '', `000000000000000000${digit}`);
                expect(isExact(longer)).toBe(digit === 0);
            }),
        );
    });
});

describe('a result', () => {
    it('has every digit, at any distance between those of the operands', () => {
        const [large, small] = [decimalOf('1e9999')!, decimalOf('-1e-9999')!];
        expect(EXACT.add(large, small).plus('1e-9999').equals(large)).toBe(true);
        expect(EXACT.add(large, small).equals(large)).toBe(false);
        expect(EXACT.modulo(large, decimalOf('7')!).toNumber()).toBe(Number(10n ** 9999n % 7n));
        const nines = decimalOf('9'.repeat(400))!;
        expect(EXACT.multiply(nines, nines).toFixed()).toBe(String(BigInt('9'.repeat(400)) ** 2n));
    });

    it('is divided as if with all digits of the quotient', () => {
        const whole = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
        fc.assert(
            fc.property(whole, whole, fc.nat(20), (a, b, places) => {
                fc.pre(b !== 0n);
                const dividend = a * 10n ** BigInt(places);
                const isNegative = dividend < 0n !== b < 0n;
                const abs = (value: bigint): bigint => (value < 0n ? -value : value);
                const nearest = (2n * abs(dividend) + abs(b)) / (2n * abs(b));
                const result = quotient(decimalOf(String(a))!, decimalOf(String(b))!, places);
                expect(result.times(`1e${places}`).toFixed().replace(/^-0$/, '0')).toBe(
                    String(isNegative ? -nearest : nearest),
                );
            }),
        );
    });

    it('is the nearest number, and undefined where whole numbers would lose digits', () => {
        expect(nearestNumber(decimalOf('0.1234567890123456789')!)).toBe(0.12345678901234568);
        expect(nearestNumber(decimalOf('9007199254740991')!)).toBe(Number.MAX_SAFE_INTEGER);
        expect(nearestNumber(decimalOf('9007199254740993')!)).toBeUndefined();
        expect(nearestNumber(decimalOf('-9007199254740993.5')!)).toBeUndefined();
        expect(nearestNumber(decimalOf('1e300')!)).toBe(1e300);
    });
});
