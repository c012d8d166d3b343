import fc from 'fast-check';
import { gtinProblem } from './gtin';

it.each(['96385074', '012345678905', '036000291452', '4006381333931', '5901234123457', '10012345678902'])(
    'accepts the valid %s',
    gtin => expect(gtinProblem(gtin)).toBeUndefined(),
);

it.each([
    ['4006381333932', /check digit 2, and 1 would be right/],
    ['400638133393', /check digit 3/],
    ['40063813339', /allowed: 8, 12, 13 or 14 digits/],
    ['400638133393X', /allowed: 8, 12, 13 or 14 digits/],
    ['', /allowed: 8, 12, 13 or 14 digits/],
    ['2012345678903', /within a company/],
    ['0212345678909', /within a company/],
    ['9812345678902', /coupons/],
    ['9912345678909', /coupons/],
    ['512345678900', /coupons/],
])('rejects %s', (gtin, problem) => expect(gtinProblem(gtin)).toMatch(problem));

it('finds any one digit that is wrong', () => {
    const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 12, maxLength: 12 });
    fc.assert(
        fc.property(digits, fc.nat(12), fc.integer({ min: 1, max: 9 }), (first, place, by) => {
            const body = `3${first.slice(1).join('')}`;
            const whole = Array.from({ length: 10 }, (_, digit) => `${body}${digit}`).filter(
                one => gtinProblem(one) === undefined,
            );
            expect(whole).toHaveLength(1);
            const spoilt = [...whole[0]!];
            spoilt[place] = String((Number(spoilt[place]) + by) % 10);
            expect(gtinProblem(spoilt.join(''))).toBeDefined();
        }),
    );
});
