import fc from 'fast-check';
import { ENV, TEST_LOCATION } from '../../../testing/bare-call';
import { isFlowError } from '../../errors/flow-error';
import { math } from './math';

type Args = Parameters<typeof math.compile>[0];

/** The result as text, or "rejected". */
function calculated(operation: Args['operation'], a: string, rest: Partial<Args> = {}): string {
    try {
        const fn = math.compile({ operation, source: 'a', operand: '$b', target: 'r', ...rest }, ENV);
        return String((fn({ a, b: rest.operand === undefined ? '1' : null }, TEST_LOCATION) as { r: number }).r);
    } catch (error) {
        if (isFlowError(error) && error.code === 'RECORD_INVALID') return 'rejected';
        throw error;
    }
}

const ones = `1.${'0'.repeat(70)}1`;

describe('a result', () => {
    it.each<[Args['operation'], string, number, string]>([
        ['add', '0.1', 0.2, '0.3'],
        ['add', '9007199254740993', -1, '9007199254740992'],
        ['add', '9007199254740992', 1, 'rejected'],
        ['subtract', ones, 1, '1e-71'],
        ['multiply', ones, 1, '1'],
        ['multiply', '1e200', 1e200, 'rejected'],
        ['multiply', '1e-200', 1e-200, '0'],
        ['multiply', '1.1', 1.1, '1.21'],
        ['divide', '1', 8, '0.125'],
        ['divide', '1', 3, '0.3333333333333333'],
        ['divide', ones, 1, '1'],
        ['divide', '27021597764222979', 3, 'rejected'],
        ['divide', '9007199254740993', 3, '3002399751580331'],
        ['modulo', '9007199254740993', 10, '3'],
        ['modulo', '1e300', 7, String(Number(10n ** 300n % 7n))],
        ['power', '2', 10, '1024'],
        ['power', '2', -2, '0.25'],
        ['power', '2', 0.5, '1.4142135623730951'],
        ['power', '4', 0.5, '2'],
        ['power', '2', 60, 'rejected'],
        ['power', ones, 1, '1'],
        ['power', ones, 0.5, '1'],
    ])('of %s, %.20s and %d is the nearest number, or undefined: %s', (operation, a, operand, result) => {
        expect(calculated(operation, a, { operand })).toBe(result);
    });

    it.each<[Args['operation'], string]>([
        ['round', 'rejected'],
        ['floor', '-9007199254740994'],
        ['abs', 'rejected'],
    ])('of %s is exact as well: %s', (operation, result) => {
        expect(calculated(operation, '-9007199254740993.4', { operand: undefined })).toBe(result);
    });

    it('of a division is rounded once, from all its digits', () => {
        const whole = fc.integer({ min: -99_999, max: 99_999 });
        fc.assert(
            fc.property(whole, whole, fc.integer({ min: 0, max: 6 }), (a, b, decimals) => {
                fc.pre(b !== 0);
                const scale = 10n ** BigInt(decimals);
                const [top, bottom] = [BigInt(Math.abs(a)) * scale, BigInt(Math.abs(b))];
                const nearest = (2n * top + bottom) / (2n * bottom);
                const sign = a < 0 !== b < 0 ? -1 : 1;
                const expected = (sign * Number(nearest)) / Number(scale) || 0;
                expect(calculated('divide', String(a), { operand: b, decimals })).toBe(String(expected));
            }),
        );
        expect(calculated('divide', `0.4${'9'.repeat(80)}`, { operand: 1, decimals: 0 })).toBe('0');
    });
});
