import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { valueInvalid } from '../../errors/record-invalid';
import { json, path } from '../../schema/fields';
import { isNothing, NOT_EXACT, parseDecimal } from '../../data/decimal';
import { isLocaleNumber } from './locale-number';

/** Converts text to a number. */
export const toNumber = recordOperator({
    code: 'toNumber',
    category: 'Numeric',
    title: 'To number',
    summary: 'Converts text to a number.',
    config: z.strictObject({
        source: path('From', 'The text to read. A number is left unchanged.'),
        target: path('To', 'The field for the number. Default: the field itself.').optional(),
        default: json(
            'Default',
            'The value for the target if there is no number: missing, null, empty or other text.',
        ).optional(),
    }),
    notes: [
        'Reads decimal numbers with a point ("1234.5", "-3", "1e3"). "1.234,5" is not one; use parseNumber for it.',
        'A number that cannot be represented exactly rejects the record, even with a default: "9007199254740993", "1e400", fractions of more than about 15 digits.',
        'Without a default, text that is not a number rejects the record; missing, null and empty text leave it unchanged.',
    ],
    examples: [
        { args: { source: 'price', target: 'n' }, in: { price: ' 19.90 ' }, out: { price: ' 19.90 ', n: 19.9 } },
        { args: { source: 'price' }, in: { price: '-1.5e2' }, out: { price: -150 } },
        { args: { source: 'price' }, in: { price: 7 }, out: { price: 7 } },
        {
            args: { source: 'price' },
            in: { price: '1,234' },
            error: 'Field "price": "1,234" is not a number. Use parseNumber first, with the locale of the number',
        },
        { args: { source: 'price', default: 0 }, in: { price: 'auf Anfrage' }, out: { price: 0 } },
        { args: { source: 'price' }, in: { price: '' }, out: { price: '' }, note: 'Empty text is left unchanged.' },
        { args: { source: 'price', default: null }, in: {}, out: { price: null } },
        { args: { source: 'price' }, in: { price: [] }, error: 'an empty list is not a number' },
        {
            args: { source: 'ean' },
            in: { ean: '9007199254740993' },
            error: 'cannot be represented exactly; allowed: up to 15 digits, or keep it as text',
            note: 'An error is better than a wrong number.',
        },
        {
            args: { source: 'weight', default: 0 },
            in: { weight: '0.1234567890123456789' },
            error: 'cannot be represented exactly',
            note: 'It is a number, so the default does not apply.',
        },
        { args: { source: 'price' }, in: { price: '12.50' }, out: { price: 12.5 } },
    ],
    reads: ({ source, default: fallback }) => (fallback === undefined ? [source] : []),
    compile({ source, target, default: fallback }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.place(target ?? source);
        return data => {
            const value = from.get(data);
            if (typeof value === 'number') return to.text === from.text ? data : to.set(data, value);
            const parsed = typeof value === 'string' ? parseDecimal(value) : undefined;
            if (parsed !== undefined) {
                if (Number.isNaN(parsed)) throw valueInvalid(source, value, NOT_EXACT);
                return to.set(data, parsed);
            }
            if (fallback !== undefined) return to.set(data, fallback);
            if (isNothing(value)) return data;
            throw valueInvalid(
                source,
                value,
                isLocaleNumber(value)
                    ? 'is not a number. Use parseNumber first, with the locale of the number'
                    : 'is not a number',
            );
        };
    },
});
