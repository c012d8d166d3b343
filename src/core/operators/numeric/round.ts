import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { valueInvalid } from '../../errors/record-invalid';
import { path, wholeNumber } from '../../schema/fields';
import { decimalOf, isNothing, numberOf, rounded } from '../../data/decimal';
import { rounding } from './rounding-field';

/** Rounds a number. */
export const round = recordOperator({
    code: 'round',
    category: 'Numeric',
    title: 'Round',
    summary: 'Rounds a number to so many decimals.',
    config: z.strictObject({
        source: path('From', 'The number, or text that is one.'),
        target: path('To', 'Where the result goes; the field itself where absent.').optional(),
        decimals: wholeNumber(
            { min: 0, max: 20 },
            { title: 'Decimals', description: 'How many decimals stay.' },
        ).default(0),
        mode: rounding(),
    }),
    notes: [
        'Computed in decimal, whatever its digits. A result that a number cannot hold exactly (more than about 15 digits) rejects the record. What is missing, null or empty leaves the record as it is.',
    ],
    examples: [
        { args: { source: 'n', decimals: 2 }, in: { n: 1.005 }, out: { n: 1.01 } },
        { args: { source: 'n', target: 'm' }, in: { n: '-2.5' }, out: { n: '-2.5', m: -3 } },
        { args: { source: 'n', mode: 'halfEven' }, in: { n: 2.5 }, out: { n: 2 } },
        { args: { source: 'n', mode: 'ceil' }, in: { n: -0.2 }, out: { n: 0 } },
        { args: { source: 'n' }, in: { n: 'zwei' }, error: 'Field "n": is "zwei", which is no number' },
        {
            args: { source: 'n', decimals: 3 },
            in: { n: '0.1234567890123456789' },
            out: { n: 0.123 },
        },
        {
            args: { source: 'n' },
            in: { n: '9007199254740993.4' },
            error: 'which rounded is no number that can be held exactly; allowed: up to 15 digits',
        },
        { args: { source: 'n' }, in: {}, out: {} },
        {
            args: { source: 'n', decimals: 2 },
            in: { n: '12.50' },
            out: { n: 12.5 },
            note: 'A number has no zeros at its end.',
        },
    ],
    reads: ({ source }) => [source],
    compile({ source, target, decimals, mode }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.place(target ?? source);
        return data => {
            const value = from.get(data);
            if (typeof value === 'number' && Number.isInteger(value)) return to.set(data, value);
            const decimal = decimalOf(value);
            if (decimal) {
                const number = numberOf(rounded(decimal, decimals, mode));
                if (number !== undefined) return to.set(data, number);
                throw valueInvalid(
                    source,
                    value,
                    'which rounded is no number that can be held exactly; allowed: up to 15 digits',
                );
            }
            if (isNothing(value)) return data;
            throw valueInvalid(source, value, 'which is no number');
        };
    },
});
