import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { valueInvalid } from '../../errors/record-invalid';
import { path, wholeNumber } from '../../schema/fields';
import { hasExponent, isNothing, NO_EXPONENT, scaled } from '../../data/decimal';
import { rounding } from './rounding-field';

/** Converts an amount to minor units of its currency. */
export const currency = recordOperator({
    code: 'currency',
    category: 'Numeric',
    title: 'To minor units',
    summary: 'Turns an amount into whole minor units of its currency.',
    config: z.strictObject({
        source: path('From', 'The amount: a number, or text with a decimal point.'),
        target: path('To', 'Where the whole number goes.'),
        decimals: wholeNumber(
            { min: 0, max: 10 },
            { title: 'Decimals', description: 'Decimals of the currency: 2 for EUR and USD, 0 for JPY, 3 for KWD.' },
        ),
        round: rounding(),
    }),
    notes: [
        'Computed in decimal, whatever its digits. An amount that is written with an exponent ("1e3") rejects the record. An amount that is missing, null or empty leaves the record as it is.',
    ],
    examples: [
        { args: { source: 'p', target: 'p', decimals: 2 }, in: { p: 1.005 }, out: { p: 101 } },
        { args: { source: 'p', target: 'c', decimals: 0 }, in: { p: '1234.5' }, out: { p: '1234.5', c: 1235 } },
        { args: { source: 'p', target: 'p', decimals: 3, round: 'floor' }, in: { p: '-0.0001' }, out: { p: -1 } },
        {
            args: { source: 'p', target: 'p', decimals: 2 },
            in: { p: '12,50 €' },
            error: 'Field "p": is "12,50 €", which is no decimal number',
        },
        {
            args: { source: 'p', target: 'p', decimals: 2 },
            in: { p: 1e15 },
            error: 'gives more minor units than a whole number can hold exactly',
        },
        {
            args: { source: 'p', target: 'p', decimals: 2 },
            in: { p: '1e3' },
            error: 'Field "p": is "1e3", which has an exponent; allowed: a number with all its digits, like 1000 for 1e3',
        },
        { args: { source: 'p', target: 'p', decimals: 2 }, in: { p: null }, out: { p: null } },
        { args: { source: 'p', target: 'p', decimals: 2 }, in: { p: '12.50' }, out: { p: 1250 } },
    ],
    reads: ({ source }) => [source],
    compile({ source, target, decimals, round }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.place(target);
        return data => {
            const value = from.get(data);
            if (typeof value === 'string' && hasExponent(value)) throw valueInvalid(source, value, NO_EXPONENT);
            const minor =
                typeof value === 'number' || typeof value === 'string'
                    ? scaled(String(value), decimals, round)
                    : undefined;
            if (minor === undefined) {
                if (isNothing(value)) return data;
                throw valueInvalid(source, value, 'which is no decimal number');
            }
            if (Number.isNaN(minor))
                throw valueInvalid(source, value, 'which gives more minor units than a whole number can hold exactly');
            return to.set(data, minor);
        };
    },
});
