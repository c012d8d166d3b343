import { z } from 'zod';
import { defineLoader, type LoaderFixture } from '../../core/adapter/loader';
import { namedFields } from '../catalogue/known-fields';
import { loadArguments } from '../entities/load-arguments';
import { fieldArguments, fieldNames } from '../catalogue/load-config';
import { openStock } from '../catalogue/stock-session';

const FIELDS = ['sku', 'stock'] as const;

/** What the examples begin with. */
const lamp: readonly LoaderFixture[] = [
    { loader: 'productUpsert', records: [{ name: 'Desk lamp', sku: 'LAMP-1', price: 4900, stock: 5 }] },
];

/** Stock of existing variants, in bulk: the nightly feed. */
export const stockAdjust = defineLoader({
    code: 'stockAdjust',
    title: 'Adjust stock',
    category: 'Catalogue',
    summary: 'Sets or changes the stock on hand of existing variants, found by SKU.',
    notes: [
        'A record is {sku, stock}; stock is a whole number, or an object with one for each stock location: {"Main": 5, "Outlet": 0}.',
        'null in the place of a number takes the level of that location away; the last one of a variant stays, and one with stock that is allocated to orders.',
        'Mode ADD is not repeatable: a file is added again if it is loaded again after a completed run. A batch that is repeated after a crash is added once, and so is a file whose run was cancelled or failed and which the next run finishes (but not with resetCheckpoint or after another revision was published: then the log of the run names the incomplete run and the difference).',
        'The strategy CREATE takes levels of locations at which a variant has none yet, UPDATE those at which it has one; a variant that does not exist is a record error whatever the strategy.',
        'SKUs are read without the blanks round them.',
        'What is allocated to orders is never touched. Each change is stored with a stock movement, as Vendure does it.',
        "As in the Admin API, a plain number other than 0 must not be below the variant's out-of-stock threshold.",
    ],
    requires: ['UpdateCatalog'],
    config: z.strictObject({
        mode: z.enum(['SET', 'ADD']).default('SET').meta({
            title: 'Mode',
            description: 'SET: the number is the new stock on hand. ADD: it is added to it, and may be negative.',
        }),
        stockLocation: z.string().min(1).max(255).optional().meta({
            title: 'Stock location',
            description: 'Name of the location that a plain number is for; without it, the first of the channel.',
        }),
        ...fieldArguments(FIELDS),
        strategy: loadArguments.strategy,
        sideEffects: loadArguments.sideEffects,
        history: loadArguments.history,
    }),
    examples: [
        {
            given: lamp,
            in: [{ sku: 'LAMP-1', stock: 12 }],
            keys: ['Desk lamp', 'LAMP-1'],
            does: ['update'],
            after: [{ stock: 12 }],
        },
        {
            note: 'One number for each location; unchanged levels are not written again.',
            given: lamp,
            in: [
                { sku: 'LAMP-1', stock: { Main: 5 } },
                { sku: 'LAMP-1', stock: { Main: 5, Outlet: 3 } },
            ],
            keys: ['Desk lamp', 'LAMP-1'],
            does: ['unchanged', 'update'],
            after: [{ stock: { Outlet: 3 } }],
        },
        {
            note: 'null takes the level of a location away.',
            given: [...lamp, { loader: 'stockAdjust', records: [{ sku: 'LAMP-1', stock: { Outlet: 3 } }] }],
            in: [
                { sku: 'LAMP-1', stock: { Main: null, Outlet: null } },
                { sku: 'LAMP-1', stock: { Outlet: null } },
            ],
            keys: ['Desk lamp', 'LAMP-1'],
            does: ['reject', 'update'],
            rejects: ['stock'],
            after: [{ stock: { Outlet: null } }],
        },
        {
            note: 'Added to what is there: the second time adds again.',
            given: lamp,
            config: { mode: 'ADD' },
            in: [{ sku: 'LAMP-1', stock: 3 }],
            keys: ['Desk lamp', 'LAMP-1'],
            does: ['update'],
            after: [{ stock: 8 }],
            again: ['update'],
        },
        {
            given: lamp,
            config: { strategy: 'CREATE' },
            in: [{ sku: 'LAMP-1', stock: { Main: 7 } }],
            keys: ['Desk lamp', 'LAMP-1'],
            does: ['reject'],
            rejects: ['stock'],
        },
        {
            given: lamp,
            in: [
                { sku: 'LAMP-2', stock: 1 },
                { sku: 'LAMP-1', stock: 'five' },
                { sku: 'LAMP-1', stock: { Attic: 1 } },
                { sku: 'LAMP-1', stock: 4 },
            ],
            keys: ['Desk lamp', 'LAMP-1', 'LAMP-2'],
            does: ['reject', 'reject', 'reject', 'update'],
            rejects: ['sku', 'stock', 'stock.Attic'],
        },
    ],
    adds: ({ mode }) => mode === 'ADD',
    fields: config => namedFields(fieldNames(config), FIELDS),
    open: openStock,
});
