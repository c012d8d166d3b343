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
    summary: 'Rounds a number to a number of decimals.',
    config: z.strictObject({
        source: path('From', 'The number, or numeric text.'),
        target: path('To', 'The field for the result. Default: the field itself.').optional(),
        decimals: wholeNumber(
            { min: 0, max: 20 },
            { title: 'Decimals', description: 'The number of decimals to keep.' },
        ).default(0),
        mode: rounding(),
    }),
    notes: [
        'Computed in decimal, with any number of digits. A result that cannot be represented exactly (more than about 15 digits) rejects the record. A missing, null or empty value leaves the record unchanged.',
    ],
    examples: [
        { args: { source: 'n', decimals: 2 }, in: { n: 1.005 }, out: { n: 1.01 } },
        { args: { source: 'n', target: 'm' }, in: { n: '-2.5' }, out: { n: '-2.5', m: -3 } },
        { args: { source: 'n', mode: 'halfEven' }, in: { n: 2.5 }, out: { n: 2 } },
        { args: { source: 'n', mode: 'ceil' }, in: { n: -0.2 }, out: { n: 0 } },
        { args: { source: 'n' }, in: { n: 'zwei' }, error: 'Field "n": "zwei" is not a number' },
        {
            args: { source: 'n', decimals: 3 },
            in: { n: '0.1234567890123456789' },
            out: { n: 0.123 },
        },
        {
            args: { source: 'n' },
            in: { n: '9007199254740993.4' },
            error: 'cannot be represented exactly after rounding; allowed: up to 15 digits',
        },
        { args: { source: 'n' }, in: {}, out: {} },
        {
            args: { source: 'n', decimals: 2 },
            in: { n: '12.50' },
            out: { n: 12.5 },
            note: 'A number has no trailing zeros.',
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
                    'cannot be represented exactly after rounding; allowed: up to 15 digits',
                );
            }
            if (isNothing(value)) return data;
            throw valueInvalid(source, value, 'is not a number');
        };
    },
});
