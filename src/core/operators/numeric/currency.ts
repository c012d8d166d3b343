import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { valueInvalid } from '../../errors/record-invalid';
import { path, wholeNumber } from '../../schema/fields';
import { hasExponent, isNothing, NO_EXPONENT, scaled } from '../../data/decimal';
import { rounding } from './rounding-field';
import { isLocaleNumber } from './locale-number';

/** Converts an amount to minor units of its currency. */
export const currency = recordOperator({
    code: 'currency',
    category: 'Numeric',
    title: 'To minor units',
    summary: 'Converts an amount to whole minor units of its currency.',
    config: z.strictObject({
        source: path('From', 'The amount: a number, or text with a decimal point.'),
        target: path('To', 'The field for the whole number.'),
        decimals: wholeNumber(
            { min: 0, max: 10 },
            { title: 'Decimals', description: 'Decimals of the currency: 2 for EUR and USD, 0 for JPY, 3 for KWD.' },
        ),
        round: rounding(),
    }),
    notes: [
        'Computed in decimal, with any number of digits. An amount with an exponent ("1e3") rejects the record. A missing, null or empty amount leaves the record unchanged.',
    ],
    examples: [
        { args: { source: 'p', target: 'p', decimals: 2 }, in: { p: 1.005 }, out: { p: 101 } },
        { args: { source: 'p', target: 'c', decimals: 0 }, in: { p: '1234.5' }, out: { p: '1234.5', c: 1235 } },
        { args: { source: 'p', target: 'p', decimals: 3, round: 'floor' }, in: { p: '-0.0001' }, out: { p: -1 } },
        {
            args: { source: 'p', target: 'p', decimals: 2 },
            in: { p: '12,50 €' },
            error: 'Field "p": "12,50 €" is not a decimal number',
        },
        {
            args: { source: 'p', target: 'p', decimals: 2 },
            in: { p: '1.036,00' },
            error: 'Field "p": "1.036,00" is not a decimal number. Use parseNumber first, with the locale of the number',
        },
        {
            args: { source: 'p', target: 'p', decimals: 2 },
            in: { p: 1e15 },
            error: 'gives more minor units than a whole number can hold exactly',
        },
        {
            args: { source: 'p', target: 'p', decimals: 2 },
            in: { p: '1e3' },
            error: 'Field "p": "1e3" has an exponent; allowed: a number with all its digits, like 1000 for 1e3',
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
                throw valueInvalid(
                    source,
                    value,
                    isLocaleNumber(value)
                        ? 'is not a decimal number. Use parseNumber first, with the locale of the number'
                        : 'is not a decimal number',
                );
            }
            if (Number.isNaN(minor))
                throw valueInvalid(source, value, 'gives more minor units than a whole number can hold exactly');
            return to.set(data, minor);
        };
    },
});
