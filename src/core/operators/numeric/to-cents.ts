import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { valueInvalid } from '../../errors/record-invalid';
import { path } from '../../schema/fields';
import { hasExponent, isNothing, NO_EXPONENT, type Rounding, ROUNDINGS, scaled } from '../../data/decimal';
import { isLocaleNumber } from './locale-number';

/** Converts an amount to minor units, as the shop stores money. */
export const toCents = recordOperator({
    code: 'toCents',
    category: 'Numeric',
    title: 'To cents',
    summary: 'Multiplies an amount by 100 and rounds it to a whole number.',
    config: z.strictObject({
        source: path('From', 'The amount: a number, or text with a decimal point.'),
        target: path('To', 'The field for the whole number.'),
        round: z.enum(ROUNDINGS).default('round').meta({
            title: 'Rounding',
            description:
                'round (halves away from zero), floor (down), ceil (up) or halfEven (halves to the even neighbour).',
        }),
    }),
    notes: [
        'Computed in decimal, so 1.005 gives 101. An amount with an exponent ("1e3") rejects the record. A missing, null or empty amount leaves the record unchanged.',
    ],
    examples: [
        { args: { source: 'price', target: 'cents' }, in: { price: '19.99' }, out: { price: '19.99', cents: 1999 } },
        {
            args: { source: 'price', target: 'price' },
            in: { price: 1.005 },
            out: { price: 101 },
            note: 'Exact, although 1.005 * 100 is 100.49999999999999.',
        },
        { args: { source: 'price', target: 'price', round: 'halfEven' }, in: { price: '0.125' }, out: { price: 12 } },
        { args: { source: 'price', target: 'price', round: 'floor' }, in: { price: -0.011 }, out: { price: -2 } },
        { args: { source: 'price', target: 'price', round: 'ceil' }, in: { price: '0.001' }, out: { price: 1 } },
        {
            args: { source: 'price', target: 'cents' },
            in: { price: '12,50 €' },
            error: 'Field "price": "12,50 €" is not a decimal number',
        },
        {
            args: { source: 'price', target: 'cents' },
            in: { price: '1.036,00' },
            error: 'Field "price": "1.036,00" is not a decimal number. Use parseNumber first, with the locale of the number',
        },
        {
            args: { source: 'price', target: 'cents' },
            in: { price: 1e15 },
            error: 'gives more cents than a whole number can hold exactly',
        },
        {
            args: { source: 'price', target: 'cents' },
            in: { price: '1e3' },
            error: 'Field "price": "1e3" has an exponent; allowed: a number with all its digits, like 1000 for 1e3',
        },
        { args: { source: 'price', target: 'cents' }, in: { price: null }, out: { price: null } },
        { args: { source: 'price', target: 'cents' }, in: { price: '' }, out: { price: '' } },
        { args: { source: 'price', target: 'cents' }, in: { price: [] }, error: 'an empty list is not' },
        { args: { source: 'price', target: 'price' }, in: { price: '12.50' }, out: { price: 1250 } },
    ],
    reads: ({ source }) => [source],
    compile({ source, target, round }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.place(target);
        return data => {
            const value = from.get(data);
            let cents: number | undefined;
            if (typeof value === 'number') cents = centsOfNumber(value, round);
            else if (typeof value === 'string') cents = centsOfText(value, round);
            if (cents === undefined) {
                if (isNothing(value)) return data;
                if (typeof value === 'string' && hasExponent(value)) throw valueInvalid(source, value, NO_EXPONENT);
                throw valueInvalid(
                    source,
                    value,
                    isLocaleNumber(value)
                        ? 'is not a decimal number. Use parseNumber first, with the locale of the number'
                        : 'is not a decimal number',
                );
            }
            if (Number.isNaN(cents))
                throw valueInvalid(source, value, 'gives more cents than a whole number can hold exactly');
            return to.set(data, cents);
        };
    },
});

function centsOfNumber(value: number, round: Rounding): number | undefined {
    const near = Math.round(value * 100);
    // With at most 15 digits, a number that equals n / 100 is the decimal n / 100 and needs no rounding.
    if (near / 100 === value && Math.abs(near) < 1e15) return near === 0 ? 0 : near;
    return scaled(String(value), 2, round);
}

/**
 * Parses "1234.5" without regular expressions; undefined for an exponent and for any other text, which the slow path
 * handles.
 */
function centsOfText(text: string, round: Rounding): number | undefined {
    let value = 0;
    let decimals = -1;
    const isNegative = text.charCodeAt(0) === 45;
    const first = isNegative ? 1 : 0;
    if (text.length === first || text.length > 14) return scaledText(text, round);
    for (let i = first; i < text.length; i++) {
        const code = text.charCodeAt(i);
        if (code === 46 && decimals < 0 && text.length > first + 1) decimals = 0;
        else if (code >= 48 && code <= 57 && decimals < 2) {
            value = value * 10 + code - 48;
            if (decimals >= 0) decimals++;
        } else return scaledText(text, round);
    }
    const cents = decimals === 2 ? value : decimals === 1 ? value * 10 : value * 100;
    return isNegative && cents !== 0 ? -cents : cents;
}

function scaledText(text: string, round: Rounding): number | undefined {
    return hasExponent(text) ? undefined : scaled(text, 2, round);
}
