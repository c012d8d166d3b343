import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { json, path } from '../../schema/fields';
import { compileConditions, conditionOrList } from './condition';
import { conditionAdvice } from './condition-advice';

/** One of two values (`condition` is one condition or a list). */
export const ifThenElse = recordOperator({
    code: 'ifThenElse',
    category: 'Logic',
    title: 'If, then, else',
    summary: 'Sets a field to one value or another one, as conditions are met or not.',
    config: z.strictObject({
        condition: conditionOrList().meta({
            title: 'Condition',
            description: 'One condition, or a list of which all must be met; {all}, {any} and {not} nest.',
            widget: 'conditions',
        }),
        thenValue: json('Then', 'What the target gets when the conditions are met.'),
        elseValue: json('Else', 'What it gets otherwise. Without it such a record stays as it is.').optional(),
        target: path('To', 'Where the value goes.'),
    }),
    notes: ['Conditions are those of the operator when; what they cannot compare is a warning in the log of the run.'],
    examples: [
        {
            args: {
                condition: { field: 'stock', cmp: 'gt', value: 0 },
                thenValue: 'in',
                elseValue: 'out',
                target: 'state',
            },
            in: { stock: 3 },
            out: { stock: 3, state: 'in' },
        },
        {
            args: {
                condition: [
                    { field: 'a', value: 1 },
                    { field: 'b', value: 'ü' },
                ],
                thenValue: true,
                elseValue: false,
                target: 'c',
            },
            in: { a: 1, b: 'u' },
            out: { a: 1, b: 'u', c: false },
        },
        {
            args: { condition: { field: 'rate', value: 7 }, thenValue: 'reduced', target: 'tax' },
            in: { rate: '7.00' },
            out: { rate: '7.00', tax: 'reduced' },
            note: 'A number and text that is this number are equal.',
        },
        { args: { condition: { field: 'a', cmp: 'exists' }, thenValue: 1, target: 'c' }, in: {}, out: {} },
        {
            args: { condition: { not: { field: 'a', cmp: 'isNull' } }, thenValue: null, elseValue: [], target: 'c' },
            in: { a: null },
            out: { a: null, c: [] },
        },
    ],
    advise: ({ condition }) => conditionAdvice(condition, 'condition'),
    compile({ condition, thenValue, elseValue, target }, { bounds }) {
        const holds = compileConditions(Array.isArray(condition) ? condition : [condition]);
        const to = bounds.field(target);
        return (data, place) => {
            const value = holds(data, place) ? thenValue : elseValue;
            return value === undefined ? data : to.set(data, value);
        };
    },
});
