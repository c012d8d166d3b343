import { Decimal } from './decimal';

/** Enough digits for an exact sum, product or remainder of two numbers that `decimalOf` reads. */
const Exact = Decimal.clone({ precision: 30_000, maxE: 30_000, minE: -30_000 });

/** Operations whose result is finite, computed with all digits. */
export const EXACT = {
    add: (a: Decimal, b: Decimal): Decimal => new Exact(a).plus(b),
    subtract: (a: Decimal, b: Decimal): Decimal => new Exact(a).minus(b),
    multiply: (a: Decimal, b: Decimal): Decimal => new Exact(a).times(b),
    /** Has the sign of the first number. */
    modulo: (a: Decimal, b: Decimal): Decimal => new Exact(a).modulo(b),
} as const;

/** A quotient, correctly rounded to this many decimals; `b` must not be zero. */
export function quotient(a: Decimal, b: Decimal, places: number): Decimal {
    const tens = new Exact(10).pow(places);
    const dividend = new Exact(a).times(tens);
    const whole = dividend.dividedToIntegerBy(b);
    const isHalf = dividend.minus(whole.times(b)).abs().times(2).greaterThanOrEqualTo(b.abs());
    const away = a.isNegative() === b.isNegative() ? 1 : -1;
    return (isHalf ? whole.plus(away) : whole).dividedBy(tens);
}
