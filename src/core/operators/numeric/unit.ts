import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { valueInvalid } from '../../errors/record-invalid';
import { path } from '../../schema/fields';
import { Decimal, decimalOf, isNothing, nearestNumber } from '../../data/decimal';
import { addIssue } from '../../schema/issues';
import { clause } from '../../errors/rendered';

/** Each unit in the base unit of its category, exactly (gallons and ounces are the US ones). */
const CATEGORIES = {
    weight: { g: '1', kg: '1000', lb: '453.59237', oz: '28.349523125', mg: '0.001', t: '1000000' },
    length: { mm: '0.001', cm: '0.01', m: '1', km: '1000', in: '0.0254', ft: '0.3048', yd: '0.9144' },
    volume: { ml: '1', l: '1000', gal: '3785.411784', fl_oz: '29.5735295625' },
} as const;
type Category = keyof typeof CATEGORIES;

const UNITS = [
    'g',
    'kg',
    'lb',
    'oz',
    'mg',
    't',
    'mm',
    'cm',
    'm',
    'km',
    'in',
    'ft',
    'yd',
    'ml',
    'l',
    'gal',
    'fl_oz',
] as const;
type Unit = (typeof UNITS)[number];

const LISTED = Object.entries(CATEGORIES)
    .map(([category, units]) => `${category}: ${Object.keys(units).join(', ')}`)
    .join('; ');

/** Converts a quantity to another unit. */
export const unitOperator = recordOperator({
    code: 'unit',
    category: 'Numeric',
    title: 'Convert a unit',
    summary: 'Converts a weight, a length or a volume to another unit.',
    config: z
        .strictObject({
            source: path('From', 'The number, or numeric text.'),
            target: path('To', 'The field for the result.'),
            from: z.enum(UNITS).meta({ title: 'Unit', description: `The current unit. ${LISTED}.` }),
            to: z.enum(UNITS).meta({ title: 'New unit', description: 'The new unit, of the same category.' }),
        })
        .superRefine(({ from, to }, cx) => {
            if (categoryOf(from) === categoryOf(to)) return;
            const allowed = Object.keys(CATEGORIES[categoryOf(from)]).join(', ');
            addIssue(
                cx,
                clause`to is "${to}", a ${categoryOf(to)}, and from is "${from}", a ${categoryOf(from)}; allowed: ${allowed}`,
                ['to'],
            );
        }),
    notes: [
        'Computed in decimal. A result with more digits than a number can represent is rounded to the nearest number.',
        'A missing, null or empty value leaves the record unchanged; any other value that is not a number rejects it.',
    ],
    examples: [
        { args: { source: 'w', target: 'w', from: 'kg', to: 'g' }, in: { w: '1.1' }, out: { w: 1100 } },
        {
            args: { source: 'w', target: 'lb', from: 'kg', to: 'lb' },
            in: { w: 1 },
            out: { w: 1, lb: 2.2046226218487757 },
        },
        { args: { source: 'l', target: 'l', from: 'in', to: 'cm' }, in: { l: 3 }, out: { l: 7.62 } },
        { args: { source: 'v', target: 'v', from: 'gal', to: 'l' }, in: { v: 1 }, out: { v: 3.785411784 } },
        {
            args: { source: 'w', target: 'w', from: 'kg', to: 'g' },
            in: { w: '1 kg' },
            error: 'Field "w": "1 kg" is not a number',
        },
        { args: { source: 'w', target: 'x', from: 'kg', to: 'g' }, in: { w: null }, out: { w: null } },
        { args: { source: 'w', target: 'w', from: 'kg', to: 'g' }, in: { w: '12.50' }, out: { w: 12500 } },
    ],
    reads: ({ source }) => [source],
    compile({ source, target, from, to }, { bounds }) {
        const read = compilePath(source);
        const write = bounds.place(target);
        const [one, other] = [factorOf(from), factorOf(to)];
        return data => {
            const value = read.get(data);
            const decimal = decimalOf(value);
            if (decimal) {
                const number = nearestNumber(decimal.times(one).dividedBy(other));
                if (number !== undefined) return write.set(data, number);
                throw valueInvalid(source, value, `is too large to convert to ${to}`);
            }
            if (isNothing(value)) return data;
            throw valueInvalid(source, value, 'is not a number');
        };
    },
});

function categoryOf(name: Unit): Category {
    return (Object.keys(CATEGORIES) as Category[]).find(category => Object.hasOwn(CATEGORIES[category], name))!;
}

function factorOf(name: Unit): Decimal {
    return new Decimal((CATEGORIES[categoryOf(name)] as Readonly<Record<string, string>>)[name]!);
}
