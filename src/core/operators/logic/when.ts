import { z } from 'zod';
import { DROP, recordOperator } from '../../adapter/operator';
import { compileConditions, conditions } from './condition';
import { conditionAdvice } from './condition-advice';

/** Keeps or drops the records that meet conditions. */
export const when = recordOperator({
    code: 'when',
    category: 'Logic',
    title: 'Filter records',
    summary: 'Keeps or drops records that meet all conditions.',
    config: z.strictObject({
        conditions: conditions('Conditions', 'Conditions that must all be met. Nest them with {all}, {any} and {not}.'),
        action: z.enum(['keep', 'drop']).default('keep').meta({
            title: 'Action',
            description:
                'What happens to a record that meets the conditions: keep it (and drop all others), or drop it.',
        }),
    }),
    notes: [
        'eq, ne, in and notIn are type-strict, except that a number and plain decimal text are compared as numbers: "7" and "7.0" equal 7, but "7.0" does not equal "7".',
        'gt, gte, lt and lte compare numbers and plain decimal text, exactly as written, or two ISO dates. A value that they cannot compare does not meet them, and is a warning in the log of the run. The log counts repeated warnings.',
        'A missing field meets ne, notIn, notContains, notExists and isEmpty. Blank text is empty, as it is for required fields.',
        'A record that is filtered out counts as filtered, not as rejected.',
    ],
    examples: [
        {
            args: { conditions: [{ field: 'stock', cmp: 'gt', value: 0 }] },
            in: { stock: '3' },
            out: { stock: '3' },
            note: 'Numeric text is compared as a number.',
        },
        { args: { conditions: [{ field: 'stock', cmp: 'gt', value: 0 }] }, in: {}, out: 'drop' },
        {
            args: { conditions: [{ field: 'status', value: 'Gelöscht' }], action: 'drop' },
            in: { status: 'Gelöscht' },
            out: 'drop',
        },
        {
            args: { conditions: [{ field: 'status', value: 'Gelöscht' }], action: 'drop' },
            in: { status: null },
            out: { status: null },
        },
        {
            args: {
                conditions: [
                    {
                        any: [
                            { field: 'tags', cmp: 'contains', value: 'neu' },
                            { not: { field: 'sku', cmp: 'matches', value: 'ALT-*' } },
                        ],
                    },
                ],
            },
            in: { tags: [], sku: 'ALT-1' },
            out: 'drop',
        },
        {
            args: { conditions: [{ field: 'sku', value: 7 }] },
            in: { sku: '7' },
            out: { sku: '7' },
        },
        {
            args: { conditions: [{ field: 'sku', value: '7.0' }] },
            in: { sku: '7' },
            out: 'drop',
            note: 'Two texts are compared as texts.',
        },
        { args: { conditions: [{ field: 'tags', cmp: 'isEmpty' }] }, in: { tags: [] }, out: { tags: [] } },
        { args: { conditions: [{ field: 'name', cmp: 'isEmpty' }] }, in: { name: ' ' }, out: { name: ' ' } },
    ],
    advise: ({ conditions: list }) => conditionAdvice(list, 'conditions'),
    compile(args) {
        const test = compileConditions(args.conditions);
        const keeps = args.action === 'keep';
        return (data, place) => (test(data, place) === keeps ? data : DROP);
    },
});
