import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { valueInvalid } from '../../errors/record-invalid';
import { path, wholeNumber } from '../../schema/fields';
import { decimalOf, isNothing } from '../../data/decimal';
import { locale as localeField } from './locale';

/** Formats a number for a locale. */
export const formatNumber = recordOperator({
    code: 'formatNumber',
    category: 'Numeric',
    title: 'Format a number',
    summary: 'Formats a number for a locale.',
    config: z.strictObject({
        source: path('From', 'The number, or numeric text.'),
        target: path('To', 'The field for the text.'),
        locale: localeField(),
        decimals: wholeNumber(
            { min: 0, max: 20 },
            { title: 'Decimals', description: 'The exact number of decimals. Default: that of the style.' },
        ).optional(),
        style: z
            .enum(['decimal', 'currency', 'percent'])
            .default('decimal')
            .meta({ title: 'Style', description: 'decimal, currency or percent (0.5 is 50 %).' }),
        currency: z
            .string()
            .regex(/^[A-Za-z]{3}$/, 'allowed: a three-letter code like EUR')
            .optional()
            .meta({
                title: 'Currency',
                description:
                    'The three-letter currency code for the style currency. Without it, that style is decimal.',
            }),
        useGrouping: z.boolean().default(true).meta({ title: 'Grouping', description: 'Separates thousands.' }),
    }),
    notes: [
        'A missing, null or empty value leaves the record unchanged; any other value that is not a number rejects it. Halves are rounded away from zero, and zero never has a sign.',
    ],
    examples: [
        {
            args: { source: 'p', target: 't', locale: 'de-DE', decimals: 2 },
            in: { p: 1234.5 },
            out: { p: 1234.5, t: '1.234,50' },
        },
        {
            args: { source: 'p', target: 't', style: 'currency', currency: 'USD' },
            in: { p: '1.005' },
            out: { p: '1.005', t: '$1.01' },
            note: 'Rounded in decimal.',
        },
        { args: { source: 'p', target: 't', style: 'currency' }, in: { p: 1234 }, out: { p: 1234, t: '1,234' } },
        {
            args: { source: 'p', target: 't', style: 'percent', decimals: 1 },
            in: { p: 0.125 },
            out: { p: 0.125, t: '12.5%' },
        },
        {
            args: { source: 'p', target: 't', useGrouping: false },
            in: { p: 1234567 },
            out: { p: 1234567, t: '1234567' },
        },
        { args: { source: 'p', target: 't', decimals: 2 }, in: { p: -0.001 }, out: { p: -0.001, t: '0.00' } },
        { args: { source: 'p', target: 't' }, in: { p: 'viel' }, error: 'Field "p": "viel" is not a number' },
        {
            args: { source: 'p', target: 't' },
            in: { p: '1e400' },
            error: 'Field "p": "1e400" is too large; allowed: up to about 1.8e308',
        },
        {
            args: { source: 'p', target: 't' },
            in: { p: '9007199254740993' },
            out: { p: '9007199254740993', t: '9,007,199,254,740,993' },
            note: 'Digits beyond the precision of numbers are kept.',
        },
        { args: { source: 'p', target: 't' }, in: {}, out: {} },
        {
            args: { source: 'p', target: 't' },
            in: { p: '12.50' },
            out: { p: '12.50', t: '12.5' },
            note: 'With decimals: 2 it is 12.50.',
        },
        { args: { source: 'p', target: 't', decimals: 2 }, in: { p: '12.50' }, out: { p: '12.50', t: '12.50' } },
    ],
    reads: ({ source }) => [source],
    compile({ source, target, locale, decimals, style, currency, useGrouping }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.place(target);
        const format = new Intl.NumberFormat(locale, {
            useGrouping,
            // No sign on a value that is rounded to zero.
            signDisplay: 'negative',
            ...(style === 'currency' && currency === undefined
                ? {}
                : { style, ...(style === 'currency' && { currency }) }),
            ...(decimals !== undefined && { minimumFractionDigits: decimals, maximumFractionDigits: decimals }),
        });
        return data => {
            const value = from.get(data);
            const decimal = decimalOf(value);
            if (decimal && !Number.isFinite(decimal.toNumber()))
                throw valueInvalid(source, value, 'is too large; allowed: up to about 1.8e308');
            // As text, so that 1.005 is rounded as a decimal.
            if (decimal) return to.set(data, format.format(decimal.toString() as `${number}`));
            if (isNothing(value)) return data;
            throw valueInvalid(source, value, 'is not a number');
        };
    },
});
