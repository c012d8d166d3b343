import { z } from 'zod';
import { DROP, recordOperator } from '../../adapter/operator';
import { compileConditions, conditions } from './condition';

/** Keeps or drops the records that meet conditions (spec 3, `when`). */
export const when = recordOperator({
    code: 'when',
    category: 'Logic',
    title: 'Filter records',
    summary: 'Keeps or drops the records that meet all conditions.',
    config: z.strictObject({
        conditions: conditions('Conditions', 'All of them must be met; {all}, {any} and {not} nest.'),
        action: z.enum(['keep', 'drop']).default('keep').meta({
            title: 'Action',
            description: 'What happens to a record that meets them: keep (the others end here) or drop.',
        }),
    }),
    notes: [
        'eq is type-strict: "7" is not 7. gt, gte, lt and lte compare two numbers, a number with numeric text, or two ISO dates; anything else does not meet them.',
        'A missing field meets ne, notIn, notContains, notExists and isEmpty.',
        'A record that is filtered out counts as filtered, not as rejected.',
    ],
    examples: [
        {
            args: { conditions: [{ field: 'stock', cmp: 'gt', value: 0 }] },
            in: { stock: '3' },
            out: { stock: '3' },
            note: 'Numeric text compares with a number.',
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
            out: 'drop',
            note: 'eq is type-strict.',
        },
        { args: { conditions: [{ field: 'tags', cmp: 'isEmpty' }] }, in: { tags: [] }, out: { tags: [] } },
    ],
    compile(args) {
        const test = compileConditions(args.conditions);
        const keeps = args.action === 'keep';
        return data => (test(data) === keeps ? data : DROP);
    },
});
