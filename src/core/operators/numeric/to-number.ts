import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { valueInvalid } from '../../errors/record-invalid';
import { json, path } from '../../schema/fields';
import { isNothing, NOT_HELD, parseDecimal } from '../../data/decimal';

/** Converts text to a number. */
export const toNumber = recordOperator({
    code: 'toNumber',
    category: 'Numeric',
    title: 'To number',
    summary: 'Turns text into a number.',
    config: z.strictObject({
        source: path('From', 'The text to read; a number stays what it is.'),
        target: path('To', 'Where the number goes; the field itself where absent.').optional(),
        default: json(
            'Default',
            'What the target gets when there is no number: missing, null, empty or other text.',
        ).optional(),
    }),
    notes: [
        'Read are decimal numbers with a point ("1234.5", "-3", "1e3"). "1.234,5" is refused.',
        'A number that cannot be held exactly rejects the record, with a default, too: "9007199254740993", "1e400", fractions of more than about 15 digits.',
        'Without a default, text that is no number rejects the record; missing, null and empty text leave it as it is.',
    ],
    examples: [
        { args: { source: 'price', target: 'n' }, in: { price: ' 19.90 ' }, out: { price: ' 19.90 ', n: 19.9 } },
        { args: { source: 'price' }, in: { price: '-1.5e2' }, out: { price: -150 } },
        { args: { source: 'price' }, in: { price: 7 }, out: { price: 7 } },
        { args: { source: 'price' }, in: { price: '1,234' }, error: 'Field "price": is "1,234", which is no number' },
        { args: { source: 'price', default: 0 }, in: { price: 'auf Anfrage' }, out: { price: 0 } },
        { args: { source: 'price' }, in: { price: '' }, out: { price: '' }, note: 'Empty text is left alone.' },
        { args: { source: 'price', default: null }, in: {}, out: { price: null } },
        { args: { source: 'price' }, in: { price: [] }, error: 'is an empty list, which is no number' },
        {
            args: { source: 'ean' },
            in: { ean: '9007199254740993' },
            error: 'which a number cannot hold exactly; allowed: up to 15 digits, or to leave it text',
            note: 'Rather an error than another number.',
        },
        {
            args: { source: 'weight', default: 0 },
            in: { weight: '0.1234567890123456789' },
            error: 'which a number cannot hold exactly',
            note: 'It is a number, so the default is not for it.',
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
                if (Number.isNaN(parsed)) throw valueInvalid(source, value, NOT_HELD);
                return to.set(data, parsed);
            }
            if (fallback !== undefined) return to.set(data, fallback);
            if (isNothing(value)) return data;
            throw valueInvalid(source, value, 'which is no number');
        };
    },
});
